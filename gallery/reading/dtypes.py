"""dtype as a config writes it -> the name of a format; a word that no table knows is said in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.gallery.formats.bits import BITS, format_name, stored_bits
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.reading.text_part import short, unwrap

USUAL = "bfloat16"  # what a file that names none, or says "auto", is taken as


def names_dtype(config: Mapping) -> bool:
    """Whether a config says what its weights are written in."""
    return any(part.get(key) not in (None, "auto") for part in unwrap(config) for key in ("dtype", "torch_dtype"))


def read_dtype(r: Reading) -> str:
    """The dtype as ml_dtypes names it."""
    value = r.facts.raw("dtype")
    if value is None or value == "auto":
        return USUAL
    name = format_name(value)[:40] if isinstance(value, str) else USUAL
    if name not in BITS or not isinstance(value, str):
        r.not_understood.append(
            f"{r.facts.word_for('dtype')} {short(value, 40)} is no number format known here: "
            f"weights that nothing else describes were counted as {stored_bits(name)} bits each."
        )
    return name
