"""Families that the catalogue does not have: configuration classes at their defaults, and with one thing changed."""

import json
from pathlib import Path

import pytest

from cutaway.gallery import ConfigError, catalog, memory, parameters, read, weights
from cutaway.gallery.spec import KimiDelta, LatentAttention, LightningAttention

FILE = json.loads((Path(__file__).parents[1] / "oracle" / "classes.json").read_text())["classes"]
AGAINST = "transformers 5.23.0 on meta tensors, configuration classes"


def test_a_hundred_classes_have_the_measured_total(verified):
    """Every decoder class that we know by name, at the defaults of its configuration class."""
    wrong = [name for name, row in FILE.items() if parameters(read(row["config"])).total != row["total"]]
    verified("parameter totals of configuration classes", checked=len(FILE), mismatches=len(wrong), against=AGAINST)
    assert wrong == []


def test_the_classes_are_known_by_name():
    """None of them is read from its keys alone."""
    assert [name for name, row in FILE.items() if read(row["config"]).read_from_keys] == []


@pytest.mark.whole
def test_one_changed_key_changes_the_total_as_measured(verified):
    """Biases, tied heads, QK-norms, head sizes, expert counts, ...: each toggled alone."""
    rows = [(name, diff, total) for name, row in FILE.items() for diff, total in row.get("variants", [])]
    wrong = [
        (name, diff) for name, diff, total in rows if parameters(read({**FILE[name]["config"], **diff})).total != total
    ]
    verified(
        "parameter totals after changing one config key", checked=len(rows), mismatches=len(wrong), against=AGAINST
    )
    assert wrong == []


LING_3 = {
    "model_type": "bailing_hybrid", "architectures": ["BailingMoeV3ForCausalLM"], "vocab_size": 157184,
    "hidden_size": 2560, "intermediate_size": 6144, "moe_intermediate_size": 768, "num_hidden_layers": 42,
    "num_attention_heads": 32, "num_key_value_heads": 32, "head_dim": 128, "num_experts": 512,
    "num_experts_per_tok": 8, "num_shared_experts": 1, "first_k_dense_replace": 2, "kv_lora_rank": 512,
    "q_lora_rank": None, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "layer_group_size": 6,
    "short_conv_kernel_size": 4, "no_kda_lora": True, "kda_safe_gate": True, "kda_lower_bound": -5.0,
    "gated_attention_proj_granularity_type": "head_wise", "num_nextn_predict_layers": 1,
}  # fmt: skip


def test_ling_3_is_read_as_published():
    """35 KDA and 7 gated MLA layers, 124 B, 5.1 B active without the embedding, 7.9 KiB per token."""
    spec = read(LING_3)
    counted = parameters(spec)
    assert (round(counted.total / 1e9), round(counted.active / 1e9, 1)) == (124, 5.1)
    assert [sum(isinstance(one.mixer, kind) for one in spec.layers) for kind in (KimiDelta, LatentAttention)] == [35, 7]
    assert round(memory(spec, 8192).per_token_bytes / 1024, 1) == 7.9
    assert (spec.unread, spec.contradictions) == ((), ())


def test_the_class_tells_ling_3_from_ling_2_5():
    """The native class at Ling 2.5's sizes has the measured total; Ling 2.5's own class keeps lightning attention."""
    sizes = catalog.load("inclusionAI/Ling-2.5-1T")
    native = {**sizes, "architectures": ["BailingHybridForCausalLM"], "q_lora_rank": None}
    assert parameters(read(native)).total == 1_017_669_625_984  # transformers 5.23.0 on meta tensors
    assert isinstance(read(sizes).layers[0].mixer, LightningAttention)


def test_ling_3_may_have_low_rank_gates_and_no_gate_on_attention():
    """no_kda_lora: false and a null granularity take matrices away, and leave no key unread."""
    names = {name for name, *_ in weights(read({**LING_3, "no_kda_lora": False}))}
    assert {f"model.layers.0.attention.{word}_proj.weight" for word in ("f_a", "f_b", "g_a", "g_b")} <= names
    ungated = {name for name, *_ in weights(read({**LING_3, "gated_attention_proj_granularity_type": None}))}
    assert "model.layers.5.attention.g_proj.weight" not in ungated


LLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 100, "hidden_size": 64,
    "num_hidden_layers": 2, "num_attention_heads": 8, "intermediate_size": 128,
}  # fmt: skip


def test_an_unknown_class_beside_a_known_model_type_is_said():
    """A derived class under its parent's model_type is drawn as the parent, with a visible sentence."""
    spec = read({**LLAMA, "architectures": ["LlamaOfTomorrowForCausalLM"]})
    assert spec.contradictions == ("LlamaOfTomorrowForCausalLM is no class known here; it was read as llama.",)


def test_an_unknown_model_type_is_named_when_its_keys_do_not_suffice():
    """A file of keys that states no heads: the refusal says that its model_type is not known here."""
    with pytest.raises(ConfigError, match=r"no num_attention_heads.* model_type 'headless' is not known here"):
        read({"model_type": "headless", "vocab_size": 50277, "hidden_size": 4096, "num_hidden_layers": 32})


def test_a_switch_turns_experts_off():
    """Doge lists its experts even where is_moe is false."""
    config = {**LLAMA, "model_type": "doge", "architectures": ["DogeForCausalLM"], "num_experts": 16384}
    assert "experts" not in parameters(read({**config, "is_moe": False})).by_part
    assert "experts" in parameters(read({**config, "is_moe": True})).by_part
