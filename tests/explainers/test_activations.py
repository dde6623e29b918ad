"""The activations page's numbers once more: an own script with its own INT8, INT4, FP4, SmoothQuant, AWQ and GPTQ.

SmoothQuant: arXiv 2211.10438, equation 4. AWQ: arXiv 2306.00978, equation 5. GPTQ: arXiv 2210.17323, algorithm 1.
"""

from __future__ import annotations

import numpy as np
import pytest

from cutaway import explainers
from tests.tally import Tally

reference, data = explainers.reference("activations"), explainers.data("activations")
INPUTS, OUTLIERS, SEEDS = 128, (20, 90), range(1, 9)
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def draw(seed, loud, shared):
    """Weights (64, 128), 32 tokens and 256 calibration tokens of a seed, float32."""
    rng = np.random.default_rng(seed)
    w = 0.02 * rng.standard_normal((64, INPUTS))
    own, causes, mix = (rng.standard_normal(shape) for shape in ((288, INPUTS), (288, 8), (8, INPUTS)))
    x = (1 - shared) ** 0.5 * own + (shared / 8) ** 0.5 * np.einsum("tc,ci->ti", causes, mix)
    x[:, OUTLIERS] *= loud
    return w.astype("f4"), x[:32].astype("f4"), x[32:].astype("f4")


def integers(x, bits, axis):
    """Symmetric integers in float32: half of all steps on either side of zero, one scale along the axis or for all."""
    top = 2 ** (bits - 1)
    scale = np.abs(x).max(axis=axis, keepdims=True) / np.float32(top - 0.5)
    scale = scale.astype("f2" if bits == 4 else "f4").astype("f4")
    return np.clip(np.rint(x / scale), -top, top - 1) * scale


def fp4(x, size, scaled):
    """FP4 in blocks; `scaled` makes the blocks' scales of their largest magnitudes. Ties go to the even code."""
    blocks = x.reshape(-1, size).astype(float)
    scale = scaled(np.abs(blocks).max(axis=1, keepdims=True))
    y = np.minimum(np.abs(blocks / scale), 6)[..., None]
    far = np.abs(y - FP4) + 1e-9 * (np.arange(8) % 2)
    return (np.sign(blocks) * FP4[far.argmin(axis=-1)] * scale).reshape(x.shape)


def mxfp4(x):
    return fp4(x, 32, lambda most: 2.0 ** (np.floor(np.log2(most)) - 2))


def nvfp4(x):
    """Block scales in E4M3: three mantissa bits, subnormals from 2^-9 on."""
    tensor = np.abs(x).max() / (6 * 448)

    def scaled(most):
        wanted = most / 6 / tensor
        step = 2.0 ** (np.maximum(np.floor(np.log2(wanted)), -6) - 3)
        return np.maximum(np.rint(wanted / step) * step, 2**-9) * tensor

    return fp4(x, 16, scaled)


def decibels(true, found):
    return 10 * np.log10((true.astype(float) ** 2).sum() / ((found - true.astype(float)) ** 2).sum())


def rows(inputs, method, alpha):
    """The dB of every scheme but FP8 on one layer."""
    w, x, calibration = inputs
    s = np.ones(INPUTS)
    if method == "smooth":
        s = np.abs(calibration.astype(float)).max(axis=0) ** alpha / np.abs(w.astype(float)).max(axis=0) ** (1 - alpha)
    elif method == "awq":
        s = np.abs(calibration.astype(float)).mean(axis=0) ** alpha
    w2, x2 = w * s.astype("f4"), x / s.astype("f4")
    int4, int8 = integers(w2, 4, 1), integers(w2, 8, 1)
    pairs = {
        "w4a16": (x2, int4),
        "w8a8_tensor": (integers(x2, 8, None), int8),
        "w8a8_token": (integers(x2, 8, 1), int8),
        "w4a4_int4": (integers(x2, 4, 1), int4),
        "w4a4_mxfp4": (mxfp4(x2), mxfp4(w2)),
        "w4a4_nvfp4": (nvfp4(x2), nvfp4(w2)),
    }
    true = x.astype(float) @ w.T.astype(float)
    return {name: decibels(true, a.astype(float) @ b.T) for name, (a, b) in pairs.items()}


@pytest.mark.parametrize(
    ("loud", "shared", "method", "alpha"),
    [(1, 0, "none", 0.5), (10, 0.7, "none", 0.5), (60, 0.7, "smooth", 0.6), (60, 0.7, "awq", 0.3), (60, 0.7, "awq", 1)],
)
def test_every_scheme_agrees_with_a_script_of_its_own(loud, shared, method, alpha, verified):
    """Mean, lowest and highest of eight layers, to 0.01 dB."""
    state = {**reference.STATE, "loud": loud, "shared": shared, "method": method, "alpha": alpha}
    found = {row["name"]: row for row in reference.compute(state, data)["rows"]}
    every = [rows(draw(seed, loud, shared), method, alpha) for seed in SEEDS]
    tally = Tally()
    for name in every[0]:
        dB = [one[name] for one in every]
        told = [found[name][key] for key in ("mean", "low", "high")]
        tally.near([np.mean(dB), min(dB), max(dB)], told, name, abs=0.01)
    verified("activations: dB of schemes", tally, against="a script with formulas of its own")


def gptq(w, calibration, feedback):
    """Algorithm 1, one column after the other; without feedback only the rounding of it."""
    scale = (np.abs(w).max(axis=1) / 7.5).astype("f2").astype(float)
    h = calibration.T.astype(float) @ calibration
    inverse = np.linalg.inv(h + 0.01 * np.trace(h) / INPUTS * np.eye(INPUTS))
    left, kept = w.astype(float), np.zeros(w.shape)
    for j in range(INPUTS):
        kept[:, j] = np.clip(np.rint(left[:, j] / scale), -8, 7) * scale
        if feedback:  # the inverse of what is left, one input fewer after each step: OBQ's update, no Cholesky
            left = left - np.outer(left[:, j] - kept[:, j], inverse[j] / inverse[j, j])
            inverse = inverse - np.outer(inverse[:, j], inverse[j]) / inverse[j, j]
    return kept


@pytest.mark.parametrize(("loud", "shared"), [(1, 0.7), (1, 0), (60, 0.7)])
def test_error_feedback_agrees_with_obqs_update(loud, shared, verified):
    """dB of weights, of new tokens and of calibration tokens, with and without feedback, over eight layers."""
    found = reference.compute({**reference.STATE, "loud": loud, "shared": shared}, data)["feedback"]
    every: dict = {"nearest": [], "gptq": []}
    for seed in SEEDS:
        w, x, calibration = draw(seed, loud, shared)
        for name, feedback in (("nearest", False), ("gptq", True)):
            kept = gptq(w, calibration, feedback)
            outputs = [decibels(t.astype(float) @ w.T, t.astype(float) @ kept.T) for t in (x, calibration)]
            every[name].append([decibels(w, kept), *outputs])
    tally = Tally()
    for name, dB in every.items():
        for how, word in ((np.mean, "mean"), (np.min, "low"), (np.max, "high")):
            told = [found[name][key][word] for key in ("weights", "outputs", "calibrated")]
            tally.near(how(np.array(dB), axis=0), told, name, word, abs=0.01)
    verified("activations: GPTQ", tally, against="OBQ's update, without a Cholesky factor")


def test_the_morals_hold_in_every_layer():
    """What the beats say, with the whole interval on one side."""
    sixty = reference.compute({**reference.STATE, "loud": 60}, data)
    assert sixty["zeros"]["inputs"]["low"] > 10 * sixty["zeros"]["weights"]["high"]
    assert sixty["smooth"]["gain"]["low"] > 10 > 5 > sixty["awq"]["gain"]["high"] > sixty["awq"]["gain"]["low"] > 3
    assert sixty["awq"]["last"]["high"] < 0
    ten = reference.compute(reference.STATE, data)
    assert ten["gaps"]["w4a4_nvfp4"]["low"] > -2.1 > -8 > ten["gaps"]["w4a4_int4"]["high"]
    shared, alone = (
        reference.compute({**reference.STATE, "loud": 1, "shared": c}, data)["feedback"]["gain"] for c in (0.7, 0)
    )
    assert shared["weights"]["high"] < 0 < shared["outputs"]["low"]
    assert alone["outputs"]["high"] < 0 < alone["calibrated"]["low"]


def test_moved_scales_change_nothing_before_rounding():
    """The layer's outputs stay, to float32, where SmoothQuant or AWQ has moved scales."""
    from cutaway.explainers.activations import layer

    one = layer.layer(1, 60, 0.7)
    for method in ("smooth", "awq"):
        moved = layer.scaled(one, method, 0.4)
        assert layer.decibels(layer.product(one.tokens, one.weights), layer.product(moved.tokens, moved.weights)) > 130


def test_goals_say_how_near_they_are(of_beats):
    """SmoothQuant brings INT8 back, AWQ does not; GPTQ loses only where inputs have nothing in common."""
    start = reference.STATE
    states = [
        {**start, "loud": 60, **one}
        for one in ({"method": "smooth", "alpha": 0.6}, {}, {"method": "awq", "alpha": 0.1})
    ]
    back, none, awq = of_beats("activations", "goals", "int8_back", states)
    assert [back["reached"], none["reached"], awq["reached"]] == [True, False, False]
    assert "26.5 dB" in none["says"]
    assert "60 times" in of_beats("activations", "goals", "int8_back", [start])[0]["says"]
    alone, common = of_beats("activations", "goals", "gptq_loses", [{**start, "shared": 0}, start])
    assert [alone["reached"], common["reached"]] == [True, False]
