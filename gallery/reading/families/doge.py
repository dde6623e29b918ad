"""Doge: values say how strongly each key is seen, and the stream is weighed before each sum."""

from cutaway.gallery.mlps.product_keys import ProductKeys
from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation, dense, mlp_bias
from cutaway.gallery.residuals.weighted import Weighted


def dynamic_attention(r: Reading, index: int) -> object:
    """Attention under a dynamic mask; sliding_window holds for every layer."""
    return attention(r, index, r.words[index], dynamic_mask=r.facts.integer("keep_window_size", 2048))


def prepare(r: Reading) -> None:
    """Experts only where is_moe says so."""
    if not r.facts.flag("enable_moe_block"):
        r.facts.defaults["num_experts"] = 0
        r.facts.settle("num_experts", "num_experts_per_tok")
        r.mlp_words = ["dense"] * r.depth


def mlp(r: Reading, index: int, word: str) -> object:
    """Experts beside the dense MLP. The class cuts the router's scores in two across all tokens, not in each."""
    if word != "moe":
        return dense(r, index)
    said = "transformers' class cuts the router's scores in two across tokens, so that later ones count; drawn in each."
    r.contradict("router_gate", said)
    facts = r.facts
    return ProductKeys(
        facts.width_at("intermediate_size", index), facts.need("num_experts"),
        facts.per_layer("num_experts_per_tok", 0, 64) or 1, activation(r), mlp_bias(r), across=r.as_class,
    )  # fmt: skip


def words(facts: Facts, depth: int) -> list[str]:
    """One window for all layers, if there is one."""
    return ["sliding" if facts.integer("sliding_window") else "full"] * depth


def finish(r: Reading, fields: dict) -> dict:
    """A vector weighs what was there."""
    return {**fields, "residual": Weighted("stored")}


FAMILY = Family(
    source="transformers 5.23.0, models/doge",
    windowed=True,
    qk_norm="head",
    words=words,
    prepare=prepare,
    mlp=mlp,
    mixers={"full": dynamic_attention, "sliding": dynamic_attention},
    finish=finish,
    names=(("post_attention_residual", "input_residual"), ("post_feedforward_residual", "post_attention_residual")),
)
