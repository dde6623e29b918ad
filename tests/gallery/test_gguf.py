"""GGUF metadata of several architectures: read to the model they were made from, or refused as what they are."""

from __future__ import annotations

import pytest

from cutaway.gallery import parameters, read
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.spec import ConfigError


def metadata(name: str, file_type: int = 15, vocab: int = 0, **keys) -> dict:
    """Metadata as a GGUF file has them; attention_head_count stands for attention.head_count."""
    own = {f"{name}.{key.replace('attention_', 'attention.').replace('rope_', 'rope.')}": value
           for key, value in keys.items()}  # fmt: skip
    return {"general.architecture": name, "general.file_type": file_type, "tokenizer.ggml.tokens": ["x"] * vocab, **own}


LLAMA = metadata(
    "llama", vocab_size=128_256, block_count=32, embedding_length=4096, feed_forward_length=14_336,
    context_length=131_072, attention_head_count=32, attention_head_count_kv=8, rope_freq_base=500_000.0,
    rope_dimension_count=128, attention_layer_norm_rms_epsilon=1e-5,
)  # fmt: skip
FILES = {  # metadata by gguf 0.19.0's names -> parameters that transformers builds (shared oracle, parameters.json)
    "Llama 3.1 8B": (LLAMA, 8_030_261_248),
    "Qwen2.5 7B": (metadata(
        "qwen2", vocab=152_064, block_count=28, embedding_length=3584, feed_forward_length=18_944,
        context_length=32_768, attention_head_count=28, attention_head_count_kv=4, rope_freq_base=1e6,
    ), 7_615_616_512),
    "Qwen3 30B-A3B": (metadata(
        "qwen3moe", vocab=151_936, block_count=48, embedding_length=2048, feed_forward_length=6144,
        context_length=40_960, attention_head_count=32, attention_head_count_kv=4, attention_key_length=128,
        attention_value_length=128, rope_freq_base=1e6, expert_count=128, expert_used_count=8,
        expert_feed_forward_length=768,
    ), 30_532_122_624),
    "Gemma 3 1B": (metadata(
        "gemma3", vocab=262_144, block_count=26, embedding_length=1152, feed_forward_length=6912,
        context_length=32_768, attention_head_count=4, attention_head_count_kv=1, attention_key_length=256,
        attention_value_length=256, attention_sliding_window=512, rope_freq_base=1e6,
    ), 999_885_952),
    "DeepSeek-V2-Lite": (metadata(
        "deepseek2", vocab_size=102_400, block_count=27, embedding_length=2048, feed_forward_length=10_944,
        context_length=163_840, attention_head_count=16, attention_head_count_kv=16, attention_key_length=192,
        attention_value_length=128, attention_kv_lora_rank=512, rope_dimension_count=64, leading_dense_block_count=1,
        expert_count=64, expert_used_count=6, expert_shared_count=2, expert_feed_forward_length=1408,
        expert_weights_scale=1.0,
    ), 15_706_484_224),
    "DeepSeek-V3": (metadata(
        "deepseek2", vocab_size=129_280, block_count=61, embedding_length=7168, feed_forward_length=18_432,
        context_length=163_840, attention_head_count=128, attention_head_count_kv=1, attention_key_length=576,
        attention_value_length=512, attention_key_length_mla=192, attention_value_length_mla=128,
        attention_q_lora_rank=1536, attention_kv_lora_rank=512, rope_dimension_count=64, leading_dense_block_count=3,
        expert_count=256, expert_used_count=8, expert_shared_count=1, expert_feed_forward_length=2048,
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
