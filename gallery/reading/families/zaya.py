"""ZAYA: attention on convolved queries and keys (CCA), a router that is a small network, scaled residuals."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import moe
from cutaway.gallery.reading.reading import normal
from cutaway.gallery.reading.ropes import rope_of
from cutaway.gallery.residuals.scaled_stream import ScaledStream
from cutaway.gallery.spec import ConvolvedAttention, MoE


def cca(r: Reading, index: int, word: str = "hybrid") -> ConvolvedAttention:
    """Half of each head is rotated, with a base for each kind of layer."""
    facts, d = r.facts, r.facts.integer("head_dim") or 128
    share = facts.rotary_share(word)
    rotary = int(d * (0.5 if share is None else share))
    rope, window = rope_of(r, rotary, word), "sliding" if word == "hybrid_sliding" else "full"
    usual = attention(r, index, window, head_dim=d, v_head_dim=d, rotary_dim=rotary, rope=rope)
    kernels = facts.need("cca_time0", 2), facts.need("cca_time1", 2)
    return ConvolvedAttention(**{name: getattr(usual, name) for name in usual.__dataclass_fields__},
                              first_kernel=kernels[0], second_kernel=kernels[1])  # fmt: skip


def windowed_attention(r: Reading, index: int) -> ConvolvedAttention:
    """The same over the last tokens."""
    return cca(r, index, "hybrid_sliding")


def mlp(r: Reading, index: int, word: str) -> MoE:
    """From the second layer on the router also sees its state of the layer before; one more choice is to do nothing."""
    n = r.facts.need("router_hidden_size", 256)
    return moe(r, index, zero_expert_num=1, zero_returns=False, router_network=n, router_size=n, router_from=index - 1,
               network_normal=normal(r))  # fmt: skip


def finish(r: Reading, fields: dict) -> dict:
    """Every sum is weighed."""
    return {**fields, "residual": ScaledStream()}


FAMILY = Family(
    source="transformers 5.23.0, models/zaya",
    windowed=True,
    defaults={"tie_word_embeddings": True, "norm_eps": 1e-5},
    every_layer="hybrid",
    mixers={"hybrid": cca, "full": cca, "hybrid_sliding": windowed_attention, "sliding": windowed_attention},
    mlp=mlp,
    finish=finish,
    norm_topk=False,
    router_buffer="mlp.gate.balancing_biases",
    names=(("mlp.gate.weight", "mlp.gate.router_mlp.out_proj.weight"),),
)
