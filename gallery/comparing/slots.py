"""Mechanisms that do the same work -> one slot: in a comparison, what b gains there takes the place of what it loses.

Every mechanism stands in one slot. A slot's rank says how early it is said: what mixes tokens first, details last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple


class Slot(NamedTuple):
    """One row of SLOTS."""

    name: str
    rank: float  # the lower, the earlier it is said
    keys: tuple[str, ...]  # of MECHANISMS
    rows: tuple[str, ...]  # of the table of differences: the row whose disc stands beside the words


def _slot(name: str, rank: float, keys: str, *rows: str) -> Slot:
    return Slot(name, rank, tuple(keys.split()), rows)


# fmt: off
SLOTS: tuple[Slot, ...] = (
    _slot("mixer", 0, "mha gqa mqa mla csa hca cca relative expert-heads gated-deltanet kda lightning mamba1 mamba2 "
          "mlstm rg-lru rwkv4 rwkv7 short-conv one-matrix", "kind of mixer", "key and value heads"),
    _slot("reach", 1, "window window-mix chunks dsa shared-indexer block-indexer pooled-indexer", "indexer", "window",
          "kind of mixer"),
    _slot("mlp", 1, "moe product-keys channel-mix", "kind of MLP"),
    _slot("streams", 1.5, "hyper-connections gated-streams ngrams altup laurel per-layer depth-attention "
          "convolved-halves shared-block loops two-speeds bidirectional", "residual streams",
          "passes through the stack"),
    _slot("layer", 2, "parallel both-mixers double-layer shortcut-experts early-experts lone-halves lora-shared",
          "attention and MLP in parallel", "kind of mixer"),
    _slot("scores", 2, "qk-norm qk-norm-full qk-norm-bare sinks softcap clip qkv-bias o-bias mlp-bias logit-softcap",
          "QK-norm", "sinks", "soft-cap of scores", "biases"),
    _slot("cache", 2.5, "k-is-v shared-kv cross", "keys are values", "KV of an earlier layer"),
    _slot("gate", 3, "output-gate headwise-gate mla-gate", "output gate"),
    _slot("position", 3, "rope partial-rope proportional-rope two-bases nope no-position alibi learned-position",
          "positions", "rotated dimensions", "RoPE base"),
    _slot("images", 3.5, "m-rope", "positions"),
    _slot("image features", 3.5, "deepstack"),
    _slot("router", 3, "sigmoid-router sqrtsoftplus-router hash-router router-network sparsemixer selection-bias "
          "groups zero-experts on-input own-router-input", "router", "bias for choosing only",
          "routing groups, groups used"),
    _slot("beside", 3, "shared-expert shared-gate shared-routed dense-beside latent-experts",
          "shared experts, total width", "gate on the shared expert"),
    _slot("mtp", 3.5, "mtp", "MTP layers"),
    _slot("norms", 4, "layernorm rmsnorm", "norms of a layer"),
    _slot("norm places", 3.5, "post-norm no-pre-norm stream-norm sub-norm state-norms gated-norm v-norm",
          "norms of a layer"),
    _slot("activation", 4.5, "swiglu geglu gelu relu2 xielu situ swigluoai sparse-gate", "activation"),
    _slot("stream scale", 5, "scaled-stream normed-stream residual-scale", "residual streams"),
    _slot("detail", 5, "query-latent temperature value-scale differential dynamic-mask grouped-output",
          "query latent", "attention temperature by position"),
)
# fmt: on
SLOT_OF: Mapping[str, Slot] = {key: slot for slot in SLOTS for key in slot.keys}

# A mechanism -> those beside which it is not said: they imply it, or are it in other words.
ECHOES: Mapping[str, tuple[str, ...]] = {
    "query-latent": ("mla",), "window": ("window-mix", "csa"), "shared-gate": ("shared-expert",),
    "shared-routed": ("shared-expert",), "logit-softcap": ("softcap",), "post-norm": ("no-pre-norm",),
    "state-norms": ("mamba1",),
    "shared-indexer": ("dsa",),
    "channel-mix": ("rwkv7", "rwkv4"),
    "rope": ("two-bases",),
    "gated-norm": ("gated-deltanet", "kda"), "mla-gate": ("mla",), "k-is-v": ("csa",), "grouped-output": ("csa",),
}  # fmt: skip

# What a model has with its experts, and has or lacks with them.
OF_EXPERTS = (
    "shared-expert", "shared-gate", "shared-routed", "groups", "sigmoid-router", "sqrtsoftplus-router", "hash-router",
    "router-network", "sparsemixer", "zero-experts", "latent-experts", "on-input", "own-router-input", "dense-beside",
    "selection-bias",
)  # fmt: skip


def without_echoes(keys: Collection[str]) -> tuple[str, ...]:
    """Those of some mechanisms, gained or lost together, that are worth saying beside the others."""
    return tuple(
        key
        for key in keys
        if not any(other in keys for other in ECHOES.get(key, ())) and not ("moe" in keys and key in OF_EXPERTS)
    )
