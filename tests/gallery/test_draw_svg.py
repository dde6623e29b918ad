"""The SVG text: well formed, safe, with no colour but a token's, and the same in a page by classes alone."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from xml.dom import minidom
from xml.etree import ElementTree

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.drawing.marks_svg import tokens
from cutaway.gallery.drawing.measure import rules
from cutaway.gallery.drawing.mini_block import LETTERS, Half, Kind, kinds_of
from cutaway.gallery.drawing.pictures import role_of
from cutaway.gallery.drawing.svg import draw, figure_html
from cutaway.gallery.drawing.thumbnails import mini_svg, tower_svg
from cutaway.gallery.spec import Attention, Dense, Layer, ModelSpec, Norm, NotUnderstood

COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b")
CLASS = re.compile(r'class="([^"]*)"')


def small(**changes) -> ModelSpec:
    """A model of one layer, for what no catalogued model has."""
    mixer = Attention(num_attention_heads=4, num_key_value_heads=2, head_dim=16, v_head_dim=16, rotary_dim=16)
    norms = (Norm("mixer_in"), Norm("mlp_in"))
    layer = Layer(0, mixer, Dense(128), norms)
    base = ModelSpec("tiny", "TinyForCausalLM", 64, 100, 1, (layer,), 512, False, "bfloat16", Norm("final"))
    return replace(base, **changes)


@pytest.mark.whole
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_standalone_colours_are_tokens(dark):
    """Every colour of a standalone drawing is the literal of a token of its theme; models by turns."""
    known = set(tokens(dark).values())
    for row in catalog.drawable_rows()[dark::2]:
        used = set(COLOUR.findall(draw(catalog.spec(row.slug), dark=dark)))
        assert used <= known, row.slug


ROWS = catalog.drawable_rows()


@cache
def figure_of(slug: str) -> str:
    """A model's figure as pages have it: wide, middle and narrow."""
    return figure_html(catalog.spec(slug))


FEW = ROWS[::4]
OTHERS = [row for row in ROWS if row not in FEW]


@pytest.mark.whole
@pytest.mark.parametrize("rows", [FEW, pytest.param(OTHERS, marks=pytest.mark.whole)], ids=["a few", "the others"])
def test_all_drawings_are_well_formed(rows):
    """Standalone drawings and in-page figures parse as XML, without ids, style elements or inline styles."""
    for row in rows:
        spec = catalog.spec(row.slug)
        for text in (draw(spec, title="A & B <c>"), figure_of(row.slug), tower_svg(spec), mini_svg(spec)):
            ElementTree.fromstring(text)
            assert " id=" not in text
            assert "style=" not in text
            assert "<style" not in text


@pytest.mark.whole
def test_every_model_is_drawn_the_same_again(verified):
    """Wide, middle and narrow come out as before once the other widths, and all other models, have been drawn.

    Of every second model.
    """
    first = {row.slug: figure_of(row.slug) for row in ROWS[::2] if not row.config_of}
    wrong = [slug for slug, html in first.items() if figure_html(catalog.spec(slug)) != html]
    assert wrong == []
    verified(
        "drawings that are identical when drawn twice",
        checked=len(first),
        mismatches=len(wrong),
        against="the first drawing",
    )


def test_in_page_figures_use_known_classes_only():
    """Each class in a page's figure has a rule in figure.css."""
    figure = figure_html(catalog.spec("deepseek-ai/DeepSeek-V4-Flash"))
    used = {word for found in CLASS.findall(figure) for word in found.split() if word.startswith("f-")}
    assert used <= {f"f-{name}" for name in rules()}
    assert COLOUR.findall(figure) == []


HOSTILE = '"><script>alert(1)</script><b>&amp;\x00\x1b]]>'


def test_strings_of_a_config_never_become_markup():
    """Markup in every string that a config can bring stays text."""
    from cutaway.gallery.spec import Extra, Quantization, Tower

    layer = Layer(0, NotUnderstood(HOSTILE), Dense(64, hidden_act=HOSTILE), (Norm("mlp_in"),))
    spec = small(
        model_type=HOSTILE, architecture=HOSTILE, layers=(layer,), dtype=HOSTILE, read_from_keys=True,
        not_understood=(HOSTILE,), extras=(Extra(HOSTILE, HOSTILE, ((HOSTILE, (2, 3)),)),),
        towers=(Tower(HOSTILE, HOSTILE, 2, 3, None),), quantization=Quantization(HOSTILE, HOSTILE),
    )  # fmt: skip
    for text in (
        draw(spec, title=HOSTILE, subtitle=HOSTILE),
        figure_html(spec),
        tower_svg(spec, HOSTILE),
        mini_svg(spec),
    ):
        document = minidom.parseString(text)
        assert document.getElementsByTagName("script") == []
        assert document.getElementsByTagName("b") == []


def test_a_card_shows_each_kind_of_layer():
    """Qwen3-Next: 36 layers of the delta rule and 12 of attention, all with experts, the mixer below."""
    experts = Half("moe", "MoE")
    found = kinds_of(catalog.spec("Qwen/Qwen3-Next-80B-A3B-Instruct"))
    assert found == [Kind((Half("linear", "delta"), experts), 36), Kind((Half("full", "GQA"), experts), 12)]
    drawn = ElementTree.fromstring(mini_svg(catalog.spec("Qwen/Qwen3-Next-80B-A3B-Instruct")))
    assert [one.text for one in drawn.iter() if one.text] == ["36 ×", "delta", "MoE", "12 ×", "GQA", "MoE"]
    assert drawn.attrib["aria-label"] == "36 × delta and MoE; 12 × GQA and MoE"


def test_kinds_on_a_card_are_all_layers_and_have_short_names():
    """Of every model: the counts add up to its layers, and each name fits on its box."""
    for row in ROWS:
        spec, found = catalog.spec(row.slug), kinds_of(catalog.spec(row.slug))
        assert sum(kind.layers for kind in found) == len(spec.layers), row.slug
        assert all(0 < len(half.name) <= LETTERS for kind in found for half in kind.halves), row.slug


@pytest.mark.parametrize("layers", [1, 2, 61, 130, 151, 1000])
def test_towers_of_any_depth(layers):
    """From one layer to a thousand, the tower has its ends labelled and at most 150 slabs."""
    one = small().layers[0]
    spec = small(num_hidden_layers=layers, layers=tuple(replace(one, index=i) for i in range(layers)))
    text = draw(spec)
    assert f">{layers - 1}</text>" in text
    slabs = list(range(-(-layers // -(-layers // 150))))
    assert card_layers(tower_svg(spec)) == [(15, slabs), (46.5, slabs)]


def card_layers(tower: str) -> list[tuple[float, list[int]]]:
    """Of each line of a card's tower: where it stands, and the layers, from the bottom, that its dashes cover."""
    dash, gap = map(float, re.search(r'stroke-dasharray="(\S+) (\S+)"', tower).groups())
    lines = []
    for x, y, runs in re.findall(r' d="M(\S+) ([\d.]+)([^"]*)"', tower):
        at, layers = float(y), []
        for kind, by in re.findall(r"(v|m0 )(-?[\d.]+)", runs):
            if kind == "v":
                first, many = ((150 - gap / 2 - at) / (dash + gap), (gap - float(by)) / (dash + gap))
                assert max(abs(first - round(first)), abs(many - round(many))) < 0.1
                layers += range(round(first), round(first) + round(many))
            at += float(by)
        lines.append((float(x), layers))
    return lines


@pytest.mark.parametrize("slug", ["openai/gpt-oss-20b", "deepseek-ai/DeepSeek-V3", "nvidia/Nemotron-H-56B-Base-8K"])
def test_a_cards_tower_has_a_dash_for_each_half_layer(slug):
    """A line for each kind of mixer and of MLP, with a dash at each layer that has it, and at no other."""
    layers = catalog.spec(slug).layers
    wanted = []
    for x, column in ((15, [role_of(one.mixer) for one in layers]), (46.5, [role_of(one.mlp) for one in layers])):
        wanted += [
            (x, [index for index, one in enumerate(column) if one == role])
            for role in dict.fromkeys(filter(None, column))
        ]
    assert card_layers(tower_svg(catalog.spec(slug))) == wanted


def test_what_is_not_understood_is_drawn():
    """A half that the spec cannot express is a marked box and a marked panel."""
    layer = Layer(0, NotUnderstood("a mixer of tomorrow"), Dense(64), (Norm("mlp_in"),))
    text = draw(small(layers=(layer,)))
    assert "Not understood yet" in text
    assert "a mixer of tomorrow" in text
