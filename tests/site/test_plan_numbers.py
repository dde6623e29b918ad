"""What /plan/ prints, over plans of every kind: each number is the planner's, and each formula gives its number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf

import pytest

from app.planned import device_words, duration, rate, short
from app.planned import speed as at_most
from explainers import fmt
from gallery import catalog, parameters
from gallery.command.plan_words import PARTS, gigabytes
from gallery.drawing.words import runs, size
from gallery.planning.address import parse
from gallery.planning.fits import Plan, plan
from gallery.planning.legal_axes import experts_of
from gallery.planning.owners import holders, owners
from gallery.planning.ranks import first_of, group
from gallery.planning.seconds import bound, stage_bounds
from gallery.planning.stages import further_stages
from gallery.planning.talks import neighbours, talks
from gallery.planning.work import training_flops
from tests.gallery.sheets import sheet_of, spec_of
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
    checked = formulas_give_their_numbers(page.evaluate(TOLD), made)
    assert checked > (10 if found.timed else 3)
    named = f"/plan/: formulas typed in, {made.job} on {made.gpus} GPUs with tp {made.tp}"
    verified(named, checked, 0, "the numbers that they stand behind")


PICKED = (  # a plan, what is picked, what each box says of it
    (PLANS[0], "model.embed_tokens", ["64 copies", *["holds none of it"] * 3]),
    (PLANS[1], "layers.20.mlp.experts.37.gate_proj", ["holds none of it", "2 copies", "holds the other copy",
                                                      "holds none of it"]),
    (PLANS[1], "lm_head", ["holds the other copy", *["holds none of it"] * 2, "cut 2 ways, 8 copies of each"]),
    (PLANS[1], "mtp.mlp.experts.200.down_proj", ["holds the other copy", *["holds none of it"] * 2, "2 copies"]),
    (PLANS[3], "layers.0.self_attn.o_proj", ["GPU 0 alone owns it", *["holds none of it"] * 3]),
    (PLANS[10], "layers.60.mlp.experts.3.up_proj", ["holds none of it", "cut 8 ways"]),
    (V3 + "on=h200_sxm:1x4&job=train&pp=4&sched=dualpipe&batch=8", "layers.0.self_attn.o_proj",
     ["GPU 0 owns it", *["holds none of it"] * 2, "holds the other copy"]),
)  # fmt: skip


@pytest.mark.parametrize(("query", "pick", "wanted"), PICKED)
def test_every_box_says_what_it_holds_of_a_picked_tensor(opened, query, pick, wanted):
    """Alone, copies, slices and copies of slices; the other copy of a schedule that holds every stage twice."""
    page = opened(f"{query}&pick={pick}")
    assert page.locator(".box-owner").all_inner_texts() == wanted
    made, words = parse(query)
    number = re.search(r"experts\.(\d+)\.", pick)
    name = re.sub(r"^layers\.\d+\.", "", re.sub(r"experts\.\d+\.", "experts.{expert}.", pick)) + ".weight"
    one = next(one for one in owners(sheet_of(words["m"]), made) if one.name == name)
    part = int(number[1]) // (one.rule[1] // made.ep) * made.etp if number else 0
    stage = next(stage for stage, said in enumerate(wanted) if "holds" not in said)
    own = page.locator(".c-own")
    assert int(own.get_attribute("data-rank")) == holders(made, one, stage, part)[0]
    number_in_its_cell(own.bounding_box(), page.locator(".c-number").bounding_box())


def number_in_its_cell(cell: dict, number: dict) -> None:
    """The middle of the one is the middle of the other."""
    for side, length in (("x", "width"), ("y", "height")):
        assert abs(cell[side] + cell[length] / 2 - number[side] - number[length] / 2) < 2.5, side


# ---------------------------------------------------------------- tables


def boxes(found: Plan) -> list[tuple[int, int]]:
    """(first, last) of stages that are drawn as one: neighbours alike, where there are more than eight."""
    alone = {0, found.layout.pp - 1, found.fullest.stage, found.emptiest.stage}
    out: list[tuple[int, int]] = []
    for rank in found.ranks:
        before = out and found.ranks[out[-1][0]]
        like = before and (before.weights_bytes, before.experts_bytes) == (rank.weights_bytes, rank.experts_bytes)
        if len(found.ranks) > 8 and like and not {rank.stage, out[-1][1]} & alone:
            out[-1] = out[-1][0], rank.stage
        else:
            out.append((rank.stage, rank.stage))
    return out


def holds_of(found: Plan) -> Iterator[list[str]]:
    """The rows of What a GPU holds."""
    layout, drawn = found.layout, boxes(found)
    ranks = [found.ranks[first] for first, _ in drawn]
    one = "each GPU" if layout.gpus > 1 else "the GPU"
    yield ["", *(one if layout.pp == 1 else f"stage {a}" if a == b else f"stages {a}–{b}" for a, b in drawn)]
    for name, word in reversed(PARTS):
        if any(getattr(rank, name) for rank in found.ranks):
            own = [gigabytes(getattr(rank, name)) if getattr(rank, name) else "–" for rank in ranks]
            yield ["activations, peak" if word == "activations" else word, *own]
    yield [f"of {gigabytes(found.room_bytes)}", *(gigabytes(rank.total_bytes) for rank in ranks)]
    if found.sequences:
        yield ["sequences, all GPUs", f"{found.sequences:,}", *[""] * (len(ranks) - 1)]


def costs_of(model, found: Plan) -> Iterator[list[str]]:
    """The rows of What a step costs, and the facts below."""
    least, layout = bound(model, found), found.layout
    train = layout.job == "train"
    yield ["", "", "time"]
    names = ("products", "reading memory", "links in a node", "links between nodes")
    yield from ([word, "", duration(time)] for word, time in zip(names, least[:4], strict=True) if time)
    if least.bubble:
        yield ["pipeline idle", "", duration(max(least[:4]) * least.bubble)]
    yield ["at least", "", duration(least.seconds)]
    yield ["if nothing hides", "", duration(least.unhidden)]
    if at_most(found, least):
        yield [f"tokens a second{' and GPU' if train else ''}, at most", rate(at_most(found, least))]
    if least.bubble:
        yield ["idle, of the whole step", fmt.percent(least.of_total, 2)]
        yield ["idle, of the ideal step", fmt.percent(least.bubble, 2)]
    if train:
        flops = training_flops(model, layout.sequence) / 1e9
        yield ["FLOP a token, forth and back", f"{flops:,.{max(0, 3 - len(str(int(flops))))}f} GFLOP"]
    else:
        yield ["longest context of one sequence", f"{found.longest_context:,}"]


def who_of(ranks: list[int]) -> str:
    """0–7; 0, 4, 8; 0, 4, … 252."""
    if ranks == list(range(ranks[0], ranks[-1] + 1)):
        return f"{ranks[0]}–{ranks[-1]}" if len(ranks) > 1 else f"{ranks[0]}"
    return ", ".join(map(str, ranks)) if len(ranks) <= 4 else f"{ranks[0]}, {ranks[1]}, … {ranks[-1]}"


def talks_of(model, found: Plan) -> Iterator[list[str]]:
    """The rows of Who talks to whom, seen from the first GPU of the fullest stage."""
    layout, stage = found.layout, found.fullest.stage
    yield ["axis", "operation", "ranks", "bytes", "link", "busy", ""]
    met = [talk for talk in talks(model, found, stage) if talk.bytes]
    for talk in met:
        ranks = group(layout, talk.axis, first_of(layout, stage))
        if talk.axis == "pp":
            others = [layout.pp - 1 - stage] if "both copies" in talk.operation else neighbours(layout, stage)
            ranks = sorted(first_of(layout, one) for one in (stage, *others))
        stay = talk.bytes - talk.leaving_bytes
        busy = stay / layout.device.inside_bytes + talk.leaving_bytes / layout.device.outside_bytes
        left = f"{size(talk.leaving_bytes)} leave the node" if talk.leaving_bytes else "stays in the node"
        yield [talk.axis, talk.operation, f"{talk.ranks}: {who_of(ranks)}", size(talk.bytes), left, duration(busy), ""]
    axes = {talk.axis.partition("_")[0] for talk in met}
    silent = ", ".join(axis for axis in ("tp", "pp", "cp", "dp", "edp") if axis not in axes)
    serves = "nothing to send: 1 rank each, or each keeps its own sequences"
    yield [silent, "1 rank each, or nothing to send" if layout.job == "train" else serves]


# ---------------------------------------------------------------- owners


def owned_as_told(table: list[list[str]], model, found: Plan) -> None:
    """Each tensor's layers, cut, copies and owners are those of a row; no tensor is left out, none is there twice."""
    layout, every = found.layout, owners(model, found.layout)
    heads, *rows = table
    assert heads == ["tensor", "layers", "shape", "cut by", "copies", "owners"]
    many = [re.search(r"\((\d+)\)$", row[0]) for row in rows]
    assert sum(int(one[1]) if one else 1 for one in many) == len({one.name for one in every})
    told = {(layers, cut, copies, who) for _, layers, _, cut, copies, who in rows}
    for one in every:
        alike = [other for other in every if (other.name, other.rule) == (one.name, one.rule)]
        own = sorted({layer for other in alike for layer in other.layers})
        layers = " ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in runs(own)) or "–"
        assert (layers, cut_words(one, layout), f"{one.copies:,}", who_words(one, layout)) in told, one.name


def cut_words(one, layout) -> str:
    """How a tensor is cut."""
    word = one.rule[0]
    if word == "experts":
        spare = one.rule[1] + layout.redundant
        parts = [f"ep: {short(spare / layout.ep)} of {spare}"] if layout.ep > 1 else []
        return ", ".join(parts + ([f"etp {layout.etp}"] if one.rule[2] and layout.etp > 1 else [])) or "–"
    if word == "whole" or layout.tp == 1:
        return "–"
    return f"tp: {max(one.rule[1] // layout.tp, 1)} of {one.rule[1]} heads" if word == "heads" else f"tp {layout.tp}"


def who_words(one, layout) -> str:
    """Who holds a tensor."""
    if one.rule[0] == "experts" and layout.ep > 1 and layout.etp == 1:
        return "ep rank of the expert"
    alone = layout.edp * layout.etp if one.rule[0] == "experts" else layout.gpus // layout.pp
    many = layout.copies if one.layers else len(one.stages)
    if layout.pp == 1 or alone * many == 1:
        return "one GPU" if alone * many == 1 else "all"
    if one.layers:
        return "its two stages" if many > 1 else "its stage"
    return f"stage{'s' * (many > 1)} {' and '.join(map(str, one.stages))}"


# ---------------------------------------------------------------- lines and boxes


def lines_say(page, slug: str, found: Plan) -> None:
    """Parameters and experts, rates of the device, axes and how experts fold, micro-batches: with their values."""
    layout, model = found.layout, sheet_of(slug)
    names = ["sub", "line-model", "line-devices", "line-split", "line-job", "line-more", "fold-split", "fold-job"]
    sub, of_model, devices, split, job, more, folded, job_folded = page.evaluate(TEXT, names)
    moe, kv = experts_of(model), [f"{kv}" for kv in model["kv_heads"]]
    experts = f", {moe[0]['num_experts']} experts of which a token meets {moe[0]['num_experts_per_tok']}" if moe else ""
    heads = f", {' or '.join(kv)} KV heads" if kv else ""
    total = fmt.count(parameters(spec_of(slug)).total)
    assert of_model == f"{total} parameters, {len(model['layers'])} layers{experts}{heads}"
    words = {"train": "training", "prefill": "prefill", "decode": "decode"}[layout.job]
    assert sub == f"{catalog.find(slug).title} on {layout.gpus} {device_words(layout)}, {words}"
    assert devices == device_says(layout.device)
    cp = f" × cp {layout.cp}" if layout.job == "train" else ""
    axes = f"tp {layout.tp} × pp {layout.pp}{cp} × dp {layout.dp} = {layout.gpus} GPUs"
    fold = "; experts are cut like the rest" if layout.cut_as_dense else f"; experts are cut over etp {layout.etp}"
    if layout.ep > 1:
        each = short((moe[0]["num_experts"] + layout.redundant) / layout.ep)
        fold = f"; ep {layout.ep} is cut from tp × cp × dp: {each} experts a GPU"
    assert split == axes + (fold if moe else "")
    each = f"{layout.micro_batch} sequence{'s' * (layout.micro_batch > 1)}"
    tokens = fmt.count(layout.batch * layout.sequence)
    told = {"train": f"{layout.micro_batches} micro-batches of {each}; {tokens} tokens a step"}
    told |= {"prefill": "every prompt at its full length", "decode": "every sequence at its full length"}
    assert job == told[layout.job]
    stored = layout.weights_dtype or ("bfloat16" if layout.job == "train" else "as stored")
    assert more == f"etp {layout.etp}, cache {layout.cache_dtype}, weights {stored}, memory used 92 %"
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
    return f"{first}; {peaks}; {inside} GB/s inside a node, {outside} out of it"


def boxes_say(page, model, found: Plan) -> None:
    """Stages, layers, totals, how many are alike and what goes to the next stage stand in the drawing."""
    layout, alike = found.layout, found.layout.gpus // found.layout.pp
    lives, costs, seen = page.evaluate(TEXT, ["lives-note", "costs-note", "talks-note"])
    side = layout.pp == 1 and layout.gpus <= 16
    nodes = f"{layout.nodes} node{'s' * (layout.nodes > 1)}"
    many = f"{layout.pp} stage{'s' * (layout.pp > 1)}; one stack stands for {alike} alike"
    assert lives == (f"{nodes}; a stack of memory under each GPU" if side else f"{nodes}, {many}")
    if layout.job == "train":
        slowest = max(range(layout.pp), key=lambda stage: stage_bounds(model, found)[stage].seconds)
        stage = f"stage {slowest}, the slowest; " if layout.pp > 1 else ""
        assert costs == f"{stage}{fmt.count(layout.batch * layout.sequence)} tokens"
    assert seen == f"seen from GPU {first_of(layout, found.fullest.stage)}; bytes it sends in a step"
    told = [] if side else [box_of(model, found, a, b) for a, b in boxes(found)]
    assert page.evaluate(BOXES) == told


def box_of(model, found: Plan, a: int, b: int) -> list[str | None]:
    """One box: of a stage, or of some that fold."""
    layout, rank, last = found.layout, found.ranks[a], found.ranks[b]
    own = " ".join(f"{x}" if x == y else f"{x}–{y}" for x, y in runs(sorted(rank.layers)))
    ahead = f" and {layout.mtp} further token" if layout.mtp and rank.stage in further_stages(layout) else ""
    mark = " fullest" if rank is found.fullest else " emptiest" if rank is found.emptiest else ""
    saved = f"; activations {gigabytes(rank.activations_bytes)} … {gigabytes(last.activations_bytes)}"
    there = neighbours(layout, b)
    sent = [talk.bytes for talk in talks(model, found, b) if talk.operation == "send"]
    return [
        f"stage {a}" if a == b else f"stages {a}–{b}",
        f"layers {own}{ahead}" if a == b else f"{len(rank.layers)} layers each",
        f"{gigabytes(rank.total_bytes)} GB{mark}{gigabytes(layout.device.memory_bytes)} GB",
        f"× {layout.gpus // layout.pp * (b - a + 1)} alike" + (saved if a != b and rank.activations_bytes else ""),
        size(sent[0] * there[b + 1] / sum(there.values())) if b < layout.pp - 1 else None,
    ]


# ---------------------------------------------------------------- formulas

UNITS = {"PFLOP/s": 1e15, "TFLOP/s": 1e12, "GFLOP": 1e9, "TB/s": 1e12, "GB/s": 1e9, "TB": 1e12, "GB": 1e9, "MB": 1e6,
         "KB": 1e3, "µs": 1e-6, "ms": 1e-3, "B": 1, "s": 1, "%": 0.01}  # fmt: skip
UNIT = "|".join(UNITS)
SYMBOLS = re.compile(r" v m\b|\bb ÷")  # letters that stand for numbers: told, not typed
SHORT = 0.011  # numbers are printed with three figures


def typed(text: str) -> float:
    """What a reader gets who types it in, words left out; infinity where it is words alone."""
    if SYMBOLS.search(text):
        return inf
    text = re.sub(r" on each of dp .*", "", text).replace("dp × cp ", "").replace(", each", "")
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(rf"([\d.]*\d)\s?({UNIT})(?![\w/])", lambda found: f"({found[1]}*{UNITS[found[2]]!r})", text)
    text = re.sub(rf"\)\s?({UNIT})(?![\w/])", lambda found: f")*{UNITS[found[1]]!r}", text)
    text = text.replace("×", "*").replace("÷", "/").replace("−", "-")
    kept = re.findall(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?|max\(|[-+*/(),]", text)
    try:
        return float(eval("".join(kept), {"__builtins__": {}, "max": max}))  # digits, operators, max
    except (SyntaxError, TypeError):
        return inf


def sums(lines: list[str]) -> list[str]:
    """Lines that go on with an operator are one with the line before."""
    out: list[str] = []
    for line in lines:
        if line[0] in "=×+" and out:
            out[-1] += " " + line
        else:
            out.append(line)
    return out


def sides(line: str) -> list[float]:
    """Every side of its equations that can be typed in."""
    return [value for part in re.split(r" = | → ", line) if (value := typed(part)) != inf]


def formulas_give_their_numbers(told: list[list], layout) -> int:
    """Behind every number stands arithmetic; typed in it gives what it says, and the number on the page: how many."""
    checked, many = 0, layout.gpus // layout.pp
    alike = f", each of its {many} GPUs" if many > 1 else ""
    for text, title, lines, says in told:
        assert says and lines
        if title.endswith("a step") and ": " in title and "idle" not in title:
            checked += communicator(text, title, lines)
        elif all(re.match(r"[\d.,]+ = [a-z]", line) for line in lines):
            assert re.fullmatch(rf".*{re.escape(alike)}: {re.escape(text.removesuffix(' GB'))} GB", title), (
                title,
                alike,
            )
            parts = sum(typed(line.partition(" =")[0]) for line in lines)
            assert parts == pytest.approx(float(text.removesuffix(" GB")), abs=0.051 * (len(lines) + 1)), (title, lines)
            checked += 1
        else:
            checked += sum(map(line_holds, sums(lines)))
            checked += ends_in(text, title, lines)
    return checked


def line_holds(line: str) -> int:
    """All sides of a line are equal."""
    found = sides(line)
    for side in found[1:]:
        assert found[0] == pytest.approx(side, rel=SHORT, abs=0.99 if "→" in line else 1e-9), (line, found)
    return len(found[1:])


def ends_in(text: str, title: str, lines: list[str]) -> int:
    """The last side is the number that was asked."""
    if "tokens a second" in title:
        assert typed(lines[0]) == pytest.approx(typed(text), rel=SHORT), (title, lines)
    elif "FLOP of" not in title and re.fullmatch(r"[\d.,]+ (µs|ms|s)", text) and "idle" not in title:
        assert sides(sums(lines)[-1])[-1] == pytest.approx(typed(text), rel=0.006), (title, lines)
    elif ", weights:" in title or "routed experts:" in title:
        *own, last = lines if " B × " in lines[-1] else [*lines, ""]
        total = sum(sides(line)[-1] for line in own)
        wanted = typed(last.partition(" × ")[2].partition(" ")[0]) if last else 1e9 * typed(text)
        near = {"rel": 1e-9, "abs": len(own)} if last else {"rel": SHORT, "abs": 0.06e9}
        assert total == pytest.approx(wanted, **near), (title, lines)
    elif re.fullmatch(r"[\d.,]+", text) and title.endswith(f"{text} GB") and lines[-1] != "typed in, under More":
        assert sides(sums(lines)[-1])[-1] == pytest.approx(1e9 * typed(text), rel=0.006, abs=0.06e9), (title, lines)
    else:
        return 0
    return 1


def communicator(text: str, title: str, lines: list[str]) -> int:
    """Calls times the bytes of one, those bytes as the table of NCCL's tests has them, and the time on both links."""
    calls, _, each = lines[0].partition(", each = ")
    assert typed(calls) == pytest.approx(typed(text), rel=SHORT), (title, lines)
    many = typed(calls.partition(" × ")[0])
    assert not each or typed(each) * many == pytest.approx(typed(text), rel=SHORT), (title, lines)
    assert sum(map(line_holds, lines[1:])) == 1
    return 3
