"""What can be edited: one row a field, with the attribute of each kind of record that holds it."""

from __future__ import annotations

from typing import Any, NamedTuple

from cutaway.gallery import spec as s

LAYERS = "layers"
GROUPED = (s.Attention, s.ConvolvedAttention, s.RelativeAttention)
WINDOWED = (*GROUPED, s.LatentAttention, s.CompressedAttention, s.ExpertHeads)
MOST_TOKENS = 2**20


class Row(NamedTuple):
    """One field: its word in an address, the config's own key, what readers call it."""

    id: str
    key: str
    words: str
    most: int
    held: dict[type, str]  # kind of record -> its attribute
    half: str = "mixer"


def _in(kinds: tuple[type, ...], name: str) -> dict[type, str]:
    return dict.fromkeys(kinds, name)


# Lightning attention has as many heads as the softmax attention beside it: both follow one key (MiniMax-01, Ling 2.5).
ROWS = (
    Row(LAYERS, "num_hidden_layers", "layers", 1024, {}, ""),
    Row("heads", "num_attention_heads", "attention heads", 1024,
        {**_in((*GROUPED, s.LatentAttention, s.CompressedAttention), "num_attention_heads"),
         s.LightningAttention: "num_heads"}),
    Row("kv", "num_key_value_heads", "key and value heads", 1024,
        _in((*GROUPED, s.ExpertHeads), "num_key_value_heads")),
    Row("window", "sliding_window", "window in tokens, 0 for none", MOST_TOKENS, _in(WINDOWED, "sliding_window")),
    Row("chunk", "attention_chunk_size", "chunk in tokens, 0 for none", MOST_TOKENS,
        _in(GROUPED, "attention_chunk_size")),
    Row("q_rank", "q_lora_rank", "rank of the queries", 16_384,
        _in((*GROUPED, s.LatentAttention, s.CompressedAttention), "q_lora_rank")),
    Row("kv_rank", "kv_lora_rank", "rank of keys and values", 16_384, {s.LatentAttention: "kv_lora_rank"}),
    Row("key_heads", "linear_num_key_heads", "key heads of the state", 1024,
        {s.GatedDeltaNet: "linear_num_key_heads"}),
    Row("value_heads", "linear_num_value_heads", "value heads of the state", 1024,
        {s.GatedDeltaNet: "linear_num_value_heads"}),
    Row("state_heads", "num_heads", "heads of the state", 1024, _in((s.KimiDelta, s.Mamba2), "num_heads")),
    Row("experts", "num_experts", "routed experts", 4096, {s.MoE: "num_experts"}, "mlp"),
    Row("active", "num_experts_per_tok", "experts per token", 4096, {s.MoE: "num_experts_per_tok"}, "mlp"),
)  # fmt: skip
BY_ID = {row.id: row for row in ROWS}


def has_field(row: Row, part: Any) -> bool:
    """Whether a mixer or an MLP has this field to edit."""
    if type(part) not in row.held:
        return False
    if row.id == "window":
        return not (getattr(part, "cross", False) or getattr(part, "attention_chunk_size", 0))
    if row.id == "chunk":
        return bool(part.attention_chunk_size)
    if row.id == "q_rank":
        return bool(part.q_lora_rank) or isinstance(part, s.LatentAttention)
    if row.id in ("heads", "kv") and bool(getattr(part, "added", "")):
        return False  # a value of the model has a column for each head (CPM-Ant)
    if row.id == "kv":
        return not by_head(part)
    return True


def by_head(part: Any) -> bool:
    """Whether an indexer chooses for each key and value head apart (MiniMax-M3)."""
    indexer = getattr(part, "indexer", None)
    return indexer is not None and indexer.style == "minimax_m3"


def smallest_value(row: Row, part: Any) -> int:
    """The smallest value that the graph can be written with."""
    if row.id in ("window", "chunk"):
        return 1 if isinstance(part, s.CompressedAttention) else 0
    if row.id == "q_rank":
        free = isinstance(part, s.LatentAttention) and not part.indexer and part.gate != "with_queries"
        return 0 if free or not part.q_lora_rank else 1
    if row.id == "experts" and part.n_group > 1 and part.group_score == "top2":
        return 2 * part.n_group
    return 1
