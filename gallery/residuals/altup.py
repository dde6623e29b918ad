"""AltUp: several streams side by side. A layer predicts all of them, computes with one, and corrects the others by
what that one learned; LAuReL adds a low-rank residual, and the layer's own embedding reaches all but the first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Tensor, Wires
from cutaway.gallery.records import Normal
from cutaway.gallery.residuals.per_layer import ONE_EACH, own_embedding
from cutaway.gallery.residuals.stacking import FixedDepth
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import norm_at, sublayer


@dataclass(frozen=True, slots=True)
class AltUp:
    """Gemma 3n's streams."""

    streams: int
    active: int = 0  # the one a layer computes with
    laurel_rank: int = 64
    correct_scale: bool = True  # the corrected stream is scaled before it meets the layer's embedding
    per_layer: int = 0  # width of the layer's embedding
    hidden_act: str = "gelu_pytorch_tanh"
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)


def modalities(m: AltUp, g: Wires, at: str, x: str, h: int) -> str:
    """One number per stream: which of them this token calls for."""
    x = g.norm(f"{at}_router_norm", x, h, module="router_norm", normal=m.normal)
    x = g.add(f"{at}_router_scale", "scale", x, by=1 / h)
    x = g.linear(f"{at}_modality_router", x, m.streams, h, module="modality_router")
    return g.add(f"{at}_tanh", "act", x, act="tanh", words="tanh")


def predict_streams(m: AltUp, g: Wires, h: int) -> str:
    """Every stream plus a mixture of all, before the layer has computed anything."""
    now = g.add("active", "pick", "stream", index=m.active, words=f"stream {m.active}")
    n = m.streams
    coefs = g.linear("prediction_coefs", modalities(m, g, "predict", now, h), n * n, n)
    return g.add("predict", "predict", "stream", coefs, words=f"{n} streams, predicted")


def laurel(m: AltUp, g: Wires, x: str, h: int) -> str:
    """x plus its image through a low rank, normalised."""
    own = Wires("laurel.", "residual")
    low = own.linear("linear_right", own.linear("linear_left", "x", m.laurel_rank, h), h, m.laurel_rank)
    out = own.add("laurel_add", "add", "x", own.norm("post_laurel_norm", low, h, normal=m.normal))
    return g.inline("laurel", own.graph(out), x=x)


def graph(m: AltUp, spec: ModelSpec, layer: Layer) -> Graph:
    """Predict, the two halves on the active stream, correct, the layer's embedding."""
    g, h = Wires("altup.", "residual"), spec.hidden_size
    predictions = predict_streams(m, g, h)
    now = g.add("now", "pick", predictions, index=m.active, words=f"stream {m.active}, predicted")
    x = norm_at(g, spec, layer, "mixer_in", now)
    low = laurel(m, g, x, h)
    out = norm_at(g, spec, layer, "mixer_out", sublayer(g, spec, layer, "mixer", x))
    now = g.add("laurel_sum", "add", g.add("mixer_add", "add", now, out), low)
    now = g.add("laurel_half", "scale", now, by=1 / math.sqrt(2), words="÷ √2")
    out = sublayer(g, spec, layer, "mlp", norm_at(g, spec, layer, "mlp_in", now))
    now = g.add("mlp_add", "add", now, norm_at(g, spec, layer, "mlp_out", out))
    coefs = g.linear("correction_coefs", modalities(m, g, "correct", now, h), m.streams, m.streams)
    streams = g.add("correct", "correct", predictions, now, coefs, active=m.active, words="corrected")
    if not m.per_layer:
        return g.graph(streams)
    now = g.add("corrected", "pick", streams, index=m.active, words=f"stream {m.active}")
    if m.correct_scale:
        now = g.add("scaled", "scale", now, tensors={"weight": g.tensor("correct_output_scale", h)})
    own = own_embedding(g, layer, now, m.per_layer, h, m.hidden_act, m.normal)
    return g.graph(g.add("per_layer_add", "add_to", streams, own, first=1, words="+ streams 1 and on"))


def enter(spec: ModelSpec, g: Wires, x: str) -> str:
    """The embedding, and matrices of it brought to its size."""
    return g.add("streams", "stack", x, *project_streams(spec, g, "altup_projections", x, [x] * spec.residual.streams))


def project_streams(spec: ModelSpec, g: Wires, module: str, size: str, streams: list[str]) -> list[str]:
    """Every stream but the first through a matrix of its own, as large as another."""
    h, out = spec.hidden_size, []
    for number, stream in enumerate(streams[1:]):
        tensors = {"weight": Tensor(f"model.{module}.{number}.weight", (h, h), "residual")}
        one = g.add(f"{module}.{number}", "linear", stream, tensors=tensors)
        out.append(g.add(f"{module}.{number}.size", "match", one, size, words="as large as stream 0"))
    return out


def leave(spec: ModelSpec, g: Wires, stream: str) -> str:
    """The other streams through a matrix each, and the mean of all."""
    words = [g.add(f"stream.{i}", "pick", stream, index=i, words=f"stream {i}") for i in range(spec.residual.streams)]
    rest = project_streams(spec, g, "altup_unembed_projections", words[0], words)
    return g.add("stream_mean", "mean_streams", g.add("unembedded", "stack", words[0], *rest), words="mean")


def words(scheme: AltUp) -> str:
    """How many streams, and what is unusual about them."""
    return f"{scheme.streams}, AltUp"


def restack(scheme: AltUp, sources: Sequence[int]) -> AltUp:
    """Any depth, where no table stands beside the embedding."""
    if scheme.per_layer:
        raise FixedDepth(ONE_EACH)
    return scheme


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = AltUp, graph, enter, leave, words, restack
