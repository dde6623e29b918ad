"""Command R: attention and MLP side by side behind one LayerNorm without bias; the head is tied."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/cohere",
    defaults={"tie_word_embeddings": True},
    norms="single",
    norm="LayerNorm",
    rope_interleaved=True,
    parallel=True,
    qk_norm_if_said="per_head",
)
