"""Kinds of layers in the tables of a model's page: each is called something else, and each says which layers it has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cutaway.app.model import weight_rows
from cutaway.app.model.view import SpecView
from cutaway.app.words.kinds import alike, named, places
from cutaway.gallery import catalog, read
from tests.one_site import SITE
from tests.tally import Tally


def test_every_kind_of_every_model_has_a_name_and_layers_of_its_own(verified):
    """No cell of the table by layer kind is blank, no two rows have one name, and layers in a row are of one size."""
    tally = Tally()
    for view in SITE.views:
        if view.spec:
            names = [kind.words for kind in view.kinds]
            assert len(set(names)) == len(names), view.slug
            for kind in view.kinds:
                sizes = {(view.parameters.per_layer[at], view.parameters.active_per_layer[at]) for at in kind.indices}
                tally.holds(kind.where and sizes == {(kind.each, kind.active)}, view.slug, kind.words)
            assert sorted(index for kind in view.kinds for index in kind.indices) == [*range(len(view.spec.layers))]
        view.lighten()
    verified("layer kinds that have a unique name and their own layers", tally, against="the layers of each model")


WHERE = {
    "allenai/Olmo-3-32B-Think": {"window 4,096 + dense 27,648": "the others, 0–62"},
    "google/gemma-4-E4B-it": {
        "window 512 + dense 10,240": "the others, 0–22",
        "window 512 + dense 10,240, shared KV": "among layers 24–40",
    },
    "google/gemma-3n-E4B": {
        "window 512 + dense 16,384, 95 % activation sparsity": "layers 0–3, 5–8",
        "window 512 + dense 16,384": "layers 10–13, 15–18",
        "window 512 + dense 16,384, shared KV": "the others, 20–33",
    },
    "stepfun-ai/Step-3.5-Flash": {
        "GQA 64:8 + MoE 288+1": "every 4th, 4–40",
        "window 512 + MoE 288+1, clamped at 7": "layer 43",
        "GQA 64:8 + MoE 288+1, clamped at 7, shared expert clamped at 16": "layer 44",
    },
    "Zyphra/Zamba2-1.2B": {
        "MHA 32 + Mamba-2 + dense 8,192": "layer 5",
        "MHA 32 + Mamba-2 + dense 8,192, shared weights": "every 6th, 11–35",
    },
    "Zyphra/ZAYA1-8B": {
        "GQA 8:2 + MoE 16": "layer 0",
        "GQA 8:2 + MoE 16, the router of the layer before mixed in": "layers 1–39",
    },
    "fla-hub/rwkv7-2.9B-world": {"RWKV-7 + channel mix 10,240, the first layer's values mixed in": "layers 1–31"},
    "Qwen/Qwen3.8-Flash-Next": {"Gated DeltaNet + MoE 512+1, n-grams of 2 to 3 tokens": "layer 1"},
    "deepseek-ai/DeepSeek-V3": {"MLA + dense 18,432": "layers 0–2", "MLA + MoE 256+1": "layers 3–60"},
}


@pytest.mark.parametrize("slug", WHERE)
def test_kinds_are_told_apart_in_words(slug):
    """What one has and its namesake lacks; and layers without a rule are spoken of as on the drawing's cards."""
    found = {kind.words: kind.where for kind in SITE.view(slug).kinds}
    assert WHERE[slug].items() <= found.items()


def test_the_weights_tables_say_their_layers():
    """Under each heading stands which layers have these tensors."""
    tables = weight_rows.weight_tables(SITE.view("allenai/Olmo-3-32B-Think"))
    assert [(table.where, table.layers) for table in tables[1:]] == [
        ("the others, 0–62", 48),
        ("every 4th, from 3", 16),
    ]


@pytest.mark.parametrize(("shared", "adapter"), [([5, 11, 17], "{adapter}"), ([5, 11], "1")])
def test_an_adapter_is_no_kind_of_its_own(shared, adapter):
    """Zamba2's shared layers behind the first differ in the number of their adapter alone: one table, with {adapter}
    for it; where there is one such layer, its adapter keeps its number."""
    config = catalog.load("Zyphra/Zamba2-1.2B")
    kinds = ["hybrid" if at in shared else "mamba" for at in range(config["num_hidden_layers"])]
    spec = read({**config, "hybrid_layer_ids": shared, "layers_block_type": kinds})
    names = [row.name for row in weight_rows.weight_tables(SpecView(spec, "Zamba2"))[-1].rows]
    ending = f"shared_transformer.self_attn.linear_q_adapter_list.{adapter}.0.weight"
    assert f"model.layers.{{layer}}.{ending}" in names


def test_what_differs_in_nothing_that_has_words_is_numbered():
    """Two layers of one name whose norms differ are the first and the second of it."""
    layer = catalog.spec("meta-llama/Meta-Llama-3-8B").layers[0]
    assert named([layer, replace(layer, norms=())]) == [
        "GQA 32:8 + dense 14,336, kind 1 of 2", "GQA 32:8 + dense 14,336, kind 2 of 2",
    ]  # fmt: skip


def test_layers_without_a_rule_are_named():
    """The largest of the scattered ones is what the others leave over."""
    assert places([[0, 1, 3, 4, 6, 8, 9], [2, 5, 7, 10]], 11) == ["the others, 0–9", "layers 2, 5, 7 … 10"]
    assert alike(catalog.spec("meta-llama/Meta-Llama-3-8B")) == [[*range(32)]]


def test_norms_of_whichever_other_layer_make_one_kind():
    """Zamba2's layers share the norms of one layer: were some of them another's, they would be of the same kind."""
    spec = catalog.spec("Zyphra/Zamba2-1.2B")
    sharing = [at for at, layer in enumerate(spec.layers) if any(norm.of is not None for norm in layer.norms)]
    assert len(sharing) > 1 and len(alike(spec)) == 3
    moved = [replace(norm, of=norm.of if norm.of is None else 6) for norm in spec.layers[sharing[0]].norms]
    layers = [replace(layer, norms=tuple(moved)) if at == sharing[0] else layer for at, layer in enumerate(spec.layers)]
    assert len(alike(replace(spec, layers=tuple(layers)))) == 3
