"""What a drawing's words say: each part its own, none cut, none after a name that nothing in the drawing carries."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery.drawing.card_marks import brief
from cutaway.gallery.drawing.card_units import units_of
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.figure_notes import tables_words
from cutaway.gallery.drawing.formula_terms import number
from cutaway.gallery.drawing.formulas import formula
from cutaway.gallery.drawing.items import Box, Pill, Tag
from cutaway.gallery.drawing.layout import place
from cutaway.gallery.operations import OPERATIONS
from cutaway.gallery.running.frequencies import frequencies
from cutaway.gallery.spec import ConfigError
from cutaway.gallery.sublayers import graph_of, parts_of

CASES = sorted((Path(__file__).parents[1] / "oracle" / "forward").glob("*.json"))


@cache
def figures() -> dict:
    """The figure of every model, by its slug."""
    return {row.slug: figure(catalog.spec(row.slug)) for row in catalog.drawable_rows()}


def golden():
    """The figure of every tiny config of the forward oracle."""
    for path in CASES:
        with suppress(ConfigError):
            yield path.stem, figure(read(json.loads(path.read_text(encoding="utf-8"))["config"]))


def said(slug: str) -> str:
    """The outlines of all panels of a model."""
    return "\n".join(line for _, inside in figures()[slug].panels for line in inside.lines())


def texts(slug: str, layout: str = "wide") -> list[str]:
    """Every text that stands in a drawing, save which layers a card is of."""
    marks = place(figures()[slug], layout).marks
    return [mark[4] for mark in marks if mark[0] == "text" and mark[1] != "label"]


def rotations(spec):
    """Every rotation of a model's halves."""
    for layer in {layer.made_of: layer for layer in spec.layers}.values():
        for half in (*parts_of(layer.mixer), *parts_of(layer.mlp)):
            yield from (node for node in graph_of(half, spec.hidden_size).nodes if node.op == "rope")


def test_a_rotation_says_what_it_multiplies_by(verified):
    """Where the interpreter multiplies cos and sin by a number, the rotation's formula has it; else it has none."""
    checked, growing, wrong = 0, set(), []
    for slug, fig in figures().items():
        for node in rotations(fig.spec):
            times = number(float(frequencies(node.facts["rope"], 1)[1]))
            want = "" if times == "1" else times
            found = re.search(r", each times ([\d.]+)", formula(node))
            checked += 1
            growing |= {slug} if want else set()
            wrong += [slug] if (found[1] if found else "") != want else []
    assert wrong == [] and len(growing) >= 15
    verified("scale factors of cos and sin in descriptions of RoPE", checked, len(wrong), "gallery.running.frequencies")


def test_a_growth_that_depends_on_the_text_says_both():
    """LongRoPE may multiply long texts by another number than short ones."""
    spec = catalog.spec("microsoft/Phi-3-mini-128k-instruct")
    node = next(rotations(spec))
    scaling = {**dict(node.facts["rope"].scaling), "short_mscale": 1.1, "long_mscale": 1.243}
    rope = node.facts["rope"]._replace(scaling=tuple(sorted(scaling.items())))
    assert formula(node._replace(facts={**node.facts, "rope": rope})).endswith(", each times 1.1, in long texts 1.243")


def test_no_two_panels_say_the_same():
    """What differs between two opened halves of a model stands in their words."""
    alike = {}
    for slug, fig in figures().items():
        many = Counter("\n".join(inside.lines()) for _, inside in fig.panels)
        if twice := [words.split("\n")[0] for words, often in many.items() if often > 1]:
            alike[slug] = twice
    assert alike == {}


def test_a_shared_expert_that_is_clamped_otherwise_says_so():
    """Step 3.5 clamps its last shared expert at 16; Hy4's is not clamped, its experts are."""
    step, hy4 = said("stepfun-ai/Step-3.5-Flash"), said("tencent/Hy4-preview")
    assert "shared expert, SiLU(gate) × up, clamped at 16" in step
    assert "shared expert, SiLU(gate) × up\n" in step and "shared expert, SiLU(gate) × up\n" in hy4
    assert "shared expert, SiLU" not in said("deepseek-ai/DeepSeek-V3")


def pills(fig):
    """The words of every small step, operation and step of a card."""
    for _, inside in fig.panels:
        for flow in inside.flows:
            yield from (item.text for item in flow.items() if isinstance(item, Pill))
            yield from flow.op.words
    for kind in fig.kinds:
        yield from (unit.words for unit in units_of(kind, fig.spec)[1])


@pytest.mark.whole
def test_no_step_is_cut_in_mid_word():
    """An operation whose own words are long has short ones wherever it is drawn as a step."""
    cut = [row.words[:30] for row in OPERATIONS.values() if len(row.words) > 30]
    found = [
        (name, words)
        for name, fig in (*figures().items(), *golden())
        for words in pills(fig)
        if any(words.endswith(one) or one + "," in words for one in cut)
    ]
    assert found == []


def test_tables_are_folded_or_counted():
    """Equal shapes stand once with how many they are; what three shapes leave unsaid is counted."""
    assert tables_words([(2048, 2048)] * 6) == "6 × 2,048×2,048"
    assert tables_words([(4, 24576), (4,), (1,)]) == "4×24,576, 4, 1"
    assert tables_words([(n, 8) for n in range(1, 6)] + [(9,)] * 2) == "1×8, 2×8, 3×8 and 4 more"
    notes = [words for _, words in figures()["meituan-longcat/LongCat-Flash-Lite"].notes]
    assert any(words.endswith("10,223,621×256 and 21 more") for words in notes)


def test_an_extra_stands_in_the_panel_that_runs_on_it():
    """The scales of Gemma 4's router are listed with its experts alone, and its router says that it has them."""
    panels = figures()["google/gemma-4-26B-A4B-it"].panels
    assert [inside.role for _, inside in panels if any("of the router" in chip for chip in inside.chips)] == ["moe"]
    (router,) = [one for _, inside in panels for flow in inside.flows for one in flow.items() if isinstance(one, Box)]
    assert router.text[-2:] == ["weights normalised", "× a stored number per expert"]


@pytest.mark.whole
def test_no_word_of_a_card_is_cut():
    """What is too long for a narrow card has shorter words of its own."""
    for layout in ("wide", "middle", "narrow"):
        cut = {text for slug in figures() for text in texts(slug, layout) if text.endswith("…")}
        assert cut == set(), layout


def test_a_tag_calls_a_value_as_its_box_does(verified):
    """A tag has no name of our own making: what a further operation makes is called by both the same."""
    checked, wrong = 0, []
    for slug, fig in figures().items():
        for _, inside in fig.panels:
            drawn = [item for flow in inside.flows for item in flow.items()]
            boxes = {line for flow in inside.flows for line in flow.op.words}
            tags = [item for item in drawn if isinstance(item, Tag)]
            named = {word for item in drawn if item not in tags for line in item.lines() for word in line.split()}
            for tag in tags:
                checked += 1
                op = next((flow.op for flow in inside.flows if flow.op.nodes[:1] == tag.nodes), None)
                lost = op and not any(tag.text in line for line in boxes) and not tag.text.startswith("only ")
                bare = "_" in tag.text and " of layer " not in tag.text and tag.text not in named
                wrong += [(slug, tag.text)] if bare or lost else []
    assert wrong == []
    verified(
        "tags in drawings named like the box they refer to", checked, len(wrong), "gallery.drawing.graph_to_dataflow"
    )


@pytest.mark.parametrize(
    ("small", "narrow"),
    [
        ("64 query, 8 KV heads", "64 : 8 heads"),
        ("71 query, 1 KV head", "71 : 1 heads"),
        ("32 value, 16 key heads", "32 : 16 heads"),
        ("64 heads, 1 KV", "64 heads"),
        ("8 of 256 + 1 shared", "8 of 256"),
        ("K, V of layer 13", "shared KV"),
    ],
)
def test_a_narrow_box_keeps_both_numbers_of_heads(small, narrow):
    """The small print of a narrow box is shorter, and leaves neither kind of heads out."""
    assert brief(small) == narrow


@pytest.mark.whole
def test_no_drawing_names_queries_alone():
    """No box says how many query heads there are without the heads that they share."""
    for layout in ("wide", "middle", "narrow"):
        alone = {text for slug in figures() for text in texts(slug, layout) if re.fullmatch(r"\d+ (query|value)", text)}
        assert alone == set(), layout


def test_parts_of_a_matrix_by_heads_say_how_many():
    """MiniMax's q, k and v are 64 heads of 128 each, out of 24,576 rows."""
    assert {"q 64 × 128", "k 64 × 128", "v 64 × 128"} <= set(texts("MiniMaxAI/MiniMax-Text-01-hf"))


def test_one_vector_for_key_and_value_is_not_shared_between_layers():
    """What is called shared KV are an earlier layer's keys and values; DeepSeek V4's one vector is K = V."""
    v4, gemma = texts("deepseek-ai/DeepSeek-V4-Flash"), figures()["google/gemma-4-E2B-it"].kinds
    assert "Attention with K = V, window only" in v4 and not [text for text in v4 if "hared" in text and "KV" in text]
    assert any("shared KV" in kind.says for kind in gemma)


def test_a_clamped_mlp_is_called_as_its_mechanism():
    """Phi-3 small's panel has the name of its chip."""
    assert "Dense MLP, clamped SwiGLU" in said("microsoft/Phi-3-small-8k-instruct")


def test_multipliers_part_by_part_are_told():
    """Falcon-H1's five constants stand in the formula of the step that multiplies."""
    spec = catalog.spec("tiiuae/Falcon-H1-7B-Instruct")
    nodes = [node for part in parts_of(spec.layers[0].mixer) for node in graph_of(part, spec.hidden_size).nodes]
    (node,) = [node for node in nodes if node.name == "in_proj_scaled"]
    assert formula(node) == (
        "in_proj, part by part: × 0.3536 on 3,072, 0.25 on 3,072, 0.1768 on 256, 0.5 on 256, 0.3536 on 24 numbers"
    )
