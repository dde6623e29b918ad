"""OLMo Hybrid: Gated DeltaNet beside OLMo 3's attention."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/olmo_hybrid",
    qk_norm="full",
)
