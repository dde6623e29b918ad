"""Ling 2.5: seven layers of lightning attention to one of MLA; the rest is Ling 2.0."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, rotary_of
from cutaway.gallery.reading.families.bailing_moe_v2 import FAMILY as LING
from cutaway.gallery.reading.reading import normal
from cutaway.gallery.reading.ropes import rope_of
from cutaway.gallery.spec import LightningAttention


def lightning(r: Reading, index: int) -> LightningAttention:
    """q, k and v normalised and rotated; a gate and a norm in groups after the state."""
    facts = r.facts
    heads = facts.need("num_attention_heads")
    d = facts.integer("head_dim") or r.hidden_size // heads
    rotated, _ = rotary_of(r, d, index, "full_attention")
    return LightningAttention(
        heads, d, qk_norm="head" if facts.flag("use_qk_norm", True) else "", act="", by_head=False,
        rope=rope_of(r, rotated), groups=facts.integer("group_norm_size") or 1, scale=d**-0.5, normal=normal(r),
        layers=r.depth, first=1,
    )  # fmt: skip


FAMILY = replace(
    LING,
    source="inclusionAI/Ling-2.5-1T: the oracle's hand formula, equal to the published total; wiring recalled",
    defaults={},
    mixers={"linear": lightning},
)
