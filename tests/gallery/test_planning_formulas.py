"""Each number's formula with the values in it: a reader who types it in gets the number. Runs of the same layout."""

import re
from dataclasses import replace

import pytest

from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.formulas import formulas
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.measured import matching_runs, runs
from cutaway.gallery.planning.seconds import bind_step, stage_bounds
from tests.gallery.sheets import layout, sheet_of
from tests.tally import Tally

V3, QWEN, NEXT = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-32B", "Qwen/Qwen3-Next-80B-A3B-Instruct"
GEMMA, OSS = "google/gemma-3-27b-it", "openai/gpt-oss-20b"


def typed(formula):
    """What a reader gets who types the formula in: words and units left out."""
    plain = re.sub(r"[A-Za-z]+/s\b|micro-batches", "", formula).replace(",", "").replace(" x ", " * ")
    tokens = re.findall(r"\d+(?:\.\d+)?(?:e[+-]\d+)?|[-+*/()]", plain)
    return eval("".join(tokens), {"__builtins__": {}})  # digits, operators and brackets alone


@pytest.mark.parametrize(
    ("slug", "made"),
    [
        (V3, layout(32, job="train", batch=512, pp=4, chunks=4, ep=64, dp_shard=32, compute_dtype="fp8")),
        (QWEN, layout(8, job="train", batch=64, tp=4, etp=4, zero=3, recompute="parts", schedule="zb-h1", pp=2)),
        (V3, layout(2, tp=2, ep=16, context=131_072, redundant=16, cache_dtype="fp8_ds_mla")),
        (NEXT, layout(tp=8, etp=8, batch=3, dcp=4, framework_bytes=5)),
        (GEMMA, layout(tp=4, pp=2, job="prefill", batch=8, weights_dtype="fp8")),
        (OSS, layout(per_node=1, redundant=32)),  # all experts twice
        ("fla-hub/rwkv7-2.9B-world", layout(per_node=1)),
        ("ByteDance/Ouro-1.4B", layout(job="train", batch=64, cp=2, zero=2)),
        (V3, layout(32, job="train", batch=512, pp=4, ep=64, mtp=1)),
        (OSS, layout(job="train", batch=8, ep=4, imbalance=1.5, etp=1, zero=2)),
        (OSS, layout(job="train", batch=8, ep=4, etp=2, zero=3, lora_rank=16)),
        (QWEN, layout(job="train", batch=8, tp=4, etp=4, lora_rank=8, weight_bytes=1)),
        (OSS, layout(job="train", batch=8, ep=4, pp=2, recompute="moe", split="Et*24|L")),  # a stage without layers
    ],
)
def test_a_formula_gives_its_number(slug, made):
    """Typed in, every formula is its result; the results are those of the plan."""
    model, found = sheet_of(slug), plan(sheet_of(slug), made)
    for stage, least in enumerate(stage_bounds(model, found)):
        told = formulas(model, found, stage, least)
        for one in told:
            near = 8 if one.result > 1_000 else 1e-9  # bytes; shares and seconds are not rounded to whole ones
            assert typed(one.formula) == pytest.approx(one.result, rel=1e-6, abs=near), (one.what, one.formula)
            assert one.says and len(one.formula) < 1_000
        by = {one.what: one.result for one in told}
        rank = found.ranks[stage]
        for name in ("weights", "experts", "gradients", "optimizer", "activations", "cache"):
            assert by.get(name, 0) == getattr(rank, f"{name}_bytes"), name
        assert (by["total"], by["capacity"]) == (rank.total_bytes, found.room_bytes)
        assert by["seconds"] == least.seconds
        assert [one.result for one in told[-len(list_collectives(model, found, stage)) or len(told) :]] == [
            talk.bytes for talk in list_collectives(model, found, stage)] or not list_collectives(model, found,
            stage)  # fmt: skip
        if "sequences" in by and not made.batch:
            assert int(by["sequences"]) >= found.here


def test_formulas_say_what_deals_out():
    """ZeRO's ranks stand in the formula, experts by their own copies; nothing is timed where nothing fits."""
    model, made = sheet_of(V3), layout(64, 4, "gb200", job="train", batch=4_096, pp=4, chunks=4, ep=64)
    found = {one.what: one for one in formulas(model, plan(model, made), 0, None)}
    assert "seconds" not in found
    assert found["optimizer"].formula.startswith("12 B x 5,") and " / dp 64 + 12 B x 2," in found["optimizer"].formula
    assert found["activations"].formula.startswith("4,096 tokens x 1 / (cp 1 x tp 1) x ((")
    whole = {one.what: one for one in formulas(model, plan(model, replace(made, zero=0)), 0, None)}
    assert " / " not in whole["optimizer"].formula


# ---------------------------------------------------------------- measured runs


def test_a_run_of_the_same_layout_is_found():
    """DeepSeek-V3 on 256 GB300, PP 2 x 8 and EP 32: 6,288 tokens a second and GPU, 1,635 TFLOP/s."""
    made = layout(64, 4, "gb300", job="train", batch=4_096, pp=2, chunks=8, ep=32)
    assert [(run.tokens, run.tflops, run.precision) for run in matching_runs(V3, made)] == [(6_288, 1_635, "MXFP8")]
    assert (
        matching_runs(V3, replace(made, ep=64))
        == matching_runs(QWEN, made)
        == matching_runs(V3, replace(made, job="decode"))
        == []
    )
    assert matching_runs(V3, replace(made, compute_dtype="fp8")) and not matching_runs(
        V3, replace(made, compute_dtype="fp4")
    )
    llama = layout(8, job="train", batch=1_536, device="h100_sxm")
    tokens = [run.tokens for row in runs() for run in matching_runs(row["model"], replace(llama, tp=int(row["tp"])))]
    assert tokens == sorted(tokens, reverse=True)


def test_no_training_run_is_faster_than_the_bound(verified):
    """Tokens a second and GPU of every published run are fewer than its layout's least time allows."""
    tally = Tally()
    for row in runs():
        device = DEVICES[row["device"]]
        names = ("tp", "pp", "chunks", "cp", "ep", "zero", "batch", "micro_batch", "sequence")
        axes = {name: int(row[name]) for name in names}
        node = min(device.domain, int(row["gpus"]))
        node = node if int(row["gpus"]) % node == 0 else 64
        made = Layout(
            device, int(row["gpus"]) // node, node, job="train", compute_dtype=row["compute_dtype"], etp=1, **axes
        )
        made = replace(made, etp=made.usual_etp)
        model = sheet_of(row["model"])
        least = bind_step(model, plan(model, made)).seconds
        tally.holds(made.batch * made.sequence / made.gpus / least > float(row["tokens"]), row)
    source = "NVIDIA-NeMo/Megatron-Bridge at 067f987"
    verified("published training runs, none of which is faster than the planner's bound", tally, against=source)
