"""What the panel "Run a small copy" is told: logits as finite numbers, or a sentence."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from cutaway.app.your_model import small_run

GRANITE = {
    "model_type": "granite", "architectures": ["GraniteForCausalLM"], "hidden_size": 64, "intermediate_size": 64,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100,
}  # fmt: skip


def asked(cuts: str = "[]", **config) -> dict:
    """What a run says; the strict reader of a browser takes no NaN."""
    return json.loads(small_run.run(json.dumps(GRANITE | config), "", cuts=cuts), parse_constant=pytest.fail)


def test_a_value_without_a_finite_number_is_measured_as_nothing():
    """Its numbers are holes; of others only the finite ones count, and what was not computed has no summary."""
    none = small_run.summary(np.array([[math.inf, -math.inf]]))
    assert none == {"shape": [1, 2], "least": 0, "most": 0, "rms": 0, "rows": [[None, None]]}
    some = small_run.summary(np.array([[3.0, math.inf], [-4.0, 0.0]]))
    assert some == {"shape": [2, 2], "least": -4, "most": 3, "rms": math.sqrt(25 / 3), "rows": [[3, None], [-4, 0]]}
    assert small_run.summary(None) is None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_logits_without_end_are_a_sentence():
    """Divided by 1e-308 they overflow, divided by 2 they do not."""
    assert asked(logits_scaling=1e-308) == {"refused": small_run.NO_NUMBERS}
    found = asked(logits_scaling=2)
    assert (found["kl"], found["gap"], found["layers"], len(found["best"])) == (0, 0, [0], 8)
    assert asked("nonsense")["refused"].startswith("A small copy")


def test_the_divergence_counts_tokens_whose_share_vanishes():
    """Logits 0, 0 -> 0, -2000: half the mass is 2000 nats less likely, less log 2."""
    found = small_run.logits(np.array([0.0, 0.0]), np.array([0.0, -2000.0]))
    assert found["kl"] == pytest.approx(1000 - math.log(2))
    assert (found["gap"], found["best"]) == (2000, [[0, 0.5, 1.0], [1, 0.5, 0.0]])
