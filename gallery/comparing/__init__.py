"""What is new in a model, whom it descends from, and in what two models differ: computed from specs, never written.

from cutaway.gallery.comparing import catalogue_lineage, differences, novelty
known = catalogue_lineage()                                         # every dated, drawn model of the catalogue
novelty.find_novelty(known, "Qwen/Qwen3-Next-80B-A3B-Instruct")     # tagline, numbered items, relatives, descent
differences.compare_specs(a, b), differences.verdict(a, b, names)   # rows that add up, figures; a sentence
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cutaway.gallery.comparing.relatives import Lineage


@cache
def catalogue_lineage() -> Lineage:
    """The lineage of the catalogue, worked out once a process."""
    from cutaway.gallery import catalog
    from cutaway.gallery.comparing.entries import entries, variants
    from cutaway.gallery.comparing.relatives import lineage

    return lineage(entries(catalog.MODELS, catalog.spec), variants(catalog.MODELS))
