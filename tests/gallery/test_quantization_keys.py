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
UNKNOWN = "is no scheme known here; weights are counted in the model's dtype."


def with_keys(**keys: object):
    return read({**LLAMA, **keys})


@pytest.mark.parametrize("key", ["quantization", "quantization_config"])
def test_what_mlx_writes_is_told(key):
    """mlx_lm convert says group and bits under two keys: what that costs is said, and counted in the model's dtype."""
    spec = with_keys(**{key: MLX})
    assert (spec.quantization.method, spec.quantization.scheme, spec.quantization.group_size) == ("mlx", "unknown", 64)
    assert spec.not_understood == (
        "MLX's 'affine' quantization (4 bits in groups of 64 with a 16-bit scale and bias, 4.5 bits a weight, "
        f"embedding and head too) {UNKNOWN}",
    )
    assert stored_bytes(spec) == 16_060_522_496
    assert spec.unread == spec.contradictions == ()


def test_mlx_says_so_twice_and_means_it_once():
    """Both keys with the same words are one statement; with different ones they contradict each other."""
    assert with_keys(quantization=MLX, quantization_config=MLX).contradictions == ()
    told = with_keys(quantization=MLX, quantization_config={**MLX, "bits": 8})
    assert told.contradictions == ("quantization_config and quantization disagree; quantization_config was used.",)
    assert "8 bits in groups of 64" in told.not_understood[0]


def test_mlx_gives_modules_entries_of_their_own():
    """They are counted in the sentence, and none of them is a key that nobody read."""
    own = {"model.layers.0.mlp.down_proj": {**MLX, "bits": 6}, "lm_head": {**MLX, "bits": 8}, "model.norm": False}
    spec = with_keys(quantization={**MLX, "mode": "affine", **own, "odd": 1})
    assert "; 3 modules have entries of their own)" in spec.not_understood[0]
    assert spec.unread == ("quantization.odd",)


def test_mlx_has_other_modes():
    """Of these, bits and group are repeated and no sum is made up."""
    said = with_keys(quantization={"group_size": 32, "bits": 4, "mode": "mxfp4"}).not_understood[0]
    assert said.startswith("MLX's 'mxfp4' quantization (4 bits in groups of 32, embedding and head too)")


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
    assert stored_bytes(spec) == stored_bytes(younger) == 8_555_864_964
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
        f"{key} is {shown}; an object was looked for: weights are counted in the model's dtype.",
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
    """FP4, which its class assumes where the key is missing, has values of its own and no row here."""
    found = normalise({"quant_method": "bitsandbytes", "load_in_4bit": True, **said})
    assert (found.scheme, found.element, found.row) == ("unknown", "unknown", "")
    what = "bitsandbytes' codes 'fp4' (4 bits, and an FP32 scale for each 64 weights) are no scheme known here"
    assert found.not_understood == (f"{what}; weights are counted in the model's dtype.",)
