"""explainers/attention: stored vectors, weights, scale and mask, each against the model's own run."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.attention import reference, sentences
from cutaway.explainers.next_token import forward, tokens
from tests import noded
from tests.tally import Tally

DATA = {"config": {key: forward.load().config[key] for key in reference.CONFIG}}
EVERY = [(text, layer, head) for text in range(4) for layer in range(4) for head in range(4)]


def state(**changes: object) -> dict:
    """A state, changed."""
    return {**reference.STATE, **changes}


@pytest.mark.parametrize("text", range(4))
def test_weights_are_those_of_the_model(text):
    """From vectors in 16 bits, every weight of every head is within 0.001 of what the model computes in full."""
    made = forward.run(forward.load(), sentences.ids_of(text))
    for _, layer, head in (row for row in EVERY if row[0] == text):
        _, found = reference.head_of(state(text=text, layer=layer), head)
        assert np.abs(found - made.layers[layer].weights[head]).max() < 1e-3, (layer, head)


def test_what_a_head_returns_is_the_models():
    """The values summed by the weights are what the model hands to its output projection, within 0.01."""
    for text, layer, head in EVERY:
        now = reference.compute(state(text=text, layer=layer, head=head), DATA)["look"]
        known = forward.run(forward.load(), sentences.ids_of(text)).layers[layer].mixed[-1, head]
        assert np.abs(np.array(now["read"]) - known).max() < 0.01, (text, layer, head)


LONG = "It is a truth universally acknowledged, that a single man in possession of a good"
OWN = ("She was", "Emma smiled at Emma", "q😀 <b>", LONG)
SOURCE = """
import { readFileSync } from "node:fs";
import { addRuntime } from "../next_token/runtime.js";
import { check, compute } from "./compute.js";
addRuntime();
const { states, data } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(states.map((state) => check(state, data) || compute(state, data))));
"""


@pytest.mark.whole
def test_a_text_of_ones_own_is_run_alike_in_both_languages(verified):
    """Typed texts: JavaScript's weights are numpy's; the first 16 tokens are shown and the rest is counted."""
    data = explainers.data("attention")
    sent = {
        "weights": (forward.HERE / "weights.bin").read_bytes(),
        "merges": (forward.HERE / "merges.txt").read_bytes(),
    }
    apart = {**data["apart"], **{name: sentences.coded(one) for name, one in sent.items()}}
    states = [state(own=own, layer=at % 4, head=at % 3, at=at - 1) for at, own in enumerate(OWN)]
    found, tally = (
        noded.ran(SOURCE, "explainers/attention", {"states": states, "data": {**data, "apart": apart}}),
        Tally(),
    )
    for now, one in zip(states, found, strict=True):
        known = reference.compute(now, data)
        made = forward.run(forward.load(), sentences.ids_typed(now["own"])[0]).layers[now["layer"]]
        for grid, weights in zip(one["grids"], made.weights, strict=True):
            tally.holds(np.abs(np.array(grid) - weights).max() < 1e-9, now["own"], "weights")
        tally.holds(
            one["look"]["read"] == pytest.approx(known["look"]["read"], rel=1e-7), now["own"], "what it returns"
        )
        tally.holds((one["cut"], one["tokens"]) == (known["cut"], known["tokens"]), now["own"], "tokens")
    cut = 1 + len(tokens.encode(LONG)) - 16
    assert [one["cut"] for one in found] == [0, 0, 0, cut] and cut > 0 and found[3]["count"] == 16
    verified("attention: texts of one's own in JavaScript", tally, against="the model's run in numpy")


def test_weights_by_hand():
    """Scores 0 and ln 3 give 0.25 and 0.75, unscaled 0.1 and 0.9; with the mask the first token sees itself alone."""
    q = np.zeros((2, 4))
    q[:, 0] = 2.0
    k = np.zeros((2, 4))
    k[1, 0] = np.log(3.0)
    dots, weights = reference.weights_of(q, k, scaled=True, masked=True)
    assert dots[1].tolist() == pytest.approx([0, 2 * np.log(3)])
    assert weights.tolist() == [[1.0, 0.0], pytest.approx([0.25, 0.75])]
    assert reference.weights_of(q, k, scaled=False, masked=True)[1][1].tolist() == pytest.approx([0.1, 0.9])
    assert reference.weights_of(q, k, scaled=True, masked=False)[1][0].tolist() == pytest.approx([0.25, 0.75])


def test_weights_add_up_to_one_and_the_mask_hides_what_is_later():
    """Rows add up to 1; above the diagonal is nothing with the mask, without it something in all rows but one."""
    for masked in (True, False):
        grid = np.array(reference.compute(state(masked=masked), DATA)["grids"])
        assert grid.sum(2) == pytest.approx(np.ones(grid.shape[:2]))
        later = np.triu(grid, 1).sum(2)[:, :-1]
        assert (later == 0).all() if masked else (later > 0).all()


def test_pairs_are_counted():
    """14 tokens have 105 pairs under the mask, 196 without: as many as the grid has cells that count."""
    for masked, known in ((True, 105), (False, 196)):
        now = reference.compute(state(masked=masked), DATA)
        assert (now["pairs"]["computed"], now["pairs"]["all"]) == (known, 196)
        assert int((np.array(now["grids"][0]) > 0).sum()) == known


def test_a_heads_summary_by_hand():
    """Of four tokens a b a, with <s> first: the mean weight on the token before, on <s> and on the same word."""
    weights = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.2, 0.3, 0.5, 0], [0.1, 0.6, 0.2, 0.1]])
    found = reference.summary(weights, (256, 7, 8, 7), 3, ["<s>", "a", "b", "a"])
    assert found["best"] == {"at": 1, "name": "a", "weight": 0.6}
    assert [found[key] for key in ("previous", "first", "same")] == pytest.approx([0.25, 0.15, 0.6])
    assert reference.summary(weights, (256, 7, 8, 9), 3, ["<s>", "a", "b", "c"])["same"] == 0


def test_a_longer_sentence_is_not_read_past_its_end():
    """Each sentence accepts its own tokens and refuses the next place in a sentence."""
    data = {**DATA, "texts": [{"names": list(sentences.ids_of(text))} for text in range(4)]}
    for text in range(4):
        last = len(sentences.ids_of(text)) - 1
        assert reference.check(state(text=text, at=last), data) == ""
        assert reference.check(state(text=text, at=last + 1), data).endswith(f"from -1 (the last) to {last}.")
    assert reference.check(state(masked=1), data) == "A switch is true or false."
