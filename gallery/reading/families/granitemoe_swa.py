"""Granite MoE with sliding windows: sinks in every layer."""

from dataclasses import replace

from gallery.reading.families.granitemoe import FAMILY as GRANITE_MOE

FAMILY = replace(GRANITE_MOE, source="transformers 5.23.0, models/granitemoe_swa", sinks=True)
