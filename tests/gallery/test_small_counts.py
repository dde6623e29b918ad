"""Small rules of counting: words of what a layer keeps, what is read once, how the usual formula is fed."""

import pytest

from cutaway.gallery import catalog, flops, memory, parameters, read
from cutaway.gallery.counting import cache_growth, products
from cutaway.gallery.counting.kv_cache import sum_shapes
from cutaway.gallery.spec import Quantization
from tests.gallery.test_unsaid import CASES

NANO = "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"


@pytest.mark.parametrize(("words", "said"), [([], ""), (["a"], "a"), (["a", "a"], "2 × (a)"), (["a", "b"], "a + b"),
                                             (["a", "a", "b"], "a + a + b"), (["a"] * 3, "3 × (a)")])  # fmt: skip
def test_equal_shapes_are_counted_and_others_added(words, said):
    """One stays as it is."""
    assert sum_shapes(words) == said


def test_a_layer_that_keeps_nothing_says_why():
    """An MLP alone, a model in which every token sees every other, keys of another layer, keys of an image."""
    assert memory(catalog.spec(NANO), 100).layers[1].what == "nothing"
    both_ways = read({**CASES["llama"], "model_type": "llada", "architectures": ["LLaDAModelLM"]})
    assert {one.what for one in memory(both_ways, 100).layers} == {"nothing: every token sees every other"}
    reused = memory(catalog.spec("google/gemma-3n-E4B"), 100).layers[20].what
    assert reused == "nothing: reads the keys and values of layer 18"


@pytest.mark.parametrize("slug", ["Zyphra/Zamba2-1.2B", "Qwen/Qwen3-8B", "meta-llama/Llama-3.2-1B"])
def test_a_long_prompt_reads_every_weight_once(slug):
    """All parameters, shared blocks once; of an embedding that is no head only the rows of its tokens."""
    spec = catalog.spec(slug)
    looked_up = 0 if spec.tie_word_embeddings else spec.vocab_size * spec.hidden_size
    assert flops(spec, 10**9, prefill=True).weight_bytes == 2 * (parameters(spec).total - looked_up)


def test_the_usual_formula_is_fed_what_most_layers_have():
    """layers, KV heads, head size; one head where all share one, all heads of a latent; nothing without attention."""
    assert cache_growth.usual_shape(catalog.spec("deepseek-ai/DeepSeek-V4-Flash")) == [43, 1, 512]
    assert cache_growth.usual_shape(catalog.spec("deepseek-ai/DeepSeek-V3")) == [61, 128, 128]
    assert cache_growth.usual_shape(catalog.spec("Qwen/Qwen3-8B")) == [36, 8, 128]
    assert cache_growth.usual_shape(read(CASES["mamba2"])) is None
    assert cache_growth.usual_bytes(cache_growth.growth_sheet(read(CASES["mamba2"])), 1000) == 0
    assert (
        cache_growth.usual_bytes(cache_growth.growth_sheet(catalog.spec("Qwen/Qwen3-8B")), 1000)
        == 36 * 2 * 8 * 128 * 2 * 1000
    )


@pytest.mark.parametrize(
    ("method", "said", "runs"),
    [("gptq", "none", "bfloat16"), ("awq", "", "bfloat16"), ("fp8", "", "fp8"), ("modelopt", "", "fp8"),
     ("compressed-tensors", "dynamic", "fp8"), ("compressed-tensors", "static", "fp8"), ("fp8", "none", "bfloat16")],
)  # fmt: skip
def test_products_run_in_the_weights_format_where_activations_follow(method, said, runs):
    """A tool that quantizes activations without saying so is listed; any other that says nothing leaves them."""
    quant = Quantization("fp8", "float8_e4m3fn", method=method, activations=said)
    assert products.runs(quant, "fp8_channel") == runs
    assert products.runs(quant, "mxfp4") == runs  # experts of an FP8 config meet FP8 activations
