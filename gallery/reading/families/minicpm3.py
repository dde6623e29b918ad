"""MiniCPM3: MLA with a dense MLP."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/minicpm3",
)
