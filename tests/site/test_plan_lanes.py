"""What runs when: schedules of plans that train, run short and whole; phases of those that serve; the page's weight."""

from __future__ import annotations

import gzip
import random
import re
from dataclasses import replace
from itertools import product

import pytest

from cutaway.app.plan_page import page as page_of_plan
from cutaway.app.site import Site, assets
from cutaway.explainers import bundles
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal import problems
from cutaway.gallery.planning.phases import phases
from cutaway.gallery.planning.schedules import SCHEDULES, bubble
from cutaway.gallery.planning.seconds import bind_step
from tests.site import plan_lanes
from tests.site.plan_said import duration
from tests.site.plan_words import first_visit
from tests.site.test_plan_twin import MODELS, sheet_of, some
from tests.tally import Tally

LOAD_LIMIT_BYTES = 60_500  # gzipped, without fonts
LATER_LIMIT_BYTES = 20_000  # the script of lanes, which comes when somebody does
SERVING = 60


def sizes():
    """(schedule, p, v, m, again) of runs long enough to be folded, and of some that are not."""
    for name, row in SCHEDULES.items():
        for p, v, m, again in product((2, 3, 4), (1, 2, 3), (12, 24, 60), (1, 2)):
            if row.chunks[0] <= v <= row.chunks[1] and m >= row.least(p) and m % row.multiple(p) == 0 and not (
                row.rule == "both ends" and p % 2
            ):  # fmt: skip
                yield name, p, v, m, again


def whole(found: plan_lanes.Lanes) -> list[list]:
    """Every op, with the rounds that were left out."""
    if not (fold := found.fold):
        return found.ops
    out = []
    for own in found.ops:
        before, after = [op for op in own if op[-2] < fold.at], [op for op in own if op[-2] >= fold.at]
        once = [op for op in after if op[-2] < fold.at + fold.units]
        rounds = [(k * fold.units, k * fold.micros) for k in range(fold.rounds)]
        left = [plan_lanes.shifted(op, *by) for by in rounds for op in once]
        past = (fold.rounds * fold.units, fold.rounds * fold.micros)
        out.append(before + left + [plan_lanes.shifted(op, *past) for op in after])
    return out


@pytest.mark.whole
def test_a_folded_step_is_the_whole_step(verified):
    """With the rounds that were left out put back, every op starts and ends as in a run of all of them."""
    tally, folded = Tally(), set()
    for name, p, v, m, again in sizes():
        found = plan_lanes.run(name, p, v, m, again, 24)
        ops = plan_lanes.executed(name, p, v, m, again)
        for mine, theirs in zip(whole(found), ops, strict=True):
            tally.add(max(len(mine), len(theirs)), [] if mine == theirs else [(name, p, v, m, again)])
        assert found.end == max(own[-1][-1] for own in ops)
        folded |= {name} if found.fold else set()
    assert folded == set(SCHEDULES) - set(plan_lanes.UNFOLDED)
    verified("shortened pipeline timelines", tally, against="the complete schedule")


def test_lanes_end_when_the_step_does():
    """Run slot by slot, a step takes the slowest stage's time and the bubble that the planner adds to it."""
    for name, p, v, m, again in sizes():
        if again == 1:
            found = plan_lanes.run(name, p, v, m)
            assert found.end == pytest.approx(found.units * m * (1 + bubble(name, p, v, m)))


def test_a_layout_runs_by_its_schedule():
    """Its stages, chunks and micro-batches; one stage takes one after the other; what is too much is not run."""
    one = Layout(DEVICES["gb200"], 4, 64, pp=4, chunks=4, ep=64, job="train", batch=2_048)
    found = plan_lanes.lanes(one)
    assert (found.schedule, found.chunks, len(found.ops), found.units) == ("interleaved", 4, 4, 12)
    assert found.fold == (76, 48, 4, 3)
    assert [plan_lanes.run("interleaved", 8, 2, m).fold for m in (48, 56)] == [None, (88, 48, 8, 2)]
    assert plan_lanes.lanes(replace(one, recompute="full")).units == 16
    alone = plan_lanes.lanes(Layout(DEVICES["gb200"], 1, 1, job="train", batch=6, schedule="gpipe"))
    assert "".join(op[0] for op in alone.ops[0]) == "FB" * 6
    assert plan_lanes.lanes(replace(one, chunks=1, schedule="gpipe", batch=64 * 7_501)) is None
    assert plan_lanes.lanes(replace(one, chunks=1, schedule="gpipe", batch=64 * 7_500)).fold is None


def test_phases_take_what_a_step_takes_if_nothing_hides(verified):
    """The slots of a step that serves, one after the other, take its sum; every layer has its own."""
    dice, tally = random.Random(41), Tally()
    while tally.checked < SERVING:
        model = sheet_of(dice.choice(MODELS))
        layout = some(dice, len(model["layers"]))
        if layout.job == "train" or problems(model, layout):
            continue
        found = plan(model, layout)
        if not found.timed:
            continue
        slots = phases(model, found)
        tally.near(sum(one.seconds for one in slots), bind_step(model, found).unhidden, layout, rel=1e-5)
        for rank in found.ranks:
            own = [one.layer for one in slots if one.stage == rank.stage]
            assert own == sorted(own)
            assert {one for one in own if 0 <= one < len(model["layers"])} == set(rank.layers)
    verified("phases of an inference step", tally, against="gallery.planning.seconds")


def test_the_first_plan_runs_without_a_script():
    """Its lane is in the page: a layer's slots again and again, the head after them, each as wide as its time."""
    model, layout = first_visit()
    found = plan(model, layout)
    html = page_of_plan.plan_page(Site())
    lane = re.search(r'<div class="lane-field">.*?</svg>', html, re.S)[0]
    once, after = lane.split("</pattern>")
    slots, least = phases(model, found), bind_step(model, found)
    scale = 1000 / least.unhidden
    layer = [one for one in slots if one.layer == 0]
    wide, *widths = map(float, re.findall(r'\bwidth="([\d.]+)"', once))
    assert widths == pytest.approx([one.seconds * scale for one in layer], abs=1e-3)
    assert wide == pytest.approx(sum(widths), abs=3e-3)
    assert [one[:5] for one in slots if 0 <= one.layer < 94] == [(0, n, *one[2:5]) for n in range(94) for one in layer]
    head = [one.seconds * scale for one in slots if one.layer == 94]
    layers, *rest = map(float, re.findall(r'\bwidth="([\d.]+)"', after))
    assert [layers, *rest] == pytest.approx([1000 - sum(head), *head], abs=2e-3)
    assert f"with full overlap it takes at least {duration(least.seconds)}" in html
    assert f"<b>{duration(least.unhidden)}</b><span>without overlap</span>" in html


def test_the_page_is_light():
    """What a first visit loads, fonts apart, is at most 60.5 KB gzipped; lanes and pins come later, and are small."""
    site = Site()
    html = page_of_plan.plan_page(site)
    wanted = set(re.findall(r'(?:href|src)="\.\./(assets/[^"?]+\.(?:js|css))', html))
    assert f"assets/{page_of_plan.SCRIPT}" in wanted
    every = {page.path[1:]: page for page in (*assets.pages(site), *page_of_plan.pages(site))}
    sizes_of = {path: len(gzip.compress(every[path].content())) for path in wanted}
    total = len(gzip.compress(html.encode())) + sum(sizes_of.values())
    (lazy,) = (name for name in bundles.names("plan") if name.startswith("plan/later-"))
    later = len(gzip.compress(bundles.text(lazy).encode()))
    print(f"size /plan/: {total:,} B at first, {later:,} B later, gzipped")
    assert total <= LOAD_LIMIT_BYTES
    assert later <= LATER_LIMIT_BYTES
