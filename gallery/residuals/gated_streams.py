"""Streams read through a gate per number: each half gets a mean of all streams, gated by a low rank of them, and
writes to each with a weight of its own (Qwen4-Exp). Some layers first add what the last few tokens look up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.records import Normal
from cutaway.gallery.residuals.ngrams import NGrams, look_up
from cutaway.gallery.residuals.stacking import FixedDepth
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import sublayer

PLACES = {"mixer": "attn_hyper_connection", "mlp": "mlp_hyper_connection"}


@dataclass(frozen=True, slots=True)
class GatedStreams:
    """Several streams; every half reads and writes all of them."""

    streams: int
    lowrank: int
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)
    ngrams: tuple[tuple[int, NGrams], ...] = ()  # (layer, what its tokens look up)

    @property
    def keeps(self) -> frozenset[int]:
        """The layers that keep the last columns of a convolution over n-grams while decoding."""
        return frozenset(layer for layer, _ in self.ngrams)


def collapse_streams(m: GatedStreams, g: Wires, at: str, stream: str, h: int) -> tuple[str, str]:
    """(what a half reads, the streams as one normalised vector). `g` writes under the module's prefix."""
    n = m.streams
    flat = g.add(f"{at}.flat", "flatten", stream, words=f"{n} streams as one vector")
    flat = g.norm(f"{at}.hc_norm", flat, n * h, module="hc_norm", normal=m.normal, groups=n)
    low = g.linear(f"{at}.down", flat, m.lowrank, n * h, module="input_mix_weight_down")
    low = g.add(f"{at}.act", "act", g.add(f"{at}.down_scaled", "scale", low, by=1 / n), act="silu")
    gate = g.linear(f"{at}.up", low, n * h, m.lowrank, module="input_mix_weight_up")
    gate = g.add(f"{at}.gate", "act", gate, act="sigmoid", words="σ")
    mixed = g.add(f"{at}.gated", "multiply", flat, gate, split=(n, h))
    return g.add(f"{at}.mean", "mean_streams", mixed, words=f"mean of {n} streams"), flat


def wrap_sublayer(m: GatedStreams, g: Wires, spec: ModelSpec, layer: Layer, word: str, stream: str) -> str:
    """One half: read through the gate, written to every stream with a weight between 0 and 2."""
    at, n, h = PLACES[word], m.streams, spec.hidden_size
    g.prefix = at + "."
    x, flat = collapse_streams(m, g, at, stream, h)
    share = g.linear(f"{at}.inject", flat, n, n * h, module="block_inject_weight")
    share = g.add(f"{at}.inject_scaled", "scale", share, by=1 / n)
    share = g.add(f"{at}.share", "act", share, act="sigmoid2", words="2σ")
    out = sublayer(g, spec, layer, word, x)
    out = g.add(f"{at}.expand", "expand", out, share, words=f"to {n} streams")
    return g.add(f"{word}_add", "add", stream, out)


def graph(m: GatedStreams, spec: ModelSpec, layer: Layer) -> Graph:
    """What tokens look up, the mixer's half, the MLP's."""
    g, stream = Wires("", "residual"), "stream"
    looked = dict(m.ngrams).get(layer.index)
    if looked:
        own = look_up(looked, m.streams, spec.hidden_size, m.normal)
        stream = g.add("ple_add", "add", stream, g.inline("ple", own, x=stream))
    for word in ("mixer", "mlp"):
        stream = wrap_sublayer(m, g, spec, layer, word, stream)
    return g.graph(stream)


def enter(spec: ModelSpec, g: Wires, x: str) -> str:
    """Every stream begins as the embedding."""
    n = spec.residual.streams
    return g.add("streams", "copies", x, streams=n, words=f"{n} streams")


def leave(spec: ModelSpec, g: Wires, stream: str) -> str:
    """The gated mean once more; no norm follows."""
    own = Wires("model.hyper_connection_mixer.", "residual")
    out, _ = collapse_streams(spec.residual, own, "mixer", "stream", spec.hidden_size)
    return g.inline("out", own.graph(out), stream=stream)


def words(scheme: GatedStreams) -> str:
    """How many streams, and what is unusual about them."""
    return f"{scheme.streams}, gated"


def restack(scheme: GatedStreams, sources: Sequence[int]) -> GatedStreams:
    """Any depth, where no layer looks up what others do not."""
    if scheme.ngrams:
        raise FixedDepth("n-gram tables stand at layers that the config names by number")
    return scheme


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = GatedStreams, graph, enter, leave, words, restack
