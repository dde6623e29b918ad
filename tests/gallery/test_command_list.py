"""`cutaway list`, and the rows it stands on: which models words name, in which order, with which numbers."""

from __future__ import annotations

import json

import pytest

from cutaway.app.data import dataset
from cutaway.app.model.view import ModelView
from cutaway.gallery import catalog, listing
from cutaway.gallery.command.listing_words import SORTS


@pytest.mark.whole
def test_every_column_is_the_dataset_s():
    """A column of the list has the name and the value that /data/models.json gives it, for a third of the models."""
    names = {field.name for field in dataset.FIELDS}
    shared = [name for name in listing.COLUMNS if name != "mechanisms"]
    assert set(shared) <= names and len(shared) > 15
    for row in catalog.MODELS[::3]:
        theirs, ours = dataset.record(ModelView(row)), listing.record(row)
        assert {name: theirs[name] for name in shared} == {name: ours[name] for name in shared}, row.slug


def test_words_name_models(run):
    """Every word must begin a word of the name, the company, the year or a mechanism."""
    slugs = lambda *words: {row.slug for row in listing.find_rows(words)}  # noqa: E731
    assert "deepseek-ai/DeepSeek-V3" in slugs("mla", "moe") <= slugs("mla")
    assert "Qwen/Qwen3-8B" in slugs("qwen", "2025") and "Qwen/Qwen3-8B" not in slugs("qwen", "moe")
    assert slugs("QK-norm") == slugs("qk", "norm") != set()
    assert slugs("wen3") == set() and len(slugs()) == len(catalog.MODELS)
    code, out, _ = run("list", "mla", "moe")
    assert code == 0 and out.splitlines()[-1] == f"{len(slugs('mla', 'moe'))} of {len(catalog.MODELS)} models"


def test_a_list_without_models_says_what_to_do(run):
    """Words that no model has are named, and how to see all."""
    code, out, _ = run("list", "nonsense\x1b[31m")
    assert (code, "\x1b" in out) == (0, False) and out.startswith("No model of the catalogue has all of: nonsense")


@pytest.mark.parametrize("sort", SORTS)
def test_a_list_is_sorted(run, sort):
    """Numbers and dates fall, words rise, and what is not known comes last."""
    models = json.loads(run("list", "qwen", "--sort", sort, "--json")[1])["models"]
    found = [one[SORTS[sort]] for one in models]
    known = [one.lower() if isinstance(one, str) else one for one in found if one is not None]
    assert len(known) > 5 and found[len(known) :] == [None] * (len(found) - len(known))
    assert known == sorted(known, reverse=sort not in ("title", "company"))


def test_the_table_has_the_numbers_of_json(run):
    """A line of the table: DeepSeek V3, 671 B parameters, 61 layers, 70.3 KB a token."""
    line = next(line for line in run("list", "deepseek")[1].splitlines() if " deepseek-ai/DeepSeek-V3 " in line)
    assert all(words in line for words in ("671 B", "36.6 B", "61", "163,840", "70.3 KB", "2024-12-26"))
