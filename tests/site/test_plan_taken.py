"""The planner's own JSON: keys that it shares with `cutaway plan --json` have its values; it says what it lacks."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from cutaway.app.plan_page import page as page_of_plan
from cutaway.gallery.command.plan_json import as_json
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.layout import Layout
from tests.site.plan_modules import loaded
from tests.site.test_plan_search import GEMMA, OSS, QWEN, V3, made
from tests.site.test_plan_twin import differs, leaves, sheet_of

TAKEN_JS = """([m, sheet, fields, bits]) => {
  const one = layout.make(fields);
  const plan = fits.make_plan(sheet, one, bits);
  const talksOf = (stage) => communication.list_collectives(sheet, plan, stage);
  const talksAll = plan.ranks.flatMap((rank) => talksOf(rank.stage));
  const bound = seconds.bind_step(sheet, plan);
  const now = { chosen: { m }, sheet, layout: one, plan, bound, bits, runs: [], talksOf, talksAll };
  return JSON.parse(JSON.stringify(exporting.json(now)));
}"""
LAYOUTS = (
    (QWEN, made("h100_sxm", 1, tp=8)), (OSS, made("h200_sxm", 2, tp=2, context=131_072, batch=7)),
    (V3, made("h200_sxm", 4, tp=8, pp=4, job="prefill", batch=4)), (V3, made("h200_sxm", 1, tp=8, context=9_000_000)),
    (V3, made("gb200", 4, per_node=64, pp=4, chunks=4, ep=64, job="train", batch=2_048)),
    (GEMMA, made("h100_sxm", 4, pp=4, job="train", batch=128)),
    (QWEN, made("h100_sxm", 4, pp=4, job="train", batch=128, schedule="dualpipe")),
)  # fmt: skip
LESS = ["layouts", "owners", "formulas", "fits.fixes", "fits.wastes"]


@pytest.fixture
def taken(page):
    """taken(slug, layout): the JSON that the page gives away."""
    loaded(page, "layout", "fits", "communication", "seconds", "export")
    bits = page_of_plan.constants()["cache_bits"]

    def take(slug: str, layout: Layout) -> dict:
        fields = {**asdict(layout), "device": layout.device._asdict()}
        return page.evaluate(TAKEN_JS, [slug, sheet_of(slug), fields, bits])

    return take


def without_words(data: dict) -> dict:
    """All but sentences, which are the page's own, and published runs, which it has apart."""
    fits = {name: value for name, value in data["fits"].items() if name not in ("says", "fixes", "wastes")}
    step = {name: value for name, value in data["step"].items() if name not in ("says", "measured")}
    plan = {name: value for name, value in data["plan"].items() if name != "model"}
    rest = {name: data[name] for name in ("ranks", "communicators", "flags", "address")}
    return {"plan": plan, "fits": fits, "step": step, **rest}


def keys(data: dict) -> set[str]:
    """Keys, two levels deep."""
    return {*data, *(f"{name}.{key}" for name in ("fits", "step") for key in data[name])}


def test_the_pages_json_is_that_of_the_command(taken, verified):
    """Numbers, ranks, who talks to whom, flags, the address with its model; a note lists what it lacks."""
    checked, wrong = 0, []
    for slug, layout in LAYOUTS:
        model = sheet_of(slug)
        ours, theirs = as_json(model, plan(model, layout), slug, "seconds"), taken(slug, layout)
        plain = without_words(ours)
        checked += leaves(plain)
        wrong += [f"{slug}: {one}" for one in differs(plain, without_words(theirs))[:5]]
        assert keys(ours) - keys(theirs) - {"step.measured"} == set(LESS)
        assert theirs["notes"][-1][1].partition(":")[0].split(", ") == LESS
        assert theirs["address"].startswith(f"m={slug}&on=")
    assert wrong == []
    verified("JSON exported from /plan/", checked, len(wrong), "the command cutaway plan --json")
