"""GPT-Neo: learned positions, a bias on the attention output alone, global and windowed layers in turn."""

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.families.gpt2 import positions
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.scales import unit_scale


def words(facts: Facts, depth: int) -> list[str]:
    """attention_types: [[["global", "local"], 12]], a pattern and how often it repeats."""
    types = facts.items("attention_types") or [[["global", "local"], depth]]
    out: list[str] = []
    for pair in types:
        if (
            not isinstance(pair, list)
            or len(pair) != 2
            or not isinstance(pair[0], list)
            or not isinstance(pair[1], int)
        ):
            facts.refuse("attention_types", types, "a list of [pattern, repeats]")
        out += ["sliding" if word == "local" else "full" for word in pair[0]] * min(max(pair[1], 0), depth)
        if len(out) >= depth:
            break
    return (out + ["full"] * depth)[:depth]


FAMILY = Family(
    source="transformers 5.23.0, models/gpt_neo",
    windowed=True,
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu_new", "sliding_window": 256},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="ln_f",
    qkv_bias=False,
    o_bias=True,
    mlp_bias=True,
    gated=False,
    position="learned",
    words=words,
    scale=unit_scale,
    opening=positions,
    names=(
        ("self_attn.o_proj", "attn.attention.out_proj"),
        ("self_attn", "attn.attention"),
        ("mlp.up_proj", "mlp.c_fc"),
        ("mlp.down_proj", "mlp.c_proj"),
        ("input_layernorm", "ln_1"),
        ("post_attention_layernorm", "ln_2"),
        ("model.embed_tokens", "transformer.wte"),
        ("model.wpe", "transformer.wpe"),
        ("model.ln_f", "transformer.ln_f"),
        ("model.layers", "transformer.h"),
    ),
)
