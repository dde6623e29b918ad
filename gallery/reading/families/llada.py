"""LLaDA: Llama's layer, read both ways: masked tokens are filled in, in any order."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading

SPELLINGS = {
    "mlp_hidden_size": "intermediate_size", "activation_type": "hidden_act", "include_qkv_bias": "attention_bias",
    "weight_tying": "tie_word_embeddings", "attention_layer_norm": "use_qk_norm", "include_bias": "use_bias",
    "embedding_size": "embedding_rows", "multi_query_attention": "multi_query",
}  # fmt: skip
SETTLED = (  # OLMo's keys, of which LLaDA uses one value each
    "attention_layer_norm_with_affine", "bias_for_layer_norm", "block_group_size", "block_type", "flash_attention",
    "init_cutoff_factor", "init_fn", "input_emb_norm", "layer_norm_type", "layer_norm_with_affine", "precision",
    "rope", "rope_full_precision", "scale_logits",
)  # fmt: skip


def prepare(r: Reading) -> None:
    """Keys that say what the family says."""
    r.facts.settle(*SETTLED)


def finish(r: Reading, fields: dict) -> dict:
    """Embedding and head may have more rows than the vocabulary."""
    fields["vocab_size"] = r.facts.integer("embedding_rows") or fields["vocab_size"]
    return fields


FAMILY = Family(
    source="GSAI-ML/LLaDA-8B-Base, modeling_llada.py; recalled; its published total",
    spellings=SPELLINGS | {name: name for name in SETTLED},
    bidirectional=True,
    final_norm="ln_f",
    prepare=prepare,
    finish=finish,
    names=(
        ("self_attn.o_proj", "attn_out"),
        ("self_attn.q_proj", "q_proj"),
        ("self_attn.k_proj", "k_proj"),
        ("self_attn.v_proj", "v_proj"),
        ("mlp.gate_proj", "ff_proj"),
        ("mlp.up_proj", "up_proj"),
        ("mlp.down_proj", "ff_out"),
        ("input_layernorm", "attn_norm"),
        ("post_attention_layernorm", "ff_norm"),
        ("model.embed_tokens", "model.transformer.wte"),
        ("model.ln_f", "model.transformer.ln_f"),
        ("model.layers", "model.transformer.blocks"),
        ("lm_head", "model.transformer.ff_out"),
    ),
)
