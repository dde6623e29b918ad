"""Kolibri 1: norms around each half, position only in windowed layers; router logits and a bias choose the experts,
then a sigmoid weighs them; a shared expert."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family


def full(r: Reading, index: int) -> object:
    """No position beside windowed layers."""
    if r.facts.integer("sliding_window"):
        return attention(r, index, rotary_dim=0, position="nope")
    return attention(r, index)


def words(facts: Facts, depth: int) -> list[str]:
    """Every fifth layer sees everything."""
    return ["sliding" if (index + 1) % 5 else "full" for index in range(depth)]


FAMILY = Family(
    source="transformers 5.23.0, models/kolibri1",
    windowed=True,
    norms="sandwich",
    qk_norm="head",
    qkv_bias=False,
    words=words,
    mixers={"full": full},
    scoring="sigmoid",
    topk_first=True,
    router_buffer="mlp.gate.e_score_correction_bias",
    names=(
        ("post_attention_layernorm", "post_self_attn_layernorm"),
        ("pre_feedforward_layernorm", "post_attention_layernorm"),
        ("post_feedforward_layernorm", "post_mlp_layernorm"),
    ),
)
