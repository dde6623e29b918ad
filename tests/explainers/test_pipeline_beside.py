"""What the pipeline page says beyond one bubble: overlap, messages, a cap, two schedules, a model's times."""

from __future__ import annotations

import itertools

import pytest

from tests.explainers.test_pipeline import grid, reference, schedules, simulate, state


def test_dualpipe_readme():
    """DualPipe's README: (PP/2 − 1)(F&B + B − 3W), PP + 1 in flight, parameters twice; DualPipeV on PP/2 ranks too."""
    for p, overlap in itertools.product((4, 8, 16), (0, 0.5, 1)):
        b, pair = 2, 3 - overlap
        both = reference.compute(state("dualpipe", p, 2 * p, overlap=overlap))
        folded = reference.compute(state("dualpipe-v", p // 2, 2 * p, f=2, i=2, w=2, overlap=overlap))
        assert both["bubble"] == folded["bubble"] == pytest.approx((p / 2 - 1) * (pair + b - 3))
        assert max(both["peak"]) == p + 1 == 2 * max(folded["peak"])
        assert both["formula_holds"] and folded["formula_holds"]
    assert [name for name, row in schedules.SCHEDULES.items() if row.copies == 2] == ["dualpipe"]


@pytest.mark.whole
def test_v_half_and_v_min():
    """A building block repeated: p/2 + 3/2 and ⌊(p + 1)/3⌋ + 1 held at most, near 1/2 and 2/3 of 1F1B's bubble."""
    for p in range(2, 17):
        half, least, plain = (reference.compute(state(name, p, 4 * p)) for name in ("v-half", "v-min", "1f1b"))
        assert half["formula_holds"] and least["formula_holds"]
        assert half["bubble"] == half["formula"] == (3 * p - (3 if p % 2 else 4)) / 2
        assert least["bubble"] == least["formula"] == (4 * p - (5 if p % 3 else 3)) / 2
        assert max(half["peak"]) == min(p / 2 + 1.5, 4 * p) or p < 4
        assert max(least["peak"]) == (p + 1) // 3 + 1
    assert half["bubble"] / plain["bubble"] == pytest.approx(1 / 2, abs=0.02)
    assert least["bubble"] / plain["bubble"] == pytest.approx(2 / 3, abs=0.02)
    assert (half["notes"]["formula"], least["notes"]["formula"]) == (
        "= (3p − 4)(F) / 2 · equal to the simulation",
        "= (4p − 5)(F) / 2 · equal to the simulation",
    )


def test_an_overlapped_pair_takes_from_both_to_the_longer():
    """F&B goes from F + B to max(F, B); ranks that hide more idle less, and the notes say both."""
    assert [simulate.pair(1, 1.5, 0.5, o) for o in (0, 0.5, 1)] == [3, 2.5, 2]
    assert simulate.pair(3, 1, 1, 1) == 3
    out = reference.compute(state("dualpipe", 8, 16, overlap=1))
    assert out["idle"] == [1, 2, 3, 3, 3, 3, 2, 1]
    assert (out["bubble"], out["span"], out["work"]) == (3, 44, 41)
    assert (out["notes"]["who"], out["notes"]["idle"]) == ("the rank that waits most", "units of 44; at least 1")
    plain = reference.compute(state("1f1b", 4, 8))
    assert (plain["notes"]["who"], plain["notes"]["idle"]) == ("each rank", "units of 33; the rest is work")


@pytest.mark.whole
def test_every_result_that_crosses_ranks_is_one_message():
    """A micro-batch crosses every border between ranks once there and once back; each is there a transfer later."""
    checked = 0
    for s in grid():
        if reference.check(s):
            continue
        run, p, m = reference.Ran({**s, "hop": 0.5}), s["pp"], s["microbatches"]
        v = reference.chunks_of(s)
        turn = v - 1 if run.row.placement == "v" else 0
        assert len(run.sent) == len(set(run.sent)) == 2 * m * (p * v - 1 - turn), s["schedule"]
        for kind, source, index, to, there_op, sent, there in run.sent:
            assert source != to and there == sent + 0.5 == run.times[source][index][1] + 0.5
            assert run.times[to][there_op][0] >= there
            assert kind in [k if k != "I" else "B" for k, *_ in simulate.parts(run.lists[source][index])]
        checked += len(run.sent)
    assert checked > 20_000


def test_what_an_op_gets_and_sends():
    """One op's messages are those of its own inputs and outputs, and the sentence names both ends and both times."""
    out = reference.compute(state("1f1b", 4, 8, rank=1, op=2, hop=0.5))
    assert out["why"] is None
    assert out["links"] == [["F", 0, 2, 1, 2, 3, 3.5], ["F", 1, 2, 2, 3, 4.5, 5.0]]
    assert out["says"] == (
        "Rank 1 runs the forward of micro-batch 3 on stage 1 from 3.5 to 4.5. It gets activations from rank 0, "
        "sent at 3 and received at 3.5. It sends activations to rank 2, sent at 4.5 and received at 5."
    )
    pair = reference.compute(state("dualpipe", 4, 8, rank=1, op=7))
    assert len(pair["links"]) == 4
    assert reference.compute(state("1f1b", 4, 8, rank=0, op=16))["links"] == []
    assert reference.compute(state("1f1b", 4, 8))["sent"] == [8, 16, 16, 8]


@pytest.mark.whole
def test_a_cap_says_who_fits():
    """What is held at most is held on the fullest rank; a cap lists the schedules that stay under it."""
    for s in grid():
        if not reference.check(s):
            assert reference.weighed.peaks(s, reference.fits)[s["schedule"]] == max(reference.Ran(s).held()), s
    assert reference.compute(state("1f1b", 4, 8))["fit"] is None
    fit = reference.compute(state("gpipe", 4, 8, cap=4.5))["fit"]
    assert (fit["over"], fit["good"]) == (
        True,
        ["1f1b", "zb-h1", "interleaved-zb", "zb-v", "v-half", "v-min", "dualpipe-v"],
    )
    assert fit["says"].startswith("GPipe holds 8 at most and does not fit. These fit: 1F1B (4), ZB-H1 (4), ")
    assert reference.compute(state("1f1b", 4, 8, cap=1))["fit"]["says"].endswith("None fits: V-Min (2) needs least.")
    assert reference.compute(state("1f1b", 8, 2, cap=2))["fit"]["says"].startswith(
        "1F1B holds 2 at most and fits. So do"
    )


def test_a_wait_tells_how_long_its_result_travels():
    """A rank never waits for a result of its own: what it waits for travels, and the sentence says how long."""
    away = reference.compute(state("1f1b", 4, 8, rank=0, op=4, hop=0.5))
    assert away["says"].endswith("which rank 1 finishes at 12.5; the result then travels for 0.5.")
    for name in ("1f1b", "zb-v", "dualpipe-v", "v-half"):
        run = reference.Ran(state(name, 4, 8, hop=0.5))
        for rank, op in reference.gaps_of(run.times):
            assert simulate.awaited_op(run.lists, run.times, rank, op, run.v)["rank"] != rank


def test_two_schedules_under_one_cursor():
    """The second runs at the same sizes and times; the sentence says who is done first, and what both hold."""
    out = reference.compute(state("1f1b", 4, 8, beside="zb-v", cursor=26))
    alone = reference.compute(state("zb-v", 4, 8, cursor=26))
    assert {key: out["other"][key] for key in ("ops", "span", "bubble", "of_total", "peak", "now", "chunks")} == {
        key: alone[key] for key in ("ops", "span", "bubble", "of_total", "peak", "now", "chunks")
    }
    assert (out["end"], out["other"]["says"]) == (
        33,
        "ZB-V finishes 7.5 units before 1F1B, 22.7 % of its step. "
        "ZB-V’s ranks hold at most 4 micro-batches, the same number.",
    )
    says = reference.compute(state("1f1b", 4, 8, beside="dualpipe"))["other"]["says"]
    assert says.endswith("hold at most 5 micro-batches, compared with 4. It holds all parameters twice.")
    same = reference.compute(state("gpipe", 4, 8, beside="1f1b"))
    assert same["other"]["says"].startswith("1F1B and GPipe finish at the same time.")
    longer = reference.compute(state("zb-v", 4, 8, beside="1f1b", cursor=40))
    assert (longer["end"], longer["at"], longer["span"]) == (33, 33, 25.5)
    assert "8 or 12" in reference.check(state("1f1b", 4, 10, beside="interleaved"))


def test_a_models_times_are_its_work_at_the_peak():
    """Forward, gradients and message of a stage by a second route: gallery's FLOPs, device and hidden size."""
    from cutaway.gallery import catalog
    from cutaway.gallery.planning.devices import DEVICES
    from cutaway.gallery.planning.planner_model import make_planner_model
    from cutaway.gallery.planning.work import training_flops

    for slug in ("meta-llama/Llama-3.1-70B", "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-120b"):
        s = state("1f1b", 8, 16, model=slug, device="h100_sxm", tokens=8192, link="inside")
        spec, device = catalog.spec(slug), DEVICES["h100_sxm"]
        whole = float(training_flops(make_planner_model(spec), 8192, mtp=False))
        head = 6 * spec.hidden_size * spec.vocab_size
        found = reference.real.seconds(s)
        stage = found["forward"] + found["input_grad"] + found["weight_grad"]
        assert stage == pytest.approx(8192 * (whole - head) / 8 / device.peaks["bfloat16"], rel=1e-6)
        assert found["message_bytes"] == 8192 * spec.hidden_size * 2
        assert found["hop"] == found["message_bytes"] / 450e9
        out = reference.compute(s)
        assert out["times"]["forward"] == 1
        assert out["real"]["step_ms"] == pytest.approx(1000 * found["forward"] * out["span"])
        assert out["real"]["hop_ms"] == pytest.approx(out["times"]["hop"] * out["real"]["unit_ms"])
        assert out["real"]["sent_bytes"] == 2 * 16 * found["message_bytes"]  # a rank in the middle: both ways
    across = reference.real.seconds({**s, "link": "outside"})
    assert across["hop"] == pytest.approx(9 * found["hop"])
