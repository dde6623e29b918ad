"""OLMo Hybrid: Gated DeltaNet with a norm before each half beside OLMo 2's attention, whose norms stand behind."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cutaway.gallery.mixers.gated_delta import GatedDeltaNet
from cutaway.gallery.reading.attention import Reading, attention, norm
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.recurrent import gated_delta
from cutaway.gallery.spec import Norm, Normal


def rotates(r: Reading) -> bool:
    """Released files set rope_theta to null: no position encoding then."""
    text, said = r.facts.text, r.facts.text.get("rope_parameters")
    where = said if isinstance(said, Mapping) and "rope_theta" in said else text
    return where.get("rope_theta", 10_000.0) is not None


def full(r: Reading, index: int) -> object:
    """Rotated or not."""
    made = attention(r, index)
    return made if rotates(r) else replace(made, position="nope", rotary_dim=0, rope=None)


def delta(r: Reading, index: int) -> GatedDeltaNet:
    """A matrix for everything; sizes follow from the attention's where no key says them; its norm has 1e-5."""
    facts = r.facts
    heads = facts.need("num_attention_heads")
    keys, values = (facts.integer(f"linear_num_{word}_heads") or heads for word in ("key", "value"))
    d = facts.integer("linear_key_head_dim") or int(0.75 * r.hidden_size / keys)
    own: dict[str, Any] = {"linear_num_key_heads": keys, "linear_num_value_heads": values, "linear_key_head_dim": d,
           "linear_value_head_dim": facts.integer("linear_value_head_dim") or 2 * d}  # fmt: skip
    return replace(gated_delta(r, index, **own), separate=True, normal=Normal("RMSNorm", 1e-5))


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Before each half of a linear layer, behind each half of a full one."""
    places = ("mixer_in", "mlp_in") if word == "linear" else ("mixer_out", "mlp_out")
    return tuple(norm(r, place) for place in places)


def words(facts: Facts, depth: int) -> list[str]:
    """Every fourth layer is full, the last one where there are fewer."""
    out = ["full" if index % 4 == 3 else "linear" for index in range(depth)]
    return out if "full" in out else [*out[:-1], "full"]


_OWN = (("in_proj_z", "g_proj"), ("in_proj_a", "a_proj"), ("in_proj_b", "b_proj"), ("norm", "o_norm"),
        ("out_proj", "o_proj"))  # fmt: skip
FAMILY = Family(
    source="transformers 5.23.0, models/olmo_hybrid and its conversion_mapping",
    defaults={"linear_allow_neg_eigval": True, "norm_eps": 1e-6},
    qk_norm="full",
    words=words,
    mixers={"linear": delta, "full": full},
    norms_of=norms,
    names=tuple((f"linear_attn.{ours}", f"linear_attn.{theirs}") for ours, theirs in _OWN),
    state_names=(("linear_attn.q_conv1d + linear_attn.k_conv1d + linear_attn.v_conv1d", "linear_attn.conv1d"),),
)
