"""Granite 3: Llama's layer with multipliers."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.scales import granite_scale

FAMILY = Family(source="transformers 5.23.0, models/granite", scale=granite_scale)
