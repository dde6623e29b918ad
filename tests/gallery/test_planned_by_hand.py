"""Small parts of planning, by hand: names of tensors, shares, links, pages, and what cannot be sharded."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import replace

import pytest

from cutaway.gallery import catalog, parameters
from cutaway.gallery.planning import communication, engine, fixes, formulas, legal_axes, legal_job
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import make_planner_model
from cutaway.gallery.planning.seconds import bind_step
from cutaway.gallery.planning.sharding.rules import words_of

LLAMA = catalog.spec("meta-llama/Meta-Llama-3-8B")
NEXT = catalog.spec("Qwen/Qwen3-Next-80B-A3B-Instruct")


def on_eight(**more) -> Layout:
    return Layout(DEVICES["h100_sxm"], 1, 8, **more)


def on_two_nodes(**more) -> Layout:
    return Layout(DEVICES["h100_sxm"], 2, 8, **more)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mlp.up_proj.weight", ("up_proj", "weight")),
        ("q_proj.bias", ("q_proj", "bias")),
        ("mixer.A_log", ("A_log", "weight")),
        ("A_log", ("A_log", "weight")),
        ("weight", ("weight", "weight")),
    ],
)
def test_a_tensor_is_called_after_its_module(name, words):
    """A bare parameter is a module of its own, wherever it stands."""
    assert words_of(name) == words


def test_a_gpu_holds_its_share_of_all_at_least():
    """Llama 3 8B over eight: serving two bytes a parameter, training two, four and twelve, whatever the layout."""
    sheet, total = make_planner_model(LLAMA), parameters(LLAMA).total
    for more in ({}, {"tp": 8}, {"tp": 2, "pp": 4}):
        assert fixes.mean_bytes(sheet, on_eight(**more)) == total * 2 / 8
        assert fixes.mean_bytes(sheet, on_eight(job="train", batch=8, **more)) == total * (2 + 4 + 12) / 8


def test_a_dense_model_has_no_experts_to_split_over_two_ranks():
    """One rank splits nothing and is legal; two are refused, and so are copies of experts."""
    sheet = make_planner_model(LLAMA)
    assert list(legal_axes.experts(sheet, on_eight())) == []
    (two,) = legal_axes.experts(sheet, on_eight(ep=2))
    (copies,) = legal_axes.experts(sheet, on_eight(redundant=1))
    assert "This model has no experts, so ep 2 has nothing to split" in two
    assert "This model has no experts, so redundant 1 copies nothing" in copies


def test_a_decode_step_adds_links_in_a_node_and_between_nodes_apart():
    """Llama 3 8B, tp 8 in each of two nodes: two all-reduces a layer inside, one send of an eighth outside."""
    made = on_two_nodes(tp=8, pp=2, batch=8)
    sheet, stream = make_planner_model(LLAMA), 8 // 2 * 4_096 * 2  # half of the sequences on each stage, BF16
    step = bind_step(sheet, plan(sheet, made))
    assert step.inside * 450e9 == pytest.approx(2 * 32 * stream * 2 * 7 / 8, rel=1e-12)
    assert step.outside * 50e9 == pytest.approx(stream / 8, rel=1e-12)


def test_ulysses_deals_out_the_heads_of_a_tensor_parallel_rank():
    """Llama 3 8B has 32 heads, so tp 4 leaves 8: cp 8 divides them, cp 16 doesn't, and 8 is the nearest that does."""
    sheet = make_planner_model(LLAMA)
    eight, sixteen = (list(legal_job.contexts(sheet, on_eight(tp=4, cp=cp, cp_kind="ulysses"))) for cp in (8, 16))
    assert eight == []
    assert [(one.field, one.nearest) for one in sixteen] == [("cp", (8,))]
    assert "cp 16 does not divide the 8 heads" in sixteen[0].why


@pytest.mark.parametrize("zero", [1, 2, 3])
def test_where_every_rank_has_a_copy_of_its_own_nothing_is_gathered(zero):
    """Shards of one rank: FP32 gradients of 8,030,261,248 parameters meet those of seven other copies, and no more."""
    made, sheet = on_eight(job="train", zero=zero, dp_shard=1, batch=8), make_planner_model(LLAMA)
    (talk,) = communication.list_collectives(sheet, plan(sheet, made), 0)
    assert (talk.axis, talk.ranks, talk.calls) == ("dp_replicate", 8, 1)
    assert talk.bytes == 2 * 4 * 8_030_261_248 * 7 // 8


def test_training_fits_where_some_layout_holds_its_states():
    """Llama 3 8B has 145 GB of weights, gradients and optimizer: one GPU of 80 GB is too small, eight are enough."""
    sheet, made = make_planner_model(LLAMA), on_eight(job="train", batch=8)
    assert 80e9 < parameters(LLAMA).total * 18 < 8 * 80e9
    assert fixes.fits_anywhere(sheet, made)
    assert not fixes.fits_anywhere(sheet, replace(made, per_node=1))


def test_pages_of_a_hybrid_are_told_as_pages_times_layers_times_bytes():
    """Qwen3-Next at 32,768 tokens: 63 pages of 528 tokens for 12 layers of attention, three for 36 layers of states."""
    sheet, made = make_planner_model(NEXT), on_eight(tp=4, context=32_768, batch=8)
    found = plan(sheet, made)
    (told,) = (one for one in formulas.formulas(sheet, found, 0, None) if one.what == "pages")
    page = 528 * 2 * 256 * 2  # one of two key-value heads of 256 numbers, keys and values, BF16
    assert told.formula == f"{-(-32_768 // 528) + 36 // 12} pages x 12 layers x {page:,} B"
    assert told.result == 66 * 12 * page == found.ranks[0].sequence_bytes


def test_entries_of_several_tokens_are_not_padded_to_pages():
    """vLLM deals them out otherwise: a hybrid whose attention keeps one entry for two tokens has no common page."""
    sheet, made = deepcopy(make_planner_model(NEXT)), on_eight(tp=4, context=32_768)
    kinds = Counter(sheet["layers"])
    assert engine.pages(sheet, made, kinds, 32_768).layers == 12
    for kind in sheet["kinds"]:
        kind["keeps"] = [[*row[:4], 2, *row[5:]] if row[0] == "kv" else row for row in kind["keeps"]]
    assert engine.pages(sheet, made, kinds, 32_768) is None


def test_gradients_are_summed_once_a_step():
    """Without ZeRO in one all-reduce over all copies; a tied table of Gemma 2 2B in one more, on both of its stages."""
    sheet, made = make_planner_model(LLAMA), on_eight(job="train", zero=0, batch=8)
    (talk,) = communication.list_collectives(sheet, plan(sheet, made), 0)
    assert (talk.axis, talk.ranks, talk.calls, talk.bytes) == ("dp", 8, 1, 2 * 4 * 8_030_261_248 * 7 // 8)
    tied, halves = make_planner_model(catalog.spec("google/gemma-2-2b")), on_eight(job="train", pp=2, batch=8)
    for stage in (0, 1):
        (table,) = communication.tied_embedding(tied, halves, stage)
        assert (table.axis, table.ranks, table.calls, table.bytes) == ("pp", 2, 1, 256_000 * 2_304 * 4)


@pytest.mark.parametrize(("chunks", "most"), [(1, 34), (2, 17), (3, 11), (40, 1)])
def test_a_pipeline_has_no_more_parts_than_layers_and_both_ends(chunks, most):
    """Llama 3 8B has 32 layers, an embedding and a head: 34 parts, which so many chunks a stage divide among stages."""
    (one,) = legal_axes.pipeline(make_planner_model(LLAMA), on_eight(job="train", pp=64, chunks=chunks))
    assert (one.field, one.nearest) == ("pp", (most,))
