"""GGUF metadata of several architectures: read to the model they were made from, or refused as what they are."""

from __future__ import annotations

import pytest

from cutaway.gallery import parameters, read
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.spec import ConfigError


def metadata(name: str, sizes: tuple[int, ...], file_type: int = 15, vocab: int = 0, **keys) -> dict:
    """Metadata as a GGUF file has them, its usual sizes in one row; attention_key_length stands for
    attention.key_length."""
    usual = ("block_count", "embedding_length", "feed_forward_length", "context_length", "attention_head_count",
             "attention_head_count_kv")  # fmt: skip
    named = {**dict(zip(usual, sizes, strict=True)), **keys}
    own = {f"{name}.{key.replace('attention_', 'attention.').replace('rope_', 'rope.')}": value
           for key, value in named.items()}  # fmt: skip
    return {"general.architecture": name, "general.file_type": file_type, "tokenizer.ggml.tokens": ["x"] * vocab, **own}


def deepseek(sizes: tuple[int, ...], experts: tuple[int, ...], dense: int, key: int, value: int, **keys) -> dict:
    """DeepSeek's: latents of 512 and rotated keys of 64; experts are how many, used, shared, and their width."""
    words = ("expert_count", "expert_used_count", "expert_shared_count", "expert_feed_forward_length")
    return metadata("deepseek2", sizes, leading_dense_block_count=dense, attention_key_length=key,
                    attention_value_length=value, attention_kv_lora_rank=512, rope_dimension_count=64,
                    **dict(zip(words, experts, strict=True)), **keys)  # fmt: skip


LLAMA = metadata(
    "llama", (32, 4096, 14_336, 131_072, 32, 8), vocab_size=128_256, rope_freq_base=500_000.0,
    rope_dimension_count=128, attention_layer_norm_rms_epsilon=1e-5,
)  # fmt: skip
FILES = {  # metadata by gguf 0.19.0's names -> parameters that transformers builds (shared oracle, parameters.json)
    "Llama 3.1 8B": (LLAMA, 8_030_261_248),
    "Qwen2.5 7B": (
        metadata("qwen2", (28, 3584, 18_944, 32_768, 28, 4), vocab=152_064, rope_freq_base=1e6), 7_615_616_512
    ),
    "Qwen3 30B-A3B": (metadata(
        "qwen3moe", (48, 2048, 6144, 40_960, 32, 4), vocab=151_936, attention_key_length=128,
        attention_value_length=128, rope_freq_base=1e6, expert_count=128, expert_used_count=8,
        expert_feed_forward_length=768,
    ), 30_532_122_624),
    "Gemma 3 1B": (metadata(
        "gemma3", (26, 1152, 6912, 32_768, 4, 1), vocab=262_144, attention_key_length=256,
        attention_value_length=256, attention_sliding_window=512, rope_freq_base=1e6,
    ), 999_885_952),
    "DeepSeek-V2-Lite": (deepseek(
        (27, 2048, 10_944, 163_840, 16, 16), (64, 6, 2, 1408), 1, 192, 128, vocab_size=102_400,
        expert_weights_scale=1.0,
    ), 15_706_484_224),
    "DeepSeek-V3": (deepseek(
        (61, 7168, 18_432, 163_840, 128, 1), (256, 8, 1, 2048), 3, 576, 512, vocab_size=129_280,
        attention_key_length_mla=192, attention_value_length_mla=128, attention_q_lora_rank=1536,
        expert_weights_scale=2.5, expert_weights_norm=True, expert_gating_func=2,
    ), 671_026_404_352),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_metadata_read_to_the_model_they_were_made_from(name):
    """Its parameters, and no key of its sizes is left over."""
    told, total = FILES[name]
    spec = read(told)
    assert (total, ()) == (parameters(spec).total, spec.unread)


def test_metadata_as_gguf_dump_prints_them_read_the_same():
    """Each value lies in an object with its type."""
    dump = {"metadata": {key: {"index": 1, "type": "UINT32", "value": value} for key, value in LLAMA.items()}}
    assert read(LLAMA) == read(dump)


def test_bytes_of_a_quantized_file_are_unknown():
    """Q4_K_M mixes formats by tensor; a file of FP32 does not."""
    assert stored_bytes(read(LLAMA)) is None
    assert "a GGUF file names the format of each tensor" in read(LLAMA).not_understood[0]
    assert stored_bytes(read({**LLAMA, "general.file_type": 0})) == 4 * 8_030_261_248


def test_what_metadata_say_and_nobody_reads_is_listed():
    """A scale of the rotation is a key like any other."""
    assert read({**LLAMA, "llama.rope.scaling.factor": 8.0}).unread == ("llama.rope.scaling.factor",)


@pytest.mark.parametrize(("told", "sentence"), [
    ({"general.architecture": "mamba", "mamba.block_count": 4}, "metadata of a GGUF file, whose architecture 'mamba'"),
    ({"starcoder.block_count": 4}, "metadata of a GGUF file, whose architecture 'starcoder' is not read here"),
    ({"general.architecture": ["llama"]}, "metadata of a GGUF file, whose architecture ['llama'] is not read"),
    ({"general.architecture": "llama", "llama.block_count": 4}, "lacks both llama.vocab_size and the list tokenizer"),
    ({"general.architecture": "llama", "llama.vocab_size": 9}, "num_hidden_layers"),
])  # fmt: skip
def test_other_metadata_are_refused_as_what_they_are(told, sentence):
    """One sentence that says what was given and what to give instead."""
    with pytest.raises(ConfigError) as problem:
        read(told)
    assert sentence in str(problem.value)
