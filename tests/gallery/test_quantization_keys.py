"""Every key under which a config says that it is quantized, and what is told of one that cannot be read."""

import pytest

from cutaway.gallery import read
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.reading.mlx import is_mlx
from cutaway.gallery.reading.quantization import normalise

LLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
}  # fmt: skip
FP8 = {"config_groups": {"g": {"weights": {"num_bits": 8, "type": "float", "strategy": "tensor"}}}}
MLX = {"group_size": 64, "bits": 4}


def with_keys(**keys: object):
    return read({**LLAMA, **keys})


@pytest.mark.parametrize("key", ["quantization", "quantization_config"])
def test_what_mlx_writes_is_counted(key):
    """mlx_lm convert says group and bits under two keys: codes, a scale and a bias a group, of tables too."""
    spec = with_keys(**{key: MLX})
    assert (spec.quantization.method, spec.quantization.scheme, spec.quantization.group_size) == ("mlx", "int4", 64)
    assert stored_bytes(spec) == 4_517_404_672
    assert spec.unread == spec.contradictions == spec.not_understood == ()


def test_mlx_says_so_twice_and_means_it_once():
    """Both keys with the same words are one statement; with different ones they contradict each other."""
    assert with_keys(quantization=MLX, quantization_config=MLX).contradictions == ()
    told = with_keys(quantization=MLX, quantization_config={**MLX, "bits": 8})
    assert told.contradictions == ("quantization_config and quantization differ; quantization_config was used.",)
    assert told.quantization.element == "uint8"


def test_mlx_gives_modules_entries_of_their_own():
    """Their own bits, or none at all; none of them is a key that nobody read."""
    own = {"model.layers.0.mlp.down_proj": {**MLX, "bits": 6}, "lm_head": {**MLX, "bits": 8}, "model.norm": False}
    spec = with_keys(quantization={**MLX, "mode": "affine", **own, "odd": 1})
    more = (2 * 4096 * 14336 + 4 * 128256 * 4096) // 8
    assert (spec.quantization.scheme, stored_bytes(spec)) == ("mixed", 4_517_404_672 + more)
    assert spec.unread == ("quantization.odd",)


def test_mlx_has_other_modes():
    """Blocks with a scale and no bias; a mode that nobody knows is said."""
    found = with_keys(quantization={"group_size": 32, "bits": 4, "mode": "mxfp4"})
    assert (found.quantization.row, found.not_understood) == ("mxfp4", ())
    assert with_keys(quantization={"group_size": 32, "bits": 4, "mode": "odd"}).not_understood


OTHERS = [
    {"quant_method": "gptq", **MLX}, {"quant_algo": "NVFP4", **MLX}, {"group_size": 64}, {**MLX, "bits": "4"},
    {**MLX, "bits": True}, {**FP8, **MLX},
]  # fmt: skip


@pytest.mark.parametrize("raw", OTHERS)
def test_what_names_a_tool_is_not_taken_for_mlx(raw):
    """Group and bits stand in other tools' files too."""
    assert not is_mlx(raw)


@pytest.mark.parametrize(
    "said",
    [FP8, {**FP8, "quant_method": "sparseml"}, {"quantization_config": FP8, "sparsity_config": {"format": "dense"}}],
)
def test_compression_config_is_read_like_its_younger_twin(said):
    """The older name of compressed-tensors, flat or one deeper, gives the same bytes."""
    younger = with_keys(quantization_config={"quant_method": "compressed-tensors", **FP8})
    spec = with_keys(compression_config=said)
    assert spec.quantization == younger.quantization
    assert stored_bytes(spec) == stored_bytes(younger) == 8_555_864_514
    assert spec.unread == spec.not_understood == ()


def test_an_unread_key_is_named_by_its_place():
    """Under the key that the file has."""
    assert with_keys(compression_config={**FP8, "odd": 1}).unread == ("compression_config.odd",)


@pytest.mark.parametrize("key", ["quantization_config", "compression_config", "quantization"])
@pytest.mark.parametrize(("value", "shown"), [("fp8", "'fp8'"), ([], "[]"), (8, "8"), (True, "True")])
def test_a_value_that_is_no_object_is_told(key, value, shown):
    """Nothing is dropped: the sentence repeats what was found."""
    spec = with_keys(**{key: value})
    assert spec.not_understood == (
        f"{key} is {shown}; an object was looked for: how many bytes the weights take is unknown, and a plan counts "
        "them unquantized.",
    )
    assert spec.quantization.scheme == "unknown"


@pytest.mark.parametrize("value", [None, {}, False])
def test_a_key_that_says_no_is_silent(value):
    """An empty object and null are how files say that nothing is quantized."""
    spec = with_keys(quantization_config=value)
    assert (spec.quantization, spec.not_understood, spec.unread) == (None, (), ())


def test_the_language_models_own_key_wins_over_the_wrappers():
    """The inner one counts; what stands around it is of the whole model, and no contradiction."""
    inner = {**LLAMA, "quantization_config": {"quant_method": "mxfp4"}}
    spec = read({"model_type": "llava", "text_config": inner, "quantization_config": {"quant_method": "fp8"}})
    assert spec.quantization.row == "mxfp4"
    assert spec.contradictions == ()


def test_a_format_of_the_cache_beside_the_block_counts():
    """kv_cache_quant_algo at the top speaks where the block is silent, and never against it."""
    assert with_keys(kv_cache_quant_algo="FP8", quantization_config=FP8).quantization.kv_cache == "float8_e4m3fn"
    block = {**FP8, "kv_cache_quant_algo": "NVFP4"}
    found = with_keys(kv_cache_quant_algo="FP8", quantization_config=block).quantization
    assert found.kv_cache == "float4_e2m1fn"


def test_a_format_of_the_cache_alone_is_told():
    """No weight is quantized by it; a format that nobody knows is not understood."""
    spec = with_keys(kv_cache_quant_algo="FP8")
    words = "kv_cache_quant_algo: the cache is float8_e4m3fn while decoding; no key says that weights are quantized."
    assert (spec.quantization, spec.notes) == (None, (words,))
    strange = with_keys(kv_cache_quant_algo="FP3")
    assert strange.not_understood == ("kv_cache_quant_algo: 'FP3' is no format of a KV cache known here.",)
    assert strange.notes == ()


@pytest.mark.parametrize("said", [{"bnb_4bit_quant_type": "fp4"}, {}])
def test_bitsandbytes_has_codes_that_are_not_nf4(said):
    """FP4, which its class assumes where the key is missing, takes the bytes of NF4."""
    found = normalise({"quant_method": "bitsandbytes", "load_in_4bit": True, **said})
    assert (found.scheme, found.element, found.block_shape) == ("fp4", "float4_e2m1fn", (1, 64))
    odd = normalise({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "af4"})
    assert (odd.counted, odd.not_understood[0]) == (False, "bitsandbytes' codes 'af4' are no scheme known here.")
