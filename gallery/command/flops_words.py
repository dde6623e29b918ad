"""FLOPs of a spec -> what `cutaway flops` prints: a row for each context, and what the work is; also as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.gallery.command.report import table
from cutaway.gallery.counting.flops import Flops, flops
from cutaway.gallery.drawing.words import figures, size
from cutaway.gallery.spec import ModelSpec

UNITS = ((1e18, "EFLOP"), (1e15, "PFLOP"), (1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"), (1e3, "KFLOP"))


def work(value: float) -> str:
    """FLOPs with a unit: 75.1 GFLOP, 640 FLOP."""
    for unit, name in UNITS:
        if value >= unit * 0.9995:
            return f"{figures(value / unit)} {name}"
    return f"{value:,.0f} FLOP"


def flops_json(spec: ModelSpec, contexts: Sequence[int], prefill: bool) -> dict[str, Any]:
    """Each context; `of`: one new token, or the whole prompt."""
    found = [flops(spec, context, prefill) for context in contexts]
    return {"of": "prompt" if prefill else "token", "contexts": [one_json(one) for one in found]}


def one_json(found: Flops) -> dict[str, Any]:
    """One context; layers as the library gives them."""
    names = ("context", "total_flops", "core_flops", "by_what", "weight_bytes", "cache_bytes")
    layers = [one._asdict() for one in found.layers]
    return {**{name: getattr(found, name) for name in names}, "layers": layers}


def flops_lines(spec: ModelSpec, contexts: Sequence[int], prefill: bool) -> list[str]:
    """What a token, or a prompt, costs at each context."""
    found = [flops(spec, context, prefill) for context in contexts]
    of = "the whole prompt" if prefill else "each new token"
    moved = "written to the cache" if prefill else "read from the cache"
    kinds = list(dict.fromkeys(what for one in found for what in one.by_what))
    rows: list[Sequence[object]] = [("context", "total", *kinds, "weights read", moved)]
    for one in found:
        each = [work(one.by_what.get(what, 0)) for what in kinds]
        rows.append((f"{one.context:,}", work(one.total_flops), *each, size(one.weight_bytes), size(one.cache_bytes)))
    return [f"For {of}, batch 1; a multiply-add is two FLOPs", "", *table(rows, right=range(len(rows[0])))]
