"""Golden logits of tiny models (transformers 5.23.0, float64) against gallery.run: read from the config alone.

tests/oracle/forward/ has the cases, tests/oracle/forward_exceptions.json those that are not proved, with the reason.
"""

import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cutaway.gallery import read, run
from cutaway.gallery.running.proofs import PROOFS
from cutaway.gallery.running.state import State

ORACLE = Path(__file__).parents[1] / "oracle"
sys.path.insert(0, str(ORACLE))

from forward import CASES, LIMIT, compared, proved, weights  # noqa: E402

NOT_PROVED = json.loads((ORACLE / "forward_exceptions.json").read_text())["forward"]
NAMES = sorted(path.stem for path in CASES.glob("*.json"))


@cache
def outcome(name):
    return compared(CASES / f"{name}.json")


def made_here(name):
    """Whether a case came from make_forward.py, not with the oracle."""
    return json.loads((CASES / f"{name}.json").read_text())["source"] == "made here"


def test_every_tenth_case_agrees_with_the_modelling_code():
    """The same as below for a few of them, for who cannot wait."""
    few = [name for name in NAMES if name not in NOT_PROVED][::10]
    assert len(few) >= 18
    assert {name: outcome(name).difference for name in few if outcome(name).difference > LIMIT} == {}


@pytest.mark.whole
def test_every_other_case_agrees_with_the_modelling_code(verified):
    """Logits of every case that is not named as an exception are equal within 1e-7 of their standard deviation."""
    proved = [name for name in NAMES if name not in NOT_PROVED]
    wrong = [outcome(name) for name in proved if outcome(name).difference > LIMIT]
    print(f"{len(proved) - len(wrong)} of {len(NAMES)} within {LIMIT:g}")
    shared = [name for name in proved if not made_here(name)]
    assert len(shared) >= 165, "of the 180 that were measured before"
    verified(
        "logits of tiny models in recorded forward passes",
        checked=len(proved),
        mismatches=len(wrong),
        against="transformers 5.23.0 in float64",
    )
    assert wrong == []


@pytest.mark.whole
def test_what_is_kept_is_what_the_golden_cases_prove():
    """proofs.json holds families, classes and signatures of what ran in the cases within the limit, and no others."""
    assert json.loads(PROOFS.read_text(encoding="utf-8")) == proved([outcome(name) for name in NAMES])


@pytest.mark.parametrize("name", sorted(NOT_PROVED))
def test_an_exception_is_one_still(name):
    """A case that agrees after all has to leave the list of exceptions; each has a reason."""
    assert NOT_PROVED[name] and name in NAMES
    assert outcome(name).difference > LIMIT, f"{name} agrees now: take it out of forward_exceptions.json"


# ---------------------------------------------------------------- a wrong reading is noticed


def each_mixer(spec, change):
    layers = tuple(replace(layer, mixer=change(layer.mixer)) for layer in spec.layers)
    return replace(spec, layers=layers)


def each_moe(spec, change):
    layers = [replace(one, mlp=change(one.mlp)) if hasattr(one.mlp, "num_experts") else one for one in spec.layers]
    return replace(spec, layers=tuple(layers))


def base(mixer):
    return replace(mixer, rope=mixer.rope._replace(theta=2 * mixer.rope.theta)) if mixer.rope else mixer


def pairs(mixer):
    return replace(mixer, rope=mixer.rope._replace(interleaved=not mixer.rope.interleaved)) if mixer.rope else mixer


def window(mixer):
    return replace(mixer, sliding_window=mixer.sliding_window + 1) if mixer.sliding_window else mixer


def epsilon(spec):
    layers = [replace(one, norms=tuple(replace(norm, eps=10 * norm.eps) for norm in one.norms)) for one in spec.layers]
    return replace(spec, layers=tuple(layers), final_norm=replace(spec.final_norm, eps=10 * spec.final_norm.eps))


WRONG = {  # a wrong reading: (case, the change of a spec, its name among the case's own sensitivities)
    "a doubled base of rotation": ("qwen3", lambda s: each_mixer(s, base), "rope_theta*2"),
    "neighbours rotated, not halves": ("qwen3", lambda s: each_mixer(s, pairs), ""),
    "a window of one token more": ("gpt_oss", lambda s: each_mixer(s, window), "window+1"),
    "no QK-norm": ("qwen3", lambda s: each_mixer(s, lambda m: replace(m, qk_norm="")), "no_qk_norm"),
    "no sinks": ("gpt_oss", lambda s: each_mixer(s, lambda m: replace(m, sinks=False)), "no_sinks"),
    "no selection bias": (
        "glm4_moe",
        lambda s: each_moe(s, lambda m: replace(m, selection_bias="")),
        "no_router_bias",
    ),
    "experts weighed without their factor": (
        "glm4_moe",
        lambda s: each_moe(s, lambda m: replace(m, routed_scaling_factor=1.0)),
        "",
    ),
    "weights left unnormalised": ("qwen3_moe", lambda s: each_moe(s, lambda m: replace(m, norm_topk_prob=False)), ""),
    "no shared expert": (
        "qwen2_moe",
        lambda s: each_moe(s, lambda m: replace(m, shared_expert_intermediate_size=0, shared_gate=False)),
        "no_shared_expert",
    ),
    "scores before the choice": ("gpt_oss", lambda s: each_moe(s, lambda m: replace(m, topk_first=False)), ""),
    "ten times the epsilon": ("llama", epsilon, "eps*10"),
}


@pytest.mark.parametrize("what", sorted(WRONG))
def test_a_wrong_reading_moves_the_logits(what):
    """Each of these mistakes is far outside the limit: by what the modelling code itself moves, where measured."""
    name, change, measured = WRONG[what]
    case = json.loads((CASES / f"{name}.json").read_text())
    spec, tensors = read(case["config"], as_class=True), weights(case)
    right, wrong = (run(one, tensors, case["tokens"]) for one in (spec, change(spec)))
    moved = float(np.abs(wrong - right).max())
    assert moved / case["logits_all"]["std"] > 10 * LIMIT
    if measured:
        assert moved == pytest.approx(case["sensitivity"][measured], rel=0.02)


FLAT = {"bailing_hybrid", "glm5_next_text"}  # whose class keeps A_log flat, where the published files have axes of one


@pytest.mark.whole
def test_every_tensor_has_the_shape_of_the_state_dict(verified):
    """To the last axis of one, of every golden case: what is read back from a file is what the class writes."""
    checked, wrong = 0, []
    for name in (name for name in NAMES if name not in NOT_PROVED):
        case = json.loads((CASES / f"{name}.json").read_text())
        state = State(read(case["config"], as_class=True), {})
        for layer in (None, *range(len(state.spec.layers))):
            for ours, one in state.plan(layer).items():
                full = one.name if layer is None else f"{state.place(layer)}.{one.name}"
                flat = ours.endswith("A_log") and case["model_type"] in FLAT
                if full not in case["names"] or "{expert}" in ours or flat:
                    continue
                checked += 1
                wrong += [(name, full)] if tuple(case["names"][full]) != one.shape else []
    verified("tensor shapes of tiny models", checked, len(wrong), "transformers 5.23.0")
    assert wrong == [] and checked > 18_000
