"""The few words that cards, facets and links use, from real specs."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from cutaway.app.model import facets
from cutaway.app.model.view import SpecView
from cutaway.app.model_page import explainer_links
from cutaway.app.model_page import page as models
from cutaway.app.site.cards import model_card
from cutaway.app.words import phrases
from cutaway.gallery import read
from cutaway.gallery import spec as s
from tests.one_site import SITE

FORWARD = Path(__file__).resolve().parents[1] / "oracle" / "forward"

LINES = {
    "deepseek-ai/DeepSeek-V3": "MLA · MoE 256+1",
    "Qwen/Qwen3-Next-80B-A3B-Instruct": "Gated DeltaNet 3:1 · MoE 512+1",
    "openai/gpt-oss-120b": "Window 128 1:1 · MoE 128",
    "meta-llama/Meta-Llama-3-8B": "GQA 32:8 · dense",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "Mamba-2 / attention · MoE 128+1",
}


@pytest.mark.parametrize("slug", LINES)
def test_a_card_says_what_mixes_and_what_follows(slug):
    """One line: the mixers with their ratio, and the MLP."""
    assert SITE.view(slug).line == LINES[slug]


TILES = {
    "deepseek-ai/DeepSeek-V3": ("61", "layers"),
    "Qwen/Qwen3-Next-80B-A3B-Instruct": ("36 + 12", "delta + attention layers"),
    "openai/gpt-oss-20b": ("12 + 12", "window + attention layers"),
}


@pytest.mark.parametrize("slug", TILES)
def test_two_sorts_of_layer_are_counted_apart(slug):
    """The layers tile counts two sorts of mixer apart, in the words of the design."""
    assert sorted(SITE.view(slug).layer_tile[0].split(" + ")) == sorted(TILES[slug][0].split(" + "))
    assert set(SITE.view(slug).layer_tile[1].split()) == set(TILES[slug][1].split())


@pytest.mark.parametrize(
    ("slug", "has", "lacks"),
    [
        ("deepseek-ai/DeepSeek-V3", {"mla", "moe", "shared", "c-160", "p-more", "mtp", "quantized"}, {"gqa", "dense"}),
        ("meta-llama/Meta-Llama-3-8B", {"gqa", "dense", "c-160", "p-40"}, {"moe", "mla", "window", "quantized"}),
        ("google/gemma-3-27b-it", {"gqa", "window", "qk-norm", "towers"}, {"sinks", "moe"}),
        ("openai/gpt-oss-20b", {"window", "sinks", "moe", "c-64"}, {"shared", "qk-norm"}),
    ],
)
def test_facets_hold_for_the_models_they_name(slug, has, lacks):
    """Facets are read from the spec."""
    keys = set(facets.keys(SITE.view(slug)))
    assert has <= keys
    assert not lacks & keys


def test_facet_keys_are_unique():
    """A key stands in the address without its group."""
    keys = [facet.key for facet in facets.FACETS]
    assert len(keys) == len(set(keys))


@pytest.mark.whole
def test_counts_in_the_sidebar_are_the_cards_behind_them():
    """Each facet's count equals how many models have it, and none is empty."""
    views = [view for view in SITE.views if view.spec and not view.row.variant_of]
    for _, _, members in facets.counted(views):
        for facet, count in members:
            assert count == sum(facet.key in facets.keys(view) for view in views) > 0


def test_doors_lead_to_explainers_that_accept_the_model():
    """A link into an explainer sets only states that its own check allows."""
    targets = {one["name"]: one["target"] for one in explainer_links.of(SITE.view("deepseek-ai/DeepSeek-V3"))}
    assert targets["heads"] == "/learn/heads/?model=deepseek-ai/DeepSeek-V3"
    assert targets["blocks"] == "/learn/blocks/?scheme=fp8_128x128"
    assert "masks" not in targets


def test_a_models_parts_add_up_to_its_total():
    """The ledger's parts, and its layer kinds with what stands outside the layers, both sum to the total."""
    from cutaway.app.model import tables as ledger
    from cutaway.app.model import weight_rows

    for view in SITE.views:
        if view.spec:
            total = view.parameters.total
            assert sum(part.count for part in ledger.parts(view)) == total
            outside = sum(row.count for row in weight_rows.weight_tables(view)[0].rows)
            assert outside + sum(kind.total for kind in view.kinds) == total


def test_a_weight_is_said_to_be_stored_as_most_layers_store_it():
    """Llama 3.1 405B FP8 leaves the MLPs of its first and last layer in BF16: the row of all 126 says so."""
    from cutaway.app.model import weight_rows

    rows = weight_rows.weight_tables(SITE.view("meta-llama/Llama-3.1-405B-Instruct-FP8"))[1].rows
    said = {row.name.split(".")[-2]: (row.stored, row.bytes) for row in rows}
    numbers, scales = 53_248 * 16_384, 53_248
    assert said["gate_proj"] == ("FP8 per channel; BF16 in layers 0, 125", numbers + 4 * scales)
    assert said["q_proj"][0] == "BF16"


def test_rows_of_a_weights_table_hold_the_bytes_of_the_file():
    """Each row, times its layers, is what the file takes, but for the layers that a row names as stored otherwise."""
    from cutaway.app.model import weight_rows

    for view in SITE.views:
        if view.spec and view.spec.quantization:
            tables = weight_rows.weight_tables(view)
            differing = [row.name for table in tables for row in table.rows if ";" in row.stored]
            total = sum(row.bytes * table.layers for table in tables for row in table.rows)
            assert bool(differing) == (total != view.stored_bytes), view.slug
        view.lighten()


def test_every_kind_of_mixer_has_words():
    """A config of any kind can be pasted into the workbench: each kind is called something there."""
    from cutaway.gallery import mixers

    said = {s.Attention, s.ConvolvedAttention, s.RelativeAttention, s.LatentAttention, s.CompressedAttention}
    said |= {s.ExpertHeads, s.Mamba1, s.Mamba2}  # in sentences of their own
    assert set(mixers.GRAPHS) - said == set(phrases.NAMES)


PASTED = {"jetmoe": "2 of 8 head experts · MoE 8", "rwkv": "RWKV-4 · channel mix 96", "recurrent_gemma": "RG-LRU",
          "doge__moe": "MHA 4 · product keys, 3 of 16"}  # fmt: skip


@pytest.mark.parametrize("case", PASTED)
def test_kinds_that_no_catalogued_model_has_are_named(case):
    """A pasted config of a rare kind has the same line that a card has."""
    config = json.loads((FORWARD / f"{case}.json").read_text())["config"]
    view = SpecView(read(config), case, config)
    assert view.line.startswith(PASTED[case])
    assert {phrases.sort_of(layer.mixer) for layer in view.spec.layers} <= {"attention", "recurrent", "window"}


def test_a_page_tells_tables_that_are_looked_up_from_what_works():
    """LongCat-Flash-Lite, an A3B, multiplies 4.52 B and looks up in 31.81 B of tables: both stand on its page."""
    page = models.model_page(SITE, SITE.view("meituan-longcat/LongCat-Flash-Lite"))
    assert "of which a token reads a few rows: 36.33 B." in page and "active per token at most<" in page
    assert "at most 4,515,400,704 active per token, 31,809,638,400 in lookup tables" in page
    tied = models.model_page(SITE, SITE.view("meta-llama/Llama-3.2-1B"))
    assert "a token reads a few rows" not in tied and "active per token<" in tied


def test_what_works_is_a_most_where_experts_without_weights_share_the_routing():
    """LongCat-Flash publishes 18.6 to 31.3 B, by token: our 31.38 B are called the most."""
    page = models.model_page(SITE, SITE.view("meituan-longcat/LongCat-Flash-Chat"))
    assert "of which a token reads a few rows: 32.18 B." in page and "at most 31,377,348,608 active per token" in page
    assert "at most 31.38 B active" in page and "Some experts have no weights" in page
    plain = models.model_page(SITE, SITE.view("deepseek-ai/DeepSeek-V3"))
    assert (
        "of which a token reads a few rows: 37.55 B." in plain
        and "at most 36" not in plain
        and "have no weights" not in plain
    )
    varies = {view.slug for view in SITE.views if view.spec and view.varies}
    assert varies == {view.slug for view in SITE.views if view.spec and "zero-experts" in view.mechanisms}


@cache
def wall() -> list[str]:
    """The cards of /models/."""
    return re.findall(r'<li class="card".*?</li>', models.gallery_page(SITE), re.S)


CARDS = {
    "Qwen/Qwen3.8-Flash-Next": ("6.67 B", "active"),
    "meituan-longcat/LongCat-Flash-Lite": ("4.52 B", "active at most"),
    "meituan-longcat/LongCat-Flash-Chat": ("31.38 B", "active at most"),
    "deepseek-ai/DeepSeek-V3": ("36.63 B", "active"),
}


@pytest.mark.parametrize(("slug", "card"), CARDS.items())
def test_a_card_counts_what_works_without_tables(slug, card):
    """On the wall and on a link's picture: tables of which a token reads a few rows are no work, and it says so."""
    value, called = card
    (mine,) = (one for one in wall() if f'<a href="{slug}/">' in one)
    assert f"<dt>{called}</dt><dd><span>{value}</span></dd>" in mine
    sent = model_card(SITE.view(slug))
    assert f"<dd>{value}</dd><dt>{called.replace('active', 'active per token')}</dt>" in sent
