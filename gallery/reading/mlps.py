"""From facts to one MLP: dense or experts, whatever the spelling of widths, counts and shared experts."""

from __future__ import annotations

from typing import Any

from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.spec import ConfigError, Dense, MoE, NotUnderstood

NO_AUX = "noaux_tc"  # the one topk_method whose gate has a bias (DeepSeek-V3's modeling_deepseek.py; vLLM alike)
UNGATED = ("relu2", "relu", "gelu_new", "gelu_fast", "quick_gelu", "xielu")


def activation(r: Reading) -> str:
    """The activation, or the gated SiLU of nearly everyone."""
    word = r.facts.word("hidden_act", "silu" if r.family.gated else "gelu")[:40]
    return r.family.acts.get(word, word)


def is_gated(r: Reading) -> bool:
    """Whether the MLP has a gate matrix: the family says; an unknown one with relu2 has none."""
    return r.family.gated and not (not r.family.source and activation(r) in UNGATED)


def mlp_bias(r: Reading) -> bool:
    """Biases on the MLP: implied by the family or said by a key."""
    if r.family.mlp_bias is not None:
        return r.family.mlp_bias
    return r.facts.flag("mlp_bias", r.facts.flag("use_bias")) and not r.facts.flag("no_bias")


def dense_width(r: Reading, index: int) -> int:
    """Width of a dense MLP; a ratio or 4 x hidden_size where no key states it (GPT-2, MPT)."""
    facts = r.facts
    width = facts.integer("dense_intermediate_size") or facts.per_layer("intermediate_size", index)
    if width:
        return width
    ratio = facts.number("expansion_ratio", 4.0) or 4.0
    if not facts.has("expansion_ratio") and not r.family.source and not facts.says("intermediate_size"):
        raise ConfigError(
            "The config has no intermediate_size: looked for intermediate_size, ffn_hidden_size, n_inner, ffn_dim, "
            "expansion_ratio and found none. Add one of them."
        )
    return int(ratio * r.hidden_size)


def dense(r: Reading, index: int) -> Dense:
    """A dense MLP."""
    width = r.facts.check_integer("hidden_size", dense_width(r, index))
    return Dense(width, is_gated(r), activation(r), mlp_bias(r))


def shared_width(r: Reading, index: int, expert: int) -> tuple[int, int]:
    """(how many shared experts, their total width): a width, a count times the expert width, or none."""
    facts = r.facts
    count = facts.per_layer("n_shared_experts", index) or 0
    if facts.has("shared_expert_intermediate_size"):
        width = facts.need("shared_expert_intermediate_size")
        return (max(count, 1), width) if width else (0, 0)
    return count, count * expert


def silu_moe(r: Reading, index: int, **changes: Any) -> MoE:
    """Routed experts that the class gates by SiLU whatever hidden_act says; the key is for the shared ones alone."""
    act = activation(r)
    return moe(r, index, hidden_act="silu", shared_act=act if act != "silu" else "", **changes)


def moe(r: Reading, index: int, **changes: Any) -> MoE:
    """Experts, from the keys."""
    facts = r.facts
    experts = facts.need("num_experts")
    chosen = facts.per_layer("num_experts_per_tok", index, 1) or 0
    if chosen > experts + (facts.integer("zero_expert_num") or 0):
        sentence = f"A token cannot visit {chosen} of {experts} experts; every expert was counted as active."
        r.contradict("num_experts_per_tok", sentence)
    width = facts.per_layer("moe_intermediate_size", index)
    if not width:
        width = facts.per_layer("intermediate_size", index)
    if not width:
        raise ConfigError(
            "The config has experts but no moe_intermediate_size and no intermediate_size; add one of them."
        )
    count, shared = shared_width(r, index, width)
    values: dict[str, Any] = {
        "num_experts": experts, "num_experts_per_tok": chosen, "moe_intermediate_size": width,
        "gated": is_gated(r), "hidden_act": activation(r),
        "n_shared_experts": count, "shared_expert_intermediate_size": shared,
        "shared_gate": r.family.shared_gate and shared > 0,
        "n_group": groups(r, "n_group"), "topk_group": groups(r, "topk_group"),
        "zero_expert_num": facts.integer("zero_expert_num") or 0,
        "latent_size": facts.integer("moe_latent_size") or 0,
        "scoring": scoring(r), "table_rows": table_rows(r, index), "topk_first": r.family.topk_first,
        "masked": r.family.group_masked,
        "group_score": r.family.group_score, "norm_topk_prob": normalises(r), "norm_eps": r.family.norm_topk_eps,
        "routed_scaling_factor": routed_scale(r), "selection_bias": selection_bias(r, index),
        "selection_bias_trained": r.family.router_trained,
        "joined": 0.5 if facts.word("shared_expert_combination_strategy") == "average" and shared else 1.0,
        "jitter": facts.number("router_jitter_noise") or 0.0,
        "router_softcap": facts.number("moe_router_logit_softcapping") or 0.0,
        "limit": facts.number("swiglu_limit") or 0.0,
    }  # fmt: skip
    return MoE(**(values | changes))


def groups(r: Reading, name: str) -> int:
    """How many groups of experts there are, or stay; one where the choice is greedy (DeepSeek-V2-Lite)."""
    said = r.facts.per_layer(name, 0, 1) or 1
    return 1 if r.facts.word("topk_method") == "greedy" else said


def scoring(r: Reading) -> str:
    """How router logits become weights."""
    return r.facts.word("scoring_func", r.family.scoring or "softmax")[:40]


def table_rows(r: Reading, index: int) -> int:
    """The first layers of V4, or those that a list names, look experts up by the token: a row for each."""
    words = r.facts.items("mlp_layer_types") or []
    hashed = words[index] == "hash_moe" if index < len(words) else index < (r.facts.integer("num_hash_layers") or 0)
    return r.facts.need("vocab_size") if hashed else 0


def normalises(r: Reading) -> bool:
    """Whether the weights of the chosen experts are divided by their sum: the class may decide alone."""
    said = r.facts.flag("norm_topk_prob")
    if r.family.topk_first and scoring(r) == "softmax":  # it sums to one already
        return False
    return said if r.family.norm_topk is None else r.family.norm_topk


def selection_bias(r: Reading, index: int) -> str:
    """The bias that counts for the choice alone, unless a key switches it off, or names a choice without one."""
    facts = r.facts
    method = facts.word("topk_method") if facts.says("topk_method") else NO_AUX
    off = table_rows(r, index) or not facts.flag("use_routing_bias", True) or method != NO_AUX
    return "" if off else r.family.router_buffer


def routed_scale(r: Reading) -> float:
    """What the chosen weights are multiplied by, where the class does so."""
    return (r.facts.number("routed_scaling_factor") or 1.0) if r.family.routed_scale else 1.0


def build(r: Reading, index: int, word: str) -> object:
    """The MLP of one layer."""
    if r.family.mlp:
        return r.family.mlp(r, index, word)
    if word == "moe":
        return moe(r, index)
    if word == "dense":
        return dense(r, index)
    if word == "none":
        return None
    sentence = f'MLP "{word.lstrip("?")}" is not understood yet: its weights are in no count.'
    if sentence not in r.not_understood:
        r.not_understood.append(sentence)
    return NotUnderstood(word.lstrip("?"))
