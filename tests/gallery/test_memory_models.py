"""Whole models: cache bytes at 8k, 128k and 1M, and the per-token figures that others print."""

import json
from pathlib import Path

import pytest

from cutaway.gallery import catalog, memory
from cutaway.gallery import spec as s
from cutaway.gallery.counting.kv_cache import CONVENTIONS, STORAGES
from cutaway.gallery.counting.memory import kv_bytes_per_token

ORACLE = Path(__file__).parents[1] / "oracle"
TABLE = json.loads((ORACLE / "cache_table.json").read_text())["rows"]
PER_TOKEN = json.loads((ORACLE / "kv_per_token.json").read_text())["files"]
# Gemma 4 26B-A4B has no config here; its layers are written out in the table itself.
WINDOW, GLOBAL = s.Attention(16, 8, 256, 256, sliding_window=1024), s.Attention(16, 2, 512, 512, k_eq_v=True)
LAYERS = tuple(s.Layer(i, GLOBAL if i % 6 == 5 else WINDOW, None, ()) for i in range(30))
GEMMA_26B = s.ModelSpec("gemma4", "", 8, 8, 30, LAYERS, None, True, "bfloat16", None)


def spec_of(slug):
    return catalog.spec(slug) if slug else GEMMA_26B


@pytest.mark.parametrize("row", TABLE, ids=[row["model"] for row in TABLE])
def test_a_model_keeps_what_the_table_says(row):
    """Bytes per token exactly; fixed bytes and the totals at three contexts to the digits printed."""
    model = spec_of(row["slug"])
    found = {n: memory(model, n, row["cache_dtype"]) for n in (8_192, 131_072, 1_048_576)}
    assert row["per_token_bytes"] == found[8_192].per_token_bytes
    assert row["fixed_mib"].replace(",", "") == f"{found[8_192].fixed_bytes / 2**20:.2f}"
    gib = [found[n].total_bytes / 2**30 for n in found]
    assert [row["gib_8k"], row["gib_128k"], row["gib_1m"]] == [f"{gib[0]:.3f}", f"{gib[1]:.3f}", f"{gib[2]:.2f}"]


def _slug(file):
    return Path(file).stem.replace("__", "/")


@pytest.mark.parametrize("way", ["growing", "all"])
def test_bytes_per_token_equal_the_oracle(verified, way):
    """KV bytes per token of every config, by growing layers and by all attention layers, indexer keys left out."""
    wrong, checked = [], 0
    for file, row in PER_TOKEN.items():
        expected, slug = row[0 if way == "growing" else 1], _slug(file)
        if expected is None:  # DeepSeek-V4's layout and Gemma 3n's sharing: the oracle states no figure
            continue
        checked += 1
        ours = kv_bytes_per_token(spec_of(slug), way)
        if ours != expected:
            wrong.append((slug, expected, ours))
    assert wrong == []
    assert checked == 199
    verified(f"KV bytes per token ({way} layers)", checked=checked, mismatches=len(wrong), against="hand formulas")


def test_full_windows_equal_the_oracle():
    """Bytes of all full windows equal the oracle's, for every config that has windows."""
    for file, row in PER_TOKEN.items():
        if row[3] is None or not catalog.find(_slug(file)).snapshot:
            continue
        kept = memory(spec_of(_slug(file)), 10**7)
        assert row[3] == sum(layer.fixed_bytes for layer in kept.layers), file


def test_more_sequences_keep_more_bytes():
    """Eight sequences keep eight times what one keeps; the slope is one sequence's."""
    one, eight = memory(GEMMA_26B, 5000), memory(GEMMA_26B, 5000, batch=8)
    assert (8 * one.total_bytes, one.per_token_bytes) == (eight.total_bytes, eight.per_token_bytes)


def test_a_window_keeps_no_more_than_it_sees():
    """Below the window memory grows; at the window it stops, one token earlier by transformers' convention."""
    model = s.ModelSpec("x", "", 8, 8, 1, (s.Layer(0, WINDOW, None, ()),), None, True, "bfloat16", None)
    each = 8 * 512 * 2
    assert [memory(model, n).total_bytes for n in (0, 100, 1024, 9999)] == [0, 100 * each, 1024 * each, 1024 * each]
    assert memory(model, 9999, convention="transformers").total_bytes == 1023 * each


def test_layers_add_up():
    """The total is the sum over layers, and over kinds."""
    kept = memory(spec_of("moonshotai/Kimi-K3"), 8192)
    assert kept.total_bytes == sum(layer.bytes for layer in kept.layers) == sum(kept.by_kind.values())
    assert {"kv", "state", "conv"} == set(kept.by_kind)


def test_looped_layers_keep_a_cache_for_each_pass():
    """Ouro runs its 24 layers four times and keeps 96 caches."""
    kept = memory(spec_of("ByteDance/Ouro-1.4B"), 1)
    assert kept.total_bytes == 24 * 4 * 2 * 16 * 128 * 2


WRONG = [
    ({"context": -1}, "context must be a whole number of at least 0, not -1"),
    ({"context": True}, "context must be a whole number"),
    ({"context": 1.5}, "context must be a whole number"),
    ({"context": 1, "batch": 0}, "batch must be a whole number of at least 1, not 0"),
    ({"context": 1, "cache_dtype": "fp8"}, "No cache dtype is called 'fp8'; known are float32"),
    ({"context": 1, "convention": "HF"}, "No convention is called 'HF'; known are window, transformers"),
]


@pytest.mark.parametrize(("choices", "words"), WRONG)
def test_a_wrong_choice_gets_a_sentence(choices, words):
    """What memory cannot work with is named, with what it knows instead."""
    with pytest.raises(ValueError, match=words):
        memory(GEMMA_26B, **choices)


def test_every_convention_and_storage_says_what_it_means():
    """Each has words and a source."""
    for row in (*CONVENTIONS.values(), *STORAGES.values()):
        assert len(row.words) > 40
        assert row.source
