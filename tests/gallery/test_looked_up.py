"""Tables of which a token reads a few rows are not active: one definition, and the same number wherever it stands."""

import json
import math
import re
from functools import cache

import pytest

from cutaway.app.compare.model_file import Compared
from cutaway.app.data import dataset
from cutaway.app.model_page import page as models
from cutaway.app.plan_page.page import told_of
from cutaway.app.site.cards import model_card
from cutaway.explainers.fmt import count
from cutaway.gallery import catalog, parameters
from cutaway.gallery.command.report import facts_json, facts_lines
from cutaway.gallery.drawing.figure_words import alt
from cutaway.gallery.editing.sheet import sheet
from tests.one_site import SITE

LOOKED_UP = {  # of the configs: rows times width of each table
    "meituan-longcat/LongCat-Flash-Lite": 131_072 * 3_072 + sum((78 * 131_072 + 2 * i + 1) * 256 for i in range(12)),
    "google/gemma-3n-E4B": 262_144 * 35 * 256,  # the embedding is the head too
    "google/gemma-4-E4B-it": 262_144 * 42 * 256,
    "Qwen/Qwen3.8-Flash-Next": 248_320 * 2_560 + 320_001_536 * 160,
    "deepseek-ai/DeepSeek-V4-Flash": 129_280 * 4_096,
    "openai-community/gpt2-xl": 1_024 * 1_600,
    "meta-llama/Llama-3.2-1B": 0,
}


@pytest.mark.parametrize("slug", sorted(LOOKED_UP))
def test_tables_that_tokens_look_up_are_not_active(slug):
    """A token reads a few rows of them and multiplies nothing; a tied embedding is multiplied as the head."""
    spec = catalog.spec(slug)
    assert parameters(spec).looked_up == LOOKED_UP[slug]
    assert parameters(spec).touched <= parameters(spec).total
    lines = "\n".join(facts_lines(spec))
    assert ("of which a token reads a few rows" in lines) is bool(LOOKED_UP[slug])


@cache
def named() -> list[tuple[str, float]]:
    """(slug, active parameters) of every drawn model whose house publishes them, in its name or beside it."""
    found = []
    for row in catalog.drawable_rows():
        name = re.search(r"-A([\d.]+B)", row.slug)
        text = row.active or (name[1] if name else "")
        if text:
            found.append((row.slug, float(text.removesuffix("B")) * 1e9))
    return found


def test_the_definition_is_the_nearest_to_published_names():
    """Of three ways to count, the mean distance to what 87 models are called is least without tables, with the head."""

    def distance(way) -> float:
        return sum(abs(math.log(way(slug) / told)) for slug, told in named()) / len(named())

    def counted(slug: str):
        return parameters(catalog.spec(slug))

    ours = distance(lambda slug: counted(slug).active)
    with_tables = distance(lambda slug: counted(slug).touched)
    bare = distance(lambda slug: counted(slug).active - counted(slug).by_part.get("head", 0))
    assert len(named()) > 80 and ours < 0.06 < bare < with_tables


SAME = ["meituan-longcat/LongCat-Flash-Lite", "Qwen/Qwen3.8-Flash-Next", "google/gemma-3n-E4B", "Qwen/Qwen3-30B-A3B"]


@pytest.mark.parametrize("slug", SAME)
def test_one_number_everywhere(slug):
    """Page, card, data, comparison, plan, command, drawing and sheet of edits say the same of active parameters."""
    view = SITE.view(slug)
    found = parameters(catalog.spec(slug)).active
    assert dataset.record(view)["parameters_active"] == found
    assert json.loads(json.dumps(facts_json(view.spec)))["parameters"]["active"] == found
    assert Compared.listed(view).figures["active"] == told_of(view)["active"] == found
    html = models.model_page(SITE, view)
    tile = re.search(r'<dt title="([^"]+)">active per token[^<]*</dt><dd><span>([^<]+)<', html)
    assert tile[2] == count(found) and f"a few rows: {count(parameters(view.spec).touched)}." in tile[1]
    assert f"{count(found)}</dd>" in model_card(view)
    assert f"{count(found)} of them active for each token" in alt(view.spec)
    assert f"{found:,} active per token" in html
    assert "less tables" not in html and "touched by each token" not in html
    assert sheet(view.spec)["looked_up"] <= parameters(view.spec).looked_up
