"""Granite with sliding windows: sinks in every layer."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.layer_words import fourth_words
from cutaway.gallery.reading.scales import granite_scale

FAMILY = Family(
    source="transformers 5.23.0, models/granite_swa", windowed=True, scale=granite_scale, sinks=True, words=fourth_words
)
