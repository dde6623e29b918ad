"""Gemma: a tied head and an activation under another key."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/gemma",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu_pytorch_tanh"},
    nested="language_model.model",
    zoo="siglip",
)
