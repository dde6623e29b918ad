"""Gemma: a tied head, weights stored minus one, the embedding times √hidden_size; its "gelu" means the tanh form."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/gemma",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu_pytorch_tanh"},
    norm_plus_one=True,
    reads_direction=True,
    embedding_root=True,
    acts={"gelu": "gelu_pytorch_tanh"},
    nested="language_model.model",
    zoo="siglip",
)
