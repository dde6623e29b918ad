"""Rows of tests/oracle/proving/known.json hide what they are for, and no other mismatch that `make prove` may find."""

from __future__ import annotations

import json

import pytest

from tests.oracle.forward import CASES
from tests.oracle.prove import Result, known, known_reason


def test_every_row_is_of_model_types_that_are_proved():
    """A renamed family would leave a row that hides nothing."""
    types = {json.loads(path.read_text(encoding="utf-8"))["model_type"] for path in CASES.glob("*.json")}
    for row in known():
        assert row["family"] == "*" or set(row["family"].split()) <= types, row
        assert row["kinds"] and row["reason"], row


@pytest.mark.parametrize(
    ("model_type", "change", "hidden"),
    [
        ("deepseek_v3", "scoring_func = 'softmax'", True),
        ("deepseek_v4", "scoring_func = 'softmax'", False),  # its class reads it
        ("deepseek_v2", "topk_method = 'greedy'", False),
        ("olmo3", "rope_parameters = {'rope_type': 'linear', 'factor': 2.0}", True),
        ("olmo3", "rope_scaling = {'rope_type': 'linear', 'factor': 2.0}", False),
        ("phi3", "rope_parameters = {'rope_type': 'longrope', 'short_factor': [1.0]}", True),
        ("phi3", "rope_parameters = {'rope_type': 'default', 'rope_theta': 100.0}", False),
        ("llama", "max_position_embeddings left out", True),
        ("llama", "max_position_embeddings = 64", False),
        ("gpt_oss", "num_experts_per_tok = 2", False),
        ("hrm_text", "embedding_scale left out", True),
        ("hrm_text", "embedding_scale = 3.0", False),
    ],
)
def test_a_row_is_as_narrow_as_its_reason(model_type, change, hidden):
    """Another family's key, another value or a longer key of the same start is told."""
    result = Result(1, model_type, {"logits": "off by 1.0e-01"}, (change,), False, 0)
    assert bool(known_reason(result)) is hidden


def test_a_kind_that_no_row_names_is_told():
    """The tensors of a model are not hidden by a row on its logits."""
    assert not known_reason(Result(1, "olmo3", {"tensors": "x"}, ("rope_parameters = {}",), False, 0))
