"""A tensor, or a thing kept while decoding -> the rule by which ranks share it (sharding/arithmetic.py has the
arithmetic).

Megatron's cuts (arXiv 1909.08053), which vLLM and SGLang use too: queries, keys and values by heads, the way back by
columns, MLPs by their width, embedding and head by rows. Norms, routers, low-rank halves, latents and indexers are
copied. Keys (and values) of fewer heads than ranks are copied too. Experts are dealt over ep, each cut over etp.
"""

from __future__ import annotations

from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.planning.sharding.arithmetic import Rule
from cutaway.gallery.sublayers import parts_of

WHOLE: Rule = ["whole"]
TP: Rule = ["tp"]
CUT_PARTS = frozenset(("attention", "linear", "ssm", "dense", "shared", "head"))
COPIED = frozenset(("q_a_proj", "kv_a_proj_with_mqa", "f_a_proj", "g_a_proj", "kv_proj", "shared_expert_gate"))
BACK = frozenset(("o_proj", "down_proj", "out_proj", "o_b_proj"))  # cut by columns: a bias is added once, after the sum
MIXERS = (s.Attention, s.LatentAttention, s.CompressedAttention, s.GatedDeltaNet, s.KimiDelta, s.LightningAttention,
          s.Mamba2)  # fmt: skip
MLPS = (s.Dense, s.MoE)


def heads_of(mixer: Any) -> int:
    """Into how many equal parts a mixer can be cut."""
    for name in ("num_attention_heads", "linear_num_value_heads", "num_heads"):
        if hasattr(mixer, name):
            return getattr(mixer, name)
    return 1


def state_space_rule(mixer: s.Mamba2, own: int, copies: int) -> Rule:
    """Mamba-2's x, z and step go by heads; its B and C by groups, at least one on every rank."""
    cut = own * mixer.num_heads * mixer.head_dim + copies * mixer.num_heads
    return ["groups", cut, 2 * mixer.state_size, mixer.n_groups]


def delta_rule_rule(mixer: s.GatedDeltaNet, own: int) -> Rule:
    """Values of a delta rule (`own`: with z, 2) go by value heads, q and k by key heads, at least one on every rank."""
    cut = own * mixer.linear_num_value_heads * mixer.linear_value_head_dim
    return ["groups", cut, 2 * mixer.linear_key_head_dim, mixer.linear_num_key_heads]


def words_of(name: str) -> tuple[str, str]:
    """(module, what of it) of a tensor's own name."""
    words = name.split(".")
    return (words[-2], words[-1]) if words[-1] in ("weight", "bias") and len(words) > 1 else (words[-1], "weight")


def is_expert(name: str, part: str) -> bool:
    """Whether a tensor is a stack of routed experts."""
    return part == "experts" and "{expert}" in name


def rule_of(name: str, shape: tuple[int, ...], part: str, layer: s.Layer | None) -> Rule:
    """How one weight, under our own name, is dealt over the ranks of its stage."""
    module, what = words_of(name)
    if is_expert(name, part):
        back = module.startswith("down_proj") and (what == "bias" or module.endswith("bias"))
        return ["experts", shape[0], 0 if back else 1]
    if part == "embedding":
        return TP if module == "embed_tokens" else WHOLE
    if part not in CUT_PARTS or is_replicated(name, shape):
        return WHOLE
    mixers = list(parts_of(layer.mixer)) if layer else []
    if part == "attention" and (module in ("k_proj", "v_proj") or ".k_sconv." in name or ".v_sconv." in name):
        kv_heads = next((m.num_key_value_heads for m in mixers if isinstance(m, s.Attention)), 0)
        return ["heads", kv_heads] if kv_heads else TP
    return shared_keys_rule(module, part, mixers) or TP


def shared_keys_rule(module: str, part: str, mixers: list[Any]) -> Rule | None:
    """What a state-space or a delta rule has fewer of than heads: its B and C, its keys and queries; None: all else."""
    for mixer in mixers:
        if part == "ssm" and isinstance(mixer, s.Mamba2) and module in ("in_proj", "conv1d"):
            return state_space_rule(mixer, *((2, 1) if module == "in_proj" else (1, 0)))
        if part == "linear" and isinstance(mixer, s.GatedDeltaNet):
            if module in ("in_proj_qkvz", "in_proj_qkv", "conv1d"):
                return delta_rule_rule(mixer, 2 if module == "in_proj_qkvz" else 1)
            if module in ("q_proj", "k_proj", "q_conv1d", "k_conv1d"):
                return ["heads", mixer.linear_num_key_heads]
    return None


def is_replicated(name: str, shape: tuple[int, ...]) -> bool:
    """Whether every tensor rank holds a tensor of a cut part whole."""
    module, what = words_of(name)
    if (module in BACK and what == "bias") or shape == (1,):
        return True
    inner = "adapter" in name and not name.endswith(".1.weight")  # the first half of a low-rank pair
    return inner or module in COPIED or any(word in name for word in ("norm", "compressor"))


def cache_rule(mixer: object, kind: str) -> Rule:
    """How what decoding keeps of one layer is dealt: latents and indexer keys whole, the rest by heads."""
    if kind == "index":
        return WHOLE
    for part in parts_of(mixer):
        if kind in ("kv", "compressed"):
            if isinstance(part, s.Attention):
                return ["heads", part.num_key_value_heads]
        elif isinstance(part, s.Mamba2):
            return state_space_rule(part, 1, 0) if kind == "conv" else TP
        elif isinstance(part, s.GatedDeltaNet):
            return delta_rule_rule(part, 1) if kind == "conv" else TP
        elif isinstance(part, s.KimiDelta | s.LightningAttention):
            return TP
    return WHOLE
