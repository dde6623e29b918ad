"""MiniCPM: Llama's layer with scales."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/minicpm",
    defaults={"tie_word_embeddings": True},
)
