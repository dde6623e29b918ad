"""Pipeline schedules against measured bubbles and peaks, against torch's op order, and against their own rules."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from cutaway import explainers
from cutaway.explainers.pipeline import reference
from tests.explainers import expected
from tests.tally import Tally

HERE = Path(__file__).resolve().parent
ORACLE = HERE.parent / "oracle"
schedules, simulate = reference.schedules, reference.simulate
MEASURED = {
    "GPipe": "gpipe",
    "1F1B": "1f1b",
    "LoopedBFS": "looped-bfs",
    "Interleaved1F1B": "interleaved",
    "InterleavedZeroBubble": "interleaved-zb",
    "ZBVZeroBubble": "zb-v",
    "DualPipeV": "dualpipe-v",
}


def measured_rows():
    """(p, m, name, v, {column: text}) for every line of the file."""
    for line in (ORACLE / "pp_schedules_measured.txt").read_text().splitlines():
        size = re.match(r"--- p=(\d+) m=(\d+)", line)
        if size:
            p, m = map(int, size.groups())
        elif line.strip():
            fields = dict(re.findall(r"(\w+)=([\w.]+)", line))
            yield p, m, MEASURED[line.split()[0]], int(fields["v"]), fields


def state(name, p, m, v=2, f=1, i=1, w=1, **more):
    made = {"schedule": name, "pp": p, "microbatches": m, "chunks": v, "forward": f, "input_grad": i, "weight_grad": w}
    return {**reference.STATE, "overlap": 0.0, **made, **more}


def grid():
    """Every schedule over sizes, legal or not."""
    for name, row in schedules.SCHEDULES.items():
        for p, m, v in itertools.product((2, 3, 4, 5, 8), (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24), row.chunks):
            yield state(name, p, m, v)


def test_every_measured_row(verified):
    """Bubble time, its prediction, its share and both peaks equal every measured row to the digits written there."""
    rows = list(measured_rows())
    assert len(rows) == 32
    wrong = []
    for p, m, name, v, want in rows:
        got = reference.compute(state(name, p, m, v))
        assert got["formula_holds"]
        mine = {
            "bubble_time": f"{got['bubble']:.3f}",
            "predicted": f"{got['formula']:.3f}",
            "frac_of_total": f"{got['of_total']:.4f}",
            "peak_max": f"{max(got['peak']):.3f}",
            "peak_min": f"{min(got['peak']):.3f}",
        }
        wrong += [(p, m, name, v, k, want[k], mine[k]) for k in mine if want[k] != mine[k]]
    assert wrong == []
    verified(
        "pipeline: measured bubbles and memory peaks",
        5 * len(rows),
        len(wrong),
        "pp_schedules_measured.txt (torch 2.13)",
    )


def test_op_order_is_torchs(verified):
    """Rank by rank, op by op, our lists are the ones torch 2.13 generates (its 1F1B off-by-one mended)."""
    golden = json.loads((ORACLE / "schedules_torch.json").read_text())
    checked, wrong = 0, []
    for row in golden["schedules"]:
        for rank, want in enumerate(row["ranks"]):
            ops = schedules.rank_ops(row["schedule"], row["p"], row["m"], row["v"], rank)
            got = [f"{o[1]}F{o[2]}+{o[3]}B{o[4]}" if o[0] == "X" else f"{o[1]}{o[0]}{o[2]}" for o in ops]
            checked += len(got)
            if got != want.split():
                wrong.append((row["schedule"], row["p"], row["m"], row["v"], rank))
    assert wrong == []
    verified("pipeline: order of operations", checked, len(wrong), f"torch {golden['torch']} get_schedule_ops")


@pytest.mark.whole
def test_each_micro_batch_once_per_stage_in_order(verified):
    """Over a grid: F, I, W (or B) of every micro-batch once on every stage, F before its B, W after its I."""
    tally = Tally()
    for s in grid():
        if reference.check(s):
            continue
        p, m, v = s["pp"], s["microbatches"], reference.chunks_of(s)
        lists = [schedules.rank_ops(s["schedule"], p, m, v, r) for r in range(p)]
        for r, ops in enumerate(lists):
            flat = [part for op in ops for part in simulate.parts(op)]
            half = s["schedule"] == "dualpipe"  # of the micro-batches, each way
            stages = {schedules.stage_of(s["schedule"], p, r, c) for c in range(2 if half else v)}
            for stage, k in itertools.product(stages, range(m)):
                if half and (stage == r) != (k < m // 2):
                    continue
                kinds = [kind for kind, *at in flat if at == [stage, k]]
                tally.holds(kinds in (["F", "B"], ["F", "I", "W"]), s["schedule"], p, m, v, r, stage, k)
            assert len(flat) == sum(len(simulate.parts(op)) for op in ops)
            assert {stage for _, stage, _ in flat} == stages
    verified(
        "pipeline: each micro-batch runs once per stage, in order", tally, against="the definition of a valid schedule"
    )


@pytest.mark.whole
def test_no_op_starts_before_its_input(verified):
    """Over a grid with unequal times and a transfer time, every op starts after its input has arrived."""
    tally = Tally()
    for s in grid():
        s |= {"forward": 1, "input_grad": 1.5, "weight_grad": 0.75, "hop": 0.5}
        if reference.check(s):
            continue
        out = reference.compute(s)
        made, last = {}, s["pp"] * out["chunks"] - 1
        for r, ops in enumerate(out["ops"]):
            for *op, _, end in ops:
                for kind, stage, k in simulate.parts(op):
                    if kind != "W":
                        made["F" if kind == "F" else "B", stage, k] = (end, r)
        for r, ops in enumerate(out["ops"]):
            assert all(a[-1] <= b[-2] for a, b in itertools.pairwise(ops))
            for *op, start, _ in ops:
                for part in simulate.parts(op):
                    need = simulate.needed_result(*part, last)
                    if need:
                        end, where = made[need]
                        tally.holds(start >= end + (0.5 if where != r else 0), s["schedule"], r, part)
    verified(
        "pipeline: no operation starts before its input is ready", tally, against="the definition of a valid schedule"
    )


# Three times each, without those that only run another row twice as fast.
TIMES = [times for times in itertools.product((0.5, 1, 2), repeat=3) if max(times) == 2]


@pytest.mark.whole
def test_formula_where_it_is_said_to_hold(verified):
    """Over unequal times the closed form equals the simulation wherever its row says it does (ZB-H1: (p-1)(F+I-W))."""
    tally = Tally()
    for s in grid():
        for f, i, w in TIMES:
            s |= {"forward": f, "input_grad": i, "weight_grad": w}
            if s["pp"] > 5 or reference.check(s):
                continue
            for overlap in (0, 0.35, 1) if "dualpipe" in s["schedule"] else (0,):
                run = reference.Ran({**s, "overlap": overlap})
                if run.holds:
                    tally.near(run.bubble, run.formula, s, abs=1e-9)
    verified("pipeline: bubble formulas", tally, against="event simulation with unequal stage times")


def test_formula_is_withdrawn_where_it_fails():
    """Each condition is needed: just outside it the simulation departs from the formula, and the row says so."""
    for name, times in {
        "zb-h1": (1, 0.5, 1.25),
        "interleaved-zb": (1, 1, 2),
        "zb-v": (1, 1, 2),
        "dualpipe-v": (2, 1, 1),
        "dualpipe": (1, 1, 2),
    }.items():
        out = reference.compute(state(name, 4, 8, 2, *times))
        assert not out["formula_holds"]
        assert out["bubble"] != pytest.approx(out["formula"])


def test_peaks_in_flight():
    """GPipe keeps m; 1F1B p - r; the zero-bubble schedules p on every rank; DualPipeV p + 1/2."""
    assert reference.compute(state("gpipe", 4, 8))["peak"] == [8, 8, 8, 8]
    assert reference.compute(state("1f1b", 4, 8))["peak"] == [4, 3, 2, 1]
    assert reference.compute(state("zb-h1", 4, 8))["peak"] == [4, 4, 4, 4]
    assert reference.compute(state("zb-v", 4, 8))["peak"] == [4, 4, 4, 4]
    assert reference.compute(state("dualpipe-v", 4, 8))["peak"] == [4.5] * 4


def test_both_bubble_conventions():
    """p = 4, m = 8: 37.5 % of the ideal time and 27.3 % of the whole are the same 9 units."""
    out = reference.compute(state("1f1b", 4, 8))
    assert (out["bubble"], out["of_ideal"]) == (9, 0.375)
    assert pytest.approx(3 / 11) == out["of_total"]


def test_in_flight_at_the_cursor():
    """At the start of 1F1B's steady state rank r holds p - r micro-batches; at the end nobody holds any."""
    assert reference.compute(state("1f1b", 4, 8, cursor=4.5))["now"] == [4, 3, 2, 1]
    assert reference.compute(state("1f1b", 4, 8, cursor=1e6))["now"] == [0, 0, 0, 0]
    assert reference.compute(state("1f1b", 4, 8, cursor=-1))["now"] == [1, 0, 0, 0]


def test_why_a_rank_waits():
    """The wait names the op after it, the result it needs, and the moment that result is there."""
    why = reference.compute(state("1f1b", 4, 8, rank=0, op=4))["why"]
    assert (why["from"], why["to"], why["rank"]) == (4, 10, 1)
    assert why["sentence"] == (
        "Rank 0 is idle from 4 to 10. Its next operation is the backward of micro-batch 1 on stage 0. This needs the "
        "backward of micro-batch 1 on stage 1, which rank 1 finishes at 10."
    )
    assert reference.compute(state("1f1b", 4, 8, rank=3, op=16))["why"]["sentence"] == "Rank 3 is done at 27."
    assert reference.compute(state("1f1b", 4, 8, rank=9, op=0))["why"] is None


def test_numbers_round_as_the_widget_rounds():
    """Exact ties go away from zero, as toPrecision does: 10.0625 is 10.063 in both languages."""
    assert [reference.number(x) for x in (10.0625, 4.0, 4.5, 40 / 3, 0)] == ["10.063", "4", "4.5", "13.333", "0"]


def test_gaps_are_counted_and_the_notes_are_the_formulas():
    """The gap that is asked about has its place among all; each number says what it compares."""
    out = reference.compute(state("1f1b", 4, 8, rank=0, op=13))
    assert (out["gap"], out["gaps"]) == (2, 12)
    assert reference.compute(state("1f1b", 4, 8, rank=0, op=0))["gap"] == 0
    assert out["notes"]["whole"].startswith("= (p − 1)/(m + p − 1) = 3/11 ·")
    assert out["notes"]["ideal"].startswith("= (p − 1)/m = 3/8 ·")
    waits = reference.compute(state("zb-h1", 4, 8, w=2, hop=0.5))["notes"]["formula"]
    assert waits.endswith("it needs m ≥ p, W ≤ F, W ≤ I, and transfers that take no time")


def test_illegal_combinations_say_what_is_legal():
    """Each refusal is a sentence with a number that works."""
    assert "Take 8 or 12 micro-batches." in reference.check(state("interleaved", 4, 10))
    assert "Take 8 micro-batches." in reference.check(state("interleaved-zb", 8, 3))
    assert "at least 8 micro-batches, not 6" in reference.check(state("dualpipe-v", 4, 6))
    assert "at least 2 chunks" in reference.check(state("looped-bfs", 4, 8, v=1))
    assert "from 2 to 16" in reference.check(state("1f1b", 17, 8))
    assert "from 2 to 16" in reference.check(state("1f1b", "four", 8))
    assert "from 0.25 to 4" in reference.check(state("1f1b", 4, 8, f=float("nan")))
    assert "there is no “x”" in reference.check(state("x", 4, 8))
    assert "from 0 to 1" in reference.check(state("1f1b", 4, 8, overlap=1.5))
    assert "model is one of none, meta-llama" in reference.check(state("1f1b", 4, 8, model="x"))
    assert "tokens is one of 4096, 8192" in reference.check(state("1f1b", 4, 8, tokens=100))
    assert "Take 6 ranks and 10 micro-batches." in reference.check(state("dualpipe", 5, 10))
    assert "at least 12 micro-batches, not 8" in reference.check(state("dualpipe", 6, 8))
    assert "there is no “y”" in reference.check(state("1f1b", 4, 8, beside="y"))
    assert reference.check(reference.STATE) == ""


# ---------------------------------------------------------------- the beats

FIRST = reference.STATE


def test_what_the_beats_say_in_words_holds():
    """Sentences of page.md that state a fact without a bound number are true of the states they are said of."""
    gpipe, plain, split = (reference.compute(state(name, 4, 8)) for name in ("gpipe", "1f1b", "zb-h1"))
    assert FIRST["input_grad"] + FIRST["weight_grad"] == 2 * FIRST["forward"]
    assert {reference.compute(state("gpipe", 4, m))["bubble"] for m in (4, 8, 16, 32, 64)} == {gpipe["bubble"]}
    assert set(split["peak"]) == {plain["peak"][0]}
    late = reference.compute(state("zb-h1", 4, 8, w=0))
    assert late["of_total"] == pytest.approx(plain["of_total"])
    first, last = (reference.compute(state("gpipe", 4, 8, rank=r, op=k))["why"] for r, k in ((0, 8), (3, 0)))
    assert "backward of micro-batch 1 on stage 1" in first["sentence"]
    assert "forward of micro-batch 1 on stage 2" in last["sentence"]
    four, two = (reference.compute(state("interleaved", 4, 8, v=v)) for v in (4, 2))
    assert four["of_total"] < two["of_total"] < plain["of_total"]


def test_answers_of_picks_and_messages():
    """1F1B saves memory alone; two chunks cost memory and messages; a V stays on its rank where it turns."""
    told = expected.answers("pipeline")
    assert (told["saves"](FIRST, {}), told["price"](FIRST, {})) == (1, 0)
    ways = [state(name, 4, 8) for name in ("1f1b", "interleaved", "zb-v", "interleaved-zb")]
    assert [told["messages"](way, {}) for way in ways] == [6, 14, 12, 14]
    assert told["messages"](state("looped-bfs", 3, 8, v=3), {}) == 16


@pytest.mark.parametrize(
    ("goal", "changes", "says"),
    [
        ("under_6", {"schedule": "zb-h1"}, "With ZB-H1, ranks are idle for 11.1 % of the step."),
        ("under_6", {"schedule": "zb-v", "hop": 0.25}, "4 ranks, 8 micro-batches and the default times"),
        ("under_6", {"schedule": "zb-v", "microbatches": 16}, "4 ranks, 8 micro-batches and the default times"),
        ("few", {"pp": 8, "microbatches": 27}, "With 27 micro-batches, ranks are idle for 20.6 % of the step."),
        ("few", {"pp": 8, "microbatches": 1}, "With 1 micro-batch, ranks are idle for 87.5 % of the step."),
        ("few", {"pp": 8, "microbatches": 29}, "19.4 % of the step: fewer are enough."),
        ("few", {"pp": 8, "microbatches": 28, "schedule": "gpipe"}, "8 ranks and plain 1F1B"),
        ("few", {"microbatches": 28}, "8 ranks and plain 1F1B"),
    ],
)
def test_goals_name_near_misses(goal, changes, says, of_beats):
    """What is not reached says how far one is, or what the goal needs."""
    (made,) = of_beats("pipeline", "goals", goal, [{**FIRST, **changes}])
    assert not made["reached"]
    assert says in made["says"]


def test_goals_are_reached_where_the_reference_says_so(of_beats):
    """Over every schedule, and over every number of micro-batches: idle under 6 %, and the first at most at 20 %."""
    ways = [{**FIRST, "schedule": name} for name in reference.schedules.SCHEDULES]
    ways = [way for way in ways if not reference.check(way)]
    made = of_beats("pipeline", "goals", "under_6", ways)
    assert [one["reached"] for one in made] == [reference.compute(way)["of_total"] < 0.06 for way in ways]
    counts = [{**FIRST, "pp": 8, "microbatches": m} for m in range(1, 65)]
    idle = [reference.compute(one)["of_total"] <= 0.2 for one in counts]
    made = of_beats("pipeline", "goals", "few", counts)
    assert [one["reached"] for one in made] == [i == idle.index(True) for i in range(len(counts))]


def test_hints_of_the_goals_hold(of_beats):
    """Another way to each goal is one: ZB-V and interleaved ZB; 16 micro-batches in two chunks, and not 8."""
    idle = {m: reference.compute(state("interleaved", 8, m))["of_total"] for m in (8, 16)}
    assert idle[16] <= 0.2 < idle[8]
    ways = [{**FIRST, "schedule": name} for name in ("zb-v", "interleaved-zb")]
    more, fewer = of_beats("pipeline", "goals", "under_6", ways)
    assert more["reached"] and "Interleaved ZB reaches it too, with more messages" in more["says"]
    assert fewer["reached"] and "ZB-V reaches it too, with fewer messages" in fewer["says"]
    sent = [expected.answers("pipeline")["messages"](way, {}) for way in ways]
    assert sent[0] < sent[1]


def test_numbers_of_the_prose():
    """What stands below the lab is the reference's."""
    out = reference.compute(state("1f1b", 4, 8))
    prose = explainers.load("pipeline").html
    for share in (out["of_ideal"], out["of_total"]):
        assert f"{100 * share:.1f} %" in prose
    assert out["bubble"] == 9
    assert "the same nine idle units" in prose
