"""A model's row and a length -> bytes kept, bytes that one new token reads, arithmetic. Twin of counting.js."""

from __future__ import annotations

from typing import Any

KIND, NUMBERS, BITS, EVERY, CAP, FIXED, FP8, MIXED, TOP, LENT = range(10)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# in an address -> (gallery's name, what the lab says, bits of a number)
STORAGES = {
    "bf16": ("bfloat16", "BF16", 16),
    "fp8": ("float8_e4m3fn", "FP8", 8),
    "packed": ("fp8_ds_mla", "FP8 and scales", 8),
    "mixed": ("fp8_bf16rope_fp4index", "FP8, FP4 index", 8),
}
SHORT = {"bf16": "", "fp8": ", FP8", "packed": ", packed", "mixed": ", mixed"}


def find(slug: str, data: dict) -> dict:
    """A model by its columns; {} where there is none."""
    if slug not in data["models"]["slug"]:
        return {}
    place, (weights, past) = data["models"]["slug"].index(slug), data["units"]
    made = {name: values[place] for name, values in data["models"].items()}
    reads = [[kind, flop * past, every, cap] for kind, flop, every, cap in made["reads"]]
    return {**made, "weights": made["weights"] * weights, "reads": reads}


def bits(row: list, storage: str) -> int:
    """Of one entry."""
    own = {"packed": row[FP8], "mixed": row[MIXED]}.get(storage, 0)
    return own or row[BITS] + row[NUMBERS] * STORAGES[storage][2]


def entries(row: list, tokens: int) -> int:
    """How many there are after so many tokens."""
    if row[FIXED]:
        return 1
    found = tokens // row[EVERY]
    return min(found, row[CAP]) if row[CAP] else found


def count_read(row: list, tokens: int) -> int:
    """How many of them the newest token reads."""
    found = entries(row, tokens)
    if row[TOP] < 0:
        return (tokens - 1) % row[CAP] + 1
    return min(found, row[TOP]) if row[TOP] else found


def size(row: list, count: int, loops: int, storage: str) -> int:
    """Whole bytes of so many entries."""
    return -(-bits(row, storage) * count * loops // 8)


def is_growing(row: list) -> bool:
    """Whether it has no end: no state, no window, and not another layer's."""
    return not (row[FIXED] or row[CAP] or row[LENT])


def layer(rows: list, loops: int, tokens: int, storage: str) -> dict[str, Any]:
    """One layer: what it keeps, and of that what grows; what a token reads, and of that the indexer's keys."""
    kept = [(row, size(row, entries(row, tokens), loops, storage)) for row in rows if not row[LENT]]
    seen = [(row, size(row, count_read(row, tokens), loops, storage)) for row in rows]
    return {
        "keeps": sum(n for _, n in kept),
        "growing": sum(n for row, n in kept if is_growing(row)),
        "reads": sum(n for _, n in seen),
        "index": sum(n for row, n in seen if row[KIND] == "index"),
        "slope": sum(bits(row, storage) * loops / row[EVERY] / 8 for row in rows if is_growing(row)),
    }


def layers(model: dict, data: dict, tokens: int, storage: str) -> list[dict]:
    """Each kind of layer of a model: its name and role, how many there are, and what one does."""
    found = []
    for letter, (name, *rows) in zip(LETTERS, model["kinds"], strict=False):
        words, role, reach = data["names"][name]
        made = layer([data["rows"][place] for place in rows], model["loops"], tokens, storage)
        found.append({"name": words, "role": role, "reach": reach, "count": model["stack"].count(letter), **made})
    return found


def sum_layers(kinds: list[dict], key: str) -> float:
    """Of all layers."""
    return sum(kind["count"] * kind[key] for kind in kinds)


def cache_bytes(model: dict, data: dict, tokens: int, storage: str) -> int:
    """Bytes that a whole model keeps of one sequence."""
    return sum_layers(layers(model, data, tokens, storage), "keeps")  # type: ignore[return-value]


def work(model: dict, tokens: int) -> list[int]:
    """FLOP of one new token over its past: [the indexer's, reading]."""
    found = [0, 0]
    for kind, flop, every, cap in model["reads"]:
        count = tokens // every
        found[kind] += flop * (min(count, cap) if cap else count)
    return found


def per_past(model: dict) -> float:
    """FLOP that each further token of the past adds, once windows are full."""
    return sum(flop / every for _, flop, every, cap in model["reads"] if not cap)
