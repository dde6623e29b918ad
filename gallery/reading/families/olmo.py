"""OLMo (the first): LayerNorm without weights."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(source="transformers 5.23.0, models/olmo", norm="LayerNorm", norm_weight=False)
