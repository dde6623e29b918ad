"""ZeRO: executed steps against the unsharded one, values sent and bytes held against the formulas."""

from __future__ import annotations

import math

import pytest

from cutaway.explainers.tensor_parallel import reference
from tests.explainers.tensor_parallel_states import DATA, state

zero = reference.zero


def test_zero_steps_end_in_the_same_weights(verified):
    """Stages 0 to 3 on 1 to 64 ranks: one executed Adam step gives the weights of the unsharded step."""
    checked = wrong = 0
    for stage in range(4):
        for d in (*range(1, 25), 32, 48, 64):
            ran = zero.step(stage, d)
            checked += 1
            wrong += not ran["away"] < 1e-9
            assert all(len(set(counts)) == 1 for counts in ran["all"].values())
    verified("ZeRO: weights after one step", checked, wrong, "an unsharded Adam step")


def test_zero_sends_what_the_formula_says(verified):
    """2 of (D-1)/D per parameter for stages 0, 1 and 2, 3 of it for stage 3, in every convention's bytes."""
    checked = wrong = 0
    for convention in zero.CONVENTIONS:
        for stage in range(4):
            for d in (1, 2, 3, 8, 64):
                out = reference.compute(state(stage=stage, dp=d, convention=convention), DATA())["zero"]
                wrong += any(
                    not math.isclose(out["sent"][k], out["formula_sent"][k], abs_tol=1e-12) for k in out["sent"]
                )
                checked += 2
    verified(
        "ZeRO: values sent per step",
        checked,
        wrong,
        "the formulas of the ZeRO paper: 2 psi, 2 psi, 2 psi and 3 psi, times (D-1)/D",
    )
    three = reference.compute(state(stage=3), DATA())["zero"]["sent"]
    one = reference.compute(state(stage=1), DATA())["zero"]["sent"]
    assert sum(three.values()) == pytest.approx(1.5 * sum(one.values()))


def test_zero_bytes_per_parameter():
    """16, 4 + 12/D, 2 + 14/D, 16/D; Megatron 18 and 6 + 12/D; with fp32 sums 20."""
    assert [zero.bytes_per_parameter(s, 8, "16") for s in range(4)] == [16, 5.5, 3.75, 2]
    assert [round(zero.bytes_per_parameter(s, 64, "16"), 2) for s in range(4)] == [16, 4.19, 2.22, 0.25]
    assert [zero.bytes_per_parameter(s, 8, "18") for s in range(2)] == [18, 6 + 12 / 8]
    assert zero.bytes_per_parameter(0, 8, "20") == 20
    for convention in zero.CONVENTIONS:
        for stage in range(4):
            held = sum(size * share for _, size, share in zero.parameter_shares(stage, 8, convention))
            assert held == pytest.approx(zero.bytes_per_parameter(stage, 8, convention))
