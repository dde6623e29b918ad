"""Granite 3: Llama's layer with multipliers."""

from ..family import Family
from ..scales import multiplied

FAMILY = Family(source="transformers 5.23.0, models/granite", scale=multiplied)
