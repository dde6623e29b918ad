"""The planner's further inputs: schedules, splits, context kinds, HSDP, the order of ranks, formats, decode CP."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from cutaway.gallery.mesh.grid import Mesh
from cutaway.gallery.planning.cache_memory import count_entries
from cutaway.gallery.planning.communication import list_collectives, neighbour_stages
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.legal import mend_layout, problem, problems
from cutaway.gallery.planning.rank_memory import list_rank_memory
from cutaway.gallery.planning.ranks import count_in_node, first_rank, group, stage_of
from cutaway.gallery.planning.schedules import SCHEDULES, bubble
from cutaway.gallery.planning.seconds import bind_step, stage_bounds
from cutaway.gallery.planning.sharding.arithmetic import ratio
from cutaway.gallery.planning.stages import expand_layout, in_flight, last_stages, layers_of_layout, stages
from cutaway.gallery.planning.work import stage_flops
from tests.gallery.sheets import layout, sheet_of

ORACLE = Path(__file__).resolve().parents[1] / "oracle"
V3, LLAMA, QWEN, MOE = "deepseek-ai/DeepSeek-V3", "meta-llama/Llama-3.1-70B", "Qwen/Qwen3-32B", "Qwen/Qwen3-235B-A22B"
NAMES = {"GPipe": "gpipe", "1F1B": "1f1b", "LoopedBFS": "looped-bfs", "Interleaved1F1B": "interleaved",
         "InterleavedZeroBubble": "interleaved-zb", "ZBVZeroBubble": "zb-v", "DualPipeV": "dualpipe-v"}  # fmt: skip


def training(gpus=64, **more):
    """A training layout with a batch for eight micro-batches of each pipeline."""
    made = layout(gpus // 8, job="train", **more)
    return made if made.batch else replace(made, batch=8 * made.dp * made.pp)


def sent(slug, made, stage=0):
    """{(axis, operation): talk} of one rank of a stage."""
    model = sheet_of(slug)
    return {(talk.axis, talk.operation): talk for talk in list_collectives(model, plan(model, made), stage)}


# ---------------------------------------------------------------- pipelines


def measured():
    """(p, m, schedule, v, bubble in stage times, most and least in flight) of every measured row."""
    size = (0, 0)
    for line in (ORACLE / "pp_schedules_measured.txt").read_text().splitlines():
        if head := re.match(r"--- p=(\d+) m=(\d+)", line):
            size = int(head[1]), int(head[2])
        elif row := re.match(r"(\w+) +v=(\d).*bubble_time=([\d.]+).*peak_max=([\d.]+) peak_min=([\d.]+)", line):
            yield *size, NAMES[row[1]], int(row[2]), *(float(one) for one in row.group(3, 4, 5))


def test_schedules_idle_and_hold_what_was_measured():
    """Bubbles and the most and least in flight equal those of torch's own schedules, run op by op."""
    rows = list(measured())
    assert len(rows) == 32
    for p, m, name, v, idle, most, least in rows:
        assert bubble(name, p, v, m) * 3 * m == pytest.approx(idle, abs=6e-4), (name, p, m)
        held = [SCHEDULES[name].held(p, v, m, stage) for stage in range(p)]
        assert (max(held), min(held)) == (most, least), (name, p, m)


def test_a_layout_names_its_schedule():
    """1F1B, interleaved where stages have chunks; a bubble is said of the work and of the whole step."""
    made = training(pp=4, tp=8)
    assert (made.runs, replace(made, chunks=2).runs, replace(made, schedule="zb-h1").runs) == (
        "1f1b", "interleaved", "zb-h1")  # fmt: skip
    assert training(chunks=2).runs == "1f1b"
    for name, thirds in (("1f1b", 3), ("zb-h1", 1), ("gpipe", 3)):
        model, run = sheet_of(LLAMA), replace(made, schedule=name)
        found = bind_step(model, plan(model, run))
        assert found.bubble == pytest.approx(thirds * 3 / (3 * run.micro_batches))
        assert found.of_total == found.idle / found.seconds < found.bubble / (1 + found.bubble)
        assert in_flight(0, run) == (run.micro_batches if name == "gpipe" else 4)
    each = stage_bounds(model, plan(model, run))
    assert found.apart == max(max(one.products, one.memory) + one.inside + one.outside for one in each)
    assert found.apart < found.unhidden < found.apart * (1 + found.bubble)  # gradients meet once, and wait for nobody


def test_v_shaped_chunks_come_back():
    """Embedding and head stand on the first stage; each rank sends both ways, but not to itself."""
    made = training(pp=4, tp=8, chunks=2, schedule="zb-v")
    found = stages(80, made)
    assert found[0] == [*range(10), *range(70, 80)] and found[3] == [*range(30, 50)]
    assert last_stages(made) == (0,)
    assert [neighbour_stages(made, stage) for stage in (0, 1, 3)] == [{1: 2}, {2: 2, 0: 2}, {2: 2}]
    model = sheet_of(LLAMA)
    first, last = (list_rank_memory(model, made)[stage].numbers for stage in (0, 3))
    assert first - last == pytest.approx(2 * 128_256 * 8_192 / 8, rel=1e-3)
    assert stage_flops(model, made)[0] > stage_flops(model, made)[3] == stage_flops(model, made, head=False)[0]


def test_megatrons_layout_string():
    """DeepSeek-V3's own: three layers after the embedding, two on other parts, the MTP layer and the loss alone."""
    text = "Et*3|(tt|)*29,m|L"
    parts = expand_layout(text)
    assert len(parts) == 32 and parts[0] == "Ettt" and parts[1:30] == ["tt"] * 29 and parts[30:] == ["m", "L"]
    made = training(gpus=2048, pp=16, chunks=2, ep=64, split=text)
    assert problem(sheet_of(V3), made) == ""
    found = stages(61, made)
    assert found[0] == [0, 1, 2, 33, 34] and found[13] == [27, 28, 59, 60] and found[14:] == [[29, 30], [31, 32]]
    ranks = list_rank_memory(sheet_of(V3), made)
    assert ranks[15].weights_bytes > 2 * 129_280 * 7_168 > ranks[14].weights_bytes
    assert expand_layout("E||t|L") == ["E", "", "t", "L"] and layers_of_layout("E||t|L")[2] == range(1)
    assert expand_layout("((t|)*2,m)*2") == ["t", "t", "mt", "t", "m"]
    assert len("".join(expand_layout("(" * 9 + "t" + "*999)" * 9))) < 20_000_000


@pytest.mark.parametrize(
    ("slug", "made", "why", "near"),
    [
        (LLAMA, training(pp=4, split="Et*79|(|)*2L"), "'Et*79|(|)*2L' has 79 layers, this model 80", "none"),
        (
            LLAMA,
            training(pp=4, split="t*80|||L"),
            "'t*80|||L' is not a layout of E, t, m and L, with E first and L last",
            "none",
        ),
        (LLAMA, training(pp=4, split="Et*80|L"), "'Et*80|L' has 2 parts, not pp 4 x 1 chunks", "2"),
        (LLAMA, training(pp=4, schedule="zb-v"), "ZB-V has 2 chunks on a stage, not 1", "2"),
        (LLAMA, training(pp=4, schedule="interleaved"), "interleaved 1F1B has 2 to 64 chunks on a stage, not 1", "2"),
        (
            LLAMA,
            training(pp=4, tp=8, chunks=2, schedule="dualpipe-v", batch=8),
            "DualPipeV fills its pipeline from both ends: 4 micro-batches are too few",
            "16",
        ),
        (
            LLAMA,
            training(schedule="best"),
            "No schedule is called 'best'",
            "gpipe, 1f1b, interleaved, looped-bfs, zb-h1, interleaved-zb, zb-v, v-half, v-min, dualpipe-v, dualpipe",
        ),
        (
            LLAMA,
            training(cp=4, tp=8, cp_kind="rings"),
            "No cp_kind is called 'rings'",
            "all-gather, ring, ulysses",
        ),
        (QWEN, training(cp=16, tp=4, sequence=8192, cp_kind="ulysses"), "", ""),
        (QWEN, training(cp=8, tp=8, cp_kind="ulysses"), "", ""),
        (MOE, training(cp=32, tp=2, cp_kind="ulysses"), "", ""),
        (MOE, training(cp=16, tp=4, cp_kind="ulysses"), "", ""),
        (
            QWEN,
            training(tp=2, cp=64, gpus=128, cp_kind="ulysses"),
            "cp 64 does not divide the 32 heads of a tensor-parallel rank (Ulysses)",
            "32",
        ),
        (LLAMA, training(dp_shard=3), "dp_shard 3 does not divide dp 64", "2 and 4"),
        (LLAMA, training(order="tp-cp-dp-pp"), "'tp-cp-dp-pp' is not an order of tp, cp, ep, dp, pp", "tp-cp-ep-dp-pp"),
        (
            MOE,
            training(ep=8, pp=2, order="tp-cp-ep-pp-dp"),
            "If experts group a stage's ranks differently, these ranks must be contiguous: pp comes last",
            "tp-cp-ep-dp-pp",
        ),
        (V3, layout(tp=8, etp=8, dcp=3), "dcp 3 does not divide tp 8", "2 and 4"),
        (
            QWEN,
            layout(tp=8, dcp=2),
            "dcp 2 splits copies of the cache, and tensor-parallel ranks make only 1",
            "1",
        ),
        (MOE, layout(tp=8, etp=8, dcp=2), "", ""),
        (MOE, layout(tp=1, dcp=64), "dcp 64 does not divide tp 1", "1"),
        (V3, layout(tp=8, etp=8, dcp=8), "", ""),
        (V3, layout(tp=8, etp=8, dcp=8, job="prefill"), "dcp 8 is only for decoding", "1"),
        (QWEN, layout(redundant=2), "This model has no experts, so redundant 2 copies nothing", "0"),
        (QWEN, layout(framework_bytes=-1), "framework bytes is -1, but must be at least 0", "0"),
        (V3, layout(ep=8, imbalance=0.5), "imbalance is 0.5, but must be at least 1", "1"),
    ],
)
def test_what_of_them_cannot_be(slug, made, why, near):
    """Each illegal input is told with what is legal nearest; what is legal has nothing to say."""
    model = sheet_of(slug)
    sentence = f"{why}; nearest legal: {near}." if why else ""
    assert problem(model, made) == sentence
    for one in problems(model, made):
        assert [problem(model, again) for again in mend_layout(model, made, one)[:2]] != [sentence] * 2


# ---------------------------------------------------------------- context


def test_ulysses_sends_less_with_more_ranks():
    """(c - 1) / c x s / c x (2 H + 2 K) d bytes a layer; every rank has at least one key head."""
    made = training(gpus=8, cp=4, cp_kind="ulysses", sequence=8_192, batch=2)
    talk = sent(QWEN, made)[("cp", "all-to-all, heads")]
    assert (talk.bytes, talk.calls) == (64 * 2 * (8_192 * 2 * 72 * 128 * 2 // 4) * 3 // 4, 64 * 2 * 4)
    tight = sent(QWEN, replace(made, cp=8, tp=8, nodes=8, batch=1))[("cp", "all-to-all, heads")]
    # one key head for 8 ranks
    assert tight.bytes == 64 * 2 * (8_192 * 2 * (8 + 8) * 128 * 2 // 8) * 7 // 8
    ring, gather = (sent(QWEN, replace(made, cp_kind=kind)) for kind in ("ring", "all-gather"))
    assert ring[("cp", "ring of sends")].bytes == gather[("cp", "all-gather")].bytes
    assert ring[("cp", "ring of sends")].calls == 3 * gather[("cp", "all-gather")].calls
    cut = [training(gpus=32, cp=2, tp=tp, sequence=8_192, cp_kind="ring") for tp in (4, 8, 16)]
    two, one, half = (sent(QWEN, each)[("cp", "ring of sends")].bytes for each in cut)
    assert two == 2 * one and half == one  # of eight heads of keys; at least one goes round
    latent = sent(V3, replace(made, ep=1))[("cp", "all-to-all, heads")]
    assert latent.bytes == 61 * 2 * (8_192 * 2 * 2 * 128 * (192 + 128) // 4) * 3 // 4


def test_decode_context_shares_tokens():
    """A latent over dcp ranks is an eighth each; states are not shared; queries meet, results merge."""
    model = sheet_of(V3)
    whole, shared = (list_rank_memory(model, layout(tp=8, etp=8, dcp=dcp, context=100_000))[0] for dcp in (1, 8))
    assert whole.sequence_cache_bytes == 8 * shared.sequence_cache_bytes
    found = sent(V3, layout(tp=8, etp=8, dcp=8, batch=2))
    asked, merged = found[("dcp", "all-gather, queries")], found[("dcp", "reduce-scatter, results and their sums")]
    assert asked.bytes == 61 * 2 * 128 * 576 * 2 * 7 // 8 and asked.ranks == 8
    assert merged.bytes == 61 * 2 * 128 * (512 * 2 + 4) * 7 // 8 and merged.calls == asked.calls == 61
    few = sheet_of("Qwen/Qwen3-Next-80B-A3B-Instruct")
    kept = [list_rank_memory(few, layout(tp=8, etp=8, dcp=dcp, context=100_000))[0] for dcp in (1, 4)]
    assert kept[0].sequence_fixed_bytes == kept[1].sequence_fixed_bytes > 0
    grown = [rank.sequence_cache_bytes - rank.sequence_fixed_bytes for rank in kept]
    assert grown[0] == 4 * grown[1]


def test_fixed_and_growing_parts_of_a_cache():
    """Windows end to grow once they are full, states never grow; the rest follows the text."""
    model = sheet_of("google/gemma-2-2b")
    short, full, long = (list_rank_memory(model, layout(per_node=1, context=n))[0] for n in (1_000, 8_000, 9_000))
    assert short.sequence_fixed_bytes < full.sequence_fixed_bytes == long.sequence_fixed_bytes
    assert long.sequence_cache_bytes - full.sequence_cache_bytes == 1_000 * 13 * 2 * 4 * 256 * 2


# ---------------------------------------------------------------- copies, order, formats


def test_hsdp_deals_over_some_and_copies():
    """Sharded over 8 of 64 ranks, the optimizer takes an eighth; parts of the gradients meet the other copies."""
    model = sheet_of(LLAMA)
    all_of, some = (list_rank_memory(model, training(dp_shard=shard))[0] for shard in (0, 8))
    assert some.optimizer_bytes == pytest.approx(8 * all_of.optimizer_bytes, rel=1e-6)
    total = all_of.numbers
    found = sent(LLAMA, training(dp_shard=8))
    assert found[("dp_shard", "reduce-scatter, gradients")].bytes == pytest.approx(4 * total * 7 / 8)
    assert found[("dp_replicate", "all-reduce, gradients")].bytes == pytest.approx(2 * 4 * total / 8 * 7 / 8)
    assert found[("dp_shard", "all-gather, weights")].leaving_bytes == 0
    assert found[("dp_replicate", "all-reduce, gradients")].leaving_bytes > 0
    experts = sent(V3, training(ep=8, dp_shard=16))
    assert experts[("edp_shard", "reduce-scatter, gradients")].ranks == 2
    assert experts[("edp_replicate", "all-reduce, gradients")].ranks == 4
    assert ("dp", "all-reduce, gradients") in sent(LLAMA, training(dp_shard=8, zero=0))


@pytest.mark.parametrize(("zero", "sums", "gathers"), [(1, 1, 1), (2, 16, 1), (3, 16, 32)])
def test_gradients_that_are_dealt_out_meet_in_every_micro_batch(zero, sums, gathers):
    """DeepSpeed's no_sync refuses stage 2; FSDP gathers weights forward and backward of each of 16 micro-batches."""
    found = sent(LLAMA, training(zero=zero, batch=64 * 16))
    summed, gathered = found[("dp", "reduce-scatter, gradients")], found[("dp", "all-gather, weights")]
    assert (summed.calls, gathered.calls) == (sums, gathers)
    one = sent(LLAMA, training(zero=1, batch=64 * 16))
    assert summed.bytes == pytest.approx(sums * one[("dp", "reduce-scatter, gradients")].bytes)
    assert gathered.bytes == pytest.approx(gathers * one[("dp", "all-gather, weights")].bytes)


def test_ranks_stand_where_the_mesh_has_them():
    """Groups in Megatron-LM's order are those of gallery.mesh; in another order, neighbours change."""
    made = training(tp=2, cp=2, pp=2, ep=4, etp=2)
    mesh = Mesh({"pp": 2, "dp": 8, "cp": 2, "tp": 2}, 8, {"edp": 4, "ep": 4, "etp": 2})
    for rank in range(64):
        for axis in ("tp", "cp", "pp", "ep", "etp", "edp"):
            assert group(made, axis, rank) == mesh.group(rank, axis), (axis, rank)
        assert stage_of(made, rank) == rank // 32
    assert group(made, "dp", 0) == list(range(0, 32, 2)) and first_rank(made, 1) == 32
    assert [count_in_node(made, axis) for axis in ("tp", "cp", "dp", "pp", "ep", "edp")] == [2, 2, 4, 1, 4, 1]
    turned = replace(training(tp=2, pp=4), order="tp-pp-cp-ep-dp")
    assert (group(turned, "pp", 1), count_in_node(turned, "pp"), count_in_node(turned, "dp")) == ([1, 3, 5, 7], 4, 1)
    assert sent(LLAMA, turned)[("pp", "send")].leaving_bytes == 0 < sent(LLAMA, training(tp=2, pp=4))[
        ("pp", "send")].leaving_bytes  # fmt: skip
    shared = layout(tp=8, dcp=2)
    assert group(shared, "dcp", 3) == [2, 3] and group(shared, "tp", 3) == list(range(8))
    assert group(training(dp_shard=4), "dp_replicate", 5) == list(range(1, 64, 4))


def test_formats_of_training():
    """Bytes of a weight, a gradient and the optimizer are what the layout says."""
    model, plain = sheet_of(QWEN), training(zero=0)
    rank = list_rank_memory(model, replace(plain, weight_bytes=1, gradient_bytes=2, optimizer_bytes=8))[0]
    assert (rank.weights_bytes, rank.gradients_bytes, rank.optimizer_bytes) == tuple(
        n * rank.numbers for n in (1, 2, 8)
    )
    assert list_rank_memory(model, plain)[0].weights_bytes == 2 * rank.numbers
    dealt = sent(QWEN, training(weight_bytes=1))
    assert dealt[("dp", "all-gather, weights")].bytes == pytest.approx(rank.numbers * 63 / 64)
    narrow, wide = (sent(V3, training(ep=8, dispatch_dtype=dtype)) for dtype in ("fp8", ""))
    both = ("ep", "all-to-all, dispatch")
    assert narrow[both].bytes / wide[both].bytes == pytest.approx(7_392 / 14_336)
    assert sent(V3, layout(ep=8, batch=8, dispatch_dtype="bfloat16"))[both].bytes == 58 * 7 * 14_336


def test_the_busiest_expert_rank_is_waited_for():
    """Routed experts take that much longer, their activations and messages are that much larger; dense ones are not."""
    model = sheet_of(V3)
    even, busy = (training(ep=8, imbalance=factor) for factor in (1.0, 1.5))
    more = stage_flops(model, busy)[0] - stage_flops(model, even)[0]
    assert more == pytest.approx(0.5 * 58 * 4_096 * 2 * 8 * 3 * 7_168 * 2_048)
    there = ("ep", "all-to-all, combine")
    assert sent(V3, busy)[there].bytes == pytest.approx(1.5 * sent(V3, even)[there].bytes)
    saved = [list_rank_memory(model, made)[0].activations_bytes for made in (even, busy)]
    assert saved[1] - saved[0] == 4_096 * 58 * 0.5 * 8 * (2 * 7_168 + 6 * 2_048)
    assert stage_flops(model, replace(busy, ep=1)) == stage_flops(model, replace(even, ep=1))


def test_the_framework_takes_its_part():
    """Bytes of the framework leave less room for sequences, and are part of what a rank holds."""
    model = sheet_of(QWEN)
    plain, heavy = (plan(model, layout(tp=8, framework_bytes=size)) for size in (0, 20 * 10**9))
    assert heavy.fullest.framework_bytes == 20 * 10**9 and heavy.sequences < plain.sequences
    assert heavy.longest_context < plain.longest_context
    rank = list_rank_memory(model, training(framework_bytes=5))[0]
    assert rank.total_bytes == rank.states_bytes + rank.activations_bytes + 5


def test_a_fold_takes_whole_ranks_without_experts_too():
    """An etp beyond the ranks of a stage is refused for a dense model as well: its fold would have no copy at all."""
    found = problems(sheet_of(LLAMA), layout(1, tp=8, etp=64))
    assert [(one.field, one.nearest) for one in found] == [("etp", (8,))]
    assert problems(sheet_of(LLAMA), layout(1, tp=8, etp=8)) == []


def test_entries_and_schedules_at_their_edges():
    """Entries come every few tokens and end at a cap; a schedule binds training with several stages alone."""
    assert [count_entries(100, 4, None, 0), count_entries(100, 4, 20, 0), count_entries(100, 4, 30, 0),
        count_entries(100, 4, 9, 1)] == [
        25, 20, 25, 1]  # fmt: skip
    model = sheet_of(LLAMA)
    assert problem(model, layout(pp=2, schedule="zb-v")) == ""
    assert problem(model, training(schedule="zb-v")) == ""
    assert problem(model, training(pp=2, schedule="zb-v")).startswith("ZB-V has 2 chunks")
    assert problem(model, training(pp=2, chunks=2, schedule="zb-v")) == ""
    assert problem(model, training(pp=2, chunks=3, schedule="zb-v")).endswith("nearest legal: 2.")
    assert problem(model, training(pp=4, tp=8, chunks=2, schedule="dualpipe-v", batch=16)) == ""
    assert problem(model, training(cp=2, sequence=2)) == (
        "2 tokens cannot be split into 2 x cp = 4 equal parts; nearest legal: 4."
    )


def test_a_token_goes_to_the_next_stage_alone():
    """Serving sends on and nothing back, the last stage nothing; training sends both ways."""
    assert [neighbour_stages(layout(pp=4), stage) for stage in range(4)] == [{1: 1}, {2: 1}, {3: 1}, {}]
    assert [neighbour_stages(training(pp=4), stage) for stage in (0, 2, 3)] == [{1: 1}, {3: 1, 1: 1}, {2: 1}]
    made = layout(tp=8)
    assert [ratio(["heads", 8], made, dcp) for dcp in (1, 2, 4)] == [(1, 8), (1, 8), (1, 8)]
    assert (ratio(["heads", 2], made, 4), ratio(["whole"], made, 8)) == ((1, 8), (1, 8))
    assert ratio(["heads", 16], made, 2) == (1, 8)
