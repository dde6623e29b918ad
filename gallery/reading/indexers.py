"""From facts to an indexer, and whether a layer has one of its own."""

from __future__ import annotations

from typing import Any

from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.records import Rope
from cutaway.gallery.spec import Indexer


def indexer_of(r: Reading, index: int, style: str, rope: Rope | None = None, **changes: Any) -> Indexer | None:
    """The indexer of one layer, if the config has one; some layers reuse the choice of an earlier one (GLM-5.2)."""
    facts = r.facts
    heads = facts.integer("index_n_heads")
    if not heads:
        return None
    if rope and style == "dsa":
        near = facts.flag("indexer_rope_interleave", r.family.index_interleaved)
        rope = rope._replace(interleaved=near)
    values: dict[str, Any] = {
        "index_n_heads": heads,
        "index_head_dim": facts.need("index_head_dim", 128),
        "index_topk": facts.integer("index_topk") or 0,
        "block_size": facts.integer("index_block_size", 128 if style == "minimax_m3" else 1) or 1,
        "shared": shares_choice(r, index),
        "q_rank": (facts.integer("q_lora_rank") or 0) if style == "dsa" else 0,
        "style": style, "rope": rope,
    }  # fmt: skip
    return Indexer(**(values | changes))


def shares_choice(r: Reading, index: int) -> bool:
    """Whether a layer reads what an earlier layer's indexer chose: a list says so, letters, or a step."""
    facts = r.facts
    kinds = facts.items("indexer_types")
    letters, step = facts.raw("index_topk_pattern"), facts.integer("index_topk_freq") or 0
    skip = facts.integer("index_skip_topk_offset", 2)
    if kinds:
        return index < len(kinds) and kinds[index] == "shared"
    if isinstance(letters, str | list | tuple):
        return index < len(letters) and letters[index] in ("S", "shared")
    return step > 1 and max(index - (2 if skip is None else skip) + 1, 0) % step != 0
