"""The expert-parallel page as a reader meets it: bars, wires and loads where the reference puts them."""

from __future__ import annotations

import re

import pytest
from pytest import approx

from cutaway import explainers
from tests import bundled
from tests.explainers.reader import posed, state

reference, data = explainers.reference("expert-parallel"), explainers.data("expert-parallel")
MIXTRAL = "mistralai/Mixtral-8x7B-v0.1"


@pytest.fixture
def expert(learn):
    """Open the page at a state; its lab is ready."""
    return learn("expert-parallel")


def lab(page):
    return page.locator("[data-widget]")


DRAWN = """(root) => {
  const d = (css) => [...root.querySelectorAll(css)].map((e) => e.getAttribute("d"));
  const ends = (e) => ["x1", "y1", "x2", "y2"].map((k) => e.getAttribute(k));
  const lines = (css) => [...root.querySelectorAll(css)].map(ends);
  return { picked: d(".cw-expert-parallel-map .picked"), goal: d(".cw-expert-parallel-map .goal"),
    net: lines("line.net"), nvl: lines("line.nvl"), kept: d(".cw-expert-parallel-loads .kept"),
    away: d(".cw-expert-parallel-loads .lost"), mean: lines(".cw-expert-parallel-loads .mean") }; }"""


def corners(lines: list[list[str]]) -> set[tuple[float, float]]:
    """Where lines begin and end: x in percent, y in pixels."""
    ends = ((line[i].removesuffix("%"), line[i + 1]) for line in lines for i in (0, 2))
    return {(round(float(x), 2), float(y)) for x, y in ends}


def spot(gpu: int, low: float) -> tuple[float, float]:
    """The middle of a GPU's foot, of eight nodes in two columns of four."""
    node = gpu // 8
    return round((0 if node < 4 else 55) + 45 * (gpu % 8 + 0.5) / 8, 2), node % 4 * 84 + low


def test_the_drawings_are_the_references(expert):
    """A visited GPU, a picked slot, each wire's ends, and every bar of the loads are where the numbers put them."""
    wanted = {"token": 71, "step": 4, "skew": 0.2, "capacity": 1.25}
    now = reference.compute({**reference.STATE, **wanted}, data)
    page = expert("?token=71&step=4&skew=0.2&capacity=1.25")
    drawn, here = lab(page).evaluate(DRAWN), now["here"]
    assert sum(path.count("z") for path in drawn["goal"]) == len(here["gpus"])
    for node in range(8):
        starts = sorted(int(x) for x in re.findall(r"M(\d+)", drawn["picked"][node]))
        slots = sorted(slot - 32 * node for slot in here["goals"] if slot // 32 == node)
        assert starts == [int(1000 * (s // 4) + 70.5 + 215 * (s % 4 + 0.1)) for s in slots]
    doors = [8 * node + here["gpu"] % 8 for node in (here["node"], *here["away"])]
    feet = {spot(gpu, low) for gpu in doors for low in (58, 75)}
    assert feet <= corners(drawn["net"])
    assert {x for x, y in corners(drawn["net"]) - feet} == {50}
    inside = {spot(gpu, low) for gpu in here["inside"] for low in (58, 66)}
    assert inside <= corners(drawn["nvl"])
    assert all(y % 84 in (58, 66) for _, y in corners(drawn["nvl"]))
    load = now["load"]
    top = max(2 * load["mean"], *load["asked"])
    y = lambda n: 190 - 166 * n / top  # noqa: E731
    tops = [float(v) for v in re.findall(r"V([\d.]+)h8", drawn["kept"][0])]
    assert tops == [approx(y(n), abs=0.06) for n in load["kept"]]
    over = [float(v) for v in re.findall(r"V([\d.]+)h8", drawn["away"][0])]
    assert over == [approx(y(a), abs=0.06) for a, k in zip(load["asked"], load["kept"], strict=True) if a > k]
    assert float(drawn["mean"][0][1]) == approx(y(load["mean"]), abs=0.06)
    model = lab(page).get_by_label("model", exact=True)
    model.select_option(MIXTRAL)  # eight experts: one node
    assert (state(page, "model"), state(page, "nodes"), state(page, "limit")) == (MIXTRAL, 1, 0)
    groups = lab(page).get_by_label("groups", exact=True)
    groups.select_option("1")
    assert lab(page).get_by_text("2 experts do not fit into 1 of 8 groups").is_visible()
    assert state(page, "limit") == 0
    lab(page).get_by_role("button", name="Step forward").press("Enter")
    assert state(page, "step") == 5


WAYS = """([states, data]) => states.map((state) => {
  const now = loaded.compute(state, data), ways = loaded.ways_of(now, state.nodes, state.step);
  const view = loaded.map_view();
  view.draw(state, now, state.step - (state.step ? 0.5 : 0));
  const dots = [...view.el[0].querySelectorAll("circle:not(.home)")];
  return [ways, [0, 0.1, 0.5, 1].map((f) => ways.map((way) => loaded.along(way, f))),
    dots.map((dot) => [dot.getAttribute("class"), dot.getAttribute("cx"), dot.getAttribute("cy")])]; })"""


def test_what_moves_keeps_to_the_wires(blank):
    """Copies go from the token's GPU along the network to each door, and inside to each goal; sums come back so."""
    states = [{**reference.STATE, "step": step} for step in range(7)]
    page = blank(bundled.explainer("expert-parallel"))
    found = page.evaluate(WAYS, [states, data])
    here = reference.compute(reference.STATE, data)["here"]
    door = lambda node: 8 * node + here["gpu"] % 8  # noqa: E731
    home, middle = spot(here["gpu"], 58), 50
    net = [
        [home, spot(here["gpu"], 75), (middle, spot(here["gpu"], 75)[1]), (middle, spot(door(n), 75)[1]),
         spot(door(n), 75), spot(door(n), 58)]
        for n in here["away"]
    ]  # fmt: skip
    inside = [[spot(door(g // 8), 58), spot(door(g // 8), 66), spot(g, 66), spot(g, 58)] for g in here["inside"]]
    back = lambda ways: [way[::-1] for way in ways]  # noqa: E731
    rounded = lambda ways: [[(round(x, 2), y) for x, y in way] for way in ways]  # noqa: E731
    for step, wanted in enumerate([[], [], [], net, inside, back(inside), back(net)]):
        ways, (first, early, half, last), dots = found[step]
        assert rounded(ways) == wanted, step
        assert rounded([first]) == [[way[0] for way in wanted]]
        assert rounded([last]) == [[way[-1] for way in wanted]]
        assert [css for css, _, _ in dots] == ["net" if step in (3, 6) else "nvl"] * len(wanted)
        assert [(float(x[:-1]), float(y)) for _, x, y in dots] == [approx((x, y), abs=0.06) for x, y in half]
        for way, at_half, soon in zip(ways, half, early, strict=True):
            parts = len(way) - 1
            i = parts // 2
            assert at_half == [approx(way[i][k] + (parts / 2 - i) * (way[i + 1][k] - way[i][k])) for k in (0, 1)]
            assert soon == [approx(way[0][k] + parts * 0.1 * (way[1][k] - way[0][k])) for k in (0, 1)]


def test_the_experts_reading_waits_for_the_bet(expert):
    """Where the GPUs come from is not drawn while a bet is open or placed."""
    page = expert()
    beat = page.locator("#beat-5")
    beat.scroll_into_view_if_needed()
    beat.and_(page.locator("[data-live]")).wait_for()
    second = beat.locator(".beat-live .cw-expert-parallel-grid").nth(1)
    assert not second.is_visible()
    beat.locator(".bet-option input").first.check()
    assert not second.is_visible()
    beat.get_by_role("button", name="Show me").click()
    assert second.is_visible()


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(expert, shot, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(expert, width, scheme, "?step=4&skew=0.2&capacity=1.25&tp=4")
    shot(page.locator(".learn-card"), f"expert-parallel-{width}-{scheme}")
