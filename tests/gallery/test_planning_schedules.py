"""The planner's rows of schedules against those that /learn/pipeline/ runs op by op; DualPipe's two copies."""

from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from cutaway.explainers.pipeline import reference
from cutaway.gallery.planning.address import parse
from cutaway.gallery.planning.communication import list_collectives, neighbour_stages
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.distinct_stages import distinct_stages
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal import problem, problems
from cutaway.gallery.planning.rank_memory import list_rank_memory
from cutaway.gallery.planning.redundancy import list_redundancies
from cutaway.gallery.planning.schedules import SCHEDULES, bubble, in_flight
from cutaway.gallery.planning.seconds import bind_step
from cutaway.gallery.planning.stages import in_flight as of_stage
from cutaway.gallery.planning.stages import stages
from cutaway.gallery.planning.work import stage_flops
from tests.gallery.sheets import sheet_of
from tests.tally import Tally

V3, LLAMA, GEMMA = "deepseek-ai/DeepSeek-V3", "meta-llama/Llama-3.1-70B", "google/gemma-2-2b"


def training(pp, micro_batches, gpus=0, **more):
    """A pipeline of one GPU a stage, or of more, with so many micro-batches."""
    made = Layout(DEVICES["h100_sxm"], 1, gpus or pp, pp=pp, job="train", **more)
    return replace(made, batch=made.dp * micro_batches)


def state(name, p, m, v):
    """What /learn/pipeline/ is asked for: F = I = W, nothing hides."""
    sizes = {"schedule": name, "pp": p, "microbatches": m, "chunks": v, "overlap": 0.0}
    return {**reference.STATE, **sizes}


@cache
def ran(name, p, m, v):
    """The same schedule, run."""
    return reference.Ran(state(name, p, m, v))


def sizes(name, most=7, many=(*range(1, 9), 10, 14, 15, 18)):
    """(p, m, v) of a schedule that can be run."""
    for p, m, v in product(range(2, most + 1), many, reference.schedules.SCHEDULES[name].chunks):
        if not reference.fits(state(name, p, m, v)):
            yield p, m, v


@pytest.mark.whole
def test_every_schedule_idles_and_holds_what_it_does_where_it_runs(verified):
    """The bubble, and what is in flight on every rank, of few micro-batches and many, equal the schedule's own run."""
    tally = Tally()
    every = [(name, *size) for name in SCHEDULES for size in [*sizes(name), (12, 24, SCHEDULES[name].chunks[0])]]
    for name, p, m, v in every:
        run = ran(name, p, m, v)
        tally.near(bubble(name, p, v, m) * 3 * m, run.bubble, name, p, m, v, abs=1e-9)
        held = run.held()
        if name == "dualpipe":  # a rank has two chunks there, which are all of its layers here
            held = [one / 2 for one in held]
        tally.near([in_flight(name, p, v, m, r) for r in range(p)], held, name, p, m, v)
    source = "/learn/pipeline/, operation by operation"
    verified("planner: bubbles and in-flight micro-batches of every schedule", tally, against=source)


def test_the_planner_knows_every_schedule_that_is_told():
    """Names, labels, chunks and copies are those of /learn/pipeline/."""
    assert SCHEDULES.keys() == reference.schedules.SCHEDULES.keys()
    for name, told in reference.schedules.SCHEDULES.items():
        row = SCHEDULES[name]
        assert row.label.lower() == told.label.lower()
        assert (row.chunks[0], row.copies, row.placement) == (told.chunks[0], told.copies, told.placement)
        assert row.chunks[1] in (told.chunks[-1], 64)
        wanted = "both ways" if told.rule == "both ways" else told.rule
        assert row.rule == wanted


def test_what_can_be_planned_is_what_can_be_run():
    """A size of a pipeline is legal here where its schedule can be written there, and illegal where not."""
    model = sheet_of(LLAMA)
    for name, p, m in product(SCHEDULES, range(2, 7), range(1, 14)):
        v = max(SCHEDULES[name].chunks[0], 1)
        made = training(p, m, chunks=v, schedule=name)
        assert bool(problem(model, made)) == bool(reference.fits(state(name, p, m, v))), (name, p, m)


@pytest.mark.parametrize("name", SCHEDULES)
def test_stages_send_as_often_as_they_do_where_it_runs(name):
    """How often a rank sends to each other in a step, forward and back, is counted off the schedule's messages."""
    for p, m, v in sizes(name, 6, (12, 18)):
        made, counts = training(p, m, chunks=v, schedule=name), {}
        for _, source, _, destination, *_ in ran(name, p, m, v).sent:
            counts[source, destination] = counts.get((source, destination), 0) + 1
        mine = {
            (rank, other): times * made.visits
            for rank in range(p)
            for other, times in neighbour_stages(made, rank).items()
        }
        assert mine == counts, (p, m, v)


def test_one_stage_follows_no_schedule():
    """With a single stage nothing waits, one micro-batch after the other is held, and nothing stands twice."""
    for name in SCHEDULES:
        made = training(1, 8, schedule=name)
        assert (bubble(name, 1, 1, 8), in_flight(name, 1, 1, 8, 0)) == (0, 1)
        assert (made.copies, made.visits, made.placement) == (1, 8, "loop")
        assert problem(sheet_of(LLAMA), made) == ""
    assert [SCHEDULES[name].multiple(1) for name in ("interleaved", "dualpipe")] == [1, 1]


# ---------------------------------------------------------------- two copies


@pytest.mark.parametrize("slug", [V3, LLAMA, GEMMA])
def test_dualpipe_holds_every_stage_at_both_ends(slug):
    """Each rank has its own stage and the one as far from the other end: all parameters are stored twice."""
    model, made = sheet_of(slug), training(4, 8, schedule="dualpipe")
    plain = replace(made, schedule="1f1b")
    layers = stages(len(model["layers"]), plain)
    assert stages(len(model["layers"]), made) == [sorted(layers[a] + layers[3 - a]) for a in range(4)]
    once, twice = list_rank_memory(model, plain), list_rank_memory(model, made)
    tied = next(piece[3] for piece in model["before"]) if model["tied"] else 0  # stands on the first and on the last
    assert sum(rank.numbers for rank in twice) == 2 * (sum(rank.numbers for rank in once) - tied)
    assert [rank.numbers for rank in twice] == [rank.numbers for rank in twice[::-1]]
    for rank in twice:
        assert (rank.gradients_bytes, rank.optimizer_bytes) == (4 * rank.numbers, 12 * rank.numbers)
        assert rank.numbers == once[rank.stage].numbers + once[3 - rank.stage].numbers - (
            tied if rank.stage in (0, 3) else 0
        )


def test_dualpipe_works_as_much_and_saves_as_much():
    """Its ranks share the micro-batches of each stage: the work is that of 1F1B, and p + 1 chunks are in flight."""
    model, made = sheet_of(LLAMA), training(4, 8, schedule="dualpipe")
    plain = replace(made, schedule="1f1b")
    assert sum(stage_flops(model, made)) == pytest.approx(sum(stage_flops(model, plain)))
    assert stage_flops(model, made)[0] == pytest.approx(sum(stage_flops(model, plain)[::3]) / 2)
    assert stage_flops(model, made, head=False) == pytest.approx(stage_flops(model, plain, head=False))
    each = 4_096 * 2 * (6 * 8_192 + 2 * 1_024 + 2 * 64 + 3 * 28_672)
    ends = 4_096 * 4 * (8_192 + 128_256)
    found = [rank.activations_bytes for rank in list_rank_memory(model, made)]
    middle = 5 * 20 * each  # p + 1 chunks of 20 layers
    assert found[1:3] == [middle, middle]
    assert found[0] == found[3] == pytest.approx(5 * each * (19 + 20) / 2 + ends, rel=0.03)
    slow, fast = (bind_step(model, plan(model, one)) for one in (plain, made))
    assert (slow.bubble, fast.bubble) == (9 / 24, 2 / 24)
    assert fast.memory < 2 * slow.memory  # each copy's weights are read for half of the micro-batches


def test_the_two_copies_sum_their_gradients():
    """Ranks r and p - 1 - r meet once a step over what each holds of gradients after ZeRO, experts apart."""
    model, made = sheet_of(V3), training(4, 8, gpus=32, schedule="dualpipe", ep=8)
    found = {talk.operation: talk for talk in list_collectives(model, plan(model, made), 0) if talk.axis == "pp"}
    rank = list_rank_memory(model, made)[0]
    dense, routed = "all-reduce, gradients of both copies", "all-reduce, gradients of both copies, experts"
    assert found.keys() == {"send", dense, routed}
    assert found[dense].bytes == (rank.numbers - rank.expert_numbers) * 4 // 8
    assert found[routed].bytes == rank.expert_numbers * 4
    assert (found[dense].ranks, found[dense].calls, found[dense].leaving_bytes) == (2, 1, 0)
    far = replace(made, nodes=4, per_node=8, device=DEVICES["h100_sxm"])
    there = {talk.operation: talk for talk in list_collectives(model, plan(model, far), 1)}
    assert there[dense].leaving_bytes == there[dense].bytes
    whole = {talk.operation: talk for talk in list_collectives(model, plan(model, replace(made, zero=0)), 0)}
    assert whole[dense].bytes == (rank.numbers - rank.expert_numbers) * 4
    assert not any(
        "copies" in talk.operation for talk in list_collectives(model, plan(model, replace(made, schedule="")), 0)
    )


def test_two_copies_are_said_aloud():
    """What stands twice is named as a waste, with what one copy of it takes."""
    model, made = sheet_of(V3), training(4, 8, schedule="dualpipe")
    found = plan(model, made)
    waste = list_redundancies(model, found)
    assert [(one.field, one.says) for one in waste] == [
        ("schedule", "DualPipe stores every stage on 2 ranks of a pipeline: weights, gradients, optimizer")
    ]
    assert waste[0].bytes == pytest.approx(found.fullest.states_bytes / 2, abs=1)
    assert list_redundancies(model, plan(model, replace(made, schedule="1f1b"))) == []


@pytest.mark.parametrize(
    ("made", "field", "near"),
    [
        (training(3, 12, gpus=12, schedule="dualpipe"), "pp", (2, 4)),
        (training(5, 12, gpus=5, schedule="dualpipe"), "pp", (1,)),
        (training(4, 9, gpus=8, schedule="dualpipe"), "batch", (16, 20)),
        (training(4, 6, gpus=8, schedule="dualpipe"), "batch", (16,)),
        (training(4, 5, gpus=8, schedule="dualpipe"), "batch", (16,)),
        (replace(training(4, 1, gpus=8, chunks=2, schedule="dualpipe-v"), batch=3), "batch", (16,)),
        (replace(training(4, 1, gpus=8, chunks=2), batch=21), "batch", (16, 24)),
        (replace(training(4, 1, gpus=8), batch=1), "batch", (2,)),
        (training(4, 8, chunks=2, schedule="dualpipe"), "chunks", (1,)),
        (training(4, 8, schedule="v-min"), "chunks", (2,)),
        (training(4, 8, chunks=3, schedule="v-half"), "chunks", (2,)),
        (training(4, 7, chunks=2, schedule="dualpipe-v"), "batch", (8,)),
    ],
)
def test_what_a_schedule_cannot_be_names_what_it_can(made, field, near):
    """Odd stages, odd or too few micro-batches and other chunks are told with what is legal nearest, which is."""
    found = problems(sheet_of(LLAMA), made)
    assert [(one.field, one.nearest) for one in found] == [(field, near)]
    for value in near:
        there = replace(made, **{field: value})
        again = problems(sheet_of(LLAMA), there)
        assert all(one.field not in (field, "chunks") for one in again)


@pytest.mark.parametrize(
    ("words", "batch"),
    [("pp=4", 2_048), ("pp=3", 2_048), ("pp=4x2", 2_048), ("pp=4x2&mb=3", 2_052), ("pp=4&sched=dualpipe&mb=512", 4_096),
     ("pp=4x2&sched=dualpipe-v&mb=512", 4_096), ("pp=1&sched=dualpipe", 2_048), ("pp=2&sched=dualpipe&mb=3", 2_052)],
)  # fmt: skip
def test_a_batch_that_nobody_gave_is_one_that_the_schedule_can_deal_out(words, batch):
    """2,048 sequences, or the next whole multiple; more where a pipeline that is filled from both ends needs them."""
    gpus = 3 if "pp=3" in words else 1 if "pp=1" in words else 2 if "pp=2" in words else 4
    made, _ = parse(f"on=h100_sxm:1x{gpus}&job=train&{words}")
    assert made.batch == batch and problem(sheet_of(LLAMA), made) == ""


def test_equal_stages_are_told_by_the_one_that_holds_most():
    """Where micro-batches in flight go up and down along the stages, no stage holds more than the one that is kept."""
    model = sheet_of(LLAMA)
    for name, pp in product(("v-half", "v-min", "zb-v", "1f1b", "dualpipe"), (4, 8)):
        made = training(pp, 4 * pp, chunks=SCHEDULES[name].chunks[0], schedule=name)
        kept = [of_stage(part.stage, made) for part in distinct_stages(model, made)]
        assert max(kept) == max(of_stage(stage, made) for stage in range(pp)), name
