"""The planner in the browser: its arithmetic equals gallery/planning over random plans of catalogued models."""

from __future__ import annotations

import json
import math
import random
from dataclasses import asdict, replace
from functools import cache
from itertools import product

import pytest

from cutaway.app.plan_page import page as page_of_plan
from cutaway.gallery import catalog, read
from cutaway.gallery.command.plan_words import labels, notes
from cutaway.gallery.planning.address import address
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.flags import engines, flags, untold
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal import problems
from cutaway.gallery.planning.phases import phases
from cutaway.gallery.planning.planner_model import PlannerModel, make_planner_model
from cutaway.gallery.planning.ranks import GROUPS, group
from cutaway.gallery.planning.schedules import SCHEDULES
from cutaway.gallery.planning.seconds import bind_step
from cutaway.gallery.planning.work import training_flops
from tests.site import plan_lanes, plan_said
from tests.site.plan_modules import SENTENCES, TWIN, loaded

PLANS, MORE_PLANS = 300, 10_000
MODELS = ("deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-235B-A22B", "openai/gpt-oss-20b", "google/gemma-3-27b-it",
          "meta-llama/Llama-3.1-70B", "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai-community/gpt2-xl",
          "meta-llama/Llama-3.2-1B", "deepseek-ai/DeepSeek-V4-Flash", "tiiuae/Falcon-H1-7B-Instruct")  # fmt: skip


@cache
def sheet_of(slug: str) -> PlannerModel:
    return json.loads(json.dumps(make_planner_model(read(catalog.load(slug)))))


def some(dice: random.Random, layers: int = 61) -> Layout:
    """A layout, legal or not; sizes are mostly powers of two, as people type them."""
    power = lambda most: 2 ** dice.randint(0, most) if dice.random() < 0.93 else dice.randint(0, 9)  # noqa: E731
    device = dice.choice(list(DEVICES.values()))
    job = dice.choice(("train", "train", "prefill", "decode", "decode"))
    tp, pp, chunks = power(3), power(2), power(2) if dice.random() < 0.3 else 1
    cp, ep = power(2) if dice.random() < 0.25 else 1, power(4)
    per_node, model = min(8, device.domain), max(tp * pp * cp, 1)
    gpus = model * power(5)
    nodes, per_node = (gpus // per_node, per_node) if gpus % per_node == 0 and gpus else (1, gpus or 1)
    dp = max(gpus // model, 1)
    alike = max(tp * cp * dp // max(ep, 1), 1)
    etp = (1 if ep > 1 else tp) if job == "train" else alike
    micro = power(1)
    batch = (
        max(dp * micro * power(5) * (pp if chunks > 1 else 1), 0) if job == "train" else dice.choice((0, 0, 1, 7, 256))
    )
    return Layout(
        device, nodes, per_node, tp, pp, chunks, cp, ep, etp if dice.random() < 0.9 else power(3),
        dice.choice((0, 1, 1, 2, 3, 1, 2, 4)), job,
        dice.choice((1, 4096, 4096, 131_072, 10_001)), batch, micro, dice.choice((1, 32_768, 131_072, 1_000_003)),
        dice.choice(("none", "none", "parts", "full", "moe_act", "layernorm,moe", "mla_up_proj")),
        dice.choice((0, 0, 0, 32)), dice.choice((2, 4)),
        dice.choice(("", "", "fp8", "int4", "bfloat16")), dice.choice(page_of_plan.CACHES),
        dice.choice(("", "", "", *device.peaks)),
        dice.choice((0.92, 0.9, 1.0)), **further(dice, job, layers, tp, pp, chunks, max(gpus // model, 1)),
    )  # fmt: skip


def tuned(dice: random.Random, layers: int) -> Layout:
    """One that trains adapters, of a rank that tensor ranks can share."""
    while (one := some(dice, layers)).job != "train":
        pass
    return replace(one, lora_rank=max(one.tp, 1) * dice.choice((1, 2, 16)))


WRONG_SPLITS = ("Ett|t*59L", "Et*30|t*31L|", "tEL", "E(t|)*93tL")


def written(dice: random.Random, layers: int, parts: int) -> str:
    """A layout string of so many parts, the layers dealt out at random."""
    ends = sorted(dice.randint(0, layers) for _ in range(max(parts, 1) - 1))
    each = [b - a for a, b in zip([0, *ends], [*ends, layers], strict=True)]
    return "E" + "|".join(f"t*{n}" if n > 1 else "t" * n for n in each) + ",m" * dice.randint(0, 1) + "L"


def further(dice: random.Random, job: str, layers: int, tp: int, pp: int, chunks: int, dp: int) -> dict:
    """The inputs that most layouts leave alone."""
    rare = lambda *values: dice.choice(values) if dice.random() < 0.07 else None  # noqa: E731
    splits = (*WRONG_SPLITS, *[written(dice, layers, pp * chunks)] * 8)
    found = {
        "schedule": rare(*SCHEDULES, *SCHEDULES, "spiral"), "split": rare(*splits), "cp_kind": rare("ring", "ulysses"),
        "dp_shard": rare(1, 2, 4, dp), "order": rare("tp-cp-ep-pp-dp", "dp-tp-cp-ep-pp", "tp-pp", "cp-tp-ep-dp-pp"),
        "weight_bytes": rare(1), "optimizer_bytes": rare(6, 8), "dispatch_dtype": rare("bfloat16", "fp8"),
        "mtp": rare(1, 1, 1, 2), "offload": rare("experts", "3", "400", "much"),
        "lora_rank": dice.choice((1, 8, 16, 64)) if job == "train" and dice.random() < 0.3 else rare(16, 100_000),
        "dcp": rare(2, 4, tp), "imbalance": rare(1.3, 2.0), "framework_bytes": rare(4_500_000_000),
    }  # fmt: skip
    return {name: value for name, value in found.items() if value is not None}


def told(model: PlannerModel, layout: Layout) -> dict:
    """What Python says of a layout."""
    if found := problems(model, layout):
        return {"problem": [[one.field, one.says, list(one.nearest)] for one in found]}
    found = plan(model, layout)
    least = bind_step(model, found)
    return {
        "problem": [], "room": found.room_bytes, "sequences": found.sequences, "longest": found.longest_context,
        "here": found.here, "fits": found.fits, "at_most": found.at_most,
        "full": [found.fullest.stage, found.emptiest.stage],
        "ranks": [
            {**asdict(rank), "total_bytes": rank.total_bytes, "layers": list(rank.layers)} for rank in found.ranks
        ],
        "talks": [[talk._asdict() for talk in list_collectives(model, found, rank.stage)] for rank in found.ranks],
        "bound": [*least, least.seconds, least.unhidden, least.of_total], "binds": least.binds,
        "flops": training_flops(model, layout.sequence, lora_rank=layout.lora_rank),
        "notes": [list(note) for note in (*notes(model, found), *labels(found))],
        "caveats": plan_said.caveats(model),
        "address": address(layout, {"m": "a/b c"}),
        "flags": [[flags(layout, one, model), untold(layout, one)] for one in engines(layout)],
        "lanes": ran(layout) if layout.job == "train" else each_tenth(phases(model, found)) if found.timed else None,
        "groups": [[group(layout, axis, rank) for rank in (0, layout.gpus - 1)] for axis in GROUPS],
    }  # fmt: skip


def unsaid(model: PlannerModel, layout: Layout, texts: list[str]) -> tuple[int, list[str]]:
    """(numbers of the plan, sentences that do not say them): the headline, and why."""
    if not texts:
        return 0, []
    found = plan(model, layout)
    wanted = [plan_said.headline(model, found), plan_said.because(model, found)]
    pairs = list(zip(texts, wanted, strict=True))
    return leaves(wanted), [f"{numbers} in {text!r}" for text, numbers in pairs if not plan_said.says(text, numbers)]


def ran(layout: Layout) -> list | None:
    """What runs when, short: a sum over each lane in which no two ops may be changed."""
    found = plan_lanes.lanes(layout)
    if not found:
        return None
    sums = [sum((k + 1) * (sum(op[1:]) + 5 * op[-1] + 7 * op[2]) for k, op in enumerate(own)) for own in found.ops]
    kinds = ["".join(op[0] for op in own) for own in found.ops]
    return [found.schedule, found.chunks, found.units, found.end, found.fold and found.fold._asdict(), sums, kinds]


def each_tenth(found: list) -> list:
    return [len(found), sum(one.seconds for one in found), [list(one) for one in found[::10]]]


OF_PAGE = """
const ran = (one) => {
  const found = runs.of(one);
  if (!found) return null;
  const sums = found.ops.map((own) => own.reduce((sum, op, k) => sum + (k + 1) * (op.slice(1).reduce((a, b) => a + b, 0) + 5 * op.at(-1) + 7 * op[2]), 0));
  return [found.schedule, found.chunks, found.units, found.end, found.fold, sums, found.ops.map((own) => own.map(([kind]) => kind).join(""))];
};
const each_tenth = (found) => [found.length, found.reduce((sum, slot) => sum + slot.seconds, 0), found.filter((_, i) => i % 10 === 0).map((one) => ["stage", "layer", "what", "axis", "amount", "seconds"].map((name) => one[name]))];
const caveats_of = (now) => {
  const apart = notes.list({ ...now, sheet: { ...now.sheet, caveats: {} } }).length;
  return notes.list(now).slice(apart).map(([, text]) => text);
};
const of_page = (sheet, layout, plan, bound, bits) => ({ sheet, layout, plan, bound, bits, talksAll: plan.ranks.flatMap((rank) => communication.list_collectives(sheet, plan, rank.stage)) });
"""  # noqa: E501
TOLD_JS = """([sheets, rows, bits]) => rows.map(([slug, fields]) => {
  const sheet = sheets[slug], one = layout.make(fields);
  const problem = legal.problems(sheet, one).map(({ field, says, nearest }) => [field, says, nearest]);
  if (problem.length) return { problem };
  const plan = fits.make_plan(sheet, one, bits);
  const least = seconds.bind_step(sheet, plan);
  return {
    problem, room: plan.room_bytes, sequences: plan.sequences, longest: plan.longest_context, here: plan.here,
    fits: plan.fits, at_most: plan.at_most, full: [plan.fullest.stage, plan.emptiest.stage],
    ranks: plan.ranks.map(({ states_bytes, before_text_bytes, sequence_bytes, ...rank }) => rank),
    talks: plan.ranks.map((rank) => communication.list_collectives(sheet, plan, rank.stage)), binds: least.binds,
    bound: [...seconds.TERMS, "bubble", "apart", "flow", "idle", "idle_apart", "flows", "seconds", "unhidden",
      "of_total"].map((key) => least[key]),
    notes: [notes.list, notes.labels].flatMap((say) =>
      say(of_page({ ...sheet, caveats: {} }, one, plan, least, bits))),
    caveats: caveats_of(of_page(sheet, one, plan, least, bits)),
    says: [sentences.headline, sentences.because].map((say) => say(of_page(sheet, one, plan, least, bits))),
    address: address.of(one, { m: "a/b c" }),
    flags: flags.engines(one).map((name) => [flags.of(one, name, sheet), flags.untold(one, name)]),
    flops: work.training_flops(sheet, one.sequence, one.lora_rank),
    lanes: one.job === "train" ? ran(one) : plan.timed ? each_tenth(phases.of(sheet, plan, bits)) : null,
    groups: Object.keys(ranks.GROUPS).map((axis) => [0, one.gpus - 1].map((rank) => ranks.group(one, axis, rank))),
  };
})"""


def differs(ours, theirs, path: str = "") -> list[str]:
    """Where two answers differ: whole numbers and words at all, floats by more than 1e-12 of their size."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = ours.keys() | theirs.keys()
        return [one for key in keys for one in differs(ours.get(key), theirs.get(key), f"{path}.{key}")]
    if isinstance(ours, list | tuple) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [one for i, pair in enumerate(zip(ours, theirs, strict=True)) for one in differs(*pair, f"{path}[{i}]")]
    if isinstance(ours, float) and isinstance(theirs, int | float):
        same = math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-300)
    else:
        same = ours == theirs and (ours is None) == (theirs is None)
    return [] if same else [f"{path}: {ours!r} is {theirs!r}"]


def leaves(value) -> int:
    if isinstance(value, dict | list | tuple):
        return sum(map(leaves, value.values() if isinstance(value, dict) else value))
    return 1


EDGES = [
    Layout(DEVICES["h100_sxm"], 4, 8, tp=2, pp=4, chunks=2, job="train", batch=batch, micro_batch=2, schedule=schedule)
    for batch in (8, 15, 16, 64, 328, 352)
    for schedule in ("dualpipe-v", "zb-v", "v-half", "v-min", "interleaved-zb", "")
]
EDGES += [  # both ends of a pipeline: in one node, over several, odd, too few, with experts
    Layout(DEVICES["h100_sxm"], nodes, 8, pp=pp, zero=zero, job="train", batch=batch, schedule="dualpipe")
    for nodes, pp, batch, zero in product((1, 4), (1, 2, 3, 4, 8), (15, 16, 128), (0, 3))
]


def held(page, many: int, seed: int, some=some) -> tuple[int, list[str], int]:
    """(numbers compared, what differs, legal ones) over so many random plans; `some`: which makes one."""
    dice = random.Random(seed)
    slugs = MODELS if many <= PLANS else [row.slug for row in catalog.MODELS if row.snapshot]
    checked, wrong, fine = 0, [], 0
    loaded(page, *TWIN, *SENTENCES, "phases", "runs").add_script_tag(content=OF_PAGE)
    for _ in range(0, many, 500):
        names = [dice.choice(slugs) for _ in range(min(500, many))]
        sheets = {slug: sheet_of(slug) for slug in names}
        rows = [(slug, some(dice, len(sheets[slug]["layers"]))) for slug in names] + [(names[0], one) for one in EDGES]
        bits = page_of_plan.constants()["cache_bits"]
        given = [[slug, {**asdict(layout), "device": layout.device._asdict()}] for slug, layout in rows]
        answers = page.evaluate(TOLD_JS, [sheets, given, bits])
        for (slug, layout), theirs in zip(rows, answers, strict=True):
            ours = told(sheets[slug], layout)
            said, lost = unsaid(sheets[slug], layout, theirs.pop("says", []))
            checked, fine = checked + leaves(ours) + said, fine + (not ours["problem"])
            wrong += [f"{slug} {layout}: {one}" for one in [*lost, *differs(ours, theirs)][:3]]
    return checked, wrong, fine


def test_random_plans_are_the_same_in_the_browser(page, verified):
    """Every number of random plans, legal or refused, is the same in both languages."""
    checked, wrong, fine = held(page, PLANS, 9)
    assert wrong == []
    assert fine > PLANS / 3, "too few of the random plans are legal"
    verified(f"planner in the browser: {PLANS} random plans", checked, len(wrong), "gallery.planning")


def test_random_plans_of_lora_are_the_same_in_the_browser(page, verified):
    """So is every number where weights are frozen, over every kind of model, ZeRO stage and schedule."""
    checked, wrong, fine = held(page, PLANS // 2, 26, tuned)
    assert wrong == []
    assert fine > PLANS / 8, "too few of the random plans are legal"
    verified("the planner in the browser, random plans of LoRA", checked, len(wrong), "gallery.planning")


@pytest.mark.patient
def test_ten_thousand_plans_are_the_same_in_the_browser(page, verified):
    """The same of ten thousand plans of every catalogued model."""
    checked, wrong, _ = held(page, MORE_PLANS, 10)
    assert wrong[:5] == []
    verified("planner in the browser: 10,000 random plans", checked, len(wrong), "gallery.planning")


def test_what_does_not_fit_is_the_cache_of_a_sequence_where_that_is_most(page):
    """Llama 3.1 8B on an L4: its 16.1 GB of weights fit and are not the reason, but the 17.2 GB that a sequence of
    131,072 tokens keeps; of 65,536 tokens it keeps 8.6 GB, and the weights are the larger part."""
    loaded(page, *TWIN, *SENTENCES, "phases", "runs").add_script_tag(content=OF_PAGE)
    slug, device = "meta-llama/Llama-3.1-8B", DEVICES["l4"]
    rows = [Layout(device, 1, 1, job="decode", context=context) for context in (131_072, 65_536)]
    given = [[slug, {**asdict(one), "device": device._asdict()}] for one in rows]
    most, less = page.evaluate(TOLD_JS, [{slug: sheet_of(slug)}, given, page_of_plan.constants()["cache_bits"]])
    cache = 2 * 32 * 8 * 128 * 2 * 131_072 / 1e9  # keys and values of 32 layers, 8 heads of 128, two bytes each
    assert most["says"][1].startswith(f"Because of {cache:.1f} GB of cache for one sequence, ")
    assert less["says"][1].startswith("Because of 16.1 GB of weights, ")


def test_a_difference_is_noticed():
    """The comparison itself tells 0 from nothing, a missing row from none, and the last digit but three of a float."""
    assert differs({"a": [1.0, None]}, {"a": [1.0 + 1e-13, None]}) == []
    assert [len(differs(*pair)) for pair in (([0], [None]), ([1], []), (1.0, 1.0 + 1e-11), ({"a": 1}, {}))] == [1] * 4
    assert replace(some(random.Random(1)), tp=3).tp == 3


def test_a_number_that_a_sentence_lacks_is_noticed():
    """Another number, one less, one more, another order or another axis: a sentence does not say that."""
    text = "At least 19.2 ms a token of 1,149 sequences. dp leaves the node."
    assert plan_said.says(text, ["19.2 ms", "1,149", "dp"])
    for wrong in (["9.2 ms", "1,149", "dp"], ["19.2 ms", "1,149"], ["19.2 ms", "dp"], ["1,149", "19.2 ms", "dp"],
                  ["19.2 ms", "1,149", "ep"], ["19.2 ms", "1,149", "dp", "3"], ["19.2", "149", "dp"]):  # fmt: skip
        assert not plan_said.says(text, wrong)
