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
