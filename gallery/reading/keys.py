"""KEYS turns every spelling of a config key into one name: one row per meaning, with its unit and who spells it how.

The rows are in key_rows/; ignored.py lists, with a reason, the keys that say nothing about shapes. A key in neither is
reported as unread. A dotted spelling is looked up inside a dict. The first spelling of a row that a config has wins.
"""

from __future__ import annotations

from cutaway.gallery.reading.key_rows import (
    attention,
    constants,
    frame,
    mixer_of_layer,
    mlps,
    positions,
    recurrent,
    streams,
    variants,
)
from cutaway.gallery.reading.key_rows.row import Key

# unit -> (smallest, largest) whole number that is believed; the caps keep every reading under a second
LIMITS = {
    "layers": (1, 1_000),
    "width": (1, 1_000_000),  # GPT-3 has 12,288
    "vocabulary": (1, 100_000_000),
    "heads": (1, 100_000),
    "experts": (0, 100_000),
    "rank": (0, 1_000_000),
    "tokens": (0, 10**15),
    "count": (0, 1_000_000),
    "copies": (0, 100),  # of what becomes a tensor, an operation or a pass each: Gemma 3n has 4 streams, Ouro 4 passes
}

KEYS: tuple[Key, ...] = (
    *frame.ROWS,
    *attention.ROWS,
    *positions.ROWS,
    *constants.ROWS,
    *mixer_of_layer.ROWS,
    *mlps.ROWS,
    *recurrent.ROWS,
    *streams.ROWS,
    *variants.ROWS,
)

FIRST = ("rope_parameters.", "rope_scaling.")  # what stands in there wins over the same key outside, as in transformers
SPELLINGS = {
    word: (key.name, -1 if word.startswith(FIRST) else rank)
    for key in KEYS
    for rank, word in enumerate((key.name, *key.spellings))
}
MOOT = tuple(key.name for key in KEYS if key.moot)
UNITS = {key.name: key.unit for key in KEYS}
NESTED = frozenset(word[:at] for word in SPELLINGS for at, mark in enumerate(word) if mark == ".")
