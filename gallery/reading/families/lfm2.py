"""LFM2, dense and MoE: gated short convolutions with a few layers of attention; QK-norm per head."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import moe
from cutaway.gallery.spec import Dense


def adjust_width(r: Reading, index: int) -> int:
    """block_auto_adjust_ff_dim: two thirds of what is written, multiplied, rounded up."""
    facts = r.facts
    width = facts.need_width("intermediate_size")
    if not facts.flag("block_auto_adjust_ff_dim", True) or facts.integer("num_experts"):
        return width
    width = int(2 * width / 3)
    mult = facts.number("block_ffn_dim_multiplier", 1.0)
    width = width if mult is None else int(mult * width)
    step = facts.integer("block_multiple_of", 256) or 1
    return max(-(-width // step) * step, 1)


def mlp(r: Reading, index: int, word: str) -> object:
    """Dense layers are adjusted, experts are not; both are gated by SiLU, experts scored by a sigmoid."""
    if word == "moe":
        chosen = {} if r.facts.flag("use_routing_bias", True) else {"selection_bias": ""}
        return moe(r, index, scoring="sigmoid", norm_eps=1e-6, **chosen)
    return Dense(adjust_width(r, index), True)


EXPERT = "feed_forward.experts.{expert}"
FAMILY = Family(
    source="transformers 5.23.0, models/lfm2, models/lfm2_moe",
    defaults={"tie_word_embeddings": True, "norm_topk_prob": True, "norm_eps": 1e-5},
    spellings={"block_ff_dim": "intermediate_size"},  # wins over intermediate_size, as in the class
    final_norm="embedding_norm",
    qk_norm="head",
    mlp=mlp,
    names=(
        ("self_attn.o_proj", "self_attn.out_proj"),
        ("self_attn.q_norm", "self_attn.q_layernorm"),
        ("self_attn.k_norm", "self_attn.k_layernorm"),
        ("mlp.experts.{expert}.gate_proj", "feed_forward.experts.{expert}.w1"),
        ("mlp.experts.{expert}.up_proj", "feed_forward.experts.{expert}.w3"),
        ("mlp.experts.{expert}.down_proj", "feed_forward.experts.{expert}.w2"),
        ("mlp.gate_proj", "feed_forward.w1"),
        ("mlp.up_proj", "feed_forward.w3"),
        ("mlp.down_proj", "feed_forward.w2"),
        ("mlp", "feed_forward"),
        ("input_layernorm", "operator_norm"),
        ("post_attention_layernorm", "ffn_norm"),
    ),
    state_names=(
        (f"{EXPERT}.w1.weight + {EXPERT}.w3.weight", "feed_forward.experts.gate_up_proj"),
        (f"{EXPERT}.w2.weight", "feed_forward.experts.down_proj"),
    ),
    router_buffer="feed_forward.expert_bias",
)
