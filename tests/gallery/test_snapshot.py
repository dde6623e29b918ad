"""Snapshots: small, deterministic, and read to the same spec as the files they were taken from."""

import dataclasses
import json
from pathlib import Path

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery.catalog import snapshot
from cutaway.gallery.catalog.config_patches import patch_config
from cutaway.gallery.hub import with_sidecar
from cutaway.gallery.reading.quantization import list_stored

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "configs"
FILES = sorted(CORPUS.glob("*__*.json")) + sorted((CORPUS / "derived").glob("*.json"))
STORED = sorted(snapshot.CONFIGS.glob("*.json"))


def copy_of(slug):
    """Another model's corpus file."""
    return json.loads(next(path for path in FILES if path.stem == slug.replace("/", "__")).read_text())


def whole(path):
    """A corpus file as the snapshot saw it: mended, and with its sidecar, where it has one."""
    config = patch_config(path.stem.replace("__", "/"), json.loads(path.read_text()), copy_of)
    beside = CORPUS / "sidecars" / (path.stem + ".hf_quant_config.json")
    return with_sidecar(config, json.loads(beside.read_text())) if beside.exists() else config


def comparable(spec):
    """The spec and what its quantization does to each weight: a snapshot writes long lists of modules as patterns."""
    unread, quant = tuple(sorted(set(spec.unread))), spec.quantization
    plain = dataclasses.replace(quant, ignore=(), overrides=()) if quant else None
    return dataclasses.replace(spec, unread=unread, quantization=plain), list_stored(spec)


@pytest.mark.skipif(not FILES, reason="the corpus of whole configs is not on this machine")
@pytest.mark.whole
def test_every_snapshot_reads_like_its_whole_file(verified):
    """For each config of the corpus, file and snapshot give equal specs, unread keys included."""
    wrong = []
    for path in FILES:
        slug = path.stem.replace("__", "/")
        if comparable(read(whole(path))) != comparable(catalog.spec(slug)):
            wrong.append(slug)
    assert wrong == []  # if the reader has learnt new keys: python build/snapshots.py ../shared/configs
    verified(
        "shortened configs against complete configs", checked=len(FILES), mismatches=len(wrong), against="gallery.read"
    )
    assert len(FILES) >= 206


def test_snapshots_hold_facts_and_nothing_else():
    """No token ids, no file dump: known head, sorted facts, a kind with words, and a readable spec."""
    assert len(STORED) >= 206
    for path in STORED:
        text = path.read_text("utf-8")
        stored = json.loads(text)
        head = {"repo", "revision", "read", "kind", "how", "found_in", "lacks", "shortened"}
        assert set(stored) <= head | {"facts", "unread"}, path.stem
        assert stored["kind"] in snapshot.KINDS, path.stem
        assert text == snapshot.dumps({**stored, "facts": snapshot._sort_keys(stored["facts"])}), path.stem
        tokens = [key for key in stored["facts"] if key.endswith(("token_id", "token_ids", "_token_index"))]
        assert tokens == [], path.stem
        assert len(text) < 50_000, path.stem  # one lists 978 modules, which stay
        assert catalog.spec(path.stem.replace("__", "/")).num_hidden_layers >= 1, path.stem


def test_all_snapshots_together_are_small():
    """Nearly three hundred models, with whatever their files say of quantization, take less than 700 KB."""
    assert sum(path.stat().st_size for path in STORED) < 700_000
    assert len(STORED) >= 206


CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 1000,
    "bos_token_id": 1,
    "initializer_range": 0.02,
    "tomorrows_key": {"deep": [1, 2, 3]},
    "quantization_config": {"quant_method": "fp8", "ignored": [f"layer.{i}" for i in range(10_000)]},
}


def test_facts_are_the_keys_that_were_read():
    """Token ids, initialisation and unknown keys go; sizes stay; the unknown key's name is kept apart."""
    made = snapshot.snapshot(CONFIG, "file", "2026-01-01")
    assert {"hidden_size", "intermediate_size", "model_type", "vocab_size"} <= set(made["facts"])
    assert not {"bos_token_id", "initializer_range", "tomorrows_key"} & set(made["facts"])
    assert made["unread"] == ["tomorrows_key"]


def test_a_quantization_config_is_kept_whole():
    """Its keys that change nothing, too; a list that is too long to keep becomes patterns, and says how long it was."""
    names = [f"model.layers.{index}.self_attn.q_proj" for index in range(60)]
    said = {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "modules_to_not_convert": names}
    config = {**CONFIG, "num_hidden_layers": 60, "quantization_config": said}
    made = snapshot.snapshot(config, "file", "2026-01-01")
    assert made["facts"]["quantization_config"] == said and "shortened" not in made
    long = {**said, "modules_to_not_convert": names * 40}
    made = snapshot.snapshot({**config, "quantization_config": long}, "file", "2026-01-01")
    assert made["shortened"] == {"modules_to_not_convert": [2400, 1]}
    assert len(made["facts"]["quantization_config"]) == 4


def test_the_same_config_gives_the_same_text():
    """Key order in the file does not matter."""
    turned = dict(reversed(CONFIG.items()))
    first, second = (snapshot.dumps(snapshot.snapshot(c, "file", "2026-01-01")) for c in (CONFIG, turned))
    assert first == second


def test_an_unread_key_is_reported_again():
    """Reading a snapshot names the keys that reading the file did not read."""
    made = snapshot.snapshot(CONFIG, "file", "2026-01-01")
    assert "tomorrows_key" in read(snapshot.from_snapshot(made)).unread


def test_an_unknown_kind_is_refused():
    """A snapshot says hub, file or reconstructed."""
    with pytest.raises(ValueError, match="No kind of source is called 'guess'"):
        snapshot.snapshot(CONFIG, "guess", "2026-01-01")
