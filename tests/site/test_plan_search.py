"""The planner's search in the browser: tables, fixes, nearest legal layouts and wastes equal gallery/planning's."""

from __future__ import annotations

import random
from dataclasses import asdict, replace

import pytest

from cutaway.app.plan_page import page as page_of_plan
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.fixes import fewest_nodes, fixes, nearest_legal
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal import problem
from cutaway.gallery.planning.redundancy import list_redundancies
from cutaway.gallery.planning.search import ORDERS, search
from tests.site.plan_modules import loaded
from tests.site.test_plan_twin import differs, leaves, sheet_of, some

V3, QWEN, OSS, GEMMA = (
    "deepseek-ai/DeepSeek-V3",
    "Qwen/Qwen3-235B-A22B",
    "openai/gpt-oss-20b",
    "google/gemma-3-27b-it",
)
AXES = ("nodes", "per_node", "tp", "pp", "chunks", "cp", "ep", "etp", "zero", "batch")
JS = """([what, sheet, fields, bits, order]) => {
  const one = layout.make(fields);
  const row = (found) => [AXES.map((name) => found.layout[name]), found.seconds, found.unhidden, found.plan.fullest.total_bytes];
  const fix = (found) => [found.changes, ...row(found.row), found.row.plan.fits];
  if (what === "table") {
    const table = search.of(sheet, one, bits, order);
    return [table.legal, table.fitting, table.place, table.rows.map(row)];
  }
  if (what === "nearest") return fixes.nearest_legal(sheet, one, bits).map(fix);
  if (what === "nodes") return fixes.fewest_nodes(sheet, one, bits);
  if (what === "fixes") return fixes.of(sheet, one, bits).map(fix);
  return redundancy.list_redundancies(sheet, fits.make_plan(sheet, one, bits), bits).map(({ field, says, bytes }) => [field, says, bytes]);
}"""  # noqa: E501


@pytest.fixture
def asked(page):
    """asked(what, slug, layout, order): what the page's own search says."""
    loaded(page, "layout", "search", "fixes", "redundancy", "fits").add_script_tag(
        content=f"const AXES = {list(AXES)};"
    )
    bits = page_of_plan.constants()["cache_bits"]

    def ask(what: str, slug: str, layout: Layout, order: str = "seconds"):
        fields = {**asdict(layout), "device": layout.device._asdict()}
        return page.evaluate(JS, [what, sheet_of(slug), fields, bits, order])

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
    verified("the planner's search in the browser", checked, len(wrong), "gallery.planning")


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
    verified("nearest legal layouts in the browser", checked, len(wrong), "gallery.planning")


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
    verified("fixes and wastes in the browser", checked + 1, len(wrong), "gallery.planning")
