"""Numbers -> the words a drawing prints: thin grouping, units, runs of layers."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

_UNITS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K"))


def figures(value: float, digits: int = 3) -> str:
    """About `digits` significant figures, trailing noughts kept: 37.6, 11.5, 4.04."""
    whole = len(str(int(abs(value))))
    return f"{value:,.{max(0, digits - whole)}f}"


@lru_cache(4096, typed=True)
def count(value: int) -> str:
    """A number of parameters: 671.0 B, 44.0 M, 576."""
    for size, unit in _UNITS:
        if value >= size * 0.9995:
            return f"{figures(value / size)} {unit}"
    return f"{value:,}"


def size(bits_or_bytes: float) -> str:
    """Bytes with decimal units: 1,152 B, 70.3 KB, 2.10 MB."""
    if bits_or_bytes < 10_000:
        return f"{bits_or_bytes:,.0f} B" if bits_or_bytes == int(bits_or_bytes) else f"{bits_or_bytes:,.1f} B"
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if bits_or_bytes >= unit:
            return f"{figures(bits_or_bytes / unit)} {name}"
    return f"{bits_or_bytes:,.0f} B"


def shape_words(shape: tuple[int, ...]) -> str:
    """A tensor's shape: 32 or 8,192 × 1 × 4."""
    return " × ".join(f"{n:,}" for n in shape) or "1"


def runs(indices: list[int]) -> list[tuple[int, int]]:
    """Sorted layer numbers as (first, last) runs."""
    out: list[tuple[int, int]] = []
    for index in indices:
        if out and out[-1][1] == index - 1:
            out[-1] = (out[-1][0], index)
        else:
            out.append((index, index))
    return out


MOST_LISTED = 22  # characters beside a card's count


def layers(indices: list[int], of: int) -> str:
    """Which layers, where few words are exact: every layer, layers 3–60, every 4th, from 3; else ""."""
    if len(indices) == of:
        return "every layer" if of > 1 else "the one layer"
    spans = runs(indices)
    if len(spans) == 1:
        first, last = spans[0]
        return f"layer {first}" if first == last else f"layers {first}–{last}"
    steps = {b - a for a, b in pairwise(indices)}
    if len(steps) == 1 and len(indices) > 2:
        step = steps.pop()
        name = {2: "2nd", 3: "3rd"}.get(step, f"{step}th")
        if indices[0] < step and indices[-1] + step >= of:
            return f"every {name}, from {indices[0]}"
        return f"every {name}, {indices[0]}–{indices[-1]}"
    listed = "layers " + ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in spans)
    return listed if len(spans) <= 3 and len(listed) <= MOST_LISTED else ""


def some(indices: list[int]) -> str:
    """Layers without a rule, in words that fit: layers 3, 7, 11 … 92, or among layers 20–34."""
    spans = runs(indices)
    if len(spans) > 3 and all(a == b for a, b in spans[:3]):
        return f"layers {spans[0][0]}, {spans[1][0]}, {spans[2][0]} … {indices[-1]}"
    return f"among layers {indices[0]}–{indices[-1]}"


def others(indices: list[int]) -> str:
    """The layers of the one kind that all other kinds leave over."""
    return f"the others, {indices[0]}–{indices[-1]}"
