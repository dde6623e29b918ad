"""DBRX: keys in dicts of dicts, one fused projection, experts flattened into the rows of three matrices."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/dbrx",
    norm="LayerNorm",
    norm_topk=True,
    final_norm="norm_f",
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "norm_attn_norm.attn.Wqkv"),
        ("self_attn.o_proj", "norm_attn_norm.attn.out_proj"),
        ("input_layernorm", "norm_attn_norm.norm_1"),
        ("post_attention_layernorm", "norm_attn_norm.norm_2"),
        ("mlp.gate", "ffn.router.layer"),
        ("mlp.experts.{expert}.gate_proj.weight", "F ffn.experts.mlp.w1"),
        ("mlp.experts.{expert}.up_proj.weight", "F ffn.experts.mlp.v1"),
        ("mlp.experts.{expert}.down_proj.weight", "TF ffn.experts.mlp.w2"),
        ("model.embed_tokens", "transformer.wte"),
        ("model.norm_f", "transformer.norm_f"),
        ("model.layers", "transformer.blocks"),
    ),
)
