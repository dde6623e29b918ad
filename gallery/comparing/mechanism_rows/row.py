"""One mechanism, as a row of these tables: the question that finds it, what is said of a model that has it, what the
glossary says of it, and the explainers that teach it.

What is said is a template, which may use {p} (the part that has it), {s} (the spec), {where} and all else that
text/mechanism.py fills in. Who had it before the catalogue did stands in `earlier`.
"""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.comparing.finding import Question

PARTS = ("mixer", "mlp", "norms", "position", "bias", "block")


class Mechanism(NamedTuple):
    """One mechanism."""

    key: str  # stands in addresses and in data
    part: str  # of PARTS
    short: str  # on a label: "output gate"
    word: str  # in a sentence: "a gate on attention's output"
    find: Question
    head: str  # in bold: "RoPE on {p.rotary_dim} of {p.head_dim} dimensions"
    says: str  # the rest of the sentence
    source: str  # where the word is from
    meaning: str  # one plain sentence, true of every model that has it: sizes and places stand on the models' own pages
    also: tuple[str, ...] = ()  # further names that readers type
    learn: tuple[str, ...] = ()  # folders of the explainers that teach it
    near: bool = True  # whether it counts in how near two models are; what images alone see, and a base, do not
    many: str = ""  # `word` for a model that has several of them: "{several} shared experts"


# Explainers that teach several: their folders' names.
MASKS, HEADS, DELTA, PLACE = ("masks",), ("heads",), ("delta-rule", "decoder"), ("position",)
FAMILY = ("linear-family",)
EXPERTS, ROUTERS, LONG = ("experts", "expert-parallel"), ("experts",), ("long-context",)
SPARSE = ("sparse", *LONG)
NORMS, LOOPS = ("norms",), ("loops",)
