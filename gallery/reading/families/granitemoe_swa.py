"""Granite MoE with sliding windows: sinks in every layer."""

from dataclasses import replace

from cutaway.gallery.reading.families.granitemoe import FAMILY as GRANITE_MOE
from cutaway.gallery.reading.layer_words import fourth_words

FAMILY = replace(
    GRANITE_MOE, source="transformers 5.23.0, models/granitemoe_swa", windowed=True, sinks=True, words=fourth_words
)
