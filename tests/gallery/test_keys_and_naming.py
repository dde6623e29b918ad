"""The tables: keys, families, naming rules; and comparing two specs."""

from pathlib import Path

import pytest

from gallery import catalog, weights
from gallery.counting.modelling import to_modelling
from gallery.counting.naming import rename
from gallery.reading import families
from gallery.reading.ignored import IGNORED, IGNORED_WORDS
from gallery.reading.keys import KEYS, LIMITS, SPELLINGS

FOLDER = Path(families.__file__).parent


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
