"""MiniMax-Text-01 and M1: seven lightning layers to one of softmax attention, Mixtral's experts."""

from ..family import Family
from ..mixers import Reading
from ..spec import LightningAttention
from .mixtral import MIXTRAL_NAMES


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
)
