"""The planner's search, its fixes and its notes on waste: against trying everything one by one."""

from dataclasses import replace
from itertools import product

import pytest

from cutaway.gallery.planning.candidates import dense, divisors, folds
from cutaway.gallery.planning.fits import make_plan, plan
from cutaway.gallery.planning.fixes import change_layout, fewest_nodes, fixes, list_moves, nearest_legal
from cutaway.gallery.planning.legal import problem
from cutaway.gallery.planning.redundancy import list_redundancies
from cutaway.gallery.planning.search import digits, key, place, row, row_key, search
from cutaway.gallery.planning.search_batched import search_fitting
from cutaway.gallery.planning.seconds import bind_step
from tests.gallery.sheets import layout, sheet_of

V3, QWEN, OSS = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-32B", "openai/gpt-oss-20b"


def training(nodes, **more):
    """A training layout with a batch that most pipelines can share."""
    return layout(nodes, job="train", batch=512, **more)


def every(made, most=64):
    """Every value of every axis, one by one, without a look at the model."""
    gpus = made.gpus
    chunks = range(1, 17) if made.job == "train" else (1,)
    contexts = divisors(gpus, most) if made.job == "train" else (1,)
    axes = product(
        divisors(gpus, most), divisors(gpus, most), chunks, contexts, divisors(gpus, gpus), divisors(gpus, gpus)
    )
    for tp, pp, parts, cp, ep, etp in axes:
        if gpus % (tp * pp * cp) == 0 and (pp > 1 or parts == 1):
            yield replace(made, tp=tp, pp=pp, chunks=parts, cp=cp, ep=ep, etp=etp)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("slug", "made"),
    [
        (OSS, training(1)),
        (OSS, training(1, recompute="full", zero=3, imbalance=1.3)),
        (OSS, training(1, lora_rank=4, imbalance=1.3)),
        (OSS, layout(1, context=100_000)),
        (OSS, layout(1, job="prefill", batch=8)),
    ],
)
def test_the_search_finds_what_trying_everything_finds(slug, made):
    """Legal and fitting layouts are as many as one by one, and the best are the best of them."""
    model = sheet_of(slug)
    legal = [one for one in every(made) if not problem(model, one)]
    fits = [found for one in legal if (found := row(model, one)) and found.plan.fits]
    for order in ("seconds", "unhidden"):
        table = search(model, made, order)
        assert (table.legal, table.fitting) == (len(legal), len(fits))
        best = sorted(key(row_key(one), order)[:3] for one in fits)[:10]
        assert [key(row_key(one), order)[:3] for one in table.rows] == best
        assert table.own.layout == made


@pytest.mark.whole
@pytest.mark.parametrize(
    ("slug", "made"),
    [
        pytest.param(V3, training(16, device="gb300", per_node=4, zero=2), marks=pytest.mark.whole),
        (V3, training(8, device="gb300", imbalance=1.5, recompute="full", zero=3, schedule="zb-v", dp_shard=4)),
        (QWEN, training(4, cp_kind="ulysses", order="tp-pp-cp-ep-dp", framework_bytes=10**9)),
        ("google/gemma-2-2b", training(2, micro_batch=2)),
        pytest.param(V3, training(16, schedule="dualpipe", zero=2, recompute="full"), marks=pytest.mark.whole),
        pytest.param("google/gemma-2-2b", training(2, schedule="dualpipe", zero=0), marks=pytest.mark.whole),
        (OSS, training(2, schedule="v-half")),
        (OSS, training(1, schedule="", lora_rank=8, zero=3, imbalance=1.5, recompute="full")),
        pytest.param("zai-org/GLM-4.5-Air", training(8, mtp=1, recompute="parts"), marks=pytest.mark.whole),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", training(4, device="gb200", per_node=4)),
    ],
)
def test_what_is_folded_is_what_is_planned(slug, made):
    """The folded bytes and times of a training layout are those of its plan, for samples of all that fit."""
    model = sheet_of(slug)
    legal, fits, found = search_fitting(model, made, own=1e30)
    assert legal >= fits == len(found) > 0
    for one in found[:: max(len(found) // 8, 1)]:
        there = plan(model, one.layout)
        least = bind_step(model, there)
        assert there.fits and there.fullest.total_bytes == one.bytes
        assert (one.seconds, one.unhidden) == pytest.approx((least.seconds, least.unhidden), rel=1e-9)
    kept = [one.layout for one in found]
    sample = list(dense(model, made))[::120]
    some = [replace(one, ep=ep, etp=etp) for one in sample for ep, etp in folds(model, one)[:3]]
    assert [make_plan(model, one).fits for one in some] == [one in kept for one in some]
    few = search_fitting(model, made)
    assert few[:2] == (legal, fits)
    best = sorted(digits(one.seconds) for one in found)[:10]
    assert sorted(digits(one.seconds) for one in few[2])[:10] == best


def test_a_layout_knows_its_place():
    """One more than there are better ones; a layout that does not fit has none, an illegal one has no row."""
    model, made = sheet_of(QWEN), layout(tp=4, etp=4)
    table = search(model, made)
    better = [one for one in table.rows if digits(one.seconds) < digits(table.own.seconds)]
    assert table.place == 1 + len(better) == 2
    assert [(one.layout.tp, one.layout.pp) for one in table.rows[:4]] == [(8, 1), (4, 1), (4, 2), (2, 4)]
    assert search(model, layout(tp=1, context=10**7)).place is None
    assert search(model, layout(tp=3)).own is None
    best = search(sheet_of(OSS), training(4, device="gb200", per_node=4)).rows[0]
    again = search(sheet_of(OSS), best.layout)
    assert again.place == 1 and again.rows[0].layout == best.layout
    found = [row_key(one) for one in table.rows]
    assert [place(found, one, "seconds") for one in found] == list(range(1, len(found) + 1))


def test_experts_may_be_folded_in_many_ways():
    """ep divides experts and the ranks of a stage, etp their width and what is left; a dense model has one way."""
    found = folds(sheet_of(V3), layout(2, tp=8))
    assert (1, 16) in found and (16, 1) in found and (8, 2) in found and all(16 % (ep * etp) == 0 for ep, etp in found)
    assert folds(sheet_of(QWEN), layout(tp=4)) == [(1, 8)] == [(1, layout(tp=4).usual_etp)]


@pytest.mark.parametrize("etp", [1, 2, 8])
def test_without_experts_any_etp_is_the_same_layout(etp):
    """The table has a dense layout once, under the etp that an address leaves out."""
    model, made = sheet_of(QWEN), layout(batch=3)
    found, usual = (search(model, replace(made, etp=each)) for each in (etp, 8))
    assert found.own == usual.own and found.rows == usual.rows and found.place == usual.place
    assert found.own.layout in [row.layout for row in found.rows]
    assert all(row.layout.etp == row.layout.usual_etp for row in found.rows)
    one, other = (bind_step(model, plan(model, replace(made, etp=each))) for each in (etp, 8))
    assert one == other


# ---------------------------------------------------------------- changes


def test_the_cheapest_change_that_fits():
    """Each fix is one change, or two where no single one helps; it is legal, fits, and none costs less."""
    model, made = sheet_of(V3), training(32, pp=4, ep=64, device="h100_sxm")
    assert not plan(model, made).fits
    found = fixes(model, made)
    assert len(found) == 3 and all(len(one.changes) == 1 for one in found)
    for one in found:
        assert plan(model, change_layout(made, *one.changes)).fits
    times = [digits(one.row.seconds) for one in found]
    singles = [
        row(model, change_layout(made, change))
        for change in list_moves(model, made)
        if not problem(model, change_layout(made, change))
    ]
    assert times == sorted(times) == sorted(digits(one.seconds) for one in singles
                                            if one and one.plan.fits and one.layout.gpus == 256)[:3]  # fmt: skip
    two = fixes(model, layout(tp=8, etp=8, context=9_000_000))
    assert {len(one.changes) for one in two} == {2} and two[0].row.layout.gpus == 8
    assert {name for name, _ in two[0].changes} == {"dcp", "cache_dtype"}


def test_etp_follows_unless_it_was_set_apart():
    """A change of tp or ep takes the usual etp along; another etp stays."""
    made = layout(2, tp=8, etp=16)
    assert change_layout(made, ("ep", 4)).etp == 4 and change_layout(made, ("tp", 2)).etp == 16
    assert change_layout(replace(made, etp=2), ("ep", 4)).etp == 2
    assert (
        change_layout(training(1, tp=4, etp=4), ("tp", 2)).etp == 2
        and change_layout(training(1, tp=4, etp=4), ("ep", 8)).etp == 1
    )
    assert change_layout(made, ("etp", 1), ("ep", 2)).etp == 1


def test_what_was_meant_by_an_illegal_layout():
    """The nearest legal values as layouts, those that fit first."""
    model = sheet_of("meta-llama/Llama-3.1-70B")
    found = nearest_legal(model, layout(tp=3, etp=3, nodes=3))
    assert [one.changes for one in found] == [(("tp", 2),), (("tp", 4),)]
    small = nearest_legal(sheet_of(QWEN), layout(tp=3, pp=4, device="l4"))
    assert [one.changes for one in small] == [(("tp", 2),)]  # tp 4 x pp 4 are more GPUs than there are
    fits = [(fix.changes, fix.row.plan.fits) for fix in
            nearest_legal(sheet_of("Qwen/Qwen3-32B"), layout(tp=3, job="train", batch=64))]  # fmt: skip
    assert fits == [((("tp", 4),), True), ((("tp", 2),), False)]  # what fits first
    (gpus, more) = nearest_legal(sheet_of(QWEN), layout(3, pp=16))
    assert (gpus.changes, more.changes) == ((("nodes", 2),), (("nodes", 4),))
    (eight,) = nearest_legal(sheet_of(QWEN), layout(1, per_node=6, tp=4, pp=2))
    assert eight.changes == (("nodes", 1),) and eight.row.layout.per_node == 8


def test_how_many_nodes_hold_it():
    """The fewest, of powers of two; one node less does not hold it in any layout."""
    assert fewest_nodes(sheet_of(V3), layout(tp=8, device="h100_sxm")) == 2
    assert fewest_nodes(sheet_of(QWEN), layout(1, 1, "l4")) == 4
    nodes = fewest_nodes(sheet_of(OSS), training(1, zero=3))
    assert nodes == 1 or search_fitting(sheet_of(OSS), training(nodes // 2, zero=3))[1] == 0
    assert fewest_nodes(sheet_of(QWEN), layout(1, 1, "l4", framework_bytes=10**12)) is None


def test_what_a_layout_wastes():
    """Copies of key/value heads, of latents and of experts, and parts without work; nothing where nothing is copied."""

    def said(slug, made):
        return [(one.field, one.says) for one in list_redundancies(sheet_of(slug), plan(sheet_of(slug), made))]

    assert said(QWEN, layout(tp=8)) == []
    assert said(QWEN, layout(2, tp=16)) == [("tp", "8 key/value heads are stored on 2 tensor-parallel ranks each")]
    found = list_redundancies(sheet_of(V3), plan(sheet_of(V3), layout(tp=8, etp=8)))
    assert found[0].says == "A latent or an index that serves all heads is stored on 8 tensor-parallel ranks"
    rank = plan(sheet_of(V3), layout(tp=8, etp=8)).fullest
    assert found[0].bytes == pytest.approx(rank.cache_bytes * 7 / 8, rel=1e-3)
    assert said(V3, layout(tp=8, etp=8, dcp=8)) == []
    assert said(OSS, layout(tp=1, ep=4)) == [("etp", "Each expert is stored 2 times")]
    assert said(QWEN, layout(tp=2, batch=5)) == [
        ("dp", "5 sequences on 4 replicas: 3 of these have one fewer, or none")
    ]
    assert said(QWEN, training(8, tp=16, etp=16)) == []


def test_what_may_be_changed():
    """Axes on the same GPUs, what the job can do without, and two, four and eight times the nodes, up to 4,096."""

    def offered(slug, made):
        found = {}
        for name, value in list_moves(sheet_of(slug), made):
            found.setdefault(name, []).append(value)
        return found

    train = offered(OSS, training(1, tp=2, micro_batch=4))
    assert train.pop("chunks") == list(range(2, 17))
    assert train == {"tp": [1, 4, 8], "pp": [2, 4, 8], "ep": [2, 4, 8], "cp": [2, 4, 8], "zero": [2, 3],
                     "recompute": ["parts", "full"], "micro_batch": [1, 2], "nodes": [2, 4, 8]}  # fmt: skip
    assert offered(QWEN, training(1, micro_batch=2))["micro_batch"] == [1]
    few = offered(QWEN, training(1, zero=3, recompute="full"))
    assert not {"zero", "recompute", "micro_batch", "ep"} & set(few)
    serve = offered(QWEN, layout(1_024, tp=8))
    assert serve["tp"] == [1, 2, 4, 16, 32, 64] and serve["nodes"] == [2_048, 4_096] and serve["dcp"] == [2, 4, 8]
    assert (serve["cache_dtype"], serve["weights_dtype"]) == (["float8_e4m3fn"], ["fp8"])
    packed = offered(V3, layout(tp=4, dcp=2, cache_dtype="fp8_ds_mla"))
    assert packed["dcp"] == [4] and not {"cache_dtype", "weights_dtype", "cp", "chunks"} & set(packed)
    assert "dcp" not in offered(V3, layout(tp=4, job="prefill"))
    assert "nodes" not in offered(QWEN, layout(4_096))
