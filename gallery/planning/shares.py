"""A tensor, or a thing kept while decoding -> which share of it one rank holds.

Megatron's cuts (arXiv 1909.08053), which vLLM and SGLang use too: queries, keys and values by heads, the way back by
columns, MLPs by their width, embedding and head by rows. Norms, routers, low-rank halves, latents and indexers are
copied. Keys and values of fewer heads than ranks are copied too. Experts are dealt over ep, each cut over etp.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from gallery import spec as s
from gallery.counting.cache import Kept
from gallery.planning.layout import Layout

WHOLE = Fraction(1)
CUT_PARTS = frozenset(("attention", "linear", "ssm", "dense", "shared", "head"))
COPIED = frozenset(("q_a_proj", "kv_a_proj_with_mqa", "f_a_proj", "g_a_proj", "kv_proj", "shared_expert_gate"))
BACK = frozenset(("o_proj", "down_proj", "out_proj", "o_b_proj"))  # cut by columns: a bias is added once, after the sum
MIXERS = (s.Attention, s.LatentAttention, s.CompressedAttention, s.GatedDeltaNet, s.KimiDelta, s.LightningAttention,
          s.Mamba2)  # fmt: skip
MLPS = (s.Dense, s.MoE)


def parts_of(half: object) -> Iterator[Any]:
    """The kinds that one half of a layer is made of."""
    if isinstance(half, s.Combined):
        for part in half.parts:
            yield from parts_of(part)
    elif half is not None:
        yield half


def heads_of(mixer: Any) -> int:
    """Into how many equal parts a mixer can be cut."""
    for name in ("num_attention_heads", "linear_num_value_heads", "num_heads"):
        if hasattr(mixer, name):
            return getattr(mixer, name)
    return 1


def kv_share(kv_heads: int, tp: int) -> Fraction:
    """Keys and values: at least one head on every rank."""
    return Fraction(max(kv_heads // tp, 1), kv_heads)


def grouped(mixer: s.Mamba2, tp: int, own: int, copies: int) -> Fraction:
    """Mamba-2's x, z and step go by heads; its B and C by groups, at least one on every rank."""
    inner, shared = mixer.num_heads * mixer.head_dim, mixer.n_groups * mixer.state_size
    whole = own * inner + 2 * shared + copies * mixer.num_heads
    held = Fraction(own * inner + copies * mixer.num_heads, tp) + 2 * max(mixer.n_groups // tp, 1) * mixer.state_size
    return held / whole


def words_of(name: str) -> tuple[str, str]:
    """(module, what of it) of a tensor's own name."""
    words = name.split(".")
    return (words[-2], words[-1]) if words[-1] in ("weight", "bias") and len(words) > 1 else (words[-1], "weight")


def is_expert(name: str, part: str) -> bool:
    """Whether a tensor is a stack of routed experts."""
    return part == "experts" and "{expert}" in name


def share(name: str, shape: tuple[int, ...], part: str, layer: s.Layer | None, layout: Layout) -> Fraction:
    """The share of one weight, under our own name, that each rank of its stage holds."""
    module, what = words_of(name)
    if is_expert(name, part):
        back = module.startswith("down_proj") and (what == "bias" or module.endswith("bias"))
        dealt = Fraction(shape[0] + layout.redundant, layout.ep * shape[0])
        return dealt if back else dealt / layout.etp
    if part == "embedding":
        return Fraction(1, layout.tp) if module == "embed_tokens" else WHOLE
    if layout.tp == 1 or part not in CUT_PARTS or copied(name, shape):
        return WHOLE
    mixers = list(parts_of(layer.mixer)) if layer else []
    if part == "attention" and module in ("k_proj", "v_proj"):
        kv_heads = next((m.num_key_value_heads for m in mixers if isinstance(m, s.Attention)), 0)
        return kv_share(kv_heads, layout.tp) if kv_heads else Fraction(1, layout.tp)
    mamba = next((m for m in mixers if isinstance(m, s.Mamba2)), None)
    if part == "ssm" and mamba and module in ("in_proj", "conv1d"):
        return grouped(mamba, layout.tp, *((2, 1) if module == "in_proj" else (1, 0)))
    return Fraction(1, layout.tp)


def copied(name: str, shape: tuple[int, ...]) -> bool:
    """Whether every tensor rank holds a tensor of a cut part whole."""
    module, what = words_of(name)
    if (module in BACK and what == "bias") or shape == (1,):
        return True
    return module in COPIED or any(word in name for word in ("norm", "adapter", "compressor"))


def kept_share(mixer: object, kept: Kept, tp: int) -> Fraction:
    """The share of what decoding keeps of one layer: latents and indexer keys whole, the rest by heads."""
    if tp == 1 or kept.kind == "index":
        return WHOLE
    for part in parts_of(mixer):
        if kept.kind in ("kv", "compressed"):
            if isinstance(part, s.Attention):
                return kv_share(part.num_key_value_heads, tp)
        elif isinstance(part, s.Mamba2):
            return grouped(part, tp, 1, 0) if kept.kind == "conv" else Fraction(1, tp)
        elif isinstance(part, s.GatedDeltaNet | s.KimiDelta | s.LightningAttention):
            return Fraction(1, tp)
    return WHOLE
