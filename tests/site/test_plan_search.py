"""The planner's search in the browser: tables, fixes, nearest legal layouts and wastes equal gallery/planning's."""

from __future__ import annotations

import json
import random
from dataclasses import asdict, replace

import pytest

from cutaway.app.plan_page import page as page_of_plan
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.fixes import change_layout, fewest_nodes, fixes, nearest_legal
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal import problem
from cutaway.gallery.planning.redundancy import list_redundancies
from cutaway.gallery.planning.search import ORDERS, search
from cutaway.gallery.planning.search import row as row_of
from tests.site.plan_modules import loaded
from tests.site.test_plan_twin import differs, leaves, sheet_of, some

V3, QWEN, OSS, GEMMA = (
    "deepseek-ai/DeepSeek-V3",
    "Qwen/Qwen3-235B-A22B",
    "openai/gpt-oss-20b",
    "google/gemma-3-27b-it",
)
AXES = ("nodes", "per_node", "tp", "pp", "chunks", "cp", "ep", "etp", "zero", "batch")
JS = """([what, slug, fields, bits, order]) => {
  const one = layout.make(fields), sheet = sheets.get(slug);
  const row = (found) => [AXES.map((name) => found.layout[name]), found.seconds, found.unhidden, found.plan.fullest.total_bytes];
  const fix = (found) => [found.changes, ...row(found.row), found.row.plan.fits];
  if (what === "table") {
    const table = search.of(sheet, one, bits, order);
    return [table.legal, table.fitting, table.place, table.rows.map(row)];
  }
  if (what === "nearest") return fixes.nearest_legal(sheet, one, bits).map(fix);
  if (what === "nodes") return fixes.fewest_nodes(sheet, one, bits);
  if (what === "step") return fixes.one_step(sheet, one, bits).map(fix);
  if (what === "fixes") return fixes.of(sheet, one, bits).map(fix);
  return redundancy.list_redundancies(sheet, fits.make_plan(sheet, one, bits), bits).map(({ field, says, bytes }) => [field, says, bytes]);
}"""  # noqa: E501


@pytest.fixture
def asked(page):
    """asked(what, slug, layout, order): what the page's own search says."""
    loaded(page, "layout", "search", "fixes", "redundancy", "fits").add_script_tag(
        content=f"const AXES = {list(AXES)}, sheets = new Map();"
    )
    bits, sent = page_of_plan.constants()["cache_bits"], set()

    def ask(what: str, slug: str, layout: Layout, order: str = "seconds"):
        fields = {**asdict(layout), "device": layout.device._asdict()}
        if slug not in sent:  # a sheet is long, and asked about dozens of times: it is sent once
            page.evaluate(
                "([slug, text]) => sheets.set(slug, JSON.parse(text)).size", [slug, json.dumps(sheet_of(slug))]
            )
            sent.add(slug)
        return page.evaluate(JS, [what, slug, fields, bits, order])

    return ask


def row(found) -> list:
    axes = [getattr(found.layout, name) for name in AXES]
    return [axes, found.seconds, found.unhidden, found.plan.fullest.total_bytes]


def fix(found) -> list:
    return [[list(change) for change in found.changes], *row(found.row), found.row.plan.fits]


def table(found) -> list:
    return [found.legal, found.fitting, found.place, [row(one) for one in found.rows]]


def made(device: str, nodes: int, **more) -> Layout:
    one = Layout(DEVICES[device], nodes, more.pop("per_node", 8), **more)
    return replace(one, etp=one.usual_etp) if "etp" not in more else one


TABLES = (
    (QWEN, made("h100_sxm", 1, tp=8)), (OSS, made("h200_sxm", 2, tp=2, context=131_072)),
    (GEMMA, made("h100_sxm", 2, tp=4, job="train", batch=2_048)),
    (V3, made("h200_sxm", 4, tp=8, pp=4, job="prefill", batch=4)),
    (V3, made("gb200", 4, per_node=64, pp=4, chunks=4, ep=64, job="train", batch=2_048)),
    (QWEN, made("h100_sxm", 8, tp=4, pp=4, ep=8, job="train", batch=1_024, imbalance=1.3, recompute="full", zero=3)),
    (OSS, made("h100_sxm", 1, job="train", batch=512, lora_rank=8, zero=3, imbalance=1.3)),
    (V3, made("h200_sxm", 4, job="train", batch=512, lora_rank=16, recompute="full")),
    ("Qwen/Qwen3-8B", made("h100_sxm", 1, batch=3)), ("Qwen/Qwen3-8B", made("h100_sxm", 1, batch=3, etp=2)),
)  # fmt: skip


def test_the_ten_layouts_are_the_same_in_the_browser(asked, verified):
    """Counts of legal and fitting layouts, the best ten in either order, their times and the own place are equal."""
    checked, wrong = 0, []
    for place, (slug, layout) in enumerate(TABLES):
        order = ORDERS[place % 2]
        ours = table(search(sheet_of(slug), layout, order))
        checked += leaves(ours)
        wrong += [f"{slug} {order}: {one}" for one in differs(ours, asked("table", slug, layout, order))[:4]]
    assert wrong == []
    verified("planner in the browser: best layouts", checked, len(wrong), "gallery.planning")


ADVISED = ("fla-hub/rwkv7-2.9B-world", "mistralai/Mamba-Codestral-7B-v0.1", QWEN, V3, OSS, GEMMA, "Qwen/Qwen3-8B",
           "deepseek-ai/DeepSeek-V4-Flash", "ai21labs/Jamba-v0.1")  # fmt: skip


def result(slug: str, layout: Layout) -> list:
    """What a reader sees of a layout: whether it fits, what each stage holds, how many sequences, and its times."""
    found = row_of(sheet_of(slug), layout)
    ranks = [rank.total_bytes for rank in found.plan.ranks]
    return [found.plan.fits, ranks, found.plan.sequences, found.seconds, found.unhidden]


@pytest.mark.parametrize("device", ["h100_sxm", "gb200", "l40s"])
def test_what_is_advised_changes_the_result(asked, verified, device):
    """A float8 cache of a model that keeps no keys (RWKV), ZeRO over one rank: what changes nothing is no button; every
    button of many models changes bytes, sequences or a time, and every fix makes the layout fit."""
    checked, wrong, node = 0, [], DEVICES[device].gpus_per_node
    for slug in ADVISED:
        for job in ("train", "prefill", "decode"):
            for nodes, tp in ((1, 1), (1, min(node, 4)), (2, node)):
                layout = made(device, nodes, per_node=node, tp=tp, job=job, batch=512 if job == "train" else 0)
                if problem(sheet_of(slug), layout) or not plan(sheet_of(slug), layout).timed:
                    continue
                own = result(slug, layout)
                for changes, *_ in asked("step", slug, layout) + ([] if own[0] else asked("fixes", slug, layout)):
                    other = result(slug, change_layout(layout, *[tuple(change) for change in changes]))
                    checked += 1
                    wrong += [f"{slug} {layout}: {changes}"] if other == own else []
    assert wrong == [] and checked > 100
    verified(f"buttons of /plan/ that change the result on {device}", checked, len(wrong), "gallery.planning")


def test_a_cache_in_float8_is_advised_where_there_is_one(asked):
    """RWKV keeps a state and no keys: never; Qwen3 8B: yes."""
    told = {slug: [name for changes, *_ in asked("step", slug, made("h100_sxm", 1)) for name, _ in changes]
            for slug in (ADVISED[0], "Qwen/Qwen3-8B")}  # fmt: skip
    assert "cache_dtype" not in told[ADVISED[0]] and "cache_dtype" in told["Qwen/Qwen3-8B"]


def test_nearest_legal_layouts_are_the_same_in_the_browser(asked, verified):
    """What an illegal layout might have meant is the same, with its results, for random illegal layouts."""
    dice, checked, wrong = random.Random(4), 0, []
    for _ in range(60):
        slug = dice.choice((QWEN, OSS, GEMMA))
        layout = some(dice, len(sheet_of(slug)["layers"]))
        if not problem(sheet_of(slug), layout) or layout.gpus > 256 or not layout.gpus:
            continue
        ours = [fix(one) for one in nearest_legal(sheet_of(slug), layout)]
        checked += leaves(ours) + 1
        wrong += [f"{slug} {layout}: {one}" for one in differs(ours, asked("nearest", slug, layout))[:2]]
    assert wrong == []
    assert checked > 100
    verified("planner in the browser: nearest valid layouts", checked, len(wrong), "gallery.planning")


FIXES = (
    (QWEN, made("h100_sxm", 1)), (QWEN, made("h100_sxm", 1, tp=8)),
    (V3, made("h200_sxm", 2, tp=8)), (OSS, made("l40s", 1, context=100_000)),
    (GEMMA, made("h100_sxm", 1, job="train", batch=512)), (QWEN, made("h100_sxm", 1, job="train", batch=512)),
)  # fmt: skip


def test_fixes_and_wastes_are_the_same_in_the_browser(asked, verified):
    """The cheapest changes that fit, what a layout wastes, and the fewest nodes that hold it are the same."""
    checked, wrong = 0, []
    for slug, layout in FIXES:
        model = sheet_of(slug)
        ours = [fix(one) for one in fixes(model, layout)]
        wrong += [f"{slug} fixes: {one}" for one in differs(ours, asked("fixes", slug, layout))[:3]]
        held = [list(one) for one in list_redundancies(model, plan(model, layout))]
        wrong += [f"{slug} wastes: {one}" for one in differs(held, asked("wastes", slug, layout))[:3]]
        checked += leaves(ours) + leaves(held) + 1
    assert fewest_nodes(sheet_of(V3), made("h100_sxm", 1)) == asked("nodes", V3, made("h100_sxm", 1))
    assert wrong == []
    verified(
        "planner in the browser: suggested fixes and wasted resources", checked + 1, len(wrong), "gallery.planning"
    )
