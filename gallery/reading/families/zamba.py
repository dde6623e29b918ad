"""Zamba: Mamba-1 layers of several heads; some also run one shared transformer on stream and embedding."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families.zamba2 import FAMILY as ZAMBA2
from cutaway.gallery.reading.families.zamba2 import owner
from cutaway.gallery.reading.mlps import activation
from cutaway.gallery.reading.recurrent import mamba1
from cutaway.gallery.spec import Attention, Combined, Dense, Mamba1


def prepare(r: Reading) -> None:
    """Without a list: two plain layers, a hybrid one, then every n-th, counted from the fourth layer on."""
    facts = r.facts
    if facts.raw("layers_block_type") is None and facts.raw("layer_types") is None:
        period, offset = facts.need("attn_layer_period") or 1, facts.need("attn_layer_offset")
        later = ["hybrid" if index % period == offset else "mamba" for index in range(max(r.depth - 3, 0))]
        r.words = ["mamba", "mamba", "hybrid", *later][: r.depth]
    facts.settle("attn_layer_period", "attn_layer_offset", "attention_hidden_size")


def shared_attention(r: Reading, index: int) -> Attention:
    """It reads the stream and the embedding side by side, and knows no positions."""
    facts = r.facts
    wide = facts.integer("attention_hidden_size") or 2 * r.hidden_size
    d = facts.integer("head_dim") or wide // facts.need("num_attention_heads")
    return attention(r, index, input_size=wide, head_dim=d, v_head_dim=d, weights_of=owner(r, index), rotary_dim=0,
                     position="nope", rope=None)  # fmt: skip


def mixer(r: Reading, index: int) -> Mamba1:
    """Each head has an x_proj and a dt_proj of its own."""
    return replace(mamba1(r, index), num_heads=r.facts.per_layer("mamba_num_heads", index, 2) or 1)


def hybrid(r: Reading, index: int) -> Combined:
    """First the shared transformer, then Mamba."""
    return Combined((shared_attention(r, index), mixer(r, index)), "serial")


def mlp(r: Reading, index: int, word: str) -> Dense | None:
    """Only hybrid layers have an MLP, the shared one."""
    if r.words[index] != "hybrid":
        return None
    width = r.facts.per_layer("intermediate_size", index) or 4 * r.hidden_size
    return Dense(width, True, activation(r), weights_of=owner(r, index))


FAMILY = replace(
    ZAMBA2,
    unread={},
    source="transformers 5.23.0, models/zamba",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu", "expand": 2, "mamba_hidden_act": "silu",
              "norm_eps": 1e-5},
    prepare=prepare,
    mixers={"hybrid": hybrid, "mamba": mixer, "linear": mixer},
    mlp=mlp,
    names=(
        ("mamba", "mamba_decoder.mamba", "linear.weight"),
        ("shared", "shared_transf"),
        ("self_attn", "shared_transf.self_attn"),
        ("mlp", "shared_transf.feed_forward"),
    ),
)  # fmt: skip
