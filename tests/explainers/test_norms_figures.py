"""explainers/norms and loops: the figures of their beats hold, and a goal that is missed says why."""

from math import sqrt

import numpy as np
import pytest

from cutaway import explainers
from cutaway.gallery import catalog, memory, parameters
from tests.explainers.norms_states import around, at, data, legal, small, stack


def test_what_the_beats_answer():
    """The stream after 40 layers, √128, the cap of 50, one meeting, three drafts, Ouro, Gemma 3n, 122 halves."""
    now = at()
    assert [round(now["sizes"][n], 2) for n in (5, 10, 20, 40)] == [1.92, 3.17, 4.75, 6.39]
    assert at(norm="post")["heard"] < 1e-6
    assert now["heard"] == pytest.approx(1 / now["size"], rel=0.05)
    assert (now["scores"]["bound"], round(at(cap=50)["ceiling"]["out"], 1)) == (sqrt(128), 48.2)
    assert round(at(cap=50, score=5)["ceiling"]["out"], 2) == 4.98  # a tenth of the cap
    assert [round(at(drafts=n)["drafted"]["expected"], 2) for n in range(4)] == [1, 1.85, 2.57, 3.19]
    ouro, llama = "ByteDance/Ouro-1.4B", "meta-llama/Llama-3.1-70B"
    assert at(model=ouro, loops=4)["looped"]["bytes"] == 786_432 == memory(catalog.spec(ouro), 1).per_token_bytes
    assert (data["beside"]["per_token"], data["beside"]["layers"]) == (327_680, 80)
    assert (
        49 < parameters(catalog.spec(llama)).total / parameters(catalog.spec(ouro)).total < 51
    )  # fifty times the weights
    of = at(model="google/gemma-3n-E4B")["of"]
    assert (of["lent"], of["layers"], round(of["table"] / 1e9, 2), round(of["total"] / 1e9, 2)) == (15, 35, 2.35, 6.84)
    assert of["sources"][20:] == [19 if i % 5 == 4 else 18 for i in range(20, 35)]
    mix = at(layers=61)["mixing"]
    assert catalog.spec("deepseek-ai/DeepSeek-V4-Pro").num_hidden_layers == 61
    assert (mix["places"], round(mix["free_gain"], 1), round(mix["gain"], 3)) == (122, 9.9, 1.0)
    assert np.allclose(mix["all"], 0.25, atol=0.005)


def test_no_normalised_pair_scores_more_than_the_root_of_the_head():
    """Over heads and growths; and the pair that points the same way reaches it."""
    for head in legal.HEADS:
        for grown in (0.5, 1, 8):
            made = small.scores({"head": head, "grown": grown})
            assert made["normed"]["top"] == pytest.approx(sqrt(head), rel=1e-5)
            assert made["normed"]["top"] < sqrt(head)
            if grown > 2:
                assert made["plain"]["top"] > 10 * made["normed"]["top"]


def test_drafts_as_expected_are_drafts_as_drawn():
    """The sum of powers against 4,096 drawn steps, and against steps drawn by numpy one draft at a time."""
    rng = np.random.default_rng(8)
    for drafts, accept in ((1, 0.85), (3, 0.85), (7, 0.6), (5, 0.95)):
        made = small.drafted_tokens({"drafts": drafts, "accept": accept})
        good = [next((i for i in range(drafts) if rng.random() >= accept), drafts) for _ in range(8000)]
        assert 1 + np.mean(good) == pytest.approx(made["expected"], rel=0.03)
        assert made["measured"] == pytest.approx(made["expected"], rel=0.02)
        assert made["expected"] == pytest.approx((1 - accept ** (drafts + 1)) / (1 - accept))
        assert made["tokens"] == sum(made["tape"]) + 12
        assert made["wasted"] == pytest.approx(1 - made["expected"] / (drafts + 1))
        assert made["checked"] == 12 * (drafts + 1)


def test_the_seed_ends_near_the_middle(monkeypatch):
    """Of 12 stacks of 40 layers, this one's is neither among the smallest nor the largest; the root law holds."""
    ends = []
    for seed in range(12):
        monkeypatch.setattr(stack, "SEED", 6_000_000 + 20_000 * seed)
        stack.matrix.cache_clear()
        stack.run_layers.cache_clear()
        ends.append(stack.run_stack(around.STATE)["sizes"])
    monkeypatch.undo()
    stack.matrix.cache_clear()
    stack.run_layers.cache_clear()
    last = sorted(sizes[40] for sizes in ends)
    assert last[2] < at()["size"] < last[9]
    assert np.median([sizes[40] / sizes[10] for sizes in ends]) == pytest.approx(2, rel=0.1)


MISSED = [
    ("heard_to_the_end", {"layers": 39}, "40 passes or more"),
    ("heard_to_the_end", {"norm": "post"}, "only 0.0 % of it"), ("heard_to_the_end", {"scale": 0.5}, "size is 3"),
    ("half_of_both", {"layers": 20, "loops": 2}, "100.0 % of the cache"),
    ("half_of_both", {"borrow": 20}, "90.0 % of the weights and 50.0 %"),
    ("half_of_both", {"layers": 2}, "there are 2"),
    ("small_scores", {"grown": 2, "qk": True, "parallel": True}, "scaled by 2, not by 4"),
    ("small_scores", {"grown": 4, "parallel": True}, "above 3"),
    ("small_scores", {"grown": 4, "qk": True}, "The largest score is 2.5, but each layer needs two all-reduces"),
    ("cheap_drafts", {"drafts": 3}, "3.19 tokens per step, with 20.3 % of the checked tokens discarded"),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "changes", "says"), MISSED)
def test_a_goal_that_is_missed_says_why(goal, changes, says, of_beats):
    """Near misses are named."""
    page = "loops" if goal in ("half_of_both", "cheap_drafts") else "norms"
    (made,) = of_beats(page, "goals", goal, [{**around.STATE, **changes}])
    assert not made["reached"]
    assert says in made["says"]


def test_qk_norm_gives_a_root_mean_square_of_1_not_a_length():
    """128 numbers with a root mean square of 1 have a length of √128: two that point the same way score √128."""
    x = np.random.default_rng(0).normal(size=128)
    x /= np.sqrt((x * x).mean())
    assert x @ x / np.sqrt(128) == pytest.approx(np.sqrt(128)) == pytest.approx(at(head=128)["scores"]["bound"])
    beat = explainers.load("norms").beats[1]
    assert "a root mean square of 1" in beat.text
    assert "size of 1" not in beat.text
