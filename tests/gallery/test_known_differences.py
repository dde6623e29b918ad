"""Rows of tests/oracle/proving/known.json hide what they are for, and no other mismatch that `make prove` may find."""

from __future__ import annotations

import json

import pytest

from tests.oracle.forward import CASES
from tests.oracle.prove import Result, known, known_reason, whatever


def test_every_row_is_of_model_types_that_are_proved():
    """A renamed family would leave a row that hides nothing."""
    types = {json.loads(path.read_text(encoding="utf-8"))["model_type"] for path in CASES.glob("*.json")}
    for row in known():
        assert row["family"] == "*" or set(row["family"].split()) <= types, row
        assert row["kinds"] and row["reason"], row


@pytest.mark.parametrize(
    ("model_type", "change", "hidden"),
    [
        ("deepseek_v3", "scoring_func = 'softmax'", False),
        ("olmo3", "rope_scaling older", True),
        ("olmo3", "rope_scaling = {'rope_type': 'linear', 'factor': 2.0}", False),
        ("zamba2", "tie_word_embeddings = False", True),
        ("zamba2", "tie_word_embeddings = True", False),
        ("zaya", "tie_word_embeddings = False", False),
        ("phi3", "rope_parameters = {'rope_type': 'longrope', 'short_factor': [1.0]}", False),
        ("llama", "max_position_embeddings = 64", False),
        ("gpt_oss", "num_experts_per_tok = 2", False),
        ("hrm_text", "H_cycles = 3", False),  # its logits are right
        ("hrm_text", "embedding_scale left out", False),
    ],
)
def test_a_row_is_as_narrow_as_its_reason(model_type, change, hidden):
    """Another family's key, another value or a longer key of the same start is told."""
    result = Result(1, model_type, {"logits": "off by 1.0e-01"}, (change,), False, 0)
    assert bool(known_reason(result)) is hidden


def test_a_kind_that_no_row_names_is_told():
    """The tensors of a model are not hidden by a row on its logits."""
    assert not known_reason(Result(1, "olmo3", {"tensors": "x"}, ("rope_scaling older",), False, 0))


def test_a_row_of_some_configs_leaves_the_others_compared():
    """Falcon's class repeats keys and values in its second layout alone, which is no reason for the first."""
    second, first = ({"new_decoder_architecture": said} for said in (True, False))
    assert (whatever("falcon", second), whatever("falcon", first)) == ({"cache"}, frozenset())
    assert whatever("falcon", {}) == frozenset()
