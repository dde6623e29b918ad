"""MiniMax-Text-01 and M1: seven lightning layers to one of softmax attention, Mixtral's experts; the stream itself
passes through the norms."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families.mixtral import MIXTRAL_NAMES, STATE_NAMES
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation
from cutaway.gallery.residuals.normed_stream import NormedStream
from cutaway.gallery.spec import LightningAttention, Normal


def lightning(r: Reading, index: int) -> LightningAttention:
    """Linear attention with a fixed decay per head, slower from layer to layer; its norm has an epsilon of its own."""
    facts = r.facts
    heads = facts.need("num_attention_heads")
    return LightningAttention(
        heads, facts.integer("head_dim") or r.hidden_size // heads, act=activation(r), normal=Normal(),
        layers=r.depth,
    )  # fmt: skip


def full(r: Reading, index: int) -> object:
    """Softmax attention; a window, where the file states one, covers each of these layers."""
    return attention(r, index, "sliding" if r.facts.integer("sliding_window") else "full")


def finish(r: Reading, fields: dict) -> dict:
    """What each half adds to is the norm it reads; both sides have a factor."""

    def pair(name: str) -> tuple[float, float]:
        return r.facts.number(f"{name}_alpha_factor", 1.0) or 1.0, r.facts.number(f"{name}_beta_factor", 1.0) or 1.0

    linear, full = pair("linear_attn"), pair("full_attn")
    mixer = tuple(linear if word == "linear" else full for word in r.words)
    return {**fields, "residual": NormedStream(mixer, pair("mlp"))}


FAMILY = Family(
    source="transformers 5.23.0, models/minimax",
    windowed=True,
    defaults={"rope_theta": 1_000_000.0, "norm_eps": 1e-5},
    mixers={"linear": lightning, "full": full},
    words=lambda facts, depth: ["linear" if index % 2 else "full" for index in range(depth)],
    norm_topk=True,
    finish=finish,
    names=MIXTRAL_NAMES,
    state_names=STATE_NAMES,
)
