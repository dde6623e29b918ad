"""What the collectives page draws: tiles half-way between two steps, times as lines, and what an open bet shows."""

from __future__ import annotations

from math import ceil, floor, log2, log10

import pytest

from cutaway import explainers
from cutaway.explainers import fmt
from tests.explainers.reader import lab, put

reference = explainers.reference("collectives")


@pytest.fixture
def collectives(learn):
    """Open the page at a state; its lab is ready."""
    return learn("collectives")


DRAWN = """() => {
  const svg = document.querySelector("[data-widget] .cw-collectives-svg");
  const BOX = /M([\\d.]+) ([\\d.]+)h([\\d.]+)v([\\d.]+)/g;
  const all = (css) => [...svg.querySelectorAll(css)];
  const tiles = (css) => all(css).flatMap((p) => [...p.getAttribute("d").matchAll(BOX)]
    .map((m) => [p.getAttribute("class").match(/\\d+/)[0], ...m.slice(1)].join(" ")));
  return {
    width: Number(svg.getAttribute("width")), height: Number(svg.getAttribute("height")),
    held: tiles(".cw-collectives-held path"), flying: tiles(".cw-collectives-flying path"),
    goals: all(":is(.cw-collectives-goals, .cw-collectives-flying) text").map((t) => t.textContent),
    ways: all(".cw-collectives-ways path").length,
    dots: all(".cw-collectives-dots circle").map((c) => c.getAttribute("class")),
    moved: all(".cw-collectives-flying > g").map((g) => g.getAttribute("transform")),
  }; }"""


LAB = 624  # pixels: how high the lab's drawing may be
ADDS = ("all-reduce", "reduce-scatter")


class Place:
    """Where n ranks' slots stand in a drawing of a width."""

    def __init__(self, n: int, width: float):
        wide = width >= 640
        ring = min(300, width * 0.32) if wide else min(250, width, 0.4 * LAB)
        self.n = n
        self.left, self.top = (ring + 72, 44) if wide else (30, ring + 44)
        self.column = min((width - self.left) / n, 144)
        room = min(LAB, 374) - 74 if wide else LAB - ring - 74
        self.row = max(14, min(46, floor(room / n)))
        self.height = max(ring if wide else 0, self.top + n * self.row + 30)

    def cell(self, rank: int, slot: int) -> tuple[float, float, float, float]:
        """x, y, width, height of a slot."""
        pad = max(1.5, min(4, self.column / 10))
        x, y = self.left + rank * self.column + pad, self.top + slot * self.row + 1.5
        return x, y, self.column - 2 * pad, self.row - 3

    def tiles(self, op: str, rank: int, slot: int, value: int) -> list[tuple[int, tuple[float, ...]]]:
        """What a slot holds, (colour, box): a tile for each rank summed in it, or all of one colour."""
        x, y, w, h = self.cell(rank, slot)
        whose = [r for r in range(self.n) if value >> r & 1]
        if op not in ADDS:
            return [(r, (x, y, w, h)) for r in whose]
        many = self.n
        while many > 4 and 6 * many > w:  # rows of tiles rather than slivers
            many = ceil(many / 2)
        tw, th = w / many, h / ceil(self.n / many)
        return [(r, (x + r % many * tw, y + r // many * th, tw, th)) for r in whose]


def wanted(state: dict, width: float) -> dict:
    """What a drawing of that width shows half-way between two steps, from the run's log and frames."""
    out, k, op = reference.compute(state), int(state["step"]), state["op"]
    g, moves = (
        Place(state["ranks"], width),
        [row for row in out["log"] if row[0] == int(state["step"]) + 1],
    )
    before = out["frames"][0] if (op, state["algorithm"]) == ("all-reduce", "direct") else out["frames"][k]
    gone = {(row[1], row[3]) for row in moves} if moves and out["frees"][k] else set()
    slots = [(r, s) for r in range(g.n) for s in range(g.n)]

    def tiles(frame, places):
        found = [one for r, s in places for one in g.tiles(op, r, s, frame[r][2 * s])]
        return sorted(
            " ".join([str(colour), *(fmt.fixed(x, 2).replace(",", "") for x in box)]) for colour, box in found
        )

    sent = [(row[1], row[3]) for row in moves]
    big = g.cell(0, 0)[2] >= 18 and g.cell(0, 0)[3] >= 11
    rest = [(out["frames"][k], one) for one in slots if one not in gone] + [(before, one) for one in sent]
    goals = (
        [f"→{(f[r][2 * s + 1] - 1) % 16}" for f, (r, s) in rest if f[r][2 * s]] if big and op == "all-to-all" else []
    )
    shifts = {((row[2] - row[1]) * g.column / 2, (row[4] - row[3]) * g.row / 2, row[1], row[2]) for row in moves}
    return {
        "height": pytest.approx(g.height),
        "held": tiles(out["frames"][k], [one for one in slots if one not in gone]),
        "flying": tiles(before, sent),
        "goals": sorted(goals),
        "ways": len({(row[1], row[2]) for row in moves}),
        "dots": sorted(f"cw-rank cw-rank{src}" for src, _ in {(row[1], row[2]) for row in moves}),
        "moved": sorted(
            f"translate({fmt.fixed(x, 2)} {fmt.fixed(y, 2)})".replace("-0.00", "0.00") for x, y, *_ in shifts
        ),
    }


HALF_WAY = [
    {"ranks": 16, "step": 12.5},
    {"ranks": 5, "step": 5.5, "algorithm": "tree"},
    {"ranks": 6, "step": 2.5, "algorithm": "direct"},
    {"op": "all-to-all", "ranks": 8, "step": 2.5},
    {"op": "all-to-all", "ranks": 8, "step": 3.5, "algorithm": "tree"},
    {"op": "broadcast", "ranks": 9, "root": 4, "step": 4.5},
]


@pytest.mark.parametrize("width", [1400, 390])
def test_the_drawing_is_the_references(collectives, width):
    """Half-way between two steps, every tile lies where the run's frames and log put it, and flies where they say."""
    page = collectives()
    page.set_viewport_size({"width": width, "height": 900})
    for change in HALF_WAY:
        given = {**reference.STATE, **change}
        put(page, given)
        found = page.evaluate(DRAWN)
        expected = wanted(given, found.pop("width"))
        found = {key: sorted(value) if isinstance(value, list) else value for key, value in found.items()}
        found["moved"] = sorted(one.replace("-0.00", "0.00") for one in found["moved"])
        assert {key: found[key] for key in expected if found[key] != expected[key]} == {}, change


CHART = """(svg) => ({
  lines: [...svg.querySelectorAll(".cw-collectives-lines > g")].map((g) => [
    g.className.baseVal, g.children[1].textContent,
    g.children[0].getAttribute("d").slice(1).split("L").map((p) => p.split(" ").map(Number))]),
  marks: [...svg.querySelectorAll(".cw-collectives-marks circle")].map((c) =>
    ["cx", "cy", "r"].map((k) => Number(c.getAttribute(k)))),
  here: Number(svg.querySelector(".cw-collectives-here").getAttribute("x1")),
  levels: [...svg.querySelectorAll(".cw-collectives-axis > g")].map((g) =>
    [g.children[1].textContent, Number(g.children[0].getAttribute("y1"))]),
})"""


def seconds(words: str) -> float:
    """ "100 µs" -> 0.0001; an axis also has sizes, which are no time."""
    number, unit = words.split()
    return float(number) * {"µs": 1e-6, "ms": 1e-3, "s": 1}.get(unit, 0)


def assert_times_lie_on_their_axis(found: dict, given: dict, names: list[str], least: float) -> None:
    """Every line goes through the reference's times, read off the axis' own labels."""
    levels = [(log10(seconds(words)), y) for words, y in found["levels"] if seconds(words)]
    (low, bottom), (high, top) = min(levels), max(levels)
    assert [name for _, name, _ in found["lines"]] == names
    for css, name, points in found["lines"]:
        assert (css == "on") == (name == given["algorithm"])
        for i in range(0, len(points), 4):
            us = reference.compute({**given, "message": 10 + i})["times_us"][name]
            assert points[i][1] == pytest.approx(
                bottom + (log10(us / 1e6) - low) / (high - low) * (top - bottom), abs=0.1
            )
    assert least <= bottom - top


def test_charts_show_the_times(collectives):
    """In the lab the marks stand at S on lines through the computed times; in the beat one stands where they meet."""
    page, given = collectives(), {**reference.STATE, "ranks": 8, "message": 22, "alpha": 20, "algorithm": "tree"}
    put(page, given)
    found = lab(page).locator(".cw-collectives-chart").evaluate(CHART)
    assert_times_lie_on_their_axis(found, given, ["ring", "tree", "direct"], 150)
    on = [points[given["message"] - 10] for _, _, points in found["lines"]]
    assert [mark[:2] for mark in found["marks"]] == [pytest.approx(point, abs=0.1) for point in on]
    assert [mark[2] for mark in found["marks"]] == [3, 5, 3]
    assert found["here"] == pytest.approx(on[0][0], abs=0.1)
    beat = page.locator("#beat-4")
    beat.scroll_into_view_if_needed()
    beat.get_by_role("button", name="skip the bet").click()
    found = beat.locator(".beat-live .cw-collectives-chart").evaluate(CHART)
    assert_times_lie_on_their_axis(found, reference.STATE, ["ring", "tree"], 200)
    [(x, y, _)] = found["marks"]
    (left, _), (right, _) = found["lines"][0][2][0], found["lines"][0][2][-1]
    assert (
        x
        == found["here"]
        == pytest.approx(
            left + (right - left) * (log2(reference.compute(reference.STATE)["crossover"]) - 10) / 20, abs=0.1
        )
    )
    for _, _, points in found["lines"]:
        after = next(i for i, point in enumerate(points) if point[0] > x)
        assert points[after][1] <= y <= points[after - 1][1] + 0.1


def test_an_open_bet_tells_nothing_by_its_drawing(collectives):
    """While bets are open no run can be played or counts its steps, and of ring and tree only the ends are drawn."""
    page = collectives()
    for n in (1, 4, 5):
        beat = page.locator(f"#beat-{n}")
        beat.scroll_into_view_if_needed()
        beat.and_(page.locator("[data-live]")).wait_for()
        for placed in (False, True):
            if placed:
                handle = beat.locator(".bet-input, .bet-option input").first
                handle.focus()
                page.keyboard.press("Space" if n == 5 else "ArrowRight")
            drawn_now = beat.locator(".beat-live")
            assert not drawn_now.locator(".cw-transport, .cw-collectives-small").filter(visible=True).count()
            assert "steps" not in (drawn_now.locator("svg").get_attribute("aria-label"))
            if n == 4:
                assert set(drawn_now.locator(".cw-collectives-lines path").evaluate_all(WAYS)) == {""}
                assert drawn_now.locator(".cw-collectives-marks circle").count() == 4
                here = drawn_now.locator(".cw-collectives-here").evaluate("(line) => line.style.display")
                assert here == ("" if placed else "none")
    assert "cross" not in page.locator("#beat-4 .beat-live svg").get_attribute("aria-label")


WAYS = "(paths) => paths.map((p) => p.getAttribute('d'))"
