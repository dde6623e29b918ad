"""What the command line tells beside the numbers: what a copy lacks, which layers are meant, parts that add up."""

import json
import re

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.command.report import which

OURO = ("ByteDance/Ouro-2.6B", "--offline")
NEXT = ("Qwen/Qwen3-Next-80B-A3B-Instruct", "--offline")
GEMMA = ("google/gemma-3-27b-it", "--offline")
LACKS = "Our copy of the config lacks rope_theta; the default of the class is used instead"


def test_facts_say_what_an_incomplete_copy_lacks(run, tmp_path):
    """The sentence of the model's page, in words and in JSON, for the drawing and the plan too; not for a file."""
    assert LACKS in run("facts", *OURO)[1] and LACKS in run("facts", *OURO, "--edit", "layers=8")[1]
    assert any(note.startswith(LACKS) for note in json.loads(run("facts", *OURO, "--json")[1])["notes"])
    assert LACKS in run("draw", *OURO, "-o", str(tmp_path / "ouro.svg"))[2]
    assert LACKS in run("plan", *OURO, "--on", "h100_sxm:1x8")[1]
    path = tmp_path / "config.json"
    path.write_text(json.dumps(catalog.load(OURO[0])))
    assert "Our copy" not in run("facts", str(path))[1]


def test_a_dtype_that_no_file_names_is_assumed(run, tmp_path):
    """As the page says; a file that names one is believed."""
    config = {**catalog.load("Qwen/Qwen3-8B"), "dtype": None, "torch_dtype": None}
    silent, loud = tmp_path / "silent.json", tmp_path / "loud.json"
    silent.write_text(json.dumps(config))
    loud.write_text(json.dumps({**config, "torch_dtype": "float16"}))
    words = r"dtype +bfloat16, assumed: the config at hand names no dtype\n"
    assert re.search(words, run("facts", str(silent))[1])
    assert re.search(r"dtype +float16\n", run("facts", str(loud))[1])
    assumed = [json.loads(run("facts", str(path), "--json")[1])["dtype_assumed"] for path in (silent, loud)]
    assert assumed == [True, False]


def test_layers_without_a_rule_are_named(run):
    """Three of every four layers are the others; a heading of weights says which layers it is of."""
    out = run("facts", *NEXT)[1]
    assert "36 x delta + MoE  (the others, 0–46)" in out and "12 x GQA + MoE  (every 4th, from 3)" in out
    assert re.search(r"^the others, 0–46: 1\.\d+ B each", run("weights", *NEXT)[1], re.MULTILINE)


SCATTERED, MORE, FEW = [0, 1, 3, 6, 8, 11, 13], [2, 4, 7, 9, 10, 12], [5]
GROUPS = [
    ([[0, 1, 2], [3]], 4, ["layers 0–2", "layer 3"]),
    ([[0, 1, 2, 4, 5, 6, 8, 9, 11], [3, 7, 10]], 12, ["the others, 0–11", "layers 3, 7, 10"]),
    ([MORE, SCATTERED, FEW], 14, ["layers 2, 4, 7, 9–10, 12", "the others, 0–13", "layer 5"]),
    ([SCATTERED], 14, ["layers 0–1, 3, 6, 8, 11, 13"]),
]


@pytest.mark.parametrize(("groups", "of", "words"), GROUPS)
def test_one_group_without_a_rule_is_the_others(groups, of, words):
    """The largest; of any more every run of layers stands there, so that nothing is left open."""
    assert which(groups, of) == words


@pytest.mark.whole
def test_no_model_has_a_place_without_words(run):
    """Neither the fact sheet nor the table of weights leaves open which layers it means, of every fifth model."""
    slugs = [row.slug for row in catalog.MODELS if row.snapshot][::5]
    facts = [slug for slug in slugs if "  ()\n" in run("facts", slug, "--offline")[1]]
    heads = [slug for slug in slugs if re.search(r"^: ", run("weights", slug, "--offline")[1], re.MULTILINE)]
    assert facts == heads == []


def test_memory_of_a_batch_adds_up(run):
    """Kinds, and layers at the last context, add up to the total of all sequences; per token stays one sequence's."""
    one, eight = (json.loads(run("memory", *GEMMA, "--batch", batch, "--json")[1]) for batch in ("1", "8"))
    for found in (one, eight):
        assert all(sum(row["by_kind"].values()) == row["total_bytes"] for row in found["contexts"])
        assert sum(row["bytes"] for row in found["layers"]) == found["contexts"][-1]["total_bytes"]
        assert all(sum(row["by_kind"].values()) == row["bytes"] for row in found["layers"])
    assert eight["contexts"][0]["total_bytes"] == 8 * one["contexts"][0]["total_bytes"] > 0
    assert eight["per_token_bytes"] == one["per_token_bytes"]
    rows = [re.split(r"  +", line.strip()) for line in run("memory", *GEMMA, "--batch", "8")[1].splitlines()]
    at = next(row for row in rows if row[0] == "8,192")
    assert at[1] == at[2], "keys and values are all that it keeps"


def test_memory_knows_the_short_names_of_a_cache(run):
    """fp8 is float8_e4m3fn, as for a plan."""
    short, full = (run("memory", *GEMMA, "--cache-dtype", name, "--json")[1] for name in ("fp8", "float8_e4m3fn"))
    assert json.loads(short) == json.loads(full)
