"""LLaDA 2: Ling 2.0's layer, read both ways within a block of masked tokens."""

from dataclasses import replace

from cutaway.gallery.reading.families.bailing_moe_v2 import FAMILY as LING
from cutaway.gallery.reading.reading import Reading


def prepare(r: Reading) -> None:
    """Blocks come one after the other, which serving code may use."""
    sentence = "Blocks of tokens are filled in one after the other: serving code may keep the keys of finished blocks."
    r.not_understood.append(sentence)


FAMILY = replace(
    LING,
    source="inclusionAI/LLaDA2.0-mini, modeling_llada2_moe.py; recalled",
    bidirectional=True,
    prepare=prepare,
)
