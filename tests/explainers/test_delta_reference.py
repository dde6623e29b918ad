"""The five update rules: step by step, in chunks, and as torch computes them."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from explainers import load_file

ROOT = Path(__file__).parents[2]
rules = load_file(ROOT / "explainers" / "delta-rule" / "rules.py")
reference = load_file(ROOT / "explainers" / "delta-rule" / "reference.py")
GOLDEN = json.loads((ROOT / "tests" / "oracle" / "delta_vectors.json").read_text())


def tokens(n, dk, dv, seed=0):
    """Random queries, unit keys, values, and decays per channel."""
    rng = np.random.default_rng(seed)
    k = rng.standard_normal((n, dk))
    k /= np.linalg.norm(k, axis=1, keepdims=True)
    return rng.standard_normal((n, dk)), k, rng.standard_normal((n, dv)), rng.uniform(0.5, 1, dk)


def test_chunked_equals_recurrent(verified):
    """The last state and every output are the same in chunks of any size, to float64's last digits."""
    checked = bad = 0
    for n, (dk, dv), size in product((1, 2, 7, 16, 33), ((2, 3), (8, 8), (16, 4)), (1, 2, 3, 8, 64)):
        q, k, v, channels = tokens(n, dk, dv, seed=n)
        for rule in rules.BY_NAME:
            alpha = rules.decays(rule, 0.9, channels)
            states, outputs = rules.recurrent(rule, q, k, v, alpha, 0.7)
            last, again = rules.chunked(rule, q, k, v, alpha, 0.7, size)
            apart = np.abs(np.concatenate([(states[-1] - last).ravel(), (outputs - again).ravel()]))
            scale = max(1, np.abs(outputs).max(), np.abs(last).max())
            checked += apart.size
            bad += int((apart > 1e-12 * scale).sum())
    verified("delta rule: recurrent form against chunked form", checked, bad, "each other, within 1e-12")


def test_golden_torch(verified):
    """States and outputs are those of gradient steps in torch, and of Qwen3-Next's and Kimi Linear's own code."""
    checked = bad = 0
    for row in GOLDEN["rows"]:
        given = {k: np.array(v) for k, v in GOLDEN["inputs"][row["case"]].items()}
        alpha = rules.decays(row["rule"], given["alpha"][0], given["alpha"])
        states, outputs = rules.recurrent(row["rule"], given["q"], given["k"], given["v"], alpha, float(given["beta"]))
        near = 1e-12 if row["by"] == "autograd" else 5e-6
        for theirs, mine in ((row["state"], states[-1]), (row["outputs"], outputs)):
            checked += mine.size
            bad += int((np.abs(np.array(theirs) - mine) > near * max(1, np.abs(mine).max())).sum())
    versions = GOLDEN["versions"]
    against = f"torch {versions['torch']} autograd, transformers {versions['transformers']}"
    verified("delta rule: states and outputs, golden", checked, bad, against)


def test_torch_live():
    """Where torch is installed, the delta rule is one step of gradient descent on the recall error."""
    torch = pytest.importorskip("torch")
    _, k, v, _ = tokens(9, 8, 5)
    states, _ = rules.recurrent("delta", k, k, v, np.ones(8), 0.7)
    for t in range(9):
        state = torch.tensor(states[t], requires_grad=True)
        loss = 0.5 * ((state.T @ torch.tensor(k[t]) - torch.tensor(v[t])) ** 2).sum()
        (slope,) = torch.autograd.grad(loss, state)
        assert states[t + 1] == pytest.approx((state - 0.7 * slope).detach().numpy(), abs=1e-12)


def test_delta_rule_replaces_and_linear_attention_adds():
    """At beta = 1 with a unit key, the second value read back is the second written; linear attention reads the sum."""
    _, k, v, _ = tokens(2, 8, 8)
    k[1] = k[0]
    for rule, wanted in (("delta", v[1]), ("linear", v[0] + v[1])):
        states, _ = rules.recurrent(rule, k, k, v, np.ones(8), 1.0)
        assert wanted == pytest.approx(states[2].T @ k[0], abs=1e-12)


@pytest.mark.parametrize("beta", [0.0, 0.25, 1.0])
def test_delta_rule_interpolates(beta):
    """After a write the key reads (1 - beta) of what it read before plus beta of the new value."""
    _, k, v, _ = tokens(5, 8, 8)
    states, _ = rules.recurrent("delta", k, k, v, np.ones(8), beta)
    expected = (1 - beta) * states[4].T @ k[4] + beta * v[4]
    assert expected == pytest.approx(states[5].T @ k[4], abs=1e-12)


def test_delta_rule_leaves_orthogonal_keys_alone():
    """Writing one of the eight axes changes no other row."""
    k = np.eye(8)
    v = np.random.default_rng(1).standard_normal((8, 8))
    states, _ = rules.recurrent("delta", k, k, v, np.ones(8), 1.0)
    for t in range(8):
        assert (states[t + 1][:t] == states[t][:t]).all()


def test_rules_contain_each_other():
    """Equal channels make KDA the gated rule; no decay makes the gated rule DeltaNet and Mamba-2 linear attention."""
    q, k, v, _ = tokens(12, 8, 8)
    same = {("kda", 0.8): ("gated", 0.8), ("gated", 1.0): ("delta", 1.0), ("decay", 1.0): ("linear", 1.0)}
    for (one, decay), (other, _) in same.items():
        made = [rules.recurrent(r, q, k, v, rules.decays(r, decay, np.full(8, decay)), 0.6)[0] for r in (one, other)]
        assert (made[0] == made[1]).all(), (one, other)


@pytest.mark.parametrize("overlap", [0.0, 0.3, 0.9])
def test_keys_have_the_stated_angle(overlap):
    """Eight unit keys, every pair with the stated cosine."""
    k = reference.keys(overlap)
    expected = np.full((8, 8), overlap) + (1 - overlap) * np.eye(8)
    assert expected == pytest.approx(k @ k.T, abs=1e-12)


def test_default_story():
    """The first thing the page shows: A was written twice; DeltaNet recalls all four, linear attention smears A."""
    found = reference.compute(reference.STATE, reference.data())["rules"]
    assert found["delta"]["errors"][:4] == [0, 0, 0, 0]
    assert found["linear"]["errors"][:4] == [1, 0, 0, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"writes": [0]},
        {"writes": [8, 1]},
        {"writes": [0, 256]},
        {"writes": [0, 1] * 33},
        {"step": 6},
        {"step": 1.5},
        {"overlap": 0.95},
        {"beta": -0.1},
        {"decay": 2},
        {"chunk": 3},
        {"query": 8},
        {"writes": [True, 1]},
    ],
)
def test_check_refuses(wrong):
    """What the formulas do not cover gets a sentence that ends."""
    assert reference.check({**reference.STATE, **wrong}).endswith(".")


def test_cases_are_legal():
    """Every shared case passes the check it shares."""
    assert {reference.check(case) for case in reference.cases()} == {""}
