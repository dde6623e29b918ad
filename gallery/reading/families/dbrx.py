"""DBRX: keys in dicts of dicts, one fused projection, experts flattened into the rows of three matrices."""

from collections.abc import Mapping
from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.ropes import number


def full(r: Reading, index: int) -> object:
    """The class of transformers reads rope_parameters alone, which published files do not have."""
    mixer, said = attention(r, index), r.facts.text.get("rope_parameters")
    theta = number(said.get("rope_theta") if isinstance(said, Mapping) else None) or 10_000.0
    if not mixer.rope or mixer.rope.theta == theta:
        return mixer
    r.contradict(
        "rope_theta",
        f"transformers' class uses RoPE base {theta:,.0f} regardless of attn_config.rope_theta; "
        f"the drawing uses {mixer.rope.theta:,.0f}.",
    )
    return replace(mixer, rope=mixer.rope._replace(theta=theta)) if r.as_class else mixer


FAMILY = Family(
    source="transformers 5.23.0, models/dbrx",
    spellings={"attn_config.kv_n_heads": "num_key_value_heads"},  # DbrxConfig: whatever stands beside attn_config
    norm="LayerNorm",
    norm_topk=True,
    mixers={"full": full},
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
