"""A model's file for /compare/ says what gallery counts, and its rows add up to what its relatives lack."""

import random
from functools import cache
from types import SimpleNamespace

import pytest

from cutaway.app.compare import model_file
from cutaway.app.your_model import answer
from cutaway.gallery import catalog, comparing, memory, parameters
from cutaway.gallery.comparing import differences
from cutaway.gallery.counting.cache_growth import cache_bytes
from tests.one_site import SITE

SUGGESTED = range(len(model_file.SUGGESTED))
OTHERS = range(len(SUGGESTED), len(SUGGESTED) + 12)


def file(slug):
    return model_file.Compared.listed(SITE.view(slug)).file()


@cache
def few():
    """What the page suggests, and a dozen other counted pairs."""
    pairs = [(a, b) for b, others in sorted(model_file.counted_pairs().items()) for a in others]
    return [*model_file.SUGGESTED, *random.Random(1).sample(pairs, len(OTHERS))]


@pytest.mark.parametrize("place", [*SUGGESTED, *(pytest.param(place, marks=pytest.mark.whole) for place in OTHERS)])
def test_rows_of_a_counted_pair_add_up(place):
    """To the difference of the two models' own totals."""
    a, b = few()[place]
    one, two = file(a), file(b)
    rows = [dict(zip(model_file.COLUMNS, row, strict=True)) for row in two["pairs"][a]["rows"]]
    was, now = one["figures"], two["figures"]
    assert sum(row["parameters"] for row in rows) == now["parameters"] - was["parameters"]
    assert sum(row["active"] for row in rows) == now["active"] - was["active"]
    assert sum(row["cache"] for row in rows) == pytest.approx(now["cache_bytes"] - was["cache_bytes"], abs=1e-6)


def test_kimi_k2_beside_deepseek_v3():
    """The pair of the design: 355,381,805,056 parameters in six numbered rows."""
    found = file("moonshotai/Kimi-K2-Base")["pairs"]["deepseek-ai/DeepSeek-V3"]
    assert sum(row[5] for row in found["rows"]) == 355_381_805_056
    assert [row[1] for row in found["rows"] if row[9]] == [
        "attention heads", "routed experts", "routing groups, groups used", "leading dense layers",
        "vocabulary", "MTP layers",
    ]  # fmt: skip
    assert found["end"] == "53 % more parameters, 13 % fewer active, the same cache."


def test_a_file_holds_the_models_own_numbers():
    """Parameters, cache at every context of the curve, layers as runs of one colour."""
    spec, held = catalog.spec("Qwen/Qwen3-Next-80B-A3B-Instruct"), file("Qwen/Qwen3-Next-80B-A3B-Instruct")
    assert held["figures"]["parameters"] == parameters(spec).total
    formats = ("bfloat16", "float8_e4m3fn", "float4_e2m1fn")
    kept = [[cache_bytes(held["sheet"], 2**power, one) for power in range(10, 21)] for one in formats]
    assert kept == [[memory(spec, 2**power, one).total_bytes for power in range(10, 21)] for one in formats]
    assert held["tower"][:2] == [["linear", "moe", "delta + MoE", 3], ["full", "moe", "GQA + MoE", 1]]
    assert sum(run[3] for run in held["tower"]) == len(spec.layers) == 48
    assert held["figures"]["full_bytes"] == memory(spec, 262_144).total_bytes
    assert ["sizes", "width", "hidden_size", "2,048"] in held["fields"]


def test_pairs_are_counted_in_both_orders_with_the_nearest():
    """A model with the earlier ones that share most with it, and they with it."""
    pairs, known = model_file.counted_pairs(), comparing.catalogue_lineage()
    for slug in ("moonshotai/Kimi-K3", "google/gemma-2-2b"):
        for link in known.nearest(slug, model_file.NEAR):
            assert slug in pairs[link.slug]
            assert link.slug in pairs[slug]


def test_two_files_make_a_share():
    """The mechanisms' weights in them give what the catalogue gives: the page superposes above a quarter."""
    known, slugs = comparing.catalogue_lineage(), [slug for pair in few()[:6] for slug in pair]
    held = {slug: dict(model_file.Compared.listed(SITE.view(slug)).mechanisms) for slug in slugs}
    for a, b in zip(slugs, reversed(slugs), strict=True):
        either = held[a] | held[b]
        share = sum(either[key] for key in held[a].keys() & held[b].keys()) / sum(either.values())
        assert share == pytest.approx(known.share(held[a], held[b]), abs=1e-5)


def test_verdicts_are_those_of_the_comparison():
    """Word for word."""
    a, b = model_file.SUGGESTED[1]
    one, two = catalog.spec(a), catalog.spec(b)
    found = file(b)["pairs"][a]
    said = differences.verdict(one, two, (catalog.BY_SLUG[a].title, catalog.BY_SLUG[b].title))
    assert (found["start"], found["end"]) == (said.start, said.end)
    assert [tuple(one) for one in found["clauses"]] == [(one.words, one.heavy, one.number) for one in said.clauses]


@pytest.mark.parametrize("nearest", [None, (), ("a/first", "a/second")])
def test_a_config_is_compared_with_its_nearest(nearest, monkeypatch):
    """The first of its relatives; where there is none, what /compare/ begins with."""
    rows = nearest and tuple(SimpleNamespace(slug=slug) for slug in nearest)
    monkeypatch.setattr(answer.novelty, "of", lambda view: rows if rows is None else SimpleNamespace(nearest=rows))
    assert answer.closest(None) == ("a/first" if nearest else "deepseek-ai/DeepSeek-V3")
