"""Mixers and MLPs of two models -> which kinds answer to each other, and what to call one."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.joined import join_words

NO = "none"
NAMES = {
    s.GatedDeltaNet: "Gated DeltaNet", s.KimiDelta: "KDA", s.LightningAttention: "lightning", s.Mamba1: "Mamba",
    s.Mamba2: "Mamba-2", s.MatrixLSTM: "mLSTM", s.RGLRU: "RG-LRU", s.RwkvMean: "RWKV-4", s.RwkvTimeMix: "RWKV-7",
    s.ShortConv: "short convolution", s.LinearMixer: "one matrix", s.ExpertHeads: "expert heads",
    s.ConvolvedAttention: "CCA", s.RelativeAttention: "relative attention", s.MoE: "experts", s.Dense: "dense MLP",
    s.ProductKeys: "product keys", s.ChannelMix: "channel mix", s.NotUnderstood: "not understood",
}  # fmt: skip


# What a half says of another layer, and what it says where it has nothing of one.
POINTS = {"kv_source": None, "weights_of": None, "router_from": -1}
FORGOTTEN = ("weights_of", "router_from")  # that a layer shares these makes it no other kind of half


@lru_cache(4096)
def without_references(half: Any, forgotten: tuple[str, ...] = FORGOTTEN) -> Any:
    """A half without which other layers it points at; what is forgotten goes as if it pointed at none."""
    if half is None:
        return None
    if isinstance(half, s.Combined):
        return replace(half, parts=tuple(without_references(part, forgotten) for part in half.parts))
    own = {one.name: getattr(half, one.name) for one in fields(half)}
    change: dict[str, Any] = {
        word: nothing if word in forgotten else 0
        for word, nothing in POINTS.items() if own.get(word, nothing) not in (nothing, None)
    }  # fmt: skip
    if own.get("adapter"):
        change["adapter"] = (half.adapter[0], 0)
    return replace(half, **change) if change else half


def label(half: Any) -> str:
    """A half in a word or two."""
    if half is None:
        return NO
    if isinstance(half, s.Combined):
        words = list(dict.fromkeys(label(part) for part in half.parts))
        return " + ".join(words) if len(words) > 1 else f"{len(half.parts)} × {words[0]}"
    if type(half) is s.Attention:
        return _attention(half)
    if isinstance(half, s.LatentAttention):
        word = "MLA window" if half.sliding_window else "MLA"
        if half.indexer:
            word += " + shared index" if half.indexer.shared else " + indexer"
        return word
    if isinstance(half, s.CompressedAttention):
        return "window" if not half.compress_ratio else "CSA" if half.indexer else "HCA"
    return NAMES.get(type(half), type(half).__name__)


def _attention(m: s.Attention) -> str:
    heads, kv = m.num_attention_heads, m.num_key_value_heads
    if m.cross:
        return "cross-attention"
    word = "MHA" if heads == kv else "MQA" if kv == 1 else "GQA"
    word = "sparse " + word if m.indexer else word
    return f"{word} window" if m.sliding_window else f"{word} chunk" if m.attention_chunk_size else word


def layers_of(kinds: list[Any], others: list[Any]) -> str:
    """Where these kinds stand among a model's: its full layers, its experts, its MLA layers."""
    if all(isinstance(kind, s.Dense | s.MoE) for kind in kinds):
        return join_words(
            list(dict.fromkeys(("its experts", "its dense MLPs")[isinstance(kind, s.Dense)] for kind in kinds))
        )
    near = any(sees_part(kind) for kind in others)
    words = ("window" if _has(kind, "sliding_window") else "chunk" if sees_part(kind) else "full" if near and type(kind)
             is s.Attention else label(kind) for kind in kinds)  # fmt: skip
    return f"its {join_words(list(dict.fromkeys(words)))} layers"


def sees_part(kind: Any) -> bool:
    """Whether a token sees a window or a chunk of the text alone."""
    return _has(kind, "sliding_window") or _has(kind, "attention_chunk_size")


def _has(kind: Any, name: str) -> bool:
    return bool(getattr(kind, name, None))


def signature(half: Any) -> Any:
    """What two halves must share to be one kind that differs in fields."""
    if isinstance(half, s.Combined):
        return (half.how, tuple(type(part) for part in half.parts))
    return type(half)


def leaf_values(half: Any) -> set[tuple[str, Any]]:
    """Fields and values, to count how many two halves share."""
    parts = half.parts if isinstance(half, s.Combined) else (half,)
    return {
        (f"{place}.{one.name}", getattr(part, one.name)) for place, part in enumerate(parts) for one in fields(part)
    }


def match_kinds(a: Counter, b: Counter) -> dict[Any, Any]:
    """Kinds of a -> the kind of b that answers to each: itself, or of one signature and most alike."""
    out = {kind: kind for kind in a if kind in b}
    left = [kind for kind in a if kind not in b and kind is not None]
    right = [kind for kind in b if kind not in a and kind is not None]
    told = {kind: leaf_values(kind) for kind in (*left, *right)}
    shares = {kind: counts[kind] / sum(counts.values()) for counts, kinds in ((a, left), (b, right)) for kind in kinds}
    scores = sorted(
        (
            (len(told[one] & told[two]) - abs(shares[one] - shares[two]), -i, -j, one, two)
            for i, one in enumerate(left)
            for j, two in enumerate(right)
            if signature(one) == signature(two)
        ),
        key=lambda row: row[:3],
        reverse=True,
    )
    used: set[Any] = set()
    for *_, one, two in scores:
        if one not in out and two not in used:
            out[one] = two
            used.add(two)
    return out


def sames(spec: s.ModelSpec, half: str) -> list[Any]:
    """The kind of every layer; equal halves are mostly one object, looked at once."""
    known: dict[int, Any] = {}
    out = []
    for layer in spec.layers:
        part = getattr(layer, half)
        if id(part) not in known:
            known[id(part)] = without_references(part)
        out.append(known[id(part)])
    return out


def count_kinds(kinds: list[Any]) -> Counter:
    """How many layers have each kind."""
    objects = Counter(map(id, kinds))
    out: Counter = Counter()
    for kind in {id(kind): kind for kind in kinds}.values():
        out[kind] += objects[id(kind)]
    return out
