"""Numbers that remember how they were made, so that the running code is differentiated as it stands.

A `Taped` array answers numpy's own calls (NEP 13 and 18): every operation is one more row of its tape, and `backward`
walks the rows back.
"""

from __future__ import annotations

from cutaway.gallery.mesh.tape.functions import FUNCTIONS
from cutaway.gallery.mesh.tape.taped import NoTape, Tape, Taped, data_of

Taped.functions.update(FUNCTIONS)

__all__ = ["NoTape", "Tape", "Taped", "data_of"]
