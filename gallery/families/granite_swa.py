"""Granite with sliding windows: sinks in every layer."""

from ..family import Family

FAMILY = Family(source="transformers 5.23.0, models/granite_swa", sinks=True)
