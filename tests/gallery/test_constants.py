"""Constants are proved by family and by key: golden logits at values no class assumes (tests/oracle/constants.json)."""

from dataclasses import replace

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery.reading.constants import CONSTANTS, is_unusual
from cutaway.gallery.running.proofs import load_proofs, proof, unproved_constants
from tests.oracle.constants import difference, differences, rows
from tests.oracle.forward import LIMIT

SIZES = {"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "vocab_size": 96, "intermediate_size": 96}


@pytest.mark.whole
def test_every_family_s_constants_agree_at_unusual_values(verified):
    """Multipliers, scales, epsilons, bases, caps and limits of every causal class, all of them changed at once."""
    wrong = {case: off for case, off in differences().items() if off > LIMIT}
    verified("logits of tiny models with unusual constants", len(rows()), len(wrong), "transformers 5.23.0 in float64")
    assert wrong == {} and len(rows()) > 150


def test_each_row_has_values_that_a_class_does_not_assume():
    """A key that our reading left out, and a class's default that is everybody's, would not be noticed otherwise."""
    for row in rows():
        spec = read(row["whole"]["config"])
        own = {name: value for name, value in spec.constants if name in CONSTANTS}
        assert [name for name, value in own.items() if not is_unusual(name, value, {})] == [], row["case"]


@pytest.mark.parametrize(
    ("case", "key"),
    [("granite", "logits_scaling"), ("granite", "attention_multiplier"), ("hyperclovax", "logits_scaling"),
     ("gemma2", "final_logit_softcapping"), ("gemma2", "query_pre_attn_scalar"), ("llama", "rms_norm_eps"),
     ("jetmoe", "rms_norm_eps"), ("falcon_h1", "ssm_multipliers"), ("gpt_oss", "swiglu_limit")],
)  # fmt: skip
def test_one_constant_read_wrongly_is_noticed(case, key):
    """Half of it more is far outside the limit."""
    row = next(one for one in rows() if one["case"] == case)
    value = row["set"][key]
    more = [1.5 * one for one in value] if isinstance(value, list) else 1.5 * value
    changed = {**row["whole"], "config": {**row["whole"]["config"], key: more}}
    assert difference({**row, "whole": changed}) > 10 * LIMIT > difference(row)


def test_a_constant_that_no_case_of_the_family_has_is_named():
    """Signatures alone would prove it: other families have it."""
    config = {**SIZES, "model_type": "llama", "embedding_multiplier": 3.0}
    spec = read(config)
    assert unproved_constants(spec) == ["embedding_multiplier"]
    assert proof(spec).words == (
        "wiring proved except for the value of embedding_multiplier, which no test case of this family sets"
    )
    assert not proof(spec).proved and proof(replace(spec, constants=())).proved


def test_neutral_values_need_no_proof():
    """A factor of one, and no cap at all, are what every class does anyway."""
    said = {"embedding_multiplier": 1.0, "final_logit_softcapping": None, "residual_multiplier": 1}
    assert read({**SIZES, "model_type": "llama", **said}).constants == ()


def test_constants_of_stretched_rotations_go_by_kind():
    """A YaRN factor is no linear one."""
    rope = {"rope_type": "yarn", "factor": 4.0, "beta_fast": 16, "original_max_position_embeddings": 32}
    spec = read({**SIZES, "model_type": "llama", "rope_scaling": rope})
    assert dict(spec.constants) == {"yarn.factor": 4.0, "yarn.beta_fast": 16}


def test_catalogued_models_without_a_proof_of_a_constant():
    """All others of families that were run set nothing that was not run with another value than usual."""
    specs = {row.slug: catalog.spec(row.slug) for row in catalog.drawable_rows()}
    run = {slug: spec for slug, spec in specs.items() if spec.family in load_proofs()["families"]}
    assert {slug: unproved_constants(spec) for slug, spec in run.items() if unproved_constants(spec)} == {
        "moonshotai/Kimi-K3": ["kda_lower_bound"],
        "fireworks/Ember-1": ["kda_lower_bound"],
        "meta-models/Muse-Glimmer-30B": ["final_logit_softcapping", "logit_scale", "norm_eps"],
        "meta-models/Muse-Spark-Open-816B-A42B": ["final_logit_softcapping", "logit_scale", "norm_eps"],
        "mistralai/Mistral-Large-4-1T-A52B": ["final_logit_softcapping", "norm_eps"],
        "stepfun-ai/Step-3.5-Flash": ["llama3.factor", "llama3.high_freq_factor"],
        "adept/persimmon-8b-base": ["rope_theta"],
        "rednote-hilab/dots.llm1.base": ["rope_theta"],
        "ByteDance-Seed/Seed-OSS-36B-Base": ["rope_theta"],
    }


def test_reading_constants_leaves_unread_keys_unread():
    """Looking at a key here is not reading it."""
    assert read({**SIZES, "model_type": "llama", "gate_soft_cap": 15.0}).unread == ("gate_soft_cap",)


def test_every_proved_constant_is_one_of_ours():
    """proofs.json names constants as keys.py does, or a kind of stretching and its number."""
    named = {name for names in load_proofs()["constants"].values() for name in names}
    assert {name for name in named if "." not in name} <= CONSTANTS
