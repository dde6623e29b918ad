"""MiniCPM3: MLA with a dense MLP."""

from ..family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/minicpm3",
)
