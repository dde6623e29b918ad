"""The picture is a reading of the graph: nothing drawn that does not run, nothing that runs left out."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.layer_kinds import census
from cutaway.gallery.drawing.layout import place
from cutaway.gallery.drawing.svg import in_page
from cutaway.gallery.graph import Graph
from cutaway.gallery.spec import ConfigError
from cutaway.gallery.sublayers import graph_of, parts_of
from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph
from tests.gallery import drawn_graph

CASES = sorted((Path(__file__).parents[1] / "oracle" / "forward").glob("*.json"))
LAYOUTS = ("wide", "middle", "narrow")


def golden():
    """(name, spec) of every tiny config of the forward oracle."""
    for path in CASES:
        case = json.loads(path.read_text(encoding="utf-8"))
        with suppress(ConfigError):  # a family that is not read yet: the forward oracle counts it
            yield path.stem, read(case["config"])


def catalogued():
    """(name, spec) of every catalogued model that is drawn."""
    for row in catalog.drawable_rows():
        yield row.slug, catalog.spec(row.slug)


def pictures(fig, layout: str) -> dict[str, drawn_graph.Drawn]:
    """The pictures of graphs in one arrangement, by the graph's name."""
    page = place(fig, layout)
    return dict(drawn_graph.read_svg(in_page(page, "", layout)))


def half_at(spec, where: str):
    """The mixer or MLP that a panel says it opens: layer3.mixer, layer0.mlp.1."""
    layer, word, *place = where.split(".")
    found = parts_of(getattr(spec.layers[int(layer.removeprefix("layer"))], word))
    return found[int(place[0]) if place else 0]


def panels(spec, fig, drawn: dict) -> tuple[int, list[str]]:
    """How many nodes and edges of opened halves were looked at, and what is wrong with them."""
    checked, wrong = 0, []
    for _, inside in fig.panels:
        if inside.alarm:
            continue
        graph = graph_of(half_at(spec, inside.where), spec.hidden_size)
        checked += len(graph.nodes) + len(graph.edges())
        faults = drawn_graph.faults(graph, drawn.get(inside.where, drawn_graph.Drawn()))
        wrong += [f"{inside.where}: {fault}" for fault in faults]
    return checked, wrong


def cards(spec, drawn: dict) -> tuple[int, list[str]]:
    """How many nodes and edges of layers were looked at, and what is wrong. A compact card is one box; layers of sizes
    that nearly all differ share a card with those of the same wiring."""
    checked, wrong, found = 0, [], []
    for name, picture in drawn.items():
        if re.fullmatch(r"layer\d+", name):
            graph = layer_graph(spec, spec.layers[int(name.removeprefix("layer"))])
            found.append(edges_of(graph))
            checked += len(graph.nodes) + len(graph.edges())
            wrong += [f"{name}: {fault}" for fault in drawn_graph.faults(graph, picture)]
    ends = [opening_graph(spec), closing_graph(spec)]
    whole = Graph(tuple(node for graph in ends for node in graph.nodes), ends[1].out)
    checked += len(whole.nodes) + len(whole.edges())
    wrong += [f"model: {fault}" for fault in drawn_graph.faults(whole, drawn["model"])]
    for layer, indices in census(spec):
        if edges_of(layer_graph(spec, layer)) not in found:
            wrong.append(f"layer{indices[0]}: no card shows this wiring")
    return checked, wrong


def edges_of(graph) -> frozenset:
    """The wiring around the halves: what a half is made of is its panel's matter."""
    fold = lambda name: re.sub(r"^(mixer|mlp)\.(\d+(?=\.)|experts(?=\.)|).*", r"\1\2", name)  # noqa: E731
    pairs = {(fold(a), fold(b)) for a, b in graph.edges() if ":" not in a and a not in ("tokens", "cross")}
    return frozenset((a, b) for a, b in pairs if a != b)


def test_a_few_cards_and_panels_are_their_graphs():
    """The same as below, for every fourth catalogued model, wide."""
    looked = []
    for name, spec in islice(catalogued(), 0, None, 4):
        fig = figure(spec)
        drawn = pictures(fig, "wide")
        looked += [(name, *cards(spec, drawn)), (name, *panels(spec, fig, drawn))]
    assert sum(many for _, many, _ in looked) > 1000
    assert [(name, faults) for name, _, faults in looked if faults] == []


@pytest.mark.whole
@pytest.mark.parametrize("models", [catalogued, golden])
def test_cards_and_panels_are_their_graphs(models, verified):
    """Norms, halves, sums, steps and lines of a card are its layer's; nodes and edges of a panel its half's.

    Each model in one arrangement, by turns.
    """
    (layers, wrong), (halves, more) = (0, []), (0, [])
    whose = "catalogued" if models is catalogued else "tiny test"
    for turn, (name, spec) in enumerate(models()):
        fig, layout = figure(spec), LAYOUTS[turn % 3]
        drawn = pictures(fig, layout)
        many, faults = cards(spec, drawn)
        layers += many
        wrong += [f"{name}, {layout}, {fault}" for fault in faults]
        many, faults = panels(spec, fig, drawn)
        halves += many
        more += [f"{name}, {layout}, {fault}" for fault in faults]
    assert (wrong[:5], more[:5]) == ([], [])
    verified(f"nodes and edges of layers in drawings of {whose} models", layers, len(wrong), "gallery.wiring")
    verified(f"nodes and edges of sublayers in drawings of {whose} models", halves, len(more), "gallery.graph")


@pytest.mark.parametrize("models", [catalogued, golden])
def test_what_is_listed_beside_a_layer_is_as_its_graph_has_it(models):
    """Tensors that a card lists and its graph uses too have one shape and one part in both."""
    checked, wrong = 0, []
    for name, spec in models():
        for layer in {layer.made_of: layer for layer in spec.layers if layer.extras}.values():
            used = {one.name: (one.shape, one.part) for one in layer_graph(spec, layer).tensors()}
            both = [(extra, *one) for extra in layer.extras for one in extra.tensors if one[0] in used]
            checked += len(both)
            wrong += [(name, tensor) for extra, tensor, shape in both if used[tensor] != (shape, extra.part)]
    assert wrong == [] and checked > 10


MUTANTS = ("deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "meituan-longcat/LongCat-Flash-Chat")


def all_faults(spec, fig, page) -> list[str]:
    """Everything wrong with one placed drawing."""
    drawn = dict(drawn_graph.read_svg(in_page(page, "", "wide")))
    return cards(spec, drawn)[1] + panels(spec, fig, drawn)[1]


@pytest.mark.parametrize("slug", MUTANTS)
def test_a_lost_line_or_thing_is_seen(slug, verified):
    """A drawing that loses any one named line, or the name of any one thing, no longer equals its graphs."""
    spec = catalog.spec(slug)
    fig = figure(spec)
    page = place(fig, "wide")
    whole, tried, unseen = list(page.marks), 0, []
    assert all_faults(spec, fig, page) == []
    lines = [mark[2] for mark in whole if mark[0] == "edge"]
    for i, mark in enumerate(whole):
        names = mark[2] if mark[0] in ("edge", "open") else mark[4] if mark[0] == "sum" else ""
        if not names or names.endswith((">", ">out")) or (mark[0] == "open" and mark[3]):
            continue
        if (mark[0] == "edge" and lines.count(names) > 1) or (mark[0] != "edge" and drawn_twice(whole, names)):
            continue
        page.marks[:] = [*whole[:i], *([("open", mark[1], "", False)] if mark[0] == "open" else []), *whole[i + 1 :]]
        tried += 1
        unseen += [f"{mark[0]} {names}"] if not all_faults(spec, fig, page) else []
    page.marks[:] = whole
    assert unseen == []
    assert tried > 40
    verified("removed lines and names that the drawing check notices", tried, len(unseen), "tests.gallery.drawn_graph")


def drawn_twice(marks, names: str) -> bool:
    """Whether the nodes of a thing are also drawn elsewhere: a fused matrix in parts, a box inside a box."""
    others = [mark[2] if mark[0] == "open" else mark[4] for mark in marks if mark[0] in ("open", "sum")]
    mine = set(names.split())
    return sum(mine <= set(other.split()) for other in others) > 1
