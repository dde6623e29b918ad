"""JetMoE: the query heads are experts as well as the MLPs; gate and up are one matrix, a bias stands on both sums."""

from dataclasses import replace

from cutaway.gallery.mixers.expert_heads import ExpertHeads
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import moe
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.reading.ropes import rope_of
from cutaway.gallery.spec import Norm


def mixer(r: Reading, index: int) -> ExpertHeads:
    """As many experts of heads as of MLPs; every query head stands for a KV head of one chosen expert."""
    facts, d = r.facts, r.facts.need("head_dim")
    chosen = facts.per_layer("num_experts_per_tok", index, 1) or 1
    facts.settle("num_attention_heads")
    return ExpertHeads(facts.need("num_key_value_heads"), d, facts.need("num_experts"), chosen, rope_of(r, d))


def mlp(r: Reading, index: int, word: str) -> object:
    """A bias on the weighted sum."""
    return moe(r, index, out_bias="mlp.bias")


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """The class gives a layer's norms no epsilon: they have 1e-6; rms_norm_eps is for the last norm alone."""
    places = (("mixer_in", "input_layernorm"), ("mlp_in", "post_attention_layernorm"))
    return tuple(replace(norm(r, place, name), eps=1e-6) for place, name in places)


HEADS, MLP = "self_attention.experts", "mlp.experts.{expert}"
FAMILY = Family(
    source="transformers 5.23.0, models/jetmoe",
    defaults={"tie_word_embeddings": True},
    mixers={"full": mixer},
    mlp=mlp,
    norms_of=norms,
    topk_first=True,
    names=(
        ("self_attn.router", f"{HEADS}.router.layer"),
        ("self_attn.q_experts", f"{HEADS}.input_linear"),
        ("self_attn.o_experts.bias", f"{HEADS}.bias"),
        ("self_attn.o_experts", f"{HEADS}.output_linear"),
        ("self_attn.k_proj + self_attn.v_proj", "self_attention.kv_proj"),
        ("mlp.gate", "mlp.router.layer"),
        (f"{MLP}.gate_proj.weight + {MLP}.up_proj.weight", "mlp.input_linear.weight"),
        (f"{MLP}.down_proj.weight", "mlp.output_linear.weight"),
    ),
)
