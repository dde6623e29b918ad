"""The lit arrangement: what is new of a model stands on it, numbered, whatever the model; in words for five models."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from cutaway.gallery import catalog, comparing
from cutaway.gallery.comparing.mechanisms import BY_KEY
from cutaway.gallery.comparing.novelty import find_novelty
from cutaway.gallery.drawing.callouts import RADIUS, Numbered, places
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.layout import place
from cutaway.gallery.drawing.lit import arrange
from cutaway.gallery.drawing.lit_cuts import SPACES
from cutaway.gallery.drawing.lit_discs import Lit
from cutaway.gallery.drawing.lit_nodes import NODES, alternatives, lit_nodes
from cutaway.gallery.drawing.lit_svg import figure_with_lit, lit_outline
from cutaway.gallery.drawing.svg import figure_html
from tests.gallery import drawn_graph

KEPT = Path(__file__).parent / "outlines" / "lit"
QWEN, LLAMA = "Qwen/Qwen3-Next-80B-A3B-Instruct", "meta-llama/Meta-Llama-3-8B"
FIVE = (QWEN, LLAMA, "deepseek-ai/DeepSeek-V4-Flash", "MiniMaxAI/MiniMax-M2", "google/gemma-3n-E4B")
DATED = tuple(comparing.catalogue_lineage().entries)


@cache
def numbered(slug: str) -> tuple[Numbered, ...]:
    """What the page of a model numbers."""
    found = find_novelty(comparing.catalogue_lineage(), slug)
    return tuple(Numbered(one.number, one.key, one.word, f"#new-{one.number}", one.kind) for one in found.items)


def lit(slug: str, layout: str) -> Lit:
    page = place(figure(catalog.spec(slug)), layout, False, numbered(slug))
    return arrange(page.placed, page.marks, layout, numbered(slug))


@pytest.mark.parametrize("slug", FIVE)
def test_the_outline_is_the_kept_one(slug, request):
    """What is shown, what is lit and the numbers on it are those of the reviewed outlines in outlines/lit."""
    path, text = KEPT / (slug.replace("/", "__") + ".txt"), lit_outline(catalog.spec(slug), numbered(slug))
    if request.config.getoption("--update-shots"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def faults(slug: str, layout: str) -> list[str]:
    """What is wrong with where the numbers of a model stand."""
    made = lit(slug, layout)
    stand = {one.number for one in made.callouts}
    out = [f"{one.number} stands nowhere" for one in numbered(slug) if one.number not in stand]
    out += [f"{made.height:.0f} high"] * (made.height > SPACES[layout].height + 2 * SPACES[layout].tile)
    for i, one in enumerate(made.callouts):
        if not (RADIUS - 3 <= one.x <= made.width + 3 - RADIUS and RADIUS - 3 <= one.y <= made.height + 3 - RADIUS):
            out.append(f"{one.number} is cut off")
        out += [f"{one.number} lies on {two.number}" for two in made.callouts[i + 1 :]
                if (one.x - two.x) ** 2 + (one.y - two.y) ** 2 < (2 * RADIUS - 4) ** 2]  # fmt: skip
    return [f"{slug} {layout}: {fault}" for fault in out]


def test_every_number_stands_in_a_few():
    """For every eighth dated model, in both layouts: every number is drawn, none overlaps another or is cut off."""
    assert [fault for slug in DATED[::8] for layout in SPACES for fault in faults(slug, layout)] == []


@pytest.mark.whole
@pytest.mark.parametrize("layout", SPACES)
def test_every_number_stands(layout, verified):
    """The same for all dated models, half of them in each layout."""
    slugs = DATED[list(SPACES).index(layout) :: 2]
    found = [fault for slug in slugs for fault in faults(slug, layout)]
    assert found[:5] == []
    verified(f"numbers of the lit arrangement, {layout}", len(slugs), len(found), "the list of what is new")


def test_it_shows_parts_that_the_drawing_has():
    """Every part that is shown again has its id once in the drawing of its layout."""
    for slug in FIVE[:3]:
        drawn, again = figure_with_lit(catalog.spec(slug), numbered(slug))
        ids = re.findall(r' id="([^"]+)"', drawn)
        shown = re.findall(r'<use(?: class="dim")? href="#([^"]+)"', again)
        assert len(ids) == len(set(ids))
        assert shown and set(shown) <= set(ids)


def test_what_is_not_new_is_dimmed():
    """All but the numbered nodes is dimmed; a model with nothing new is drawn at full strength, without numbers."""
    assert all(cut.dim for cut in lit(QWEN, "wide").cuts if cut.part.panel)
    plain = lit(LLAMA, "wide")
    assert [cut.part.title for cut in plain.cuts] == ["Grouped-query attention", "Dense MLP, SwiGLU"]
    assert not any(cut.dim for cut in plain.cuts) and plain.callouts == []


def test_lit_nodes_and_their_edges_are_marked():
    """QK-norm and the router: both norms, the edges at them, and neither the matrices nor the attention."""
    drawn, _ = figure_with_lit(catalog.spec("MiniMaxAI/MiniMax-M2"), numbered("MiniMaxAI/MiniMax-M2"))
    wide = drawn[: drawn.index("cf-middle")]
    marked = re.findall(r'data-n="([^"]+)" class="f-new"', wide)
    assert sorted(marked) == ["gate score choose weigh", "k_norm k_rope", "q_norm q_rope"]
    edges = "".join(re.findall(r'<g class="f-edge f-new">(.*?)</g>', wide, re.DOTALL))
    assert 'data-e="q_proj&gt;q_norm"' in edges
    assert 'class="f-new"' not in drawn[drawn.index("cf-middle") : drawn.index("cf-narrow")]


def test_a_drawing_with_something_lit_is_of_the_same_graphs():
    """Highlighting moves no box and drops no line of the drawing."""
    for slug in (QWEN, "deepseek-ai/DeepSeek-V4-Flash"):
        drawn = (figure_with_lit(catalog.spec(slug), numbered(slug))[0], figure_html(catalog.spec(slug)))
        lit, plain = (dict(drawn_graph.read_svg(html[html.index("<svg") : html.index("</svg>") + 6])) for html in drawn)
        assert lit == plain and len(lit) > 3


def test_every_row_finds_its_nodes():
    """Each row has a pattern that names a node, or a tensor drawn alone, in a panel of a model with the mechanism."""
    known = comparing.catalogue_lineage()
    assert [key for key in NODES if known.having(key) and not any(nodes_named(key))] == []
    assert set(NODES) <= set(BY_KEY)


def nodes_named(key: str) -> Iterator[str]:
    """What the patterns of a mechanism name in the panels of three models that have it."""
    for one in comparing.catalogue_lineage().having(key)[:3]:
        fig = figure(one.head.spec)
        graphs = {content.where: content.graph for _, content in fig.panels if content.graph}
        opened = [graphs[name] for kind, name in places(fig.spec, key, fig) if kind == "panel" and name in graphs]
        for graph in opened:
            yield from (name for name in lit_nodes(graph, key) if any(re.fullmatch(p, name) for p in alternatives(key)))
