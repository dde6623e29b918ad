"""Llama and everything that says it is one: its config says all there is to know."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(source="transformers 5.23.0, models/llama")
