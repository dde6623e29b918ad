"""Ling 2.5: seven layers of lightning attention to one of MLA; the rest is Ling 2.0."""

from dataclasses import replace

from gallery.reading.attention import Reading
from gallery.reading.families.bailing_moe import FAMILY as LING
from gallery.spec import LightningAttention


def lightning(r: Reading, index: int) -> LightningAttention:
    """A gate and a group norm after the state."""
    facts = r.facts
    facts.raw("group_norm_size")
    facts.raw("partial_rotary_factor")
    heads = facts.need("num_attention_heads")
    qk = "head" if facts.flag("use_qk_norm", True) else ""
    return LightningAttention(heads, facts.integer("head_dim") or r.hidden_size // heads, qk_norm=qk)


FAMILY = replace(
    LING,
    source="inclusionAI/Ling-2.5-1T: the oracle's hand formula, equal to the published total",
    mixers={"linear": lightning},
)
