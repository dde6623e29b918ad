"""Muse Glimmer: norms around each half, an unweighted QK-norm, a gate on attention as a matrix of its own."""

from gallery.reading.family import Family
from gallery.reading.scales import not_known

FAMILY = Family(
    source="transformers 5.23.0, models/muse_glimmer",
    norms="sandwich",
    qk_norm="unweighted",
    scale=not_known,
    gate="separate",
    zoo="muse",
)
