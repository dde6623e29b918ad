"""From a model's page to explainers and the glossary: each door opens with the model's own numbers, or is not there."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from cutaway import explainers
from cutaway.app.model_page import explainer_links, part_links
from cutaway.gallery import catalog
from cutaway.gallery.graph import Graph, Node
from tests.one_site import SITE

V3, NEXT, OSS = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai/gpt-oss-20b"


def mixture(experts: int, per_token: int, **more):
    """A stand-in of a model with one mixture of experts."""
    spec = catalog.spec(V3)
    moe = replace(spec.layers[-1].mlp, num_experts=experts, num_experts_per_tok=per_token, **more)
    row = SimpleNamespace(variant_of=None, config_of=None)
    kinds = [SimpleNamespace(layer=SimpleNamespace(mlp=moe, mixer=spec.layers[0].mixer))]
    return SimpleNamespace(kinds=kinds, slug="no/body", row=row)


@pytest.mark.parametrize(
    ("experts", "per_token", "runs"),
    [(8, 2, True), (7, 2, False), (12, 2, False), (512, 10, True), (520, 10, False), (256, 24, True), (256, 25, False)],
)
def test_a_router_can_be_run_with_what_its_sliders_reach(experts, per_token, runs):
    """Experts in eights from 8 to 512, up to 24 at work: what the page's own check of a state accepts."""
    state = explainer_links.router(mixture(experts, per_token, n_group=8, topk_group=4))
    assert bool(state) is runs
    if state:
        assert (state["experts"], state["k"], state["kept"]) == (experts, per_token, 4)
        checked = explainers.checker("experts")({**explainers.reference("experts").STATE, **state})
        assert not checked


def test_a_page_that_lists_a_model_is_opened_with_it():
    """DeepSeek-V3 is in the list of the router's page, whatever of it can be run; a stranger's model is not."""
    listed = {row[0] for row in explainers.data("experts")["models"]}
    assert V3 in listed and explainer_links.router(SITE.view(V3))["model"] == V3
    assert "model" not in explainer_links.router(mixture(64, 8))
    other = mixture(7, 2)
    other.slug = V3
    assert explainer_links.router(other) == {"model": V3}


def test_a_rotation_that_is_not_listed_opens_with_its_base():
    """If that is one of those to choose from; a model without a rotation has no such door."""
    bases = explainers.reference("position").BASES
    row = SimpleNamespace(variant_of=None, config_of=None)

    def turned(theta):
        mixer = SimpleNamespace(rope=SimpleNamespace(theta=theta) if theta else None)
        return SimpleNamespace(slug="no/body", row=row, kinds=[SimpleNamespace(layer=SimpleNamespace(mixer=mixer))])

    assert explainer_links.position(turned(float(bases[-1]))) == {"theta": int(bases[-1])}
    assert explainer_links.position(turned(12_345.0)) == {} and explainer_links.position(turned(None)) is None


def test_a_router_without_eight_groups_keeps_all():
    """Groups of the page are eight; where a model has none every group stays in."""
    assert explainer_links.router(mixture(128, 8, n_group=1, topk_group=1))["kept"] == 8
    assert explainer_links.router(mixture(128, 8, table_rows=5)) is None


@pytest.mark.parametrize(("experts", "nodes"), [(64, 8), (32, 4), (16, 2), (8, 1), (40, 1), (160, 4), (12, None)])
def test_experts_are_dealt_to_as_many_nodes_as_divide_them(experts, nodes):
    """Eight GPUs a node: 160 experts over 32 GPUs are five each, over 64 they are no whole number."""
    state = explainer_links.experts(mixture(experts, 2))
    assert (state or {}).get("nodes") == nodes


@pytest.mark.parametrize(
    ("slug", "name", "query"),
    [
        (V3, "mla-numbers", "?model=deepseek-ai/DeepSeek-V3"),
        (NEXT, "delta-rule", "?rule=gated"),
        ("moonshotai/Kimi-Linear-48B-A3B-Instruct", "delta-rule", "?rule=kda"),
        ("NX-AI/xLSTM-7b", "linear-family", "?model=NX-AI/xLSTM-7b"),
        ("fla-hub/rwkv7-2.9B-world", "linear-family", "?rule=rwkv7&model=fla-hub/rwkv7-2.9B-world"),
        (OSS, "blocks", "?scheme=mxfp4"),
        (OSS, "masks", "?model=openai/gpt-oss-20b"),
        ("meta-llama/Meta-Llama-3-8B", "bits", "?format=bfloat16"),
        (V3, "bits", "?format=float8_e4m3fn"),
    ],
)
def test_a_door_opens_with_the_models_own_numbers(slug, name, query):
    """The state that an explainer is opened with is a model's rule, scheme or format, or what the page starts with."""
    doors = {one["name"]: one["target"] for one in explainer_links.of(SITE.view(slug))}
    start = explainers.reference(name).STATE
    word, _, value = query[1:].partition("=")
    assert doors[name] == f"/learn/{name}/{'' if start.get(word) == value else query}"


def test_a_model_has_no_door_to_what_it_lacks():
    """A dense model without windows, recurrence or blocks has none to pages about these."""
    doors = {one["name"] for one in explainer_links.of(SITE.view("meta-llama/Meta-Llama-3-8B"))}
    assert not doors & {
        "masks",
        "delta-rule",
        "linear-family",
        "mla-numbers",
        "decoder",
        "blocks",
        "experts",
        "expert-parallel",
    }
    assert {"heads", "flash", "position", "norms", "loops", "tensor-parallel"} <= doors


@pytest.mark.parametrize(
    ("op", "name", "said"),
    [
        ("glu", "mlp.glu", "swiglu"),
        ("glu", "mixer.glu", ""),
        ("positions", "positions", "learned-position"),
        ("distance_bias", "mixer.bias", "alibi"),
        ("linear", "mlp.up", ""),
    ],
)
def test_an_activation_of_an_mlp_leads_to_its_sentence(op, name, said):
    """A gate inside a mixer is no MLP's; tables of positions are explained wherever they stand."""
    node = Node(name, op, (), {}, {})
    assert part_links.sentence(node, ("swiglu", "learned-position", "alibi")) == said
    assert part_links.sentence(node, ("relu2",)) == ("relu2" if (op, name) == ("glu", "mlp.glu") else "")


def test_what_carries_leads_where_its_reader_leads():
    """Through several of them, and back to what they read where no reader leads anywhere."""
    graph = Graph(
        (
            Node("a", "linear", (), {}, {}),
            Node("b", "slice", ("a",), {}, {}),
            Node("c", "concat", ("b",), {}, {}),
            Node("d", "attend", ("c",), {}, {}),
            Node("e", "slice", ("d",), {}, {}),
        ),
        "e",
    )
    found = part_links.inherited(graph, {"a": ["matrix"], "d": ["heads"]})
    assert found == {"b": ["heads"], "c": ["heads"], "e": ["heads"]}
    assert part_links.inherited(graph, {"a": ["matrix"]}) == {"b": ["matrix"], "c": ["matrix"], "e": []}
