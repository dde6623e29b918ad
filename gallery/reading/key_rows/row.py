"""One meaning of a config key, as a row of these tables: its name, its unit, who spells it how."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    """One meaning: `name` is what the code asks for, `unit` decides the type and the limits of its value."""

    name: str
    unit: str
    meaning: str
    spellings: tuple[str, ...] = ()
    used_by: str = ""
    moot: bool = False  # understood where nobody asks: it says again what others say, or needs a layer kind beside it
