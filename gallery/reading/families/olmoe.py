"""OLMoE: intermediate_size is the width of one expert; QK-norm over the whole projection, then the clamp."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family


def full(r: Reading, index: int) -> object:
    """clip_qkv holds after the norm."""
    return attention(r, index, clip_last=True)


FAMILY = Family(source="transformers 5.23.0, models/olmoe", qk_norm="full", mixers={"full": full})
