"""RWKV-7 as flash-linear-attention stores it: a generalised delta rule and a two-matrix MLP in every layer."""

from cutaway.gallery.reading.attention import Reading, norm
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import normal
from cutaway.gallery.spec import ChannelMix, Norm, Normal, RwkvTimeMix


def time_mix(r: Reading, index: int) -> RwkvTimeMix:
    """The first layer has no value mix: its values are what later layers mix in."""
    facts = r.facts
    d = facts.need("head_dim", 64)
    heads = facts.integer("num_attention_heads") or r.hidden_size // d
    return RwkvTimeMix(
        heads, d, facts.need("decay_low_rank_dim", 64), facts.need("gate_low_rank_dim", 128),
        facts.need("a_low_rank_dim", 64), facts.need("v_low_rank_dim", 16) if index else 0,
        Normal("LayerNorm", d * normal(r).eps),
    )  # fmt: skip


def mlp(r: Reading, index: int, word: str) -> ChannelMix:
    """hidden_ratio x hidden_size, rounded up to 32."""
    width = r.facts.per_layer("intermediate_size", index)
    if not width:
        width = -(-int((r.facts.number("expansion_ratio", 4.0) or 4.0) * r.hidden_size) // 32) * 32
    return ChannelMix(width)


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """The first layer normalises the embedding too."""
    two = (norm(r, "mixer_in", "attn_norm"), norm(r, "mlp_in", "ffn_norm"))
    return (norm(r, "embedding", "pre_norm"), *two) if index == 0 else two


FAMILY = Family(
    source="fla-org/flash-linear-attention, fla/models/rwkv7",
    norm="LayerNorm",
    norm_bias=True,
    position="nope",
    every_layer="rwkv7",
    mixers={"rwkv7": time_mix},
    mlp=mlp,
    norms_of=norms,
    names=(
        ("mlp.up_proj", "ffn.key"),
        ("mlp.down_proj", "ffn.value"),
        ("mlp.x_k", "ffn.x_k"),
        ("model.embed_tokens", "model.embeddings"),
    ),
)
