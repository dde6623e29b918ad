"""A key that a config leaves out reads as the default of its class (tests/oracle/unsaid.json, from transformers)."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cutaway.gallery import ConfigError, read

ORACLE = Path(__file__).parents[1] / "oracle"
UNSAID = json.loads((ORACLE / "unsaid.json").read_text())
MORE = {
    "num_experts_per_tok": "the class has none, and cannot run without",
    "top_k_experts": "the class has none, and cannot run without",
    "mlp_only_layers": "the class makes its list from other keys",
    "cross_attention_layers": "the class makes its list from other keys",
    "embedding_scale": "worked out from the width",
    "attention_multiplier": "worked out from the width of a head",
    "indexer_head_dim": "worked out from the width of a head",
}
SIZES = {  # which the tiny config states by another of their names
    "n_group", "num_local_experts", "num_experts", "n_routed_experts", "linear_head_dim", "linear_num_heads",
    "index_block_size", "index_head_dim", "index_n_heads", "index_topk_blocks", "num_key_value_heads",
}  # fmt: skip
SPELT_TWICE = {("mimo_v2_flash", "sliding_window"), ("mimo_v2_flash", "v_head_dim"), ("step3p5", "share_expert_dim")}
OTHER_NAME = {  # cases that say the same by another of its names, so that the key left out is not left out
    "bailing_hybrid__softplus": {"norm_topk_prob"}, "deepseek_v3__kimi_k2": {"num_mtp_layers"},
    "deepseek_v3__moonlight": {"num_mtp_layers"}, "dots3_note_text__legacy": {"shared_experts_intermediate_size"},
    "internlm3__biases": {"attention_bias", "mlp_bias"}, "kimi_linear__groups": {"n_shared_experts", "norm_topk_prob"},
    "lfm2__idxs": {"tie_word_embeddings"}, "lfm2_moe__no_bias": {"tie_word_embeddings"},
    "minimax__m1": {"full_attn_alpha_factor", "linear_attn_alpha_factor", "mlp_alpha_factor"},
    "step3p5__limits": {"n_routed_experts", "num_key_value_heads"},
}  # fmt: skip


def cases():
    for path in sorted((ORACLE / "forward").glob("*.json")):
        case = json.loads(path.read_text())
        if case["model_type"] in UNSAID:
            yield path.stem, case["model_type"], case["config"]


EVERY = list(cases())
CASES = {kind: config for _, kind, config in reversed(EVERY)}  # the first of each type


def spec_of(config):
    """What is read; a refusal is one like any other. Which keys were asked for is not compared."""
    try:
        return replace(read(config), unread=())
    except ConfigError as refusal:
        return type(refusal)


def test_every_type_has_a_case():
    assert len(CASES) == len(UNSAID) > 150


@pytest.mark.whole
def test_a_key_left_out_reads_as_its_class_assumes(verified):
    """The same model with the key gone, and with the class's own value in its place, for every golden case."""
    compared, wrong = 0, []
    for name, kind, config in EVERY:
        whole = spec_of(config)
        for key, default in UNSAID[kind].items():
            if key in MORE or (kind, key) in SPELT_TWICE or key in OTHER_NAME.get(name, ()):
                continue
            if key in SIZES and key not in config:
                continue
            said = whole if config.get(key) == default else spec_of({**config, key: default})
            left = spec_of({word: value for word, value in config.items() if word != key}) if key in config else whole
            compared += 1
            if said != left:
                wrong.append(f"{name} without {key}: not as with {default!r}")
    verified(
        "default values for keys missing from a config",
        checked=compared,
        mismatches=len(wrong),
        against="transformers 5.23.0",
    )
    assert wrong == []
    assert compared > 5000


@pytest.mark.parametrize(("key", "why"), MORE.items(), ids=list(MORE))
def test_what_is_set_aside_is_somewhere_in_the_table(key, why):
    """A reason that no row needs any more goes."""
    assert any(key in row for row in UNSAID.values())
