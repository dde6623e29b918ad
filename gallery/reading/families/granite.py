"""Granite 3: Llama's layer with multipliers."""

from gallery.reading.family import Family
from gallery.reading.scales import multiplied

FAMILY = Family(source="transformers 5.23.0, models/granite", scale=multiplied)
