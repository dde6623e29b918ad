"""Nanbeige 4.2: a Llama architecture whose layers run twice; each run ends with the last norm and has its own cache."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.families.llama import FAMILY as LLAMA


def finish(r: Reading, fields: dict) -> dict:
    """Each run ends with model.norm, and the next one begins from that."""
    return {**fields, "loop_norm": fields["loops"] > 1}


FAMILY = replace(
    LLAMA,
    source="public ports of Nanbeige/Nanbeige4.2-3B's modeling_nanbeige.py; total checked against the Hub's count",
    spellings={"num_loops": "loops"},
    finish=finish,
)
