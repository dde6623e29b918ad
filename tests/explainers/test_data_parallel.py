"""explainers/data_parallel: the executed step beside formulas and the ZeRO paper, what beats and goals claim."""

import re

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers import fmt
from cutaway.gallery import catalog, parameters
from cutaway.gallery.planning.communication import data_parallel
from cutaway.gallery.planning.layout import Layout, devices
from cutaway.gallery.planning.planner_model import make_planner_model
from cutaway.gallery.planning.rank_memory import list_rank_memory, state_bytes
from tests import bundled
from tests.explainers.expected import Expected

page, data = explainers.reference("data-parallel"), explainers.data("data-parallel")
run = page.run
LEGAL = [(dp, shard) for dp in page.DP for shard in page.SHARDS if shard <= dp]
EVERY = pytest.mark.parametrize(("dp", "shard"), LEGAL, ids=[f"{dp}-{shard or 'all'}" for dp, shard in LEGAL])
STAGES = pytest.mark.parametrize("stage", range(4))


def at(**state) -> dict:
    """What the page prints in a state."""
    return page.compute({**page.STATE, **state}, data)


def ask(path: str, **state):
    """The value of a path of the page."""
    return Expected("data-parallel", state)(path)


@STAGES
@EVERY
def test_the_step_is_that_of_one_rank_and_sends_what_the_formulas_say(stage, dp, shard):
    """Weights agree to 1e-15, and the log's bytes are those of gathers and sums, for both conventions."""
    shards = shard or dp
    ran = run.step(stage, shards, dp // shards)
    assert ran.away < 1e-15
    for convention, gradient in (("16", 2), ("18", 4)):
        now = at(stage=stage, dp=dp, shard=shard, convention=convention)
        assert now["sent"] == pytest.approx(now["formula"])
        each, copies = (shards - 1) / shards, 2 * (dp // shards - 1) / (dp // shards) / shards
        sums = {0: 2 * each + copies, 1: each + copies, 2: each + copies, 3: each + copies}[stage]
        assert now["sent"]["gradients"] == pytest.approx(gradient * sums)
        assert now["sent"]["weights"] == pytest.approx(2 * each * {0: 0, 1: 1, 2: 1, 3: 2}[stage])


def test_a_wrong_gather_would_show():
    """Each rank's gradient depends on the weights it has: swapping two shares changes the step."""
    w = run.values(11, 1, 16)[0]
    rows = run.values(12, 8, 16)
    right, wrong = (run.adam(w, (one * rows + one * 0.5).sum(0) / 8) for one in (w, np.roll(w, 2)))
    assert np.abs(right - wrong).max() > 0.1


@pytest.mark.parametrize(("stage", "gb"), [(0, 120), (1, 31.4), (2, 16.6), (3, 1.9)])
def test_the_zero_papers_figure(stage, gb):
    """7.5 B on 64 ranks: 120, 31.4, 16.6 and 1.9 GB (arXiv 1910.02054, figure 1)."""
    assert round(at(stage=stage, dp=64)["here"]["bytes"] / 1e9, 1) == gb


@STAGES
@pytest.mark.parametrize("dp", page.DP)
@pytest.mark.parametrize(("convention", "gradient"), [("16", 2), ("18", 4)])
def test_what_a_rank_holds_is_the_planners(stage, dp, convention, gradient):
    """gallery.planning deals out the same bytes."""
    device, _, _ = devices("h100_sxm:1x1")
    layout = Layout(device, dp, 1, job="train", zero=stage, gradient_bytes=gradient)
    held = sum(state_bytes(page.PAPER, layout, dp))
    assert at(stage=stage, dp=dp, convention=convention)["here"]["bytes"] == pytest.approx(held, abs=3)


def test_models_have_as_many_parameters_as_the_gallery_counts():
    for slug in page.MODELS:
        assert at(model=slug)["parameters"] == parameters(catalog.spec(slug)).total


@STAGES
@EVERY
@pytest.mark.parametrize("model", page.MODELS)
def test_what_leaves_a_node_is_the_planners(stage, dp, shard, model):
    """Llama 3.1 8B, stage 3 on two nodes: 24.1 GB, not the 45.2 of one flat ring; the planner counts the same bytes."""
    device, _, _ = devices("h100_sxm:1x1")
    each = min(dp, run.NODE)
    layout = Layout(device, dp // each, each, job="train", zero=stage, gradient_bytes=2, batch=dp,
                    dp_shard=shard or dp)  # fmt: skip
    sheet = make_planner_model(catalog.spec(model))
    (rank,) = list_rank_memory(sheet, layout)
    expected = each * sum(talk.leaving_bytes for talk in data_parallel(layout, rank))
    assert at(stage=stage, dp=dp, shard=shard, convention="16", model=model)["leaves"] == pytest.approx(
        expected, abs=64
    )


@EVERY
def test_what_leaves_a_node_leaves_it_once(dp, shard):
    """Nothing on one node; with a copy in each node, only sums of gradients, 2 (n - 1) / n of them over n nodes; with
    one over all, three times (n - 1) / n: two gathers of weights and a sum of gradients."""
    now, nodes = at(stage=3, dp=dp, shard=shard), max(dp // 8, 1)
    if nodes == 1:
        assert now["leaves"] == 0
    elif shard == 8:
        assert now["leaves"] == pytest.approx(2 * page.PAPER * 2 * (nodes - 1) / nodes)
    elif shard == 0:
        assert now["leaves"] == pytest.approx(3 * 2 * page.PAPER * (nodes - 1) / nodes)


def test_moments_follow_the_step():
    """Gradients appear behind the backward, whole; weights are whole only while they are used."""
    shares = [{one["name"]: one["share"] for one in at(stage=3, step=m)["parts"]} for m in range(6)]
    assert [row["weights"] for row in shares] == [1 / 8, 1, 1, 1 / 8, 1 / 8, 1 / 8]
    assert [row["gradients"] for row in shares] == [0, 0, 1, 1 / 8, 1 / 8, 1 / 8]
    assert {row["optimizer"] for row in shares} == {1 / 8}
    sent = [at(stage=1, step=m)["so_far"] for m in range(6)]
    assert sent == pytest.approx([page.PAPER * x for x in (0, 0, 0, 1.75, 1.75, 3.5)])
    assert [at(stage=2, step=m)["now"] for m in (0, 2, 3)] == pytest.approx([3.5, 5.5, 3.75])


def test_the_bets_are_answered_as_the_words_say():
    """120 GB; once a step; 31.4 GB; half as much again; 15 GB instead of 22.5."""
    assert ask("here.bytes", stage=0, dp=64) == 120e9
    assert ask("how_often", stage=0) == 1
    assert ask("here.bytes", stage=1, dp=64) == pytest.approx(31.4e9, rel=1e-3)
    assert {dp: ask("dearer", stage=3, dp=dp) for dp in page.DP} == dict.fromkeys(page.DP, 1)
    assert (ask("leaves", stage=3, dp=16, shard=8), ask("flat", stage=3, dp=16)) == (
        15e9,
        pytest.approx(22.5e9, rel=1e-3),
    )
    assert (ask("here.bytes", stage=3, dp=16, shard=8), ask("flat_held", stage=3, dp=16)) == (15e9, 7.5e9)


GOALS = {"seventy": (page.MODELS[1], (3, 16, 0)), "both": ("paper", (3, 16, 8))}


@pytest.mark.parametrize("name", GOALS)
def test_goals_are_reached_only_where_they_hold(name, of_beats):
    """By the reference 16 is the fewest ranks with 70 B under 80 GB; of 16 one state alone keeps both numbers small."""
    model, only = GOALS[name]
    places = [(stage, dp, shard) for stage in range(4) for dp, shard in LEGAL]
    states = [{**page.STATE, "model": model, "stage": z, "dp": dp, "shard": shard} for z, dp, shard in places]
    now = [page.compute(state, data) for state in states]
    if name == "seventy":
        fits = [place for place, one in zip(places, now, strict=True) if one["here"]["bytes"] <= 80e9]
        right = [place for place in fits if place[1] == min(dp for _, dp, _ in fits)]
    else:
        small = [max(one["here"]["bytes"], one["leaves"]) <= 20e9 for one in now]
        right = [place for place, one in zip(places, small, strict=True) if one and place[1] == 16]
    made = of_beats("data-parallel", "goals", name, states)
    assert [place for place, one in zip(places, made, strict=True) if one["reached"]] == right == [only]
    said = [(one["says"], row["here"]["bytes"]) for one, row in zip(made, now, strict=True) if "each" in one["says"]]
    assert said and all(fmt.in_bytes(held, "GB") in says for says, held in said)


@pytest.mark.parametrize(
    "bad",
    [{"convention": ["16"]}, {"dp": "8"}, {"stage": True}, {"step": 2.5}, {"shard": None}, {"model": []}],
    ids=str,
)
def test_what_is_no_state_is_refused_in_a_sentence(bad):
    """Other types than the state's end in words, never in a traceback; a whole float is the number it is."""
    assert page.check({**page.STATE, **bad}, data).endswith(".")
    assert at(dp=8.0, stage=1.0, shard=0.0, step=0.0) == at()


def test_nothing_is_sent_where_every_rank_has_stepped_alike():
    """Only stage 0 ends without a gather, and says so; stage 3 says what it gathers when."""
    said = {(stage, step): at(stage=stage, step=step)["words"] for stage in range(4) for step in range(6)}
    assert [key for key, words in said.items() if words == page.NOTHING] == [(0, 5)]
    assert [step for step in range(6) if said[3, step] != said[2, step]] == list(page.SHARED)


DRAW = """([make, which, now, ...how]) => {
  const view = loaded[make](which);
  view.update(now, ...how);
  return view.el.outerHTML; }"""


@pytest.fixture
def drawn(blank):
    """drawn("cards_view", "", now, 8): what a drawing makes of the reference's numbers."""
    return lambda *asked: blank(bundled.explainer("data-parallel")).evaluate(DRAW, list(asked))


def shown(dp: int) -> list[int]:
    """The ranks that are drawn: all of eight, else the first seven and the last."""
    return list(range(dp)) if dp <= 8 else [*range(7), dp - 1]


@pytest.mark.parametrize("dp", page.DP)
def test_eight_ranks_are_drawn_and_the_last(dp, drawn):
    """All of eight; of more the first seven and the last, with dots before it."""
    head = re.findall(r'data-index="">([^<]*)</th>', drawn("cards_view", "", at(dp=dp), dp))
    assert head == [f"… {rank}" if dp > 8 and n == 7 else str(rank) for n, rank in enumerate(shown(dp))]


@pytest.mark.parametrize("stage", [0, 3])
@EVERY
def test_a_card_is_filled_where_its_rank_holds_the_parameters(dp, shard, stage, drawn):
    """A share of the width, at the rank's place among those that share a copy, at least 1.5 pixels wide."""
    html = drawn("cards_view", "", at(dp=dp, shard=shard, stage=stage), dp)
    bars = re.findall(r'<rect class="weights" x="([\d.]+)" width="([\d.]+)" height="12"', html)
    shards = (shard or dp) if stage else 1
    for (x, wide), rank in zip(bars, shown(dp), strict=True):
        width = max(30 / shards, 1.5)
        assert (float(x), float(wide)) == pytest.approx(
            (min(30 * (rank % shards) / shards, 30 - width), width), abs=0.01
        )


def test_bars_are_as_long_as_their_numbers(drawn):
    """One row of 30 pixels for each stage, the longest 62 percent, its number one percent behind it."""
    now = at(dp=64)
    for what in ("per", "sends"):
        svg = drawn("bars_view", what, now, 1, False)
        tops = [float(y) for y in re.findall(r'<rect x="20%" y="(\d+)" height="18"', svg)]
        wide = [float(one) for one in re.findall(r'<rect [^>]*width="([\d.]+)%"', svg)]
        numbers = re.findall(r'<text y="(\d+)" x="([\d.]+)%"><tspan [^>]*>([\d.]+)</tspan> B', svg)
        labels = re.findall(r'<text x="0" y="(\d+)" data-index="">stage (\d)</text>', svg)
        assert labels == [(str(30 * z + 17), str(z)) for z in range(4)]
        assert tops == [30 * z + 4 for z in range(4)]
        assert re.findall(r'<g class="([a-z]*)"', svg) == ["", "on", "", ""]
        values = [row[what] for row in now["rows"]]
        assert wide == pytest.approx([62 * value / max(values) for value in values], abs=0.01)
        assert numbers == [
            (str(30 * z + 17), f"{21 + long:.2f}", f"{value:.2f}")
            for z, (long, value) in enumerate(zip(wide, values, strict=True))
        ]


def test_stage_3_is_kept_back_while_its_bet_is_open(drawn):
    """Its row has a name and no more: no length, no number."""
    svg = drawn("bars_view", "sends", at(dp=64, stage=3), 3, True)
    assert "rows.2.sends" in svg and "rows.3.sends" not in svg
    assert re.findall(r'<rect [^>]*width="([\d.]+)%"', svg)[3] == "0.00"
