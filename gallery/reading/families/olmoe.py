"""OLMoE: intermediate_size is the width of one expert; QK-norm over the whole projection."""

from gallery.reading.family import Family

FAMILY = Family(source="transformers 5.23.0, models/olmoe", qk_norm="full")
