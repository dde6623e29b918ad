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
