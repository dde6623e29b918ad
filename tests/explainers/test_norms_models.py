"""explainers/norms and loops: models by their names, what their layers keep, who has which mechanism."""

from math import sqrt

import numpy as np
import pytest

from cutaway.app.model.view import ModelView
from cutaway.app.model_page import explainer_links, reading
from cutaway.gallery import catalog, memory
from cutaway.gallery import spec as s
from cutaway.gallery.comparing.mechanisms import BY_KEY, mechanisms
from cutaway.gallery.sublayers import graph_of
from tests.explainers.norms_states import around, at, data, legal, stack
from tests.tally import Tally


def test_a_model_by_its_name_is_switched_as_it_is(verified):
    """Every listed model opens by its name alone; a few known ones have the switches that they are known for."""
    tally = Tally()
    for row in data["models"]:
        state = around.settle({**around.STATE, "model": row[0]}, ["model"], data)
        tally.same(around.check(state, data), "", row[0])
    verified("norms: models opened from a link with only a name", tally, against="gallery.read")
    known = {
        "google/gemma-2-2b": {"norm": "sandwich", "cap": 50, "layers": 26},
        "ByteDance/Ouro-1.4B": {"loops": 4, "layers": 24},
        "allenai/OLMo-2-1124-7B-Instruct": {"norm": "behind", "qk": True}, "tiiuae/falcon-7b": {"parallel": True},
        "ibm-granite/granite-3.3-8b-instruct": {"scale": 0.22}, "MiniMaxAI/MiniMax-Text-01-hf": {"norm": "normed"},
        "google/gemma-3n-E4B": {"borrow": 15, "own": True, "streams": 4, "cap": 30, "qk": True},
        "deepseek-ai/DeepSeek-V4-Pro": {"streams": 4, "rounds": 20, "drafts": 1, "layers": 61, "head": 512, "qk": True},
        "Zyphra/ZAYA1-8B": {"head": 128, "qk": True}, "deepseek-ai/DeepSeek-V3": {"head": 192, "qk": False},
        "Qwen/Qwen3-Next-80B-A3B-Instruct": {"gate": "numbers", "head": 256},
        "stepfun-ai/Step-3.7-Flash": {"drafts": 3},
    }  # fmt: skip
    for slug, switches in known.items():
        state = around.settle({**around.STATE, "model": slug}, ["model"], data)
        assert {key: state[key] for key in switches} == switches, slug
    given = around.settle({**around.STATE, "model": "google/gemma-2-2b", "cap": 7}, ["model", "cap"], data)
    assert (given["cap"], given["norm"]) == (7, "sandwich")
    alpha = catalog.spec("MiniMaxAI/MiniMax-M1-80k").residual.mixer[0][0]
    assert alpha == pytest.approx(stack.ALPHA, abs=5e-5)


BARE = ("NX-AI/xLSTM-7b", "fla-hub/rwkv7-2.9B-world", "mistralai/Mamba-Codestral-7B-v0.1")


def test_a_model_without_attention_leaves_the_head_as_it_was():
    """Three models have none: their names choose everything but the numbers to a head. All others choose that too."""
    assert {row[0] for row in data["models"] if not legal.find(row[0], data)["head"]} == set(BARE)
    for slug in BARE:
        state = around.settle({**around.STATE, "model": slug, "head": 64}, ["model"], data)
        assert (state["head"], state["qk"]) == (64, False)


# slug -> layers that keep keys and values, read another's, keep a state alone, keep nothing; by hand from the configs:
KEEPING = {  # hybrid_override_pattern has 8 *, 40 M and 40 E; num_kv_shared_layers 15 of 35; 24 layers; 61 compressed;
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16": (8, 0, 40, 40), "google/gemma-3n-E4B": (20, 15, 0, 0),
    "ByteDance/Ouro-1.4B": (24, 0, 0, 0), "deepseek-ai/DeepSeek-V4-Pro": (61, 0, 0, 0),
    # full_attention_interval 4 of 48; mLSTM alone; Mamba and attention in each; every fifth layer reads an image;
    "Qwen/Qwen3-Next-80B-A3B-Instruct": (12, 0, 36, 0), "NX-AI/xLSTM-7b": (0, 0, 32, 0),
    "tiiuae/Falcon-H1-7B-Instruct": (44, 0, 0, 0), "meta-llama/Llama-3.2-90B-Vision-Instruct": (80, 0, 0, 20),
}  # fmt: skip


def test_what_layers_keep_is_counted_by_what_it_is(verified):
    """Caches are layers with keys and values of their own, once a run; states and nothing are counted apart."""
    pattern = catalog.load("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16")["hybrid_override_pattern"]
    assert [pattern.count(one) for one in "*ME"] == [8, 40, 40]
    for slug, counts in KEEPING.items():
        now = at(model=slug, loops=2)
        assert tuple(now["of"][key] for key in ("keeping", "lent", "states", "none")) == counts, slug
        assert (now["looped"]["caches"], now["looped"]["states"]) == (2 * counts[0], 2 * counts[2]), slug
    tally, letter = Tally(), {"M": "state", "*": "kept", "E": "none"}
    assert at(model="nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16")["of"]["kinds"] == [letter[one] for one in pattern]
    for row in data["models"]:
        kinds, layers = around.kinds_of(legal.find(row[0], data)), memory(catalog.spec(row[0]), 8192).layers
        for kind, layer in zip(kinds, layers, strict=True):
            entries = bool({"kv", "compressed"} & layer.by_kind.keys())
            said = (entries, not layer.by_kind, "reads the keys and values of layer" in layer.what)
            tally.same((kind == "kept", kind in ("lent", "none"), kind == "lent"), said, row[0], layer.index)
    verified("norms: what each layer of every model caches", tally, against="gallery.memory")


def test_who_does_what_is_what_the_mechanisms_find():
    """Counted are those whose own pages name the mechanism, and attention that always normalises: a sample."""
    having = {key: {one.slug for one in found} for key, found in around.models.models_with().items()}
    assert {key: len(slugs) for key, slugs in having.items()} == {key: row["count"] for key, row in data["who"].items()}
    kinds = (s.CompressedAttention, s.ConvolvedAttention)
    for one in [one for one in catalog.gallery_rows() if not one.variant_of][::9]:
        spec = catalog.spec(one.slug)
        own = mechanisms(spec)
        for key, keys in around.models.WHO.items():
            always = key == "qk" and any(isinstance(layer.mixer, kinds) for layer in spec.layers)
            assert (one.slug in having[key]) == (always or any(word in own for word in keys)), (one.slug, key)


def test_only_who_normalises_head_by_head_is_under_the_root_of_the_head():
    """V4 and ZAYA1 are; what normalises all heads together is counted apart, for one head may hold most of it."""
    having = {key: {one.slug for one in found} for key, found in around.models.models_with().items()}
    always = {"deepseek-ai/DeepSeek-V4-Pro", "deepseek-ai/DeepSeek-V4-Flash", "Zyphra/ZAYA1-8B"}
    assert always < having["qk"]
    for slug in always:  # their graphs: a norm of each query head, with nothing learned
        layer = catalog.spec(slug).layers[0]
        norms = {node.name: node for node in graph_of(layer.mixer, 64).nodes if node.op == "norm"}
        assert norms.keys() & {"q_norm", "q_b_norm"}, slug
        assert norms.keys() & {"k_norm", "kv_norm"}, slug
    assert not having["qk"] & having["qk_all"]
    full = {"allenai/OLMo-2-1124-7B-Instruct", "allenai/Olmo-3-1025-7B", "allenai/OLMoE-1B-7B-0924"}
    assert full < having["qk_all"]
    assert data["who"]["qk_all"]["count"] == 8
    heads, size = 32, 128
    q = np.zeros(heads * size)
    q[:size] = np.random.default_rng(1).normal(size=size)  # one head holds all of the norm
    q /= np.sqrt((q * q).mean())
    assert q[:size] @ q[:size] / sqrt(size) == pytest.approx(heads * sqrt(size))


def test_scaled_residuals_and_weighed_sums_are_two_things():
    """Granite and MiniCPM multiply what a half gives; ZAYA1 weighs both terms of a sum."""
    having = {key: {one.slug for one in found} for key, found in around.models.models_with().items()}
    assert having["weighed"] == {"Zyphra/ZAYA1-8B"}
    assert {catalog.spec(slug).residual.multiplier != 1 for slug in having["scale"]} == {True}
    assert {slug.split("/")[0] for slug in having["scale"]} >= {"ibm-granite", "openbmb"}
    assert not having["scale"] & having["weighed"]


def test_what_stands_around_the_halves_leads_here():
    """Words of the glossary and drawn parts offer this page, at the model's own switches."""
    keys = {key for keys in around.models.WHO.values() for key in keys}
    assert {key for key in keys if not {"norms", "loops"} & {*BY_KEY[key].learn}} == set()
    assert all("norms" in reading.LEARN[op] for op in ("norm", "softcap"))
    assert all("loops" in reading.LEARN[op] for op in ("sinkhorn", "mix_streams"))
    layers = reading.sheet(ModelView(catalog.find("google/gemma-3n-E4B")))["graphs"]
    own = {
        name for rows in layers.values() for name, one in rows.items() if {"norms", "loops"} & {*one.get("learn", ())}
    }
    assert {"mixer.attend", "per_layer.mine", "predict", "correct", "mixer_in_norm", "logits_softcap"} <= own
    preset = explainer_links.wired(ModelView(catalog.find("google/gemma-2-2b")))
    assert explainer_links._query("norms", preset) == "?model=google/gemma-2-2b"
