"""Hyper-connections: several streams side by side; each half reads a weighed sum of them and writes to all of them."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Tensor, Wires
from cutaway.gallery.records import Normal
from cutaway.gallery.residuals.stacking import as_it_is
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import norm_at, sublayer

PLACES = {"mixer": "attn_hc", "mlp": "ffn_hc"}


@dataclass(frozen=True, slots=True)
class HyperConnections:
    """The residual stream as several parallel streams, mixed around each half of a layer."""

    streams: int
    sinkhorn_iters: int = 0  # rows and columns of the mixing are made to sum to 1 so often; 0 = streams do not mix
    eps: float = 1e-6
    magnitude: float = 2.0  # a half's answer reaches a stream between 0 and so many times
    post_eps: bool = False  # eps is added to that as well (Hy4)
    head: str = "weighed"  # how they become one again: "weighed" | "mean" (GLM-5.3-Flash)
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)

    @property
    def rows(self) -> int:
        """Numbers that a token's streams are turned into: in, out, and how streams mix."""
        return (2 + (self.streams if self.sinkhorn_iters else 0)) * self.streams


def stream_weights(
    m: HyperConnections, g: Wires, h: int, at: str, x: str, fn: tuple[str, str, str], rows: int
) -> tuple:
    """(raw weights of every token, the tensors that scale and shift them)."""
    n = m.streams
    flat = g.add(f"{at}_flat", "flatten", x, words=f"{n} streams as one vector")
    flat = g.add(f"{at}_norm", "norm", flat, normal=m.normal, words="norm, no weight")
    raw = g.add(f"{at}_fn", "linear", flat, tensors={"weight": Tensor(fn[0], (rows, n * h), "residual")})
    parts = 1 if rows == n else 2 if rows == 2 * n else 3
    return raw, {"base": Tensor(fn[1], (rows,), "residual"), "scale": Tensor(fn[2], (parts,), "residual")}


def wrap_sublayer(m: HyperConnections, g: Wires, spec: ModelSpec, layer: Layer, word: str, stream: str) -> str:
    """One half: the streams as one vector, its answer to every stream, the streams mixed among themselves."""
    n, at = m.streams, PLACES[word]
    names = (f"{at}.fn", f"{at}.base", f"{at}.scale")
    raw, tensors = stream_weights(m, g, spec.hidden_size, at, stream, names, m.rows)
    share = g.add(f"{at}_in", "stream_weights", raw, tensors=tensors, part=0, streams=n, times=1.0, eps=m.eps)
    x = g.add(f"{at}_collapse", "collapse", stream, share, words=f"Σ of {n} streams")
    out = sublayer(g, spec, layer, word, norm_at(g, spec, layer, f"{word}_in", x))
    back = g.add(f"{at}_out", "stream_weights", raw, tensors=tensors, part=1, streams=n, times=m.magnitude,
                 eps=m.eps if m.post_eps else 0.0)  # fmt: skip
    spread = g.add(f"{at}_expand", "expand", out, back, words=f"to {n} streams")
    if m.sinkhorn_iters:
        mix = g.add(f"{at}_mix", "sinkhorn", raw, tensors=tensors, streams=n, iters=m.sinkhorn_iters, eps=m.eps,
                    words=f"rows and columns sum to 1 ({m.sinkhorn_iters} times)")  # fmt: skip
        stream = g.add(f"{at}_mixed", "mix_streams", stream, mix)
    return g.add(f"{word}_add", "add", spread, stream)


def graph(scheme: HyperConnections, spec: ModelSpec, layer: Layer) -> Graph:
    """The mixer's half, then the MLP's."""
    g, stream = Wires(), "stream"
    for word in ("mixer", "mlp"):
        if getattr(layer, word) is not None:
            stream = wrap_sublayer(scheme, g, spec, layer, word, stream)
    return g.graph(stream)


def enter(spec: ModelSpec, g: Wires, x: str) -> str:
    """Every stream begins as the embedding."""
    return g.add("streams", "copies", x, streams=spec.residual.streams, words=f"{spec.residual.streams} streams")


def leave(spec: ModelSpec, g: Wires, stream: str) -> str:
    """The streams become one."""
    m: HyperConnections = spec.residual
    if m.head == "mean":
        return g.add("hc_head", "mean_streams", stream)
    names = ("model.hc_head.hc_fn", "model.hc_head.hc_base", "model.hc_head.hc_scale")
    raw, tensors = stream_weights(m, g, spec.hidden_size, "hc_head", stream, names, m.streams)
    share = g.add("hc_head_in", "stream_weights", raw, tensors=tensors, part=0, streams=m.streams, times=1.0, eps=m.eps)
    return g.add("hc_head", "collapse", stream, share, words=f"Σ of {m.streams} streams")


def words(scheme: HyperConnections) -> str:
    """How many streams, and what is unusual about them."""
    return f"{scheme.streams}, hyper-connections"


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = HyperConnections, graph, enter, leave, words, as_it_is
