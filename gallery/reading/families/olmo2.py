"""OLMo 2: norms after each half instead of before, QK-norm over the whole projection."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(source="transformers 5.23.0, models/olmo2", norms="post", qk_norm="full")
