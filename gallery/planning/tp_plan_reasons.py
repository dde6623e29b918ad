"""A row of the x-ray and a number of ranks -> whether transformers and Cutaway shard it alike, and if not, why.

What differs is computed from the two shares; the words follow from the row. Where transformers' own source gives the
reason, SAID has it.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from cutaway.gallery.planning.declared import STYLES, dimension
from cutaway.gallery.planning.tp_plan_diff import RANKS, Row

GATHERED = frozenset(("colwise_gather_output", "rowwise_split_input"))
BY = {
    "attention": "by heads", "linear": "by heads", "ssm": "by heads", "dense": "by width",
    "shared": "by width", "experts": "by width", "embedding": "by vocabulary", "head": "by vocabulary",
}  # fmt: skip


class SourceNote(NamedTuple):
    """A reason in transformers' source: for which types and tensors, in our words, and where it stands."""

    types: tuple[str, ...]
    within: str  # what the tensor's name has in it
    words: str
    source: str


FULL_NORM = ("olmo2", "olmo3", "olmoe", "flex_olmo", "olmo_hybrid")
FUSED = ("phi3", "glm", "glm4", "glm4v", "glm4v_text", "glm_image", "glm_ocr", "glm_ocr_text")
SOURCE_NOTES = (
    SourceNote(("deepseek_v4",), ".self_attn.",
         "all query heads share one key/value head, so sharding q_b_proj would not match it",
         "models/deepseek_v4/configuration_deepseek_v4.py, line 114"),
    SourceNote(("deepseek_v4",), ".shared_experts.", "the shared MLP is considered too small to shard",
         "models/deepseek_v4/configuration_deepseek_v4.py, line 116"),
    SourceNote(("flint",), ".self_attn.", "sinks cannot be sharded with their heads yet",
         "models/flint/configuration_flint.py, line 49"),
    SourceNote(FULL_NORM, ".self_attn.", "the norm of queries and keys spans all heads",
         "models/olmo2/configuration_olmo2.py, line 56, and alike in the others"),
    SourceNote(FUSED, "qkv_proj", "q, k and v are sliced out of one matrix afterwards",
         "models/phi3/configuration_phi3.py, line 50"),
    SourceNote(FUSED, "gate_up_proj", "gate and up are sliced out of one matrix afterwards",
         "models/phi3/configuration_phi3.py, line 52, and alike in the others"),
)  # fmt: skip


class Verdict(NamedTuple):
    """`kind`: "alike", "messages", "whole", "through a head", "uneven", "ours whole" or "else"; `words`: a clause."""

    kind: str
    words: str
    source: str = ""


def find_source_note(model_type: str, row: Row) -> SourceNote | None:
    """What transformers' source says about a tensor, if anything."""
    return next((one for one in SOURCE_NOTES if model_type in one.types and one.within in row.name), None)


def judge_row(model_type: str, row: Row, at: int) -> Verdict:
    """How the two compare at RANKS[at]."""
    kind = kind_of(row, at)
    known = find_source_note(model_type, row) if kind in ("whole", "messages") else None
    words = WORDS[kind](row)
    return Verdict(
        kind,
        f"{words} (reason given by transformers: {known.words})" if known else words,
        known.source if known else "",
    )


def kind_of(row: Row, at: int) -> str:
    """The first that holds."""
    theirs, ours, ranks = row.theirs[at], row.ours[at], RANKS[at]
    if theirs == ours:
        return "messages" if row.style in GATHERED else "alike"
    if theirs == 1:
        return "whole"
    if row.kv_heads % ranks:
        return "through a head"
    length = row.shape[dimension(STYLES[row.style], row.name, row.shape) or 0]
    if length % ranks:
        return "uneven"
    return "ours whole" if ours == 1 else "else"


def is_replicated_by_theirs(row: Row) -> str:
    """transformers replicates it."""
    return f"only Cutaway shards it{f', {BY[row.part]}' if row.part in BY else ''}"


def is_cut_through_heads(row: Row) -> str:
    """Fewer key and value heads than ranks, or no multiple of them."""
    heads = f"{row.kv_heads:,} key/value head{'s' * (row.kv_heads > 1)}"
    return f"with {heads}, transformers splits a head and Cutaway replicates whole heads"


def is_uneven(row: Row) -> str:
    """A length that the ranks do not divide."""
    length = row.shape[dimension(STYLES[row.style], row.name, row.shape) or 0]
    return f"{length:,} does not divide evenly: transformers gives the first ranks more, Cutaway counts even shares"


def messages(row: Row) -> str:
    """The same share, and more to send."""
    if row.part == "head":
        return "same share, but the logits are all-gathered on every rank"
    if row.style == "rowwise_split_input":
        return "same share, but every rank holds the full input and takes its slice"
    return "same share, but the outputs are all-gathered"


WORDS = {
    "alike": lambda row: "",
    "messages": messages,
    "whole": is_replicated_by_theirs,
    "through a head": is_cut_through_heads,
    "uneven": is_uneven,
    "ours whole": lambda row: "transformers shards it, but Cutaway replicates it",
    "else": lambda row: f"{prod(row.shape):,} parameters, sharded another way",
}
