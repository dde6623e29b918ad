"""MiniMax-Text-01 and M1: seven lightning layers to one of softmax attention, Mixtral's experts."""

from gallery.reading.attention import Reading
from gallery.reading.families.mixtral import MIXTRAL_NAMES, STATE_NAMES
from gallery.reading.family import Family
from gallery.spec import LightningAttention


def lightning(r: Reading, index: int) -> LightningAttention:
    """Linear attention with a fixed decay per head."""
    facts = r.facts
    heads = facts.need("num_attention_heads")
    return LightningAttention(heads, facts.integer("head_dim") or r.hidden_size // heads)


FAMILY = Family(
    source="transformers 5.23.0, models/minimax",
    mixers={"linear": lightning},
    words=lambda facts, depth: ["full" if index % 2 else "linear" for index in range(depth)],
    names=MIXTRAL_NAMES,
    state_names=STATE_NAMES,
)
