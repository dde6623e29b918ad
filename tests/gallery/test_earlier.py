"""No page claims a first that our own rows know to be earlier; rows on models outside hold against their configs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cutaway.gallery import read
from cutaway.gallery.comparing import catalogue_lineage, novelty
from cutaway.gallery.comparing.earlier import OUTSIDE, had
from cutaway.gallery.comparing.mechanisms import BY_KEY, mechanisms

GOLDEN = Path(__file__).parents[1] / "oracle" / "forward"


def test_rows_are_whole_and_by_date():
    """A month or a year, known mechanisms, a source that can be looked up."""
    assert [row.when for row in OUTSIDE] == sorted(row.when for row in OUTSIDE)
    for row in OUTSIDE:
        assert re.fullmatch(r"20\d\d(-[01]\d)?", row.when) and re.search(r"\b20\d\d$", row.words), row.title
        assert row.keys and set(row.keys) <= set(BY_KEY), row.title
        assert re.search(r"arXiv \d{4}\.\d{5}|transformers|github\.com|huggingface\.co|modeling_|\.com/", row.source)


@pytest.mark.parametrize("row", [row for row in OUTSIDE if row.golden], ids=lambda row: row.golden)
def test_a_row_has_what_its_class_computes(row):
    """Of families that can be read: a config of the class that made golden logits has every mechanism of the row."""
    config = json.loads((GOLDEN / f"{row.golden}.json").read_text())["config"]
    assert set(row.keys) <= set(mechanisms(read(config)))


def test_each_row_says_something_of_the_gallery():
    """A row that is earlier than no first of the catalogue, or that an earlier row covers, is never shown."""
    known = catalogue_lineage()
    first = {key: rows[0].head.date for key in BY_KEY if (rows := known.having(key))}
    for at, row in enumerate(OUTSIDE):
        assert any(key in first and row.when < first[key][:7] for key in row.keys) or len(row.keys) > 1, row.title
        assert not any(set(row.keys) <= set(other.keys) for other in OUTSIDE[:at]), row.title


def said_of_every_model():
    """(lineage, entry, novelty) of each dated model."""
    known = catalogue_lineage()
    return [(known, entry, novelty.find_novelty(known, slug)) for slug, entry in known.entries.items()]


@pytest.mark.whole
def test_no_page_contradicts_what_our_rows_know_to_be_earlier():
    """52 statements on 39 pages said "X was the first" of what a row had earlier; now each names who had it before."""
    wrong = []
    for known, entry, found in said_of_every_model():
        for item in found.items:
            firsts = known.earlier_with(item.key, entry.slug)
            outside = had(item.key, firsts[0].head.date if firsts else entry.date)
            claims = "First model here" in item.says or item.pill.startswith("first here")
            named = outside is None or outside.title in item.says + item.pill
            if "was the first" in item.says or (claims and not named):
                wrong.append((entry.slug, item.key))
    assert wrong == []


HISTORY = {  # mechanism -> (first here, its day, who had it before by the record)
    "swiglu": ("LLaMA 7B", "2023-02-24", "PaLM"),
    "window": ("GPT-Neo", "2021-03-21", "Longformer"),
    "softcap": ("Gemma 2 9B", "2024-06-27", "Grok-1"),
    "no-pre-norm": ("Chameleon 34B", "2024-06-18", "Swin Transformer V2"),
    "expert-heads": ("JetMoE 8B", "2024-04-11", "Mixture of Attention Heads"),
    "mtp": ("DeepSeek V3", "2024-12-26", "the 7B of Gloeckle et al."),
    "zero-experts": ("LongCat Flash", "2025-09-01", "MoE++"),
    "hash-router": ("DeepSeek V4", "2026-04-24", "Hash Layers"),
    "loops": ("Ouro", "2025-10-29", "Universal Transformer"),
    "two-bases": ("Gemma 3", "2025-03-11", "ModernBERT"),
    "deepstack": ("Qwen3-VL 235B", "2025-09-23", "DeepStack's LLaVA"),
    "shared-kv": ("Gemma 3n", "2025-06-26", "YOCO"),
}


@pytest.mark.parametrize("key", HISTORY)
def test_known_history(key):
    """Who had it first here, and who before that."""
    title, day, outside = HISTORY[key]
    first = catalogue_lineage().having(key)[0].head
    assert first.title.startswith(title) and first.date == day and had(key, day).title == outside


def test_the_norm_in_the_stream_is_no_missing_pre_norm():
    """GPT normalises the stream itself, so what its halves read is normalised: OLMo 2's design is another."""
    gpt = mechanisms(read(json.loads((GOLDEN / "openai-gpt.json").read_text())["config"]))
    assert "stream-norm" in gpt and "no-pre-norm" not in gpt


def test_two_runs_of_one_earlier_model_name_it_once():
    """ZAYA1 base had all three that are first here with ZAYA1 8B."""
    known = catalogue_lineage()
    tagline = novelty.find_novelty(known, "Zyphra/ZAYA1-8B").tagline
    assert "at every sum (ZAYA1 base had them earlier)." in tagline and tagline.count("earlier") == 1
