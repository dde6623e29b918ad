"""What /plan/ prints, over plans of every kind: each number is the planner's, and each formula gives its number."""

from __future__ import annotations

import re

import pytest

from cutaway.explainers import fmt
from cutaway.gallery import catalog, parameters
from cutaway.gallery.command.plan_words import gigabytes
from cutaway.gallery.drawing.words import runs, size
from cutaway.gallery.planning.address import parse
from cutaway.gallery.planning.communication import list_collectives, neighbour_stages
from cutaway.gallery.planning.devices import product_format
from cutaway.gallery.planning.fits import Plan, plan
from cutaway.gallery.planning.legal_axes import experts_of
from cutaway.gallery.planning.ranks import first_rank
from cutaway.gallery.planning.search import search
from cutaway.gallery.planning.seconds import product_dtype, stage_bounds
from cutaway.gallery.planning.sharding.tensors import holders, list_owners
from cutaway.gallery.planning.stages import mtp_stages
from tests.gallery.sheets import sheet_of, spec_of
from tests.site.plan_formulas import formulas_give_their_numbers
from tests.site.plan_rows import boxes, costs_of, holds_of, layouts_of, owned_as_told, talks_of
from tests.site.plan_said import device_words, short
from tests.site.plan_words import at

V3, MOE, OSS = "?m=deepseek-ai/DeepSeek-V3&", "?m=Qwen/Qwen3-235B-A22B&", "?m=openai/gpt-oss-20b&"
PLANS = (
    V3 + "on=gb200:64x4&job=train&pp=4x4&ep=64&batch=4096&x=fp8",
    V3 + "on=h200_sxm:8x8&job=train&tp=2&pp=4&sched=dualpipe&mtp=1&ep=8&zero=2&batch=256&mb=2&re=parts",
    V3 + "on=gb200:16x4&job=train&pp=2&ep=16&split=Et*20%7Ct*20%7Ct*21,m%7CL&batch=256",
    "?m=meta-llama/Llama-3.2-1B&on=h100_sxm:1x4&job=train&pp=4&zero=0&batch=8",
    MOE + "on=h200_sxm:16x8&job=train&tp=2&pp=16&cp=4:ring&ep=2&zero=3&shard=1&batch=64&busy=1.5&g=bfloat16&o=8",
    OSS + "on=h100_sxm:2x8&job=train&tp=2&ep=4&etp=2&zero=0&batch=64&re=full&fw=1000000000",
    OSS + "on=h100_sxm:1x8&tp=8&ctx=100000",
    V3 + "on=h200_sxm:2x8&tp=8&ep=16&dcp=4&red=32&kv=fp8_ds_mla",
    "?m=microsoft/phi-4&on=h100_sxm:1x4&job=prefill&tp=2&batch=6&w=fp8",
    "?m=microsoft/phi-4&on=h100_sxm:1x2&job=prefill&tp=2",
    MOE + "on=h200_sxm:2x8&tp=4&pp=2&n=5",
    V3 + "on=h100_sxm:1x8&tp=8",
    "?m=meta-llama/Llama-3.1-70B&on=gb200:2x4&job=train&pp=2x20&batch=64&lora=16&g=bfloat16&x=fp8",
    V3 + "on=h200_sxm:8x8&job=train&tp=2&pp=2&ep=16&zero=3&batch=64&lora=8&w=fp8",
)
TOLD = """() => [...document.querySelectorAll("button")].filter((one) => one.planAsk)
  .map((one) => [one.textContent, ...one.planAsk()])"""
ROWS = """(name) => [...document.querySelectorAll(`[data-at="${name}"] tr, [data-at="${name}"] dl > div`)]
  .map((row) => [...row.children].map((cell) => cell.textContent))"""
BOXES = """() => [...document.querySelectorAll("div.box")].map((box) => [".box-head b", ".box-layers", ".box-total",
  ".box-alike", ".box-send b"].map((part) => box.querySelector(part)?.textContent ?? null))"""
TEXT = "(names) => names.map((name) => document.querySelector(`[data-at='${name}']`).textContent)"


@pytest.mark.parametrize("query", PLANS)
def test_what_the_page_prints_is_the_plan(opened, query, verified):
    """Tables, lines, boxes and the arithmetic behind each number are those of the planner, for plans of every kind."""
    page = opened(query)
    at(page, "owns").locator("button").first.wait_for()
    made, words = parse(query)
    model = sheet_of(words["m"])
    found = plan(model, made)
    assert page.evaluate(ROWS, "holds") == list(holds_of(found))
    if found.timed:
        assert page.evaluate(ROWS, "costs") == list(costs_of(model, found))
        assert page.evaluate(ROWS, "talks") == list(talks_of(model, found))
    else:
        assert at(page, "costs").text_content() == "No sequence fits, so nothing is timed."
    owned_as_told(page.evaluate(ROWS, "owns"), model, found)
    lines_say(page, words["m"], found)
    boxes_say(page, model, found)
    tally = formulas_give_their_numbers(page.evaluate(TOLD), made)
    assert tally.checked > (10 if found.timed else 3)
    job, gpus, source = made.job, made.gpus, "the displayed numbers"
    verified(
        f"/plan/: numbers recomputed from the displayed formulas, {job} on {gpus} GPUs with tp {made.tp}",
        tally,
        against=source,
    )


PICKED = (  # a plan, what is picked, what each box says of it
    (PLANS[0], "model.embed_tokens", ["64 copies", *["holds none of it"] * 3]),
    (PLANS[1], "layers.20.mlp.experts.37.gate_proj", ["holds none of it", "2 copies", "holds the other copy",
                                                      "holds none of it"]),
    (PLANS[1], "lm_head", ["holds the other copy", *["holds none of it"] * 2, "cut 2 ways, 8 copies of each"]),
    (PLANS[1], "mtp.mlp.experts.200.down_proj", ["holds the other copy", *["holds none of it"] * 2, "2 copies"]),
    (PLANS[3], "layers.0.self_attn.o_proj", ["GPU 0 alone owns it", *["holds none of it"] * 3]),
    (PLANS[10], "layers.60.mlp.experts.3.up_proj", ["holds none of it", "cut 8 ways"]),
    ("?m=meta-llama/Llama-3.2-1B&on=h100_sxm:1x8&job=train&tp=2&pp=2&batch=8&order=tp-cp-ep-pp-dp",
     "layers.15.self_attn.k_proj", ["holds none of it", "cut 2 ways, 2 copies of each"]),
    (V3 + "on=h200_sxm:1x4&job=train&pp=4&sched=dualpipe&batch=8", "layers.0.self_attn.o_proj",
     ["GPU 0 owns it", *["holds none of it"] * 2, "holds the other copy"]),
)  # fmt: skip


@pytest.mark.parametrize(("query", "pick", "wanted"), PICKED)
def test_every_box_says_what_it_holds_of_a_picked_tensor(opened, query, pick, wanted):
    """Alone, copies, slices and copies of slices; the other copy of a schedule that holds every stage twice."""
    page = opened(f"{query}&pick={pick}")
    assert page.locator(".box-owner").all_inner_texts() == wanted
    at(page, "owns").locator("button").first.wait_for()
    assert at(page, "owns").locator("tr.lit").count() == 1
    made, words = parse(query)
    number = re.search(r"experts\.(\d+)\.", pick)
    name = re.sub(r"^layers\.\d+\.", "", re.sub(r"experts\.\d+\.", "experts.{expert}.", pick)) + ".weight"
    one = next(one for one in list_owners(sheet_of(words["m"]), made) if one.name == name)
    part = int(number[1]) // (one.rule[1] // made.ep) * made.etp if number else 0
    stage = next(stage for stage, said in enumerate(wanted) if "holds" not in said)
    own = page.locator(".c-own")
    assert int(own.get_attribute("data-rank")) == holders(made, one, stage, part)[0]
    number_in_its_cell(own.bounding_box(), page.locator(".c-number").bounding_box())


def number_in_its_cell(cell: dict, number: dict) -> None:
    """The middle of the one is the middle of the other."""
    for side, length in (("x", "width"), ("y", "height")):
        assert abs(cell[side] + cell[length] / 2 - number[side] - number[length] / 2) < 2.5, side


@pytest.mark.parametrize("query", [PLANS[0], PLANS[6]])
def test_the_ten_layouts_are_those_of_the_search(opened, query):
    """Axes, the fullest GPU, idle share or sequences, both times and what binds, of each row and of one's own."""
    page = opened(query)
    at(page, "layouts").locator("tr").nth(10).wait_for()
    made, words = parse(query)
    assert page.evaluate(ROWS, "layouts") == list(layouts_of(search(sheet_of(words["m"]), made), made))


# ---------------------------------------------------------------- lines and boxes


def lines_say(page, slug: str, found: Plan) -> None:
    """Parameters and experts, rates of the device, axes and how experts fold, micro-batches: with their values."""
    layout, model = found.layout, sheet_of(slug)
    names = ["sub", "line-model", "line-devices", "line-split", "line-job", "line-more", "fold-split", "fold-job"]
    sub, of_model, devices, split, job, more, folded, job_folded = page.evaluate(TEXT, names)
    moe, kv = experts_of(model), [f"{kv}" for kv in model["kv_heads"]]
    experts = f", {moe[0]['num_experts']} experts, {moe[0]['num_experts_per_tok']} active per token" if moe else ""
    heads = f", {' or '.join(kv)} KV heads" if kv else ""
    total = fmt.count(parameters(spec_of(slug)).total)
    assert of_model == f"{total} parameters, {len(model['layers'])} layers{experts}{heads}"
    words = {"train": "training", "prefill": "prefill", "decode": "decode"}[layout.job]
    assert sub == f"{catalog.find(slug).title} on {layout.gpus} {device_words(layout)}, {words}"
    assert devices == device_says(layout.device)
    cp = f" × cp {layout.cp}" if layout.job == "train" else ""
    axes = f"tp {layout.tp} × pp {layout.pp}{cp} × dp {layout.dp} = {layout.gpus} GPUs"
    fold = (
        "; experts are sharded like the rest" if layout.cut_as_dense else f"; experts are sharded over etp {layout.etp}"
    )
    if layout.ep > 1:
        each = short((moe[0]["num_experts"] + layout.redundant) / layout.ep)
        fold = f"; ep {layout.ep} is cut from tp × cp × dp: {each} experts per GPU"
    assert split == axes + (fold if moe else "")
    each = f"{layout.micro_batch} sequence{'s' * (layout.micro_batch > 1)}"
    tokens = fmt.count(layout.batch * layout.sequence)
    told = {"train": f"{layout.micro_batches} micro-batches of {each}; {tokens} tokens per step"}
    told |= {"prefill": "every prompt at its full length", "decode": "every sequence at its full length"}
    assert job == told[layout.job]
    stored = layout.weights_dtype or ("bfloat16" if layout.job == "train" else "as stored")
    form, why = product_dtype(layout, model)
    products = f"matmuls in {layout.compute_dtype or product_format(layout.device, form)}: {why}"
    assert more == f"etp {layout.etp}, cache {layout.cache_dtype}, weights {stored}, memory used 92 %; {products}"
    chunks = f" × {layout.chunks}" if layout.chunks > 1 else ""
    zero = f" · zero {layout.zero}" if layout.job == "train" else ""
    assert folded == f"tp {layout.tp} · pp {layout.pp}{chunks} · ep {layout.ep} · dp {layout.dp}{zero}"
    long = layout.context if layout.job == "decode" else layout.sequence
    assert job_folded == f"{words}, {long:,}" + (f" × {layout.batch:,}" if layout.job == "train" else "")


def device_says(device) -> str:
    """Memory, peaks and links of a device."""
    flops = [f"{short(f / 1e15)} P" if f >= 1e15 else f"{short(f / 1e12)} T" for f in device.peaks.values()]
    peaks = ", ".join(f"{f}FLOP/s {name}" for f, name in zip(flops, device.peaks, strict=True))
    inside, outside = short(device.inside_bytes / 1e9), short(device.outside_bytes / 1e9)
    first = f"{gigabytes(device.memory_bytes)} GB at {short(device.bandwidth_bytes / 1e12)} TB/s"
    return f"{first}; {peaks}; {inside} GB/s inside a node, {outside} between nodes"


def boxes_say(page, model, found: Plan) -> None:
    """Stages, layers, totals, how many are alike and what goes to the next stage stand in the drawing."""
    layout, alike = found.layout, found.layout.gpus // found.layout.pp
    lives, costs, seen = page.evaluate(TEXT, ["lives-note", "costs-note", "talks-note"])
    side = layout.pp == 1 and layout.gpus <= 16
    nodes = f"{layout.nodes} node{'s' * (layout.nodes > 1)}"
    many = f"{layout.pp} stage{'s' * (layout.pp > 1)}; one bar stands for {alike} identical GPUs"
    assert lives == (f"{nodes}; the memory of each GPU is the bar below it" if side else f"{nodes}, {many}")
    if layout.job == "train":
        slowest = max(range(layout.pp), key=lambda stage: stage_bounds(model, found)[stage].seconds)
        stage = f"stage {slowest}, the slowest; " if layout.pp > 1 else ""
        assert costs == f"{stage}{fmt.count(layout.batch * layout.sequence)} tokens"
    assert seen == f"bytes that GPU {first_rank(layout, found.fullest.stage)} sends per step"
    assert at(page, "drawing").get_attribute("aria-label") == alt_of(model, found)
    told = [] if side else [box_of(model, found, a, b) for a, b in boxes(found)]
    assert page.evaluate(BOXES) == told


def alt_of(model, found: Plan) -> str:
    """The drawing in words: nodes, stages, the fullest and the emptiest, what leaves a node."""
    layout, full, few = found.layout, found.fullest, found.emptiest
    many = [(layout.nodes, "node"), (layout.per_node, "GPU"), (layout.pp, "pipeline stage")]
    nodes, gpus, stages = (f"{n} {word}{'s' * (n > 1)}" for n, word in many)
    held, room = gigabytes(full.total_bytes), gigabytes(layout.device.memory_bytes)
    ends = f"Each GPU holds {held} of {room} GB."
    if layout.pp > 1:
        least = f"stage {few.stage} emptiest, {gigabytes(few.total_bytes)}"
        ends = f"Stage {full.stage} is fullest, {held} of {room} GB; {least}."
    left = [talk for talk in list_collectives(model, found, full.stage) if talk.leaving_bytes]
    named = "; ".join(f"{talk.axis} {talk.operation}, {size(talk.leaving_bytes)}" for talk in left)
    leaves = f"{named[:1].upper()}{named[1:]}: these leave a node in a step." if left else "Nothing leaves a node."
    return f"{nodes} of {gpus}, {stages}. {ends} {leaves}"


def box_of(model, found: Plan, a: int, b: int) -> list[str | None]:
    """One box: of a stage, or of some that fold."""
    layout, rank, last = found.layout, found.ranks[a], found.ranks[b]
    own = " ".join(f"{x}" if x == y else f"{x}–{y}" for x, y in runs(sorted(rank.layers)))
    ahead = f" and {layout.mtp} further token" if layout.mtp and rank.stage in mtp_stages(layout) else ""
    mark = " fullest" if rank is found.fullest else " emptiest" if rank is found.emptiest else ""
    saved = f"; activations {gigabytes(rank.activations_bytes)} … {gigabytes(last.activations_bytes)}"
    there = neighbour_stages(layout, b)
    sent = [talk.bytes for talk in list_collectives(model, found, b) if talk.operation == "send"]
    return [
        f"stage {a}" if a == b else f"stages {a}–{b}",
        f"layers {own}{ahead}" if a == b else f"{len(rank.layers)} layers each",
        f"{gigabytes(rank.total_bytes)} GB{mark}{gigabytes(layout.device.memory_bytes)} GB",
        f"× {layout.gpus // layout.pp * (b - a + 1)} alike" + (saved if a != b and rank.activations_bytes else ""),
        size(sent[0] * there[b + 1] / sum(there.values())) if b < layout.pp - 1 else None,
    ]
