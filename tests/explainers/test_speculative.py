"""explainers/speculative: the rule keeps the target's distribution, the draft model's logits, runs and formulas."""

from __future__ import annotations

import hashlib
import itertools
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from pytest import approx

from cutaway.app.making.node import find_node
from cutaway.explainers import data as data_of
from cutaway.explainers.next_token import forward, sampling, stored, tokens
from cutaway.explainers.next_token import train as base
from cutaway.explainers.speculative import measure, places, reference, speculate, train
from cutaway.explainers.speculative.steps import run, run_of
from cutaway.explainers.speculative.worth import measured
from tests import bundled
from tests.tally import Tally

GOLDEN = json.loads(Path(__file__).with_name("golden_speculative.json").read_text("utf-8"))
SOURCE = """
import { advance, logitsAt, makeModel, makeSession } from "../next_token/forward.js";
import { residual, speedupOf } from "./speculate.js";

const { runs, shares, speeds } = JSON.parse(readFileSync(0, "utf8"));
const read = (name) => readFileSync(`explainers/speculative/${name}`);
const session = makeSession(makeModel(JSON.parse(read("config.json")), new Uint8Array(read("weights.bin"))));
const logits = runs.map((ids) => {
  advance(session, ids);
  return ids.map((_, i) => [...logitsAt(session, i)]);
});
const left = shares.map(([p, q]) => [...residual(Float64Array.from(p), Float64Array.from(q))]);
const sped = speeds.map(([...given]) => speedupOf(...given));
process.stdout.write(JSON.stringify({ logits, left, sped }));
"""
RNG = np.random.default_rng(31)
SHARES = [RNG.dirichlet(np.full(9, 0.5), 2) for _ in range(60)]
SPEEDS = [
    [float(RNG.uniform()), int(RNG.integers(1, 9)), float(RNG.uniform()), int(RNG.integers(1, 900)), 295.0]
    for _ in range(200)
]


@pytest.fixture(scope="module")
def theirs() -> dict:
    """What the page's modules make of tokens, shares and costs, in one run of Node."""
    given = {
        "runs": [row["ids"] for row in GOLDEN["rows"]],
        "shares": [[one.tolist() for one in pair] for pair in SHARES],
        "speeds": SPEEDS,
    }
    script = 'import { readFileSync } from "node:fs";\n' + bundled.bundled(SOURCE, "explainers/speculative")
    asked = [find_node(), "--input-type=module", "-e", script]
    ran = subprocess.run(asked, input=json.dumps(given), capture_output=True, text=True, cwd=bundled.ROOT)
    assert not ran.returncode, ran.stderr
    return json.loads(ran.stdout)


# ---------------------------------------------------------------- the rule


def test_the_output_is_exactly_the_targets(verified):
    """Summed over every draft, accepted or replaced, a token comes out with p, at real and random places."""
    _, _, steps = run_of(reference.STATE)
    places = [(step.p[i], step.q[i]) for step in steps for i in range(len(step.drafts))]
    tally = Tally()
    for p, q in [*places, *SHARES]:
        kept = np.array([q[x] * speculate.acceptance(p[x], q[x]) if q[x] else 0.0 for x in range(len(p))])
        out = kept + (1 - kept.sum()) * speculate.residual(p, q)
        tally.holds(abs(out - p).max() < 1e-12, len(p), "exact")
    assert len(places) > 20
    verified("speculative: output distributions of the rule", tally, against="the target's probabilities")


def test_two_tokens_are_distributed_as_the_targets(verified):
    """In a world of three tokens, all paths of a step with two drafts give each pair of tokens p(a) p(b|a), exactly."""
    rng = np.random.default_rng(5)
    p = {prefix: rng.dirichlet(np.ones(3)) for prefix in [(), *((a,) for a in range(3))]}
    q = {prefix: rng.dirichlet(np.ones(3)) for prefix in p}
    accept = lambda prefix, x: speculate.acceptance(p[prefix][x], q[prefix][x])  # noqa: E731
    found = np.zeros((3, 3))
    for a, b in itertools.product(range(3), repeat=2):  # what is drafted
        drafted = q[()][a] * q[(a,)][b]
        found[a, b] += drafted * accept((), a) * accept((a,), b)
        found[a] += drafted * accept((), a) * (1 - accept((a,), b)) * speculate.residual(p[(a,)], q[(a,)])
        for c in range(3):  # the correction; the second token then begins the next step, as the target has it
            found[c] += drafted * (1 - accept((), a)) * speculate.residual(p[()], q[()])[c] * p[(c,)]
    wanted = np.array([[p[()][a] * p[(a,)][b] for b in range(3)] for a in range(3)])
    assert abs(found - wanted).max() < 1e-12


@pytest.mark.whole
def test_a_step_with_random_numbers_follows_the_targets_distribution():
    """40,000 steps with one draft, by count_kept and draw_last: chi-square of the first token stays in its 99.9 %."""
    p, q = SHARES[0]
    numbers = np.random.default_rng(8).uniform(size=(40_000, 3))
    counts = np.zeros(9)
    for u, v, w in numbers:
        draft = sampling.pick(q, u)
        kept = speculate.count_kept([draft], [q], [p, p], [v])
        counts[draft if kept else speculate.draw_last([q], [p, p], kept, w)] += 1
    assert ((counts - 40_000 * p) ** 2 / (40_000 * p)).sum() < 26.1  # 8 degrees of freedom
    assert ((counts - 40_000 * q) ** 2 / (40_000 * q)).sum() > 1000  # it could have failed


def test_drawing_the_correction_from_p_is_wrong():
    """The page's naive column: tokens that q has too often come out too often, by the mass that it says."""
    found = reference.compute(reference.STATE, data_of("speculative"))["look"]
    drafted = found["rows"][found["drafted"]]
    assert drafted["q"] > drafted["p"] and drafted["naive"] > drafted["p"] + 0.03
    assert drafted["naive"] == approx(drafted["p"] * (2 - found["alpha"]))
    assert all(row["out"] == approx(row["p"], abs=1e-12) for row in found["rows"])
    assert all(abs(row["counted"] - row["p"]) < 4 * (row["p"] / places.SAMPLES) ** 0.5 for row in found["rows"])


@pytest.mark.whole
def test_greedy_decoding_writes_what_the_target_writes_alone():
    """At temperature 0, for every number of drafts and both drafters, the tokens are those of transformers' target."""
    for row, k, drafter in itertools.product(GOLDEN["rows"], (1, 3, 8), reference.DRAFTERS):
        _, _, steps = run(row["text"], drafter, k, 0, 1)
        written = [token for step in steps for token in step.tokens]
        assert written[: len(row["greedy"])] == row["greedy"], (row["text"], k, drafter)


def test_a_run_by_hand():
    """The first step of the page again from whole runs without a cache: shares, decisions and the token after them."""
    ids, _, steps = run_of(reference.STATE)
    step, seen = steps[0], list(ids)
    for at, token in enumerate(step.drafts):
        q, p = (
            forward.softmax(forward.run(model, seen).logits[-1]) for model in (speculate.draft_model(), forward.load())
        )
        assert abs(q - step.q[at]).max() < 1e-9 and abs(p - step.p[at]).max() < 1e-9
        assert token == sampling.pick(q, sampling.number_of(18, 4 * len(seen)))
        u = sampling.number_of(18, 4 * len(seen) + 1)
        assert (u < min(1, p[token] / q[token])) == (at < step.kept) or at > step.kept
        seen.append(token)
    assert (step.kept, [tokens.name_of(x) for x in step.tokens]) == (2, ["·Wentworth", ",", "·Miss"])


def test_prompt_lookup_copies_what_followed():
    """The latest place of the last two tokens counts, else of the last one; a text without one has no drafts."""
    assert speculate.look_up([5, 6, 7, 8, 5, 6], 3) == [7, 8, 5]
    assert speculate.look_up([5, 6, 7, 5, 6, 9, 5, 6], 2) == [9, 5]
    assert speculate.look_up([1, 6, 7, 2, 6], 4) == [7, 2, 6]
    assert speculate.look_up([1, 2, 3], 4) == []


# ---------------------------------------------------------------- the draft model


def test_logits_of_the_draft_model_are_those_of_transformers(theirs, verified):
    """numpy and JavaScript give the logits of LlamaForCausalLM on the same weights, within 1e-4, at every token."""
    packed = (speculate.HERE / "weights.bin").read_bytes()
    assert hashlib.sha256(packed).hexdigest() == GOLDEN["sha256"] == trained()["sha256"]
    tally = Tally()
    for row, other in zip(GOLDEN["rows"], theirs["logits"], strict=True):
        mine, known = forward.run(speculate.draft_model(), row["ids"]).logits, np.array(row["logits"])
        tally.holds(abs(mine[:, : known.shape[1]] - known).max() < 1e-4, row["text"], "numpy")
        tally.holds(abs(np.array(other) - mine).max() < 1e-9, row["text"], "JavaScript")
    verified("speculative: logits of the draft model", tally, against=f"transformers {GOLDEN['transformers']}")


def trained() -> dict:
    """What training the draft model measured."""
    return json.loads((speculate.HERE / "trained.json").read_text("utf-8"))


def test_the_draft_model_is_small_and_worse():
    """It has the file's weights, under a fifth of the target's, and needs more bits per byte."""
    facts = data_of("speculative")["facts"]
    rows = sum(stored.rows_of(shape)[0] for shape in stored.shapes(speculate.draft_model().config).values())
    assert facts["draft"] == GOLDEN["parameters"] == facts["draft_file"] - 4 * rows
    assert facts["draft_file"] < 250_000 and facts["ratio"] < 0.2
    assert facts["target_bits_per_byte"] < facts["bits_per_byte"] < 1.1 * facts["target_bits_per_byte"]
    assert (trained()["steps"], trained()["tokens_a_step"]) == (train.STEPS, 128 * base.BATCH)


def test_a_session_computes_only_what_is_new():
    """After rejected drafts the cache is cut back: the logits are those of a run from the start."""
    session = speculate.Session(speculate.draft_model())
    session.advance([256, 5, 6, 7, 8])
    for ids in ([256, 5, 9, 10], [256, 5, 9], [256, 5, 9, 11, 12]):
        assert np.abs(np.array(session.advance(ids)) - forward.run(session.model, ids).logits).max() < 1e-9
        assert (session.held.length, session.ids) == (len(ids), ids)


# ---------------------------------------------------------------- formulas and measurements


def test_the_expected_tokens_are_those_of_the_geometric_series(theirs):
    """1 + a + ... + a^k; and a simulation of independent drafts. Leviathan's table 1: a 0.8 and 5 drafts give 3.69."""
    for alpha, k in itertools.product((0.0, 0.3, 0.8, 1.0), range(1, 9)):
        assert speculate.expected(alpha, k) == approx(sum(alpha**i for i in range(k + 1)))
    drawn = np.cumprod(np.random.default_rng(2).uniform(size=(200_000, 5)) < 0.8, 1).sum(1) + 1
    assert speculate.expected(0.8, 5) == approx(3.69, abs=0.005) == approx(drawn.mean(), abs=0.02)
    assert theirs["sped"] == approx([speculate.speedup(*given) for given in SPEEDS], rel=1e-12)


def test_the_speedup_is_theorem_3_8_until_the_ridge():
    """Below the ridge E / (k c + 1); past it every draft costs; with c above a nothing pays (corollary 3.9)."""
    assert speculate.speedup(0.8, 5, 0.05, 10, 100) == approx(3.69 / 1.25, abs=0.002)
    assert speculate.speedup(0.8, 5, 0.05, 100, 100) == approx(3.69 / 6.25, abs=0.002)
    assert all(speculate.speedup(0.4, k, 0.41) < 1 for k in range(1, 30)) and speculate.speedup(0.4, 1, 0.39) > 1


def test_the_batch_from_which_it_is_no_faster():
    """By algebra b (k+1) / R + k c = E: the first whole batch at or above R (E - k c) / (k + 1)."""
    data = data_of("speculative")
    for state in ({"k": 4}, {"k": 2, "cost": 0.2}, {"k": 1, "temperature": 0}):
        found = reference.compute({**reference.STATE, **state}, data)["worth"]
        k, ridge = found["now"]["k"], data["facts"]["ridge"]
        assert found["slower"] == int(np.ceil(ridge * (found["now"]["expected"] - k * found["cost"]) / (k + 1)))
        assert found["alone"] == approx(found["now"]["expected"] / (1 + k * found["cost"]))


def test_measured_rows_belong_to_these_models():
    """Counts add up; the sampled acceptance is the mean overlap of p and q within four standard errors."""
    rows = measured()["rows"]
    assert [(r["drafter"], r["temperature"], r["k"]) for r in rows] == [
        *itertools.product(reference.DRAFTERS, measure.TEMPERATURES, measure.DRAFTS)
    ]
    for row in rows:
        assert row["tokens"] == row["steps"] + row["accepted"] >= measure.PROMPTS * measure.WRITTEN, row
        rate = row["accepted"] / row["tried"]
        assert abs(rate - row["overlap"]) < 4 * (rate * (1 - rate) / row["tried"]) ** 0.5 + 1e-3, row


def test_one_measured_row_is_counted_again():
    """Two prompts of the golden texts, counted by hand from the steps that write gives."""
    texts = [row["ids"] for row in GOLDEN["rows"][:2]]
    found = measure.measure("model", 0.0, 2, texts)
    written = [run(row["text"], "model", 2, 0, 1)[2] for row in GOLDEN["rows"][:2]]
    assert found["steps"] > sum(map(len, written)) and found["overlap"] == approx(
        found["accepted"] / found["tried"], abs=1e-6
    )
    assert found["tokens"] == found["steps"] + found["accepted"]


def test_the_residual_is_the_same_in_both_languages(theirs):
    """max(0, p - q) over its sum, for sixty pairs; equal distributions leave p."""
    for (p, q), other in zip(SHARES, theirs["left"], strict=True):
        assert np.abs(speculate.residual(p, q) - other).max() < 1e-12
    assert (speculate.residual(SHARES[0][0], SHARES[0][0]) == SHARES[0][0]).all()


def test_the_stored_run_is_the_one_that_the_models_make():
    """What the page shows before its weights are there is what compute says of that state."""
    data = data_of("speculative")
    now, known = json.loads(json.dumps(reference.compute(reference.STATE, data))), data["known"][0]
    assert {key: now[key] for key in ("prompt", "steps", "totals", "dropped")} == known["run"]
    assert now["look"] == known["looks"][0]["look"]
