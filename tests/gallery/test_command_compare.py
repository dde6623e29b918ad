"""`cutaway compare`, `lineage` and `flops`: what they print is what the pages and the library say."""

from __future__ import annotations

import json
import xml.etree.ElementTree as Tree

import pytest

from cutaway import gallery
from cutaway.app.lineage import entries
from cutaway.app.model.view import ModelView
from cutaway.app.model_page import novelty as page
from cutaway.gallery import catalog, comparing
from cutaway.gallery.comparing.differences import brief, compare_specs, figures, verdict

V3, K2 = "deepseek-ai/DeepSeek-V3", "moonshotai/Kimi-K2-Base"
NEXT = "Qwen/Qwen3-Next-80B-A3B-Instruct"


def test_a_comparison_is_that_of_the_page(run):
    """Verdict, figures and rows of two models, their costs with signs."""
    a, b = catalog.spec(V3), catalog.spec(K2)
    code, out, err = run("compare", V3, K2, "--offline")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == verdict(a, b, ("DeepSeek V3", "Kimi K2")).text
    assert "384 experts instead of 256" in out and "+327.01 B" in out
    assert "routed experts               num_experts               256          384" in out
    told = json.loads(run("compare", V3, K2, "--offline", "--json")[1])
    (pair,) = told["pairs"]
    assert [row["parameters"] for row in pair["rows"]] == [row.parameters for row in compare_specs(a, b).rows]
    assert sum(row["parameters"] for row in pair["rows"]) == gallery.parameters(b).total - gallery.parameters(a).total
    assert [one["change"] for one in pair["figures"]] == [one.change for one in figures(a, b)]


def test_more_than_two_are_held_against_the_first(run):
    """A line on each other model comes first, then the pairs."""
    slugs = ("Qwen/Qwen3-4B", "Qwen/Qwen3-8B", "Qwen/Qwen3-32B")
    out = run("compare", *slugs, "--offline")[1].splitlines()
    specs = [catalog.spec(slug) for slug in slugs]
    assert out[0] == f"Next to Qwen3 4B, {brief(specs[0], specs[1], 'Qwen3 8B')}."
    assert out[3] == verdict(specs[0], specs[1], ("Qwen3 4B", "Qwen3 8B")).text
    assert verdict(specs[0], specs[2], ("Qwen3 4B", "Qwen3 32B")).text in out


def test_a_comparison_says_what_each_keeps_at_a_context_in_a_format(run):
    """The last table, and "cache" in JSON: bytes of one sequence, as `cutaway memory` has them."""
    asked = ("compare", V3, NEXT, "--offline", "--context", "32k", "--cache-dtype", "fp8")
    bytes_of = [gallery.memory(catalog.spec(slug), 32_768, "float8_e4m3fn").total_bytes for slug in (V3, NEXT)]
    told = json.loads(run(*asked, "--json")[1])
    assert (told["cache_dtype"], told["cache"]) == ("float8_e4m3fn", [{"context": 32_768, "bytes": bytes_of}])
    assert run(*asked)[1].splitlines()[-1].split() == ["32,768", "tokens", "1.15", "GB", "480.5", "MB"]


def test_a_comparison_is_a_picture_of_its_own(run, tmp_path):
    """-o with the ending of a picture writes it alone, --svg beside the words: names, the verdict, every difference."""
    path, beside = tmp_path / "pair.svg", tmp_path / "beside.svg"
    assert run("compare", V3, K2, "--offline", "-o", str(path))[1] == ""
    assert "384 experts" in run("compare", V3, K2, "--offline", "--svg", str(beside))[1]
    drawn = path.read_text()
    assert drawn == beside.read_text()
    root = Tree.fromstring(drawn)
    words = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    rows = compare_specs(catalog.spec(V3), catalog.spec(K2)).rows
    assert {row.what for row in rows} <= {*words, "routing groups, groups used"}
    assert [words.count(str(row.number)) >= 2 for row in rows if row.number] == [True] * 6
    assert "+327.01 B" in words and "class=" not in drawn
    assert run("compare", V3, K2, "--offline", "--svg", "x.gif")[0] == 2


def test_a_picture_of_three_has_both_rope_bases(run, tmp_path):
    """Gemma 3 rotates by one base in windows and by another in full layers; both stand in its column."""
    path = tmp_path / "three.svg"
    run("compare", "google/gemma-3-27b-it", "openai/gpt-oss-20b", "google/gemma-2-9b", "--offline", "-o", str(path))
    words = [one.text for one in Tree.fromstring(path.read_text()).iter("{http://www.w3.org/2000/svg}text")]
    assert {"1,000,000; 10,000 in windows", "150,000", "10,000"} <= set(words)


def test_a_model_beside_itself_has_no_rows(run):
    """The same architecture and sizes, and no table of differences."""
    out = run("compare", V3, V3, "--offline")[1]
    assert "same architecture and sizes" in out and "what differs" not in out


@pytest.mark.parametrize(
    ("words", "says"),
    [([V3], "takes 2 to 6 models, not 1"), ([V3] * 7, "not 7"), (["-", "-"], "Standard input holds one config"),
     ([V3, "moonshotai/Kimi-K2-Bas"], "Did you mean moonshotai/Kimi-K2-Base?")],
)  # fmt: skip
def test_a_comparison_that_cannot_be_is_a_sentence(run, words, says):
    """Too few, too many, one input for two, a name with a wrong letter."""
    code, out, err = run("compare", *words, "--offline")
    assert (code in (2, 4), out, err.count("\n"), says in err) == (True, "", 1, True), err


def test_a_lineage_is_that_of_the_page(run):
    """Tagline, nearest and later models, items and descent are those of the model's page."""
    found = page.of(ModelView(catalog.find(NEXT)))
    code, out, _ = run("lineage", NEXT, "--offline")
    assert code == 0 and f"{found.tagline} {found.rest}" in out
    data = json.loads(run("lineage", NEXT, "--offline", "--json")[1])
    assert [one["slug"] for one in data["nearest"]] == [one.slug for one in found.nearest]
    assert [one["slug"] for one in data["later"]] == [one.slug for one in found.later]
    assert [(one["word"], one["place"]) for one in data["new"]] == [(one.word, one.pill) for one in found.items]
    assert data["descent"][-1]["title"] == "Qwen3 Next 80B-A3B" and "+ Gated DeltaNet" in out


def test_descendants_are_the_lines_of_the_lineage_page(run):
    """Every model that /lineage/ connects to a model, and no other."""
    known = comparing.catalogue_lineage()
    for slug in (NEXT, V3):
        heads = {one.slug for one in entries.shown(known) if one.parent and known.of[one.parent.slug] is known.of[slug]}
        told = json.loads(run("lineage", slug, "--offline", "--json")[1])["descendants"]
        assert heads and {one["slug"] for one in told} == heads


def test_a_config_of_ones_own_has_relatives(run, tmp_path):
    """Without a date nothing is new; DeepSeek V3's own config is nearest to DeepSeek V3."""
    (tmp_path / "config.json").write_text(json.dumps(catalog.load(V3)))
    code, out, _ = run("lineage", str(tmp_path / "config.json"))
    assert code == 0 and "nothing in it is called new" in out and "Nearest models\n  DeepSeek V3" in out
    assert "Descendants" not in out


def test_flops_are_the_library_s(run):
    """A decoded token and a prompt: totals, kinds of work and bytes."""
    spec = catalog.spec("openai/gpt-oss-20b")
    data = json.loads(run("flops", "openai/gpt-oss-20b", "--offline", "--context", "8k,128k", "--json")[1])
    assert (data["of"], [one["context"] for one in data["contexts"]]) == ("token", [8_192, 131_072])
    for one in data["contexts"]:
        found = gallery.flops(spec, one["context"])
        assert (one["total_flops"], one["by_what"], one["weight_bytes"]) == (
            found.total_flops, found.by_what, found.weight_bytes,
        )  # fmt: skip
        assert sum(one["by_what"].values()) == one["total_flops"] == sum(layer["flops"] for layer in one["layers"])
    code, out, _ = run("flops", "openai/gpt-oss-20b", "--offline", "--prefill", "--context", "4k")
    assert code == 0 and "For the whole prompt" in out and "written to the cache" in out
