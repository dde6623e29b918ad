"""Two to six specs -> what /compare/ says of them: verdict, figures, a row for each difference, the cache, JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cutaway.gallery.command.report import table
from cutaway.gallery.comparing.attribution import HEADS
from cutaway.gallery.comparing.comparison import Comparison, Row
from cutaway.gallery.comparing.differences import brief, compare_specs, figures, verdict
from cutaway.gallery.comparing.text.number import say_change, scaled_bytes, scaled_count
from cutaway.gallery.counting.memory import memory
from cutaway.gallery.spec import ModelSpec

Named = tuple[str, ModelSpec]  # title, spec
LEAST, MOST = 2, 6  # models of a comparison
CONTEXTS, DTYPE = (8_192, 131_072, 1_048_576), "bfloat16"  # of the cache, where nobody asks for others
COLUMNS = ("part", "what", "key", "a", "b", "parameters", "active", "cache", "fixed", "apart")
UNITS = {"parameters": "parameters", "active": "active", "cache": "cache_bytes_per_token", "fixed": "fixed_bytes",
         "apart": "mtp_parameters"}  # fmt: skip


def row_json(row: Row) -> dict[str, Any]:
    """A difference, its numbers with their units."""
    return {UNITS.get(name, name): getattr(row, name) for name in COLUMNS}


def compare_json(models: Sequence[Named], contexts: Sequence[int] = CONTEXTS, dtype: str = DTYPE) -> dict[str, Any]:
    """{"models", "pairs": one of the first with each other, "cache": bytes of each at each context}."""
    (name, first), *others = models
    pairs = []
    for other, spec in others:
        found = compare_specs(first, spec)
        pairs.append({
            "a": name,
            "b": other,
            "verdict": verdict(first, spec, (name, other), found).text,
            "figures": [asdict(one) for one in figures(first, spec)],
            "rows": [row_json(row) for row in found.rows],
        })  # fmt: skip
    kept = [{"context": tokens, "bytes": cache_bytes(models, tokens, dtype)} for tokens in contexts]
    return {"models": [title for title, _ in models], "pairs": pairs, "cache_dtype": dtype, "cache": kept}


def cache_bytes(models: Sequence[Named], context: int, dtype: str) -> list[int]:
    """Bytes kept of one sequence of so many tokens, by each model; ValueError for a format that nobody knows."""
    return [memory(spec, context, dtype).total_bytes for _, spec in models]


def cache_lines(models: Sequence[Named], contexts: Sequence[int] = CONTEXTS, dtype: str = DTYPE) -> list[str]:
    """A table of the cache: a line for each context, a column for each model."""
    kept = [(f"{one:,} tokens", *map(scaled_bytes, cache_bytes(models, one, dtype))) for one in contexts]
    names = [title for title, _ in models]
    return table([(f"KV cache, {dtype}", *names), *kept], right=tuple(range(1, len(names) + 1)))


def compare_lines(models: Sequence[Named]) -> list[str]:
    """The first beside each of the others; of more than two, a line on each comes first."""
    (name, first), *others = models
    pairs = [(other, spec, compare_specs(first, spec)) for other, spec in others]
    lines = [f"Next to {name}, {brief(first, spec, other, found)}." for other, spec, found in pairs if len(pairs) > 1]
    for other, spec, found in pairs:
        lines += ["", *pair_lines((name, first), (other, spec), found)]
    return lines[1:] if len(pairs) == 1 else lines


def pair_lines(a: Named, b: Named, found: Comparison) -> list[str]:
    """The verdict, the figures, the differences."""
    names = (a[0], b[0])
    told = [("", *names, "change")] + [(one.what, one.a, one.b, one.change) for one in figures(a[1], b[1])]
    lines = [verdict(a[1], b[1], names, found).text, "", *table(told, right=(1, 2, 3))]
    return [*lines, "", *difference_lines(found.rows, names)] if found.rows else lines


def difference_lines(rows: Sequence[Row], names: tuple[str, str] = ("A", "B")) -> list[str]:
    """A table of differences, part by part."""
    cells: list[Sequence[object]] = [("what differs", "key", *names, "parameters", "active", "cache per token")]
    for part, words in HEADS.items():
        held = [row for row in rows if row.part == part]
        cells += [(words,)] if held else []
        cells += [cells_of(row) for row in held]
    return table(cells, right=(4, 5, 6))


def cells_of(row: Row) -> Sequence[object]:
    """A difference in the table; what costs nothing leaves its cells empty."""
    counts = [say_change(many, scaled_count(abs(many))) if many else "" for many in (row.parameters, row.active)]
    cache = say_change(row.cache, scaled_bytes(abs(row.cache))) if row.cache else ""
    return ("  " + row.what, row.key, row.a or "none", row.b or "none", *counts, cache)
