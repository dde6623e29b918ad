"""What can be edited in a config: one row a field; and what layers can be painted with: one row a brush.

A field that gallery/editing has too is called the same there, so that one address does for both.
"""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.designing.writings import FULL, LINEAR, SLIDING

LAYERS, MIX = "layers", "mix"
MOST_TOKENS = 2**22


class Row(NamedTuple):
    """One field: its word in an address, the name of its key in reading/keys.py, what readers call it, its bounds."""

    id: str
    name: str
    words: str
    group: str
    least: int
    most: int
    step: int = 1  # values are multiples of it
    flag: bool = False
    part: str = ""  # what of the drawing it changes: "mixer" | "mlp" | "moe" | "stack" | "embed" | "head"
    nodes: str = ""  # the nodes of that part's graph, as a pattern
    press: int = 1  # what − and + do: this much less or more; -2 halves and doubles


# Head sizes are multiples of 8: RoPE rotates pairs, and a part of a head where a class says so.
ROWS = (
    Row(LAYERS, "num_hidden_layers", "Layers", "Layers", 1, 256, part="stack"),
    Row("dense_first", "first_k_dense_replace", "Dense layers first", "Layers", 0, 256, part="stack"),
    Row("heads", "num_attention_heads", "Heads", "Attention", 1, 1024, part="mixer", nodes="q_proj|queries|q_b_proj"),
    Row("kv", "num_key_value_heads", "KV heads", "Attention", 1, 1024, part="mixer", nodes="k_proj|v_proj|keys|values"),
    Row("head", "head_dim", "Head size", "Attention", 16, 1024, 8, part="mixer", nodes="attend", press=32),
    Row("window", "sliding_window", "Window", "Attention", 1, MOST_TOKENS, part="window", nodes="attend", press=-2),
    Row("chunk", "attention_chunk_size", "Chunk", "Attention", 1, MOST_TOKENS, part="window", nodes="attend", press=-2),
    Row("q_rank", "q_lora_rank", "Query rank", "Attention", 16, 16_384, 8, part="mixer",
        nodes="q_a_proj|q_b_proj", press=128),
    Row("kv_rank", "kv_lora_rank", "KV rank", "Attention", 16, 16_384, 8, part="mixer",
        nodes="latent|kv_a_proj.*", press=64),
    Row("nope_dim", "qk_nope_head_dim", "Head size without position", "Attention", 16, 1024, 8, part="mixer",
        nodes="k_nope|q_nope", press=32),
    Row("rope_dim", "qk_rope_head_dim", "Head size with RoPE", "Attention", 8, 512, 8, part="mixer",
        nodes="q_rope|k_rope|k_rotated", press=16),
    Row("v_dim", "v_head_dim", "Value head size", "Attention", 16, 1024, 8, part="mixer",
        nodes="attend|values", press=32),
    Row("index_heads", "index_n_heads", "Indexer heads", "Attention", 1, 256, part="mixer", nodes=r"indexer\..*"),
    Row("index_topk", "index_topk", "Indexer top-k", "Attention", 1, MOST_TOKENS, part="mixer",
        nodes=r"indexer\..*", press=-2),
    Row("key_heads", "linear_num_key_heads", "Key heads of the state", "State", 1, 256, part="linear", press=-2),
    Row("value_heads", "linear_num_value_heads", "Value heads of the state", "State", 1, 256, part="linear", press=-2),
    Row("state_key_dim", "linear_key_head_dim", "Key head size of the state", "State", 16, 512, 8, part="linear",
        press=-2),
    Row("state_value_dim", "linear_value_head_dim", "Value head size of the state", "State", 16, 512, 8,
        part="linear", press=-2),
    Row("state_heads", "mamba_num_heads", "Mamba heads", "State", 1, 1024, part="ssm", press=8),
    Row("state", "state_size", "State size", "State", 8, 1024, 8, part="ssm", press=-2),
    Row("experts", "num_experts", "Experts", "Experts", 2, 4096, part="moe", nodes="experts", press=-2),
    Row("active", "num_experts_per_tok", "Top-k", "Experts", 1, 256, part="moe", nodes="gate|score|choose"),
    Row("expert_ffn", "moe_intermediate_size", "Expert width", "Experts", 16, 65_536, 8, part="moe",
        nodes="experts", press=64),
    Row("shared", "n_shared_experts", "Shared experts", "Experts", 0, 64, part="moe", nodes=r"shared\..*|shared"),
    Row("shared_ffn", "shared_expert_intermediate_size", "Shared expert width", "Experts", 16, 262_144, 8, part="moe",
        nodes=r"shared\..*|shared", press=64),
    Row("hidden", "hidden_size", "Hidden size", "Widths", 64, 65_536, 8, part="embed", press=128),
    Row("ffn", "intermediate_size", "MLP width", "Widths", 16, 262_144, 8, part="mlp",
        nodes="gate_proj|up_proj|act", press=256),
    Row("vocab", "vocab_size", "Vocabulary", "Tokens", 16, 2**21, part="head", press=1024),
    Row("context", "max_position_embeddings", "Context", "Tokens", 16, 2**26, part="", press=-2),
    Row("rope", "rope_theta", "RoPE base", "Tokens", 1, 10**12, part="mixer", nodes="q_rope|k_rope", press=-10),
    Row("tied", "tie_word_embeddings", "Tied embeddings", "Tokens", 0, 1, flag=True, part="head"),
)  # fmt: skip
BY_ID = {row.id: row for row in ROWS}
GROUPS = tuple(dict.fromkeys(row.group for row in ROWS))


class Brush(NamedTuple):
    """One kind of layer that can be painted: its letter in an address, what it is called, its colour."""

    letter: str
    words: str
    role: str
    facet: str  # of /models/, where the models that have it are


BRUSHES = (
    Brush("f", "full", "full", "gqa"),
    Brush("w", "window", "window", "window"),
    Brush("d", "linear", "linear", "delta"),
    Brush("s", "Mamba", "ssm", "mamba"),
    Brush("v", "convolution", "linear", "conv"),
    Brush("c", "chunk", "window", "window"),
    Brush("x", "sparse", "sparse", "sparse"),
    Brush("l", "latent", "latent", "mla"),
    Brush("e", "experts alone", "moe", "moe"),
    Brush("m", "MLP alone", "mlp", ""),
)
BY_LETTER = {brush.letter: brush for brush in BRUSHES}
OFFERED = ("f", "w", "d", "s", "l")  # shown also where a class has none of it

WINDOWS = {"f": FULL, "w": SLIDING}
CONVOLUTIONS = {"v": "conv", "f": FULL}
DELTA = {"d": LINEAR, "f": FULL}
# model_type -> the words that its class of transformers 5.23.0 takes in layer_types, also where a config has only some.
CLASS_WORDS: dict[str, dict[str, str]] = {
    **dict.fromkeys(("qwen2", "qwen3", "qwen2_moe", "qwen3_moe", "gemma2", "gemma3_text", "gpt_oss", "olmo3", "cohere2",
                     "smollm3", "exaone4"), WINDOWS),
    **dict.fromkeys(("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text", "minimax", "olmo_hybrid"), DELTA),
    **dict.fromkeys(("lfm2", "lfm2_moe"), CONVOLUTIONS),
    "granitemoehybrid": {"s": "mamba", "f": "attention"},
    "llama4_text": {"c": "chunked_attention", "f": FULL},
}  # fmt: skip
