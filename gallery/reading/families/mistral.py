"""Mistral, Ministral, Mistral Small: Llama's layer; a window, where one is set, covers every layer."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/mistral", windowed=True, nested="language_model.model", zoo="pixtral"
)
