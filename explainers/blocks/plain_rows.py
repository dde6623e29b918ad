"""The rows of the schemes, JSON-plain: what the browser knows of a scheme, its formats and its price."""

from __future__ import annotations

from cutaway.explainers.blocks.rows import PLAYED, STORED, bits_of_played
from cutaway.gallery.formats import codes
from cutaway.gallery.formats.scalar import FORMATS
from cutaway.gallery.formats.schemes import SCHEMES


def rounding_of(name: str) -> dict | None:
    """What rounding to a format needs to know of it; None where nothing is rounded so (integers, code books)."""
    f = FORMATS.get(name)
    if f is None or not f.exponent_bits:
        return None
    largest = codes.largest(f)
    facts = {"bits": f.bits, "mantissa_bits": f.mantissa_bits, "emin": 1 - f.bias, "emax": codes.floor_log2(largest)}
    sizes = [float(codes.decode(f, code).magnitude) for code in range(8)] if f.bits == 4 else []
    return facts | {"largest": float(largest), "sizes": sizes, "unit": 0}


def fixed_of(name: str) -> dict:
    """MXINT8's element as a format: whole numbers of 1/64, which are E0M6 numbers below 2."""
    bits = FORMATS[name].bits
    unit = 2 ** (bits - 2)
    facts = {"bits": bits, "mantissa_bits": bits - 2, "emin": 0, "emax": 0}
    return facts | {"largest": (2 * unit - 1) / unit, "sizes": [], "unit": unit}


def played_schemes() -> list[dict]:
    """The rows of the schemes on the page, JSON-plain: all that the browser knows about a scheme."""
    made = []
    for row in PLAYED.values():
        words, size, rounded = STORED[row.stored]
        made.append(
            {
                **{key: getattr(row, key) for key in ("name", "family", "label", "kind", "n", "shown", "stored")},
                "bits": bits_of_played(row.name),
                "format": fixed_of(row.element) if row.name == "mxint8" else rounding_of(row.element),
                "scale_format": rounding_of(rounded),
                "stored_words": words,
                "scale_bytes": size,
                "packings": list(row.packings),
                "facts": row.facts,
                "books": list(row.books),
                "note": row.note,
            }
        )
    return made


def ledger() -> list[dict]:
    """Every scheme of gallery.schemes with what one weight costs, cheapest first."""
    rows = [
        {
            "name": row.name,
            "label": row.label,
            "bits": row.bits_per_weight,
            "costs": [[c.what, c.bits, c.per] for c in row.ledger],
            "second": row.second,
            "source": row.source,
        }
        for row in SCHEMES.values()
    ]
    return sorted(rows, key=lambda row: (row["bits"], row["label"]))
