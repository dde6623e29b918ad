"""Families whose class spreads its layers by a pattern of its own, where no key of the config says how."""

import pytest

from cutaway.gallery import read
from cutaway.gallery.spec import Attention, LightningAttention

FRAME = {
    "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 96,
    "vocab_size": 96, "sliding_window": 8, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
    "linear_key_head_dim": 8, "linear_value_head_dim": 8, "num_experts": 4, "num_experts_per_tok": 2,
    "moe_intermediate_size": 32, "vocab_size_per_layer_input": 96, "num_kv_shared_layers": 0,
}  # fmt: skip
INDEXED = {"indexer_n_heads": 2, "indexer_head_dim": 16, "indexer_budget": 8, "indexer_compress_ratio": 4}


def letter(mixer):
    if isinstance(mixer, Attention):
        return "S" if mixer.sliding_window else "I" if mixer.indexer else "F"
    return "L"


@pytest.mark.parametrize(
    ("model_type", "more", "pattern"),
    [
        ("gemma4_text", {}, "SSSSSFSSSSSFF"),
        ("gemma3n_text", {}, "SSSSFSSSSFSSS"),
        ("qwen3_next", {}, "LLLFLLLF"),
        ("qwen3_5_text", {"full_attention_interval": 3}, "LLFLLF"),
        ("qwen4_exp_text", INDEXED, "LLLILLLI"),
        ("olmo_hybrid", {}, "LLLFLLLF"),
        ("olmo_hybrid", {}, "LLF"),
        ("minimax", {"sliding_window": None}, "FLFLF"),
        ("minimax", {}, "SLSLS"),  # its attention and its masks take the window that the file states
    ],
)
def test_layers_follow_the_pattern_of_the_class(model_type, more, pattern):
    """Windowed, full, linear and indexed layers stand where the configuration class puts them."""
    spec = read({**FRAME, **more, "model_type": model_type, "num_hidden_layers": len(pattern)})
    assert "".join(letter(layer.mixer) for layer in spec.layers) == pattern


def test_only_the_first_ten_layers_of_gemma_3n_are_sparse_where_no_key_says_so():
    """0.95 of the gate in each of them, none in a model of ten layers."""
    config = {**FRAME, "model_type": "gemma3n_text"}
    deep, flat = (read({**config, "num_hidden_layers": depth}) for depth in (12, 10))
    assert [layer.mlp.sparsity for layer in deep.layers] == [0.95] * 10 + [0.0] * 2
    assert {layer.mlp.sparsity for layer in flat.layers} == {0.0}


def test_lightning_layers_share_one_record():
    """How fast a state fades follows from the layer's number, so that equal layers stay one object."""
    layers = read({**FRAME, "model_type": "minimax", "num_hidden_layers": 8}).layers
    assert len({id(layer.mixer) for layer in layers if isinstance(layer.mixer, LightningAttention)}) == 1
