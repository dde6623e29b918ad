"""StarCoder2: LayerNorm, biases everywhere, no gate, a tied head."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/starcoder2",
    windowed=True,
    defaults={"tie_word_embeddings": True, "use_bias": True, "hidden_act": "gelu_pytorch_tanh"},
    norm="LayerNorm",
    norm_bias=True,
    gated=False,
    names=(("mlp.up_proj", "mlp.c_fc"), ("mlp.down_proj", "mlp.c_proj")),
)
