"""Granite 3: Llama's layer with multipliers."""

from ..family import Family

FAMILY = Family(source="transformers 5.23.0, models/granite")
