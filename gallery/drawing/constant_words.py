"""A half's constants -> words: what multiplies queries, keys, states, gates and the stream, where it is not one."""

from __future__ import annotations

from typing import Any

from cutaway.gallery.drawing.formulas import grown_words
from cutaway.gallery.graph import Node
from cutaway.gallery.records import Rope
from cutaway.gallery.spec import Dense, Mamba2, ModelSpec
from cutaway.gallery.wiring import after, before, layer_graph

PARTS = {"in_scaled": "input of attention", "k_scaled": "keys", "v_scale": "values",
         "out_scaled": "output of attention"}  # fmt: skip
SSM_PARTS = {"in_scaled": "input of Mamba", "out_scaled": "output of Mamba"}
MLP_PARTS = {"gate_scaled": "gate", "out_scaled": "output of the MLP"}
IN_PROJ = ("z", "x", "B", "C", "dt")  # what in_proj holds, in its order


def short(value: float) -> str:
    """A constant in full where that is short."""
    whole = f"{value:.9g}"
    return whole if len(whole) <= 9 else f"{value:.4g}"


def scales(spec: ModelSpec) -> list[str]:
    """Constants on the embedding, on what each half adds and on the logits."""
    names = {"embed_scaled": "embedding", "logits_scaled": "logits"}
    ends = {n.name: n for g in (before(spec), after(spec)) for n in g.nodes}
    first = layer_graph(spec, spec.layers[0]).nodes if spec.layers else ()
    inside = [n.facts["by"] for n in first if n.name in ("mixer_scaled", "mlp_scaled") and "by" in n.facts]
    found = {word: ends[name].facts.get("by") for name, word in names.items() if name in ends}
    found["what a layer adds"] = inside[0] if inside else None
    return [f"{word} × {short(by)}" for word, by in found.items() if by]


def rotated(rope: Rope | None, size: int) -> list[str]:
    """rotated part of q and k × 1.347: how much YaRN and LongRoPE make cos and sin grow."""
    times = grown_words(rope) if rope else ""
    which = "rotated part of q and k" if rope and rope.dims < size else "rotated q and k"
    return [f"{which} × {times}"] if times else []


def ssm_multipliers(m: Any, nodes: dict[str, Node]) -> str | None:
    """Constants inside a state space: of what it reads, of each part of in_proj, of what it gives (Falcon-H1)."""
    if not isinstance(m, Mamba2):
        return None
    parts = [f"{word} × {short(by)}" for word, by in zip(IN_PROJ, m.multipliers, strict=False)]
    first, *last = constants(SSM_PARTS, nodes) or [""]
    return ", ".join(filter(None, [first, *parts, *last]))


def mlp_multipliers(m: Any, nodes: dict[str, Node]) -> str | None:
    """Constants inside a dense MLP."""
    return ", ".join(constants(MLP_PARTS, nodes)) if isinstance(m, Dense) else None


def constants(words: dict[str, str], nodes: dict[str, Node]) -> list[str]:
    """values × 0.707: each of these nodes that a half has."""
    return [f"{what} × {short(nodes[name].facts['by'])}" for name, what in words.items() if name in nodes]
