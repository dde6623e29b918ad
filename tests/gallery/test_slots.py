"""Slots: which mechanisms take each other's place, and how a clause says it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.comparing import catalogue_lineage, novelty
from cutaway.gallery.comparing.mechanisms import BY_KEY, mechanisms
from cutaway.gallery.comparing.shape import part_of, say_encoders, say_expert_size, say_many, say_shared, shape_of
from cutaway.gallery.comparing.slots import ECHOES, OF_EXPERTS, SLOT_OF, SLOTS, without_echoes
from cutaway.gallery.comparing.text.slot import words_of
from cutaway.gallery.comparing.text.verdict import differences, fitting, in_order


def test_every_mechanism_stands_in_one_slot():
    """A new mechanism without a slot, or in two, fails here; echoes and what goes with experts are mechanisms."""
    counts = Counter(key for slot in SLOTS for key in slot.keys)
    assert set(counts) == set(BY_KEY) and set(counts.values()) == {1}
    assert {*ECHOES, *(key for keys in ECHOES.values() for key in keys), *OF_EXPERTS} <= set(BY_KEY)


def test_what_another_mechanism_implies_is_not_said():
    """Low-rank queries come with MLA, a window with windows in some layers, a router with its experts."""
    assert without_echoes(("mla", "query-latent", "rope")) == ("mla", "rope")
    assert without_echoes(("query-latent",)) == ("query-latent",)
    assert without_echoes(("window", "window-mix")) == ("window-mix",)
    assert without_echoes(("moe", "shared-expert", "sigmoid-router", "sinks")) == ("moe", "sinks")


PARTS = [  # a repeating pattern of windows (1) and others (0), how many layers, in words
    ("1", 48, "every layer"), ("10", 24, "half the layers"), ("01", 24, "half the layers"),
    ("1110", 48, "three of four layers"), ("111110", 34, "five of six layers"), ("111110", 26, "five of six layers"),
    ("1" * 39 + "0", 40, "39 of 40 layers"), ("101", 3, "2 of 3 layers"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "of", "words"), PARTS)
def test_a_part_of_the_layers(pattern, of, words):
    """A fraction of a short pattern, also where the last turn is cut off; else both numbers."""
    assert part_of([i for i in range(of) if pattern[i % len(pattern)] == "1"], of) == words


def test_one_layer_may_be_out_of_a_pattern():
    """Kimi Linear: three of four layers are KDA, and the last, too, is attention; two out of it are counted."""
    kimi = {i for i in range(27) if i % 4 != 3} - {26}
    assert part_of(kimi, 27) == "three of four layers" and part_of(kimi - {0}, 27) == "19 of 27 layers"


def test_many_and_few():
    """Half and twice from nine on, else both numbers in words; one is no plural."""
    assert say_many(128, 64, "heads") == "half the heads" and say_many(16, 32, "heads") == "twice the heads"
    assert say_many(12, 96, "heads") == "eight times the heads"
    assert say_many(20, 96, "heads") == "96 heads instead of 20"
    assert say_many(4, 8, "KV heads") == "eight KV heads instead of four"
    assert say_many(3, 9, "heads") == "three times the heads"
    assert say_many(4, 1, "KV heads") == "one KV head instead of four"
    assert say_many(256, 384, "experts") == "384 experts instead of 256"


def said(one: str, two: str, room: int = 99) -> list[str]:
    a, b = catalog.spec(one), catalog.spec(two)
    return [clause.words for clause in in_order(fitting(differences(a, b, mechanisms(a), mechanisms(b)), room))]


PAIRS = [  # facts that the configs state, by hand
    ("openai/gpt-oss-20b", "Qwen/Qwen3-30B-A3B", ["QK-norm instead of sinks and biases", "no sliding windows",
     "128 smaller experts (8 active) instead of 32 (4)",
     "48 layers of 2,048 instead of 24 of 2,880 (deeper, narrower)"]),
    ("deepseek-ai/DeepSeek-V2", "deepseek-ai/DeepSeek-V3", ["a sigmoid router balanced by a bias", "MTP",
     "256 experts (8 active) instead of 160 (6)"]),
    ("Qwen/Qwen2.5-7B", "Qwen/Qwen3-8B", ["QK-norm instead of QKV biases"]),
    ("MiniMaxAI/MiniMax-M1-80k", "MiniMaxAI/MiniMax-M2", ["GQA in every layer instead of lightning attention"]),
    ("google/gemma-2-2b", "google/gemma-3-4b-it", ["QK-norm instead of soft-caps",
     "windows of 1,024 in five of six layers instead of half"]),
    ("Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-Next-80B-A3B-Instruct", ["Gated DeltaNet in three of four layers",
     "an output gate", "partial RoPE", "MTP", "512 smaller experts (10 active) instead of 128 (8)"]),
    ("deepseek-ai/DeepSeek-V3", "mistralai/Mistral-Large-3-675B-Instruct-2512", ["a softmax router instead of a "
     "sigmoid router and routing groups", "no MTP"]),
    ("Qwen/Qwen3-32B", "Qwen/Qwen3-30B-A3B", ["128 experts (8 active) instead of a dense MLP"]),
    ("Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-32B", ["a dense MLP instead of experts"]),
]  # fmt: skip


@pytest.mark.parametrize(("one", "two", "facts"), PAIRS)
def test_clauses_name_what_the_configs_state(one, two, facts):
    """Gained, replaced and dropped mechanisms, then shape."""
    assert [fact for fact in facts if fact not in said(one, two)] == [], said(one, two)


def test_what_is_said_to_be_gone_is_gone():
    """Qwen2-VL has QKV biases as GPT-2 has; Nemotron has GQA as Gemma 4 has, whose MQA stands in 8 of 48 layers."""
    assert "no output biases or MLP biases" in said("openai-community/gpt2-xl", "Qwen/Qwen2-VL-2B-Instruct")
    words = said("google/gemma-4-12B-it", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")
    assert "Mamba-2 in 23 of 52 layers" in words and not [one for one in words if "MQA" in one]
    phi = novelty.find_novelty(catalogue_lineage(), "microsoft/Phi-3-small-8k-instruct").tagline
    assert "output biases" in phi and "MLP biases" in phi and "both have biases" not in phi


def test_no_clause_of_any_neighbours_is_empty_or_twice():
    """Of every dated model beside its nearest, and the other way round."""
    known = catalogue_lineage()
    for slug, found in known.of.items():
        if found.parent:
            for pair in ((found.parent.slug, slug), (slug, found.parent.slug)):
                words = said(*pair)
                assert all(one == one.strip() and "{" not in one for one in words) and len(set(words)) == len(words)


def test_words_of_a_mechanism_in_a_file_for_the_page():
    """As gained, as replaced, as lost: with where it stands, with an article, bare."""
    oss, next_ = (catalog.spec(slug) for slug in ("openai/gpt-oss-20b", "Qwen/Qwen3-Next-80B-A3B-Instruct"))
    windows = "sliding windows of 128 tokens in half the layers"
    assert words_of(oss, "window-mix") == (windows, "sliding windows", "sliding windows")
    assert words_of(oss, "qkv-bias") == ("QKV biases",) * 3 and words_of(oss, "o-bias")[2] == "output biases"
    assert words_of(next_, "output-gate") == ("an output gate", "an output gate", "output gate")
    assert words_of(next_, "gated-deltanet")[0] == "Gated DeltaNet in three of four layers"
    for row in catalog.drawable_rows()[::9]:
        spec = catalog.spec(row.slug)
        assert all(all(words_of(spec, key)) for key in mechanisms(spec)), row.slug
        assert json.dumps([words_of(spec, key) for key in mechanisms(spec)])


MOE = replace(shape_of(catalog.spec("Qwen/Qwen3-30B-A3B")), shared=0)


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [(1, 2, "two shared experts instead of one"), (2, 1, "one shared expert instead of two"), (0, 2, ""), (2, 0, ""),
     (1, 1, "")],
)  # fmt: skip
def test_shared_experts_are_counted_where_both_have_some(was, now, words):
    """What one of both lacks is a mechanism, not a size."""
    assert say_shared(replace(MOE, shared=was), replace(MOE, shared=now)) == words


@pytest.mark.parametrize(
    ("width", "expert", "words"),
    [(2048, 384, "smaller "), (2048, 1536, "larger "), (2048, 768, ""),
     (1024, 384, ""), (4096, 1536, ""), (4096, 384, "smaller ")],
)  # fmt: skip
def test_an_expert_is_smaller_as_such_and_beside_the_width(width, expert, words):
    """Beside experts of 768 in a model 2,048 wide: half the size in half the width is no smaller."""
    assert say_expert_size(MOE, replace(MOE, width=width, expert_width=expert)) == words


def test_encoders_are_gained_and_lost():
    """Vision, vision and audio, and what is not there any more."""
    none, seen = shape_of(catalog.spec("Qwen/Qwen3-8B")), shape_of(catalog.spec("Qwen/Qwen3-VL-8B-Instruct"))
    both = replace(none, encoders=("vision", "audio"))
    pairs = ((none, seen), (seen, none), (none, both), (seen, both), (both, none), (seen, seen))
    assert [say_encoders(*pair) for pair in pairs] == [
        "a vision encoder", "no vision encoder", "vision and audio encoders", "an audio encoder",
        "no vision or audio encoder", "",
    ]  # fmt: skip


def test_a_shape_counts_what_most_layers_have():
    """Qwen3-Next: 48 layers, 512 experts of 512, two KV heads in its attention, no window."""
    found = shape_of(catalog.spec("Qwen/Qwen3-Next-80B-A3B-Instruct"))
    assert (found.layers, found.width, found.experts, found.active, found.expert_width) == (48, 2048, 512, 10, 512)
    assert (found.heads, found.kv_heads, found.window, found.shared, found.mtp) == (16, 2, 0, 1, 1)
    assert SLOT_OF["mtp"].name == "mtp"


def test_windows_in_other_layers_are_neither_lost_nor_gained():
    """gpt-oss has windows in half its layers, Mistral in all: the clause of shape says so, none of "no windows"."""
    some, every = (catalog.spec(slug) for slug in ("openai/gpt-oss-20b", "mistralai/Mistral-7B-v0.1"))
    for a, b, said in (
        (some, every, "windows of 4,096 in every layer instead of half"),
        (every, some, "windows of 128 in half the layers instead of every layer"),
    ):
        clauses = [one.words for one in differences(a, b, mechanisms(a), mechanisms(b))]
        assert [said] == [words for words in clauses if "window" in words]
