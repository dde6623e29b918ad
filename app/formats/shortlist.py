"""Hardware, engine and what matters -> the formats to try first."""

from __future__ import annotations

from cutaway.app.formats.errors import measured
from cutaway.app.formats.rows import BY_KEY, CELLS, CHOICES, ENGINES, HARDWARE, Choice
from cutaway.gallery.formats.schemes import SCHEMES

MATTERS = {"size": "small files", "speed": "fast matrix products", "quality": "a small error"}
ANY = "any"
LONG = 3
GRID = {"gptq": "int4_g128", "awq": "int4_g128"}  # not measured: ranked as INT4 rounded to nearest
NATIVE = {row.key: row.native for row in HARDWARE}


def bits(row: Choice) -> float:
    """Bits of a weight with its share of the scales."""
    return float(SCHEMES[row.scheme].bits_per_weight)


def is_native(row: Choice, hardware: str) -> bool:
    """Whether the chip multiplies the stored numbers; on any hardware, none is sure to."""
    return row.product in NATIVE.get(hardware, ())


def reads(engine: str, row: Choice, hardware: str) -> bool:
    """Whether a source says that the engine reads the format on this hardware."""
    cell = CELLS.get((engine, row.key))
    return cell is not None and (hardware == ANY or hardware in cell.hardware)


def candidates(hardware: str, engine: str) -> list[Choice]:
    """The formats that the engine, or some engine, is known to read there."""
    engines = list(ENGINES) if engine == ANY else [engine]
    return [row for row in CHOICES if any(reads(one, row, hardware) for one in engines)]


def order(row: Choice, hardware: str, matters: str) -> tuple[float, ...]:
    """What comes first has the smallest: products in few bits, few bits, a small error."""
    error = -measured()[GRID.get(row.key, row.key)].mean
    if matters == "size":
        return (bits(row), error)
    if matters == "quality":
        return (error, bits(row))
    return (0 if is_native(row, hardware) else 1, bits(row), error)


def shortlist(hardware: str, engine: str, matters: str) -> list[str]:
    """Keys of at most three formats, the best first."""
    found = sorted(candidates(hardware, engine), key=lambda row: order(row, hardware, matters))
    return [row.key for row in found[:LONG]]


def every() -> dict[str, list[str]]:
    """ "hopper vllm speed" -> its short list, for all answers to the three questions."""
    return {
        f"{hardware} {engine} {matters}": shortlist(hardware, engine, matters)
        for hardware in (ANY, *NATIVE)
        for engine in (ANY, *ENGINES)
        for matters in MATTERS
    }


def label(key: str) -> str:
    return BY_KEY[key].label
