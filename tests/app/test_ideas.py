"""The ideas that a search knows: each row holds for what has it, and leads to explainers that teach it."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from cutaway import explainers
from cutaway.app.model import ideas
from cutaway.app.model_page import search_index
from cutaway.gallery import catalog
from cutaway.gallery.comparing.mechanisms import MECHANISMS
from tests.one_site import SITE

DRAWN = [view for view in SITE.views if view.spec]


@cache
def found() -> dict[str, set[str]]:
    """The ideas of every drawn model, by its slug."""
    return {view.slug: set(ideas.keys(view)) for view in DRAWN}


def having(key: str) -> set[str]:
    return {slug for slug, keys in found().items() if key in keys}


@pytest.mark.parametrize("idea", ideas.IDEAS, ids=lambda idea: idea.key)
def test_an_idea_finds_something_and_says_where_it_is_from(idea):
    """Every row holds for a drawn model, names its source, and leads only to explainers whose words name it."""
    assert having(idea.key) or idea.key in UNSEEN
    assert re.search(r"arXiv \d{4}\.\d{5}|config key|'s |report|model card|GPT-2", idea.source)
    assert re.fullmatch(r"[A-Z√].*[^.]\.", idea.says) and ". " not in idea.says
    for name in idea.learn:
        text = plain((explainers.folder(name) / "page.md").read_text("utf-8"))
        assert any(plain(word) in text for word in (*idea.words, *CALLED.get(idea.key, ()))), (idea.key, name)


# Mechanisms that are read and drawn, and that no catalogued model has yet.
UNSEEN = {row.key for row in MECHANISMS if not any(row.key in view.mechanisms for view in DRAWN)}
# What an explainer calls an idea where that is none of the idea's own names.
CALLED = {
    "window-mix": ("sliding window", "see everything"),
    "shared-indexer": ("share an indexer",),
    "hash-router": ("by token id",),
    "router-network": ("or a small network",),
    "own-router-input": ("router with its own input",),
    "groups": ("groups",),
    "sigmoid-router": ("sigmoid",),
    "nope": ("no rotation",),
    "no-position": ("no rotation",),
    "loss-free": ("bias",),
    "rope-llama3": ("llama3",),
    "rope-linear": ("linear divides every speed",),
    "window": ("sliding window",),
    "chunks": ("in a chunk",),
    "early-experts": ("on the layer s input",),
    "sinks": ("a sink",),
    "linear": ("delta rule",),
    "lightning": ("decay",),
    "recurrent": ("state",),
    "quantized": ("block",),
    "headwise-gate": ("gate for each head",),
    "mla-gate": ("gates",),
    "shared-kv": ("keys and values and keep none",),
    "layernorm": ("takes the mean off",),
    "rmsnorm": ("root mean square",),
    "post-norm": ("behind",),
    "no-pre-norm": ("only the outputs",),
    "stream-norm": ("norm of the stream",),
    "sub-norm": ("norms inside a sublayer",),
    "state-norms": ("inside mamba",),
    "gated-norm": ("with a gate",),
    "parallel": ("side by side",),
    "both-mixers": ("two mixers in a layer",),
    "scaled-stream": ("weighed sums", "weighted sums"),
    "shared-block": ("one block shared",),
    "logit-softcap": ("cap scores or logits",),
    "shared-routed": ("shared experts",),
    "on-input": ("experts inputs",),
    "dense-beside": ("dense mlp",),
    "lone-halves": ("halves alone", "single sublayer"),
    "convolved-halves": ("short convolution",),
    "normed-stream": ("through its norms", "normalised stream"),
}


def plain(text: str) -> str:
    return " ".join(re.findall(r"[\w.]+", text.lower()))


def test_keys_and_names_stand_once():
    """No two ideas have the same key, and no idea the same name twice, however it is written."""
    keys = [idea.key for idea in ideas.IDEAS]
    assert len(keys) == len(set(keys))
    for idea in ideas.IDEAS:
        assert len({plain(word) for word in idea.words}) == len(idea.words)


def configs(*keys: str) -> set[str]:
    """Slugs of catalogued configs that have one of these keys, at any depth, with a value that is not nothing."""

    def has(value: object) -> bool:
        if isinstance(value, dict):
            return any((key in keys and inner) or has(inner) for key, inner in value.items())
        return isinstance(value, list) and any(map(has, value))

    return {row.slug for row in catalog.drawable_rows() if has(catalog.load(row.slug))}


KEYS = {  # idea -> keys of a config that only models with it have: the second route, without a spec
    "mla": ("kv_lora_rank",),
    "loops": ("total_ut_steps", "num_loops", "H_cycles"),
    "hyper-connections": ("hc_mult",),
    "csa": ("compress_ratios",),
    "quantized": ("quantization_config",),
    "gated-deltanet": ("linear_num_value_heads",),
    "deepstack": ("deepstack_visual_indexes",),
}


@pytest.mark.parametrize("key", KEYS)
def test_an_idea_holds_where_its_key_stands(key):
    """What the specs say and what the configs' own keys say is the same set of models."""
    assert having(key) == configs(*KEYS[key])


@pytest.mark.parametrize(
    ("key", "has", "lacks"),
    [
        ("dsa", "deepseek-ai/DeepSeek-V3.2", "deepseek-ai/DeepSeek-V4-Flash"),
        ("dsa", "zai-org/GLM-5", "MiniMaxAI/MiniMax-M3"),
        ("block-indexer", "MiniMaxAI/MiniMax-M3", "zai-org/GLM-5"),
        ("gate", "Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3-32B"),
        ("sparse", "deepseek-ai/DeepSeek-V4-Flash", "deepseek-ai/DeepSeek-V3"),
        ("sparse", "MiniMaxAI/MiniMax-M3", "Qwen/Qwen3-32B"),
        ("hca", "deepseek-ai/DeepSeek-V4-Pro", "deepseek-ai/DeepSeek-V3.2"),
        ("sinks", "openai/gpt-oss-20b", "google/gemma-3-27b-it"),
        ("mtp", "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-32B"),
        ("no-position", "moonshotai/Kimi-Linear-48B-A3B-Instruct", "deepseek-ai/DeepSeek-V3"),
        ("nope", "HuggingFaceTB/SmolLM3-3B-Base", "openai/gpt-oss-20b"),
        ("kda", "moonshotai/Kimi-Linear-48B-A3B-Instruct", "Qwen/Qwen3-Next-80B-A3B-Instruct"),
        ("delta", "Qwen/Qwen3-Next-80B-A3B-Instruct", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"),
        ("hybrid", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "fla-hub/rwkv7-2.9B-world"),
        ("hybrid", "Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3-32B"),
        ("mqa", "google/gemma-3-270m", "Qwen/Qwen3-32B"),
        ("mha", "openai-community/gpt2-xl", "Qwen/Qwen3-32B"),
        ("gqa", "Qwen/Qwen3-32B", "openai-community/gpt2-xl"),
        ("gqa", "Qwen/Qwen3-32B", "google/gemma-3-270m"),
        ("yarn", "deepseek-ai/DeepSeek-V3", "openai-community/gpt2-xl"),
        ("rope-llama3", "meta-llama/Llama-3.1-8B", "meta-llama/Meta-Llama-3-8B"),
        ("two-bases", "google/gemma-3-27b-it", "google/gemma-2-2b"),
        ("two-bases", "XiaomiMiMo/MiMo-V2-Flash", "deepseek-ai/DeepSeek-V4-Flash"),
        ("m-rope", "Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen3-8B"),
        ("deepstack", "Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen3.5-9B"),
        ("partial-rope", "zai-org/GLM-4.5", "Qwen/Qwen3-32B"),
        ("logit-softcap", "NX-AI/xLSTM-7b", "google/gemma-3-27b-it"),
        ("softcap", "google/gemma-2-2b", "google/gemma-3-27b-it"),
        ("post-norm", "google/gemma-3-27b-it", "Qwen/Qwen3-32B"),
        ("parallel", "tiiuae/falcon-7b", "Qwen/Qwen3-32B"),
        ("loss-free", "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-20b"),
        ("mxfp4", "openai/gpt-oss-20b", "deepseek-ai/DeepSeek-V3"),
        ("fp8", "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-20b"),
    ],
)
def test_an_idea_holds_for_the_models_known_for_it(key, has, lacks):
    """Derived from the spec alone."""
    assert has in having(key)
    assert lacks not in having(key)


def test_the_index_names_every_model_every_idea_and_every_explainer():
    """/data/search.json has them all, the newest base model first and variants last."""
    index = json.loads(search_index.search_index(SITE))
    assert {row["slug"] for row in index["models"]} == {row.slug for row in catalog.MODELS}
    assert {row["key"] for row in index["ideas"]} == {idea.key for idea in ideas.IDEAS}
    assert {row["path"] for row in index["pages"]} == {
        *(f"/learn/{name}/" for name in explainers.names()),
        *(path for path, _, _ in SITE.findable),
    }
    assert {key for row in index["pages"] for key in row["has"]} <= {idea.key for idea in ideas.IDEAS}
    rows = [catalog.BY_SLUG[row["slug"]] for row in index["models"]]
    order = [(bool(row.variant_of), [-ord(letter) for letter in row.date or ""]) for row in rows]
    assert [one[0] for one in order] == sorted(one[0] for one in order)
    dates = [row.date for row in rows if not row.variant_of and row.date]
    assert dates == sorted(dates, reverse=True)


def test_the_search_has_each_window_and_number_of_experts_once():
    """Gemma 2's layers with a window and Mixtral's experts; nothing stands for layers without."""
    found = {
        slug: search_index.numbers(SITE.view(slug))[3:5]
        for slug in ("google/gemma-2-2b", "mistralai/Mixtral-8x7B-v0.1")
    }
    assert found == {"google/gemma-2-2b": [[4096], []], "mistralai/Mixtral-8x7B-v0.1": [[], [8]]}
