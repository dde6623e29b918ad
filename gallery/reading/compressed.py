"""From facts to DeepSeek-V4's attention: what each layer compresses, and how it rotates."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.indexers import indexer_of
from cutaway.gallery.reading.reading import Reading, normal
from cutaway.gallery.reading.ropes import number, rope_of
from cutaway.gallery.records import Rope
from cutaway.gallery.spec import CompressedAttention


def compressed_attention(r: Reading, index: int, word: str) -> CompressedAttention:
    """DeepSeek-V4's attention: window only, CSA or HCA, as compress_ratios says."""
    facts = r.facts
    rates = {"csa": facts.integer("compress_rate_csa", 4), "hca": facts.integer("compress_rate_hca", 128)}
    ratios = [] if facts.has("layer_types") else facts.integers("compress_ratios") or []  # the class reads words first
    ratio = max(ratios[index], 0) if index < len(ratios) else rates.get(word) or 0
    dims = rotated_part(facts, "compress" if ratio else "main")
    rope, how = compressed_rope(r, dims, bool(ratio)), normal(r)
    indexer = indexer_of(r, index, "v4") if word == "csa" else None
    return CompressedAttention(
        num_attention_heads=facts.need("num_attention_heads"),
        head_dim=facts.need("head_dim"),
        qk_rope_head_dim=dims,
        q_lora_rank=facts.need("q_lora_rank"),
        o_groups=facts.integer("o_groups") or 1,
        o_lora_rank=facts.need("o_lora_rank"),
        sliding_window=facts.integer("sliding_window") or 0,
        compress_ratio=ratio,
        overlap=word == "csa",
        indexer=indexer,
        rope=rope,
        normal=how,
    )


def compressed_rope(r: Reading, dims: int, far: bool) -> Rope | None:
    """V4 rotates window layers plainly; those with compressed entries have a base and a stretching of their own, which
    leaves cos and sin as they are."""
    said = r.facts.text.get("rope_parameters")
    plain = number(r.facts.text.get("rope_theta"))  # never the base of one flat mapping, which stretches far layers
    word, theta = ("compress", r.facts.number("compress_rope_theta")) if far else ("main", plain)
    if isinstance(said, Mapping) and isinstance(said.get(word), Mapping):
        return rope_of(r, dims, word, interleaved=True, last=True)
    rope = rope_of(r, dims, interleaved=True, last=True, theta=theta or 10_000.0)
    if rope is None or not far:
        return rope and rope._replace(kind="default", scaling=())
    kept = dict(rope.scaling) or {}
    return rope._replace(scaling=tuple(sorted(({"attention_factor": 1.0} | kept).items())) if kept else ())


def rotated_part(facts: Facts, word: str) -> int:
    """How much of a head rotates: the share in the mapping of this word, where both words have one, and all of it where
    the mapping has none; then the share beside them, then the width that published files state; else 64 of 512.
    """
    said, width = facts.text.get("rope_parameters"), facts.need("head_dim")
    stated, share = facts.integer("qk_rope_head_dim"), facts.number("partial_rotary_factor")
    if isinstance(said, Mapping) and all(isinstance(said.get(name), Mapping) for name in ("main", "compress")):
        share = number(said[word].get("partial_rotary_factor", 1.0)) or 0.0
    if share is None:
        return stated or int(width * 64 / 512)
    return int(width * min(share, 1.0))
