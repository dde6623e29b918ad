"""Catalogued models with an indexer or with compressed entries -> what a new token reads. Twin of parts of compute.js.

A model is {slug, title, layers, rows, flop}. A row is [kind, bytes, every, cap, top, lent] of all layers together: 0 an
indexer's keys, 1 entries of keys and values, 2 anything of fixed size; an entry for every so many tokens, at most `cap`
of them kept (0: no end) and `top` of them read (0: all); lent 1 is kept by another layer. `flop` is
[0 indexer | 1 reading, FLOP, every, at most]. Both are long_context's, whose numbers are the gallery's.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from cutaway.explainers.long_context import models
from cutaway.gallery import spec as s
from cutaway.gallery.sublayers import parts_of

INDEX, ENTRIES, FIXED = range(3)
BITS = 16


def is_sparse(spec: s.ModelSpec) -> bool:
    """Whether a layer of it chooses or compresses what it reads."""
    parts = [part for layer in spec.layers for part in parts_of(layer.mixer)]
    return any(getattr(part, "indexer", None) or isinstance(part, s.CompressedAttention) for part in parts)


def rows_of(spec: s.ModelSpec) -> list[list[int]]:
    """What all layers keep and read, in BF16; equal rows added up."""
    found: Counter = Counter()
    for _, rows in models.layers(spec):
        for row in rows:
            kind = FIXED if row.fixed else INDEX if row.kind == "index" else ENTRIES
            size = (row.bits + row.numbers * BITS) * spec.loops // 8
            found[kind, row.every, row.cap, row.top, row.lent] += size
    return [[kind, size, every, cap, top, lent] for (kind, every, cap, top, lent), size in sorted(found.items())]


def table() -> list[dict[str, Any]]:
    """Every such model of the catalogue."""
    from cutaway.gallery import catalog

    found: list[dict[str, Any]] = []
    for one in catalog.gallery_rows():
        spec = catalog.spec(one.slug)
        if one.config_of or one.variant_of or not is_sparse(spec):
            continue
        made = {"layers": len(spec.layers), "rows": rows_of(spec), "flop": models.flops_over_past(spec)}
        found.append({"slug": one.slug, "title": one.title, **made})
    return found


def count(row: list[int], tokens: int) -> int:
    """Entries of a row after so many tokens."""
    kind, _, every, cap, *_ = row
    if kind == FIXED:
        return 1
    return min(tokens // every, cap) if cap else tokens // every


def cost(model: dict[str, Any], tokens: int) -> dict[str, Any]:
    """Bytes kept and read for one new token, its indexer's part, and the same if every entry were read."""
    kept = reads = index = dense = 0
    for row in model["rows"]:
        kind, size, _, _, top, lent = row
        many = count(row, tokens)
        read = size * (min(many, top) if top else many)
        kept += 0 if lent else size * many
        reads += read
        index += read if kind == INDEX else 0
        dense += 0 if kind == INDEX else size * many
    flop, every_flop = [0, 0], 0
    for kind, each, every, cap in model["flop"]:
        many = tokens // every
        flop[kind] += each * (min(many, cap) if cap else many)
        every_flop += each * many if kind else 0
    return {
        "title": model["title"],
        "layers": model["layers"],
        "kept": kept,
        "reads": reads,
        "index": index,
        "dense": dense,
        "index_share": index / reads,
        "saves": dense / reads,
        "look_gflop": flop[0] / 1e9,
        "read_gflop": flop[1] / 1e9,
        "both_gflop": sum(flop) / 1e9,
    }
