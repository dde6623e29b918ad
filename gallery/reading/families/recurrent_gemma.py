"""RecurrentGemma: two recurrent blocks (RG-LRU) to one of windowed attention."""

import math

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation
from cutaway.gallery.spec import RGLRU, Dense


def words(facts: Facts, depth: int) -> list[str]:
    """Recurrent, recurrent, attention, and again."""
    return ["sliding" if index % 3 == 2 else "recurrent" for index in range(depth)]


BLOCKS = ["recurrent", "recurrent", "attention"]  # of RecurrentGemmaConfig


def prepare(r: Reading) -> None:
    """RecurrentGemmaConfig reads block_types alone; files have its older name, `_block_types`."""
    said = r.facts.items("block_types")
    if r.facts.word_for("block_types") == "_block_types" and said and said != BLOCKS:
        r.contradict("block_types", "_block_types is not read by transformers' class; its layers are drawn.")
        if r.as_class:
            r.facts.overrule("block_types", BLOCKS)


def recurrent(r: Reading, index: int) -> RGLRU:
    """A gated linear recurrence behind a short convolution."""
    facts = r.facts
    heads = facts.need("num_attention_heads")
    return RGLRU(facts.integer("lru_width") or r.hidden_size, heads, facts.need("conv_kernel", 4), activation(r))


def mlp(r: Reading, index: int, word: str) -> Dense:
    """intermediate_size counts gate and up together."""
    return Dense((r.facts.per_layer("intermediate_size", index) or 6 * r.hidden_size) // 2, True, activation(r), True)


def bfloat16(value: float) -> float:
    """The nearest number with eight significant bits."""
    mantissa, power = math.frexp(value)
    return math.ldexp(round(mantissa * 256), power - 8)


def finish(r: Reading, fields: dict) -> dict:
    """The embedding is multiplied by √hidden_size, a number kept in bfloat16."""
    return {**fields, "embedding_multiplier": bfloat16(math.sqrt(r.hidden_size))}


FAMILY = Family(
    source="transformers 5.23.0, models/recurrent_gemma",
    windowed=True,
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu_pytorch_tanh", "partial_rotary_factor": 0.5,
              "sliding_window": 2048, "final_logit_softcapping": 30.0},
    final_norm="final_norm",
    norm_plus_one=True,
    o_bias=True,
    words=words,
    prepare=prepare,
    mixers={"recurrent": recurrent, "linear": recurrent},
    finish=finish,
    mlp=mlp,
    names=(
        ("recurrent", "temporal_block"),
        ("self_attn", "temporal_block"),
        ("input_layernorm", "temporal_pre_norm"),
        ("post_attention_layernorm", "channel_pre_norm"),
        ("mlp", "mlp_block"),
    ),
)  # fmt: skip
