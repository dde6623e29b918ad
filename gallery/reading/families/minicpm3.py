"""MiniCPM3: MLA with a dense MLP."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.scales import yarn

FAMILY = Family(
    source="transformers 5.23.0, models/minicpm3",
    defaults={"embedding_multiplier": 12, "scale_depth": 1.4, "dim_model_base": 256},
    scale=yarn,
    latent_interleaved=False,
)
