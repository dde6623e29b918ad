"""SmolLM3: Llama's layer; every fourth layer has no rotary position."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/smollm3",
    defaults={"tie_word_embeddings": True, "no_rope_layer_interval": 4},
)
