"""Classes without an LM head, wrappers with defaults of their own, spellings and families that the catalogue lacks."""

import pytest

from app.ledger import head_words
from gallery import catalog, draw, parameters, read, weights
from gallery.command.report import _count_rows
from gallery.drawing.outline import outline

# ---------------------------------------------------------------- heads


def of(slug, **changes):
    return {**catalog.load(slug), **changes}


LLAMA = "meta-llama/Llama-3.1-8B"
HEADLESS = [
    ("LlamaForCausalLM", {}, 8_030_261_248),
    ("LlamaModel", {}, 7_504_924_672),
    ("LlamaBidirectionalModel", {}, 7_504_924_672),
    ("LlamaForSequenceClassification", {"num_labels": 1}, 7_504_928_768),  # published: Skywork-Reward-Llama-3.1-8B
    ("LlamaForSequenceClassification", {"id2label": {"0": "a", "1": "b", "2": "c"}}, 7_504_936_960),
    ("LlamaForTokenClassification", {}, 7_504_932_866),
    ("LlamaForQuestionAnswering", {}, 7_504_932_866),
]


@pytest.mark.parametrize(("name", "keys", "total"), HEADLESS, ids=[f"{row[0]}-{i}" for i, row in enumerate(HEADLESS)])
def test_a_class_without_a_head_is_counted_without_one(name, keys, total):
    """The backbone alone, or with the small matrix that scores."""
    spec = read(of(LLAMA, architectures=[name], **keys))
    assert (parameters(spec).total, spec.has_head) == (total, name.endswith("CausalLM"))
    assert spec.unread == ()
    assert any(one.name == "lm_head.weight" for one in weights(spec)) == spec.has_head


def test_an_embedding_model_goes_by_its_class():
    """Qwen3-Embedding names the causal class, so its table counts as its head."""
    assert read(catalog.load("Qwen/Qwen3-Embedding-8B")).has_head


@pytest.mark.parametrize("name", ["ChatGLMModel", "InternVLChatModel", "GPT2LMHeadModel", "DreamModel", "NVLM_D_Model"])
def test_remote_code_may_call_a_whole_model_model(name):
    """These classes end in Model and have a head."""
    assert read(of(LLAMA, architectures=[name], model_type="x")).has_head


def test_the_words_say_that_there_is_no_head():
    """Command line, page and drawing: no tied head, no logits."""
    spec = read(of("Qwen/Qwen3-1.7B", architectures=["Qwen3Model"]))
    assert _count_rows(spec)[0] == ("parameters", "1.72 B  (1,720,574,976), no LM head in Qwen3Model")
    assert head_words(spec)[0] == "one table, no head"
    assert "no LM head" in draw(spec)
    assert "logits" not in outline(spec)


def test_a_scoring_head_is_a_box_of_its_own():
    """The drawing names what stands in the head's place."""
    said = outline(read(of(LLAMA, architectures=["LlamaForSequenceClassification"], num_labels=1)))
    assert "scores instead of an LM head: 1×4,096" in said


# ---------------------------------------------------------------- DeepSeek-V4 as transformers writes it

V4 = "deepseek-ai/DeepSeek-V4-Flash"
RATIO_WORDS = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}


def native_v4(**changes):
    """The published file under the keys that transformers saves."""
    config = dict(catalog.load(V4))
    ratios, depth = config.pop("compress_ratios"), config["num_hidden_layers"]
    hashed, rope = config.pop("num_hash_layers"), config.pop("qk_rope_head_dim")
    native = {
        "layer_types": [RATIO_WORDS[ratio] for ratio in ratios[:depth]],
        "mlp_layer_types": ["hash_moe"] * hashed + ["moe"] * (depth - hashed),
        "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128},
        "partial_rotary_factor": rope / config["head_dim"],
    }
    return {**config, **native, **changes}


def test_v4_is_the_same_in_either_spelling():
    """layer_types, mlp_layer_types, compress_rates and a share of head_dim say what the published keys say."""
    ours, theirs = read(native_v4()), read(catalog.load(V4))
    assert [layer.mixer for layer in ours.layers] == [layer.mixer for layer in theirs.layers]
    assert [layer.mlp for layer in ours.layers] == [layer.mlp for layer in theirs.layers]
    assert (weights(ours), weights.mtp(ours)) == (weights(theirs), weights.mtp(theirs))
    assert (ours.buffers, ours.unread) == (theirs.buffers, ())


def test_v4_may_have_other_rates():
    """compress_rates decide how many tokens feed an entry."""
    rates = {"compressed_sparse_attention": 4, "heavily_compressed_attention": 8}
    assert {layer.mixer.compress_ratio for layer in read(native_v4(compress_rates=rates)).layers} == {0, 4, 8}


@pytest.mark.parametrize("words", [["dense"] * 43, ["hash_moe"] * 20 + ["warp"] * 23], ids=["dense", "unknown"])
def test_v4_with_an_mlp_it_never_had_is_read(words):
    """Dense and unknown MLPs have no correction biases, and are no crash."""
    draw(read(native_v4(mlp_layer_types=words, intermediate_size=2048)))
