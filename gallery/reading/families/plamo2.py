"""PLaMo 2: Mamba layers and windowed attention in turn, four norms a layer, QK-norms with a weight per head and dim.

Its Mamba is between 1 and 2: one decay per head, but B, C and the step are read off x. Its tensors are listed outright.
"""

from cutaway.gallery.reading.attention import attention
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.spec import Extra, Norm, NotUnderstood


def words(facts: Facts, depth: int) -> list[str]:
    """Attention in the middle of every group of mamba_step layers; without Mamba, everywhere."""
    step = facts.integer("mamba_step", 2) or 2
    whole = set(facts.integers("full_attention_idx") or ())
    out = ["full" if index in whole or not facts.integer("sliding_window") else "sliding" for index in range(depth)]
    if not facts.flag("mamba_enabled", True):
        return out
    if depth <= step // 2:
        return ["mamba"] * (depth - 1) + out[-1:]
    return [word if index % step == step // 2 else "mamba" for index, word in enumerate(out)]


def windowed_attention(r: Reading, index: int) -> object:
    """Attention over the last tokens."""
    return attention(r, index, "sliding")


def mamba(r: Reading, index: int) -> NotUnderstood:
    """Weighed, and not wired: its state is in no count."""
    sentence = "PLaMo 2's Mamba is weighed but not wired yet: its weights are counted, its state and its FLOPs are not."
    if sentence not in r.not_understood:
        r.not_understood.append(sentence)
    return NotUnderstood("PLaMo 2's Mamba")


def tensors(r: Reading, index: int) -> tuple[Extra, ...]:
    """What a Mamba layer holds."""
    if r.words[index] != "mamba":
        return ()
    facts, h = r.facts, r.hidden_size
    heads, n = facts.need("mamba_num_heads", 32), facts.need("state_size", 64)
    inner, step = heads * facts.need("head_dim", 128), max(64, h // 16)
    shapes = {
        "in_proj.weight": (2 * inner, h), "conv1d.weight": (inner, 1, facts.need("conv_kernel", 4)),
        "bcdt_proj.weight": (step + 2 * n, inner), "dt_proj.weight": (heads, step), "dt_bias": (heads,),
        "A_log": (heads,), "D": (heads,), "dt_norm_weight": (step,), "B_norm_weight": (n,), "C_norm_weight": (n,),
        "out_proj.weight": (h, inner),
    }  # fmt: skip
    listed = tuple((f"mixer.{name}", shape) for name, shape in shapes.items())
    return (Extra("mamba", "PLaMo 2's Mamba", listed, "ssm"),)


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Before and after each half."""
    places = {"mixer_in": "pre_mixer_norm", "mixer_out": "post_mixer_norm", "mlp_in": "pre_mlp_norm",
              "mlp_out": "post_mlp_norm"}  # fmt: skip
    return tuple(norm(r, place, name) for place, name in places.items())


FAMILY = Family(
    source="pfnet/plamo-2-1b, modeling_plamo.py; recalled",
    windowed=True,
    defaults={"tie_word_embeddings": True},
    spellings={"hidden_size_per_head": "head_dim", "mamba_step": "mamba_step", "mamba_enabled": "mamba_enabled",
               "full_attention_idx": "full_attention_idx"},
    qk_norm="per_head",
    words=words,
    mixers={"mamba": mamba, "sliding": windowed_attention},
    norms_of=norms,
    extras=tensors,
    prepare=lambda r: r.facts.settle("mamba_step", "mamba_enabled", "full_attention_idx"),
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "mixer.qkv_proj"),
        ("self_attn.q_norm.weight", "mixer.q_weight"),
        ("self_attn.k_norm.weight", "mixer.k_weight"),
        ("self_attn.o_proj", "mixer.o_proj"),
        ("mlp.gate_proj + mlp.up_proj", "mlp.gate_up_proj"),
        ("model.layers", "model.layers.layers"),
    ),
)  # fmt: skip
