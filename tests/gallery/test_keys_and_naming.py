"""The tables: keys, families, naming rules; and comparing two specs."""

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from cutaway.gallery import ConfigError, catalog, read, weights
from cutaway.gallery.counting.modelling import to_modelling
from cutaway.gallery.counting.naming import rename
from cutaway.gallery.reading import families
from cutaway.gallery.reading.ignored import IGNORED, IGNORED_WORDS
from cutaway.gallery.reading.keys import KEYS, LIMITS, SPELLINGS

FOLDER = Path(families.__file__).parent
FORWARD = Path(__file__).resolve().parents[1] / "oracle" / "forward"
reader = import_module("cutaway.gallery.reading.read")  # the package's `read` is the function


def test_a_spelling_belongs_to_one_key():
    """No word stands in two rows, and none is both read and ignored."""
    words = [word for key in KEYS for word in (key.name, *key.spellings)]
    assert sorted(set(words)) == sorted(words)
    assert set() == set(SPELLINGS) & set(IGNORED_WORDS)


def test_every_key_has_a_meaning_and_a_known_unit():
    """A row says what it means; numbers have limits."""
    others = {"base", "flag", "word", "list", "number", "any"}
    assert [key.name for key in KEYS if not key.meaning or key.unit not in LIMITS.keys() | others] == []
    assert all(reason for reason, _ in IGNORED)


UNIT_VALUES = {"flag": True, "word": "x", "number": 1.5, "base": 1e4, "list": [1], "any": 1}


def small_configs() -> dict[str, dict]:
    """One small config of each model_type, as tests/oracle/forward has them."""
    cases = (json.loads(path.read_text())["config"] for path in sorted(FORWARD.glob("*.json")))
    return {case.get("model_type", ""): case for case in cases}


def complained_of(name: str, config: dict) -> bool:
    """Whether a reading of a config that says this key leaves it unread."""
    value = UNIT_VALUES.get(next(key.unit for key in KEYS if key.name == name), 2)
    both = {"index_topk_freq": 2} if name == "index_topk_pattern" else {}
    try:
        return name in read({**config, **both, name: value}).unread
    except ConfigError:
        return False


@pytest.mark.whole
def test_a_moot_key_is_never_unread_and_would_be_if_its_row_did_not_say_so(monkeypatch):
    """Each such row is needed by some reading; no other list settles keys for all families."""
    configs = small_configs().values()
    moot = [key.name for key in KEYS if key.moot]
    assert [name for name in moot if any(complained_of(name, config) for config in list(configs)[::20])] == []
    monkeypatch.setattr(reader, "MOOT", ())
    assert [name for name in moot if not any(complained_of(name, config) for config in configs)] == []


def test_every_family_file_holds_a_sourced_family():
    """One file, one FAMILY, with a source; its defaults use names of KEYS."""
    stems = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
    known = {key.name for key in KEYS} | {"mtp_stores_embeddings", "rope_parameters"}
    assert len(stems) >= 160
    for stem in stems:
        family = families.load(stem)
        assert family.source, stem
        assert set(family.defaults) - known == set(), stem


def test_every_alias_leads_to_a_file():
    """ALIASES names files that exist."""
    known = set(families.files().values())
    assert [alias for alias, stem in families.ALIASES.items() if stem not in known] == []


FLAT = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "vocab_size": 500}  # fmt: skip


def read_as(alias: str) -> list[str]:
    """A small config under a model_type, and under a class: the family it was read as, or the sentence that refuses."""
    found = []
    for named in ({"model_type": alias}, {"architectures": [f"{alias}ForCausalLM"]}):
        try:
            found.append(read({**FLAT, **named}).family)
        except ConfigError as problem:
            found.append(str(problem))
    return found


def test_every_alias_changes_what_a_config_is_read_as(monkeypatch):
    """A name that leads to its file without a row has none."""
    before = {alias: read_as(alias) for alias in families.ALIASES}
    monkeypatch.setattr(families, "ALIASES", {})
    assert [alias for alias, found in before.items() if read_as(alias) == found] == []


TYPES_LIKE_CLASSES = {"emu3textmodel", "mllamatextmodel", "refinedwebmodel"}  # model_types: Emu3, Llama 3.2, Falcon 7B


def test_no_alias_is_a_class_with_the_ending_that_classes_lose():
    """LlamaForCausalLM is looked up as llama, so a row for llamaforcausallm would never be asked."""
    ending = re.compile(families._SUFFIX.pattern, re.IGNORECASE)
    assert {alias for alias in families.ALIASES if ending.search(alias)} == TYPES_LIKE_CLASSES


@pytest.mark.parametrize(
    ("architecture", "model_type", "stem"),
    [
        ("Qwen3MoeForCausalLM", "renamed", "qwen3_moe"),
        (None, "qwen2_5_vl", "qwen2"),
        ("Grok1ForCausalLM", "git", "grok"),
        ("DeepseekV3ForCausalLM", "kimi_k2", "deepseek_v3"),
        ("GPTNeoXForCausalLM", None, "gpt_neox"),
        ("Nobody", "nothing", ""),
        (7, ["x"], ""),
    ],
)
def test_families_are_found_by_architecture_then_by_model_type(architecture, model_type, stem):
    """Names meet without case and separators."""
    assert stem == families.find([(architecture, model_type)])[0]


# ---------------------------------------------------------------- naming


def test_rules_rename_fuse_transpose_and_flatten():
    """The four things a rule can do, on one layer."""
    tensors = [
        ("self_attn.q_proj.weight", (8, 4), "attention"), ("self_attn.q_proj.bias", (8,), "attention"),
        ("self_attn.k_proj.weight", (2, 4), "attention"), ("self_attn.k_proj.bias", (2,), "attention"),
        ("mlp.up_proj.weight", (6, 4), "dense"), ("mlp.experts.{expert}.w.weight", (3, 5, 4), "experts"),
    ]  # fmt: skip
    rules = (
        ("self_attn.q_proj + self_attn.k_proj", "attn.qk"),
        ("mlp.up_proj", "T mlp.fc"),
        ("mlp.experts.{expert}.w.weight", "TF mlp.w"),
    )
    assert rename(tensors, rules) == [
        ("attn.qk.weight", (10, 4), "attention"), ("attn.qk.bias", (10,), "attention"),
        ("mlp.fc.weight", (4, 6), "dense"),
        ("mlp.w", (12, 5), "experts"),
    ]  # fmt: skip


def test_a_rule_matches_only_whole_words():
    """mlp.gate is not mlp.gate_proj."""
    tensors = [("mlp.gate.weight", (1,), "router"), ("mlp.gate_proj.weight", (2,), "dense")]
    assert [name for name, _, _ in rename(tensors, (("mlp.gate", "router"),))] == [
        "router.weight",
        "mlp.gate_proj.weight",
    ]


def test_experts_stand_stacked_under_the_checkpoints_name():
    """One tensor per projection, the expert count leading, the per-expert name as a template."""
    found = {weight.name: weight.shape for weight in weights(catalog.spec("deepseek-ai/DeepSeek-V3"))}
    assert found["model.layers.3.mlp.experts.{expert}.gate_proj.weight"] == (256, 2048, 7168)
    mixtral = {weight.name: weight.shape for weight in weights(catalog.spec("mistralai/Mixtral-8x7B-v0.1"))}
    assert mixtral["model.layers.0.block_sparse_moe.experts.{expert}.w2.weight"] == (8, 4096, 14336)


def test_checkpoint_names_are_the_checkpoints():
    """Names that people know from model.safetensors.index.json."""
    expected = {
        "openai-community/gpt2-xl": "transformer.h.0.attn.c_attn.weight",
        "openai/gpt-oss-20b": "model.layers.0.mlp.experts.gate_up_proj",
        "tiiuae/falcon-7b": "transformer.h.0.self_attention.query_key_value.weight",
        "Qwen/Qwen3-VL-32B-Instruct": "model.language_model.layers.0.self_attn.q_norm.weight",
        "meta-llama/Llama-4-Scout-17B-16E": "language_model.model.layers.0.feed_forward.experts.gate_up_proj",
        "deepseek-ai/DeepSeek-V4-Flash": "layers.2.attn.indexer.wq_b.weight",
        "nvidia/Nemotron-H-56B-Base-8K": "backbone.layers.0.mixer.A_log",
    }
    missing = [s for s, name in expected.items() if name not in {w.name for w in weights(catalog.spec(s))}]
    assert missing == []


def test_the_modelling_table_fuses_what_transformers_fuses():
    """Per-expert gate and up of a checkpoint are one gate_up_proj in the modelling code."""
    layer = to_modelling(catalog.spec("Qwen/Qwen3-30B-A3B"))[0]
    assert layer["mlp.experts.gate_up_proj"] == (128, 1536, 2048)
