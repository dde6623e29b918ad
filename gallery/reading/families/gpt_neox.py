"""GPT-NeoX and Pythia: LayerNorm, biases, one fused projection, parallel halves with a norm each."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading

NAMES = (
    ("self_attn.o_proj", "attention.dense"),
    ("mlp.up_proj", "mlp.dense_h_to_4h"),
    ("mlp.down_proj", "mlp.dense_4h_to_h"),
    ("model.embed_tokens", "gpt_neox.embed_in"),
    ("model.final_layer_norm", "gpt_neox.final_layer_norm"),
    ("model.layers", "gpt_neox.layers"),
    ("lm_head", "embed_out"),
)


def names(r: Reading) -> tuple[tuple[str, str], ...]:
    """Query, key and value alternate, head by head."""
    fused = "self_attn.q_proj + self_attn.k_proj + self_attn.v_proj"
    return ((fused, f"I{r.facts.need('num_attention_heads')} attention.query_key_value"), *NAMES)


FAMILY = Family(
    source="transformers 5.23.0, models/gpt_neox",
    defaults={
        "attention_bias": True,
        "use_parallel_residual": True,
        "partial_rotary_factor": 0.25,
        "hidden_act": "gelu",
    },
    norm="LayerNorm",
    norm_bias=True,
    final_norm="final_layer_norm",
    parallel=True,
    mlp_bias=True,
    gated=False,
    names=names,
    state_names=(("embed_out", "lm_head"),),
)
