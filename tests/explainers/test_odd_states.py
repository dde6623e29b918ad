"""Odd values in links to the format explainers: one sentence or the same numbers, in both languages."""

from __future__ import annotations

import random

import pytest

from cutaway import explainers
from cutaway.explainers import permalink
from tests.explainers.test_pattern import ROUNDED, differences
from tests.tally import Tally

STATES, COMPUTED = 400, 8
NUMBERS = (-1, 0, 0.5, 1, 2, 3, 7, 20, 25, 26, 64, 128, 1023, 1024, 4096, 2**53, 1e300, -1e300, 1e-320)
TEXTS = ("", " ", "x", "1/3", "-0", "1e9999", "nan", "__proto__", "toString", "<b>", "٣", "x" * 9999)


def odd(state: dict, words: list[str], rng: random.Random) -> dict:
    """The state with one to three keys set to values of their own type, most of them wrong."""
    made = dict(state)
    for key in rng.sample(sorted(state), rng.randint(1, 3)):
        if isinstance(state[key], bool):
            made[key] = rng.random() < 0.5
        elif isinstance(state[key], str):
            made[key] = rng.choice([*TEXTS, *words])
        elif isinstance(state[key], (int, float)):
            made[key] = rng.choice(NUMBERS)
    return made


@pytest.mark.parametrize("name", ["matrix", "activations", "rounding"])
def test_an_odd_state_is_refused_or_computed_alike(name, blank, called, plain, verified):
    """400 states with wrong values: the same sentence; of those that are legal, the same numbers."""
    made, data, check = explainers.reference(name), explainers.data(name), explainers.checker(name)
    words = sorted({value for case in made.cases() for value in case.values() if isinstance(value, str)})
    rng = random.Random(f"odd {name}")
    states = [odd(made.STATE, words, rng) for _ in range(STATES)]
    module, tally = blank(explainers.module(name)), Tally()
    told = called(module, "check", states, data)
    for state, theirs in zip(states, told, strict=True):
        tally.same(theirs, check(state), str(state)[:200])
    legal = [state for state, says in zip(states, told, strict=True) if not says][:COMPUTED]
    for state, theirs in zip(legal, called(module, "compute", legal, data), strict=True):
        mine = plain(made.compute(state, data))
        tally.same(list(differences(mine, theirs, off=ROUNDED.get(name, 0.0))), [], str(state)[:200])
    assert {bool(says) for says in told} == {True, False}
    verified(f"{name}: states with odd values", tally, against="the reference")


@pytest.mark.parametrize(
    ("name", "query", "legal"),
    [
        ("matrix", "?seed=20.0", True),
        ("matrix", "?seed=2e1&loud=3e1", True),
        ("matrix", "?row=1e3&column=0x10", True),
        ("activations", "?seed=1.0&loud=6e1", True),
        ("rounding", "?seed=7.0&cut=4e0", True),
        ("matrix", "?seed=1e999", True),
        ("matrix", "?seed=20.5", False),
        ("rounding", "?draws=1e300", False),
    ],
)
def test_a_number_that_is_written_oddly_is_read(name, query, legal):
    """20.0 and 2e1 are 20: what a link brings is legal and computed, or refused with a sentence."""
    made = explainers.reference(name)
    state, _ = permalink.read_address(made.STATE, query)
    assert (explainers.checker(name)(state) == "") is legal
    if legal:
        made.compute(state, explainers.data(name))
