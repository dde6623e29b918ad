"""The collectives lab as a reader meets it: stepped, played, switched, pointed at, from a link, narrow."""

from __future__ import annotations

import re
from math import log2, log10

import pytest
from playwright.sync_api import expect

import explainers
from explainers import fmt
from tests.explainers.reader import assert_narrow_and_accessible, state, until


@pytest.fixture
def collectives(learn):
    """Open the page at a state; its lab is ready."""
    return learn("collectives")


reference = explainers.reference("collectives")
drawn = explainers.load_file(explainers.folder("collectives") / "drawn.py")


def lab(page):
    return page.locator("[data-widget]")


def counts(page) -> list[list[str]]:
    rows = lab(page).locator(".cw-table tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


def test_the_counts_stand_beside_their_formulas(collectives):
    """Ring all-reduce on 4: 6 steps and 192 MiB, counted and computed alike."""
    page = collectives()
    assert counts(page) == [
        ["6", "6", "2(n − 1)", "30.0 µs"],
        ["6", "6", "2(n − 1)/n · S", "192.0 MiB"],
        ["6", "6", "2(n − 1)/n · S", "192.0 MiB"],
    ]
    lab(page).get_by_role("radio", name="tree").check()
    tree = [["4", "4", "20.0 µs"], ["8", "8", "256.0 MiB"], ["16", "16", "512.0 MiB"]]
    assert [[row[i] for i in (0, 1, 3)] for row in counts(page)] == tree
    assert "algorithm=tree" in page.url


WALK = """async () => {
  const lab = document.querySelector("[data-widget]");
  const [svg, bar] = [".cw-collectives-svg", ".cw-transport"].map((css) => lab.querySelector(css));
  const range = bar.querySelector("input"), text = (css) => lab.querySelector(css).textContent, seen = [];
  const look = () => {
    const paths = [...lab.querySelectorAll(":is(.cw-collectives-held, .cw-collectives-flying) path")];
    const tiles = paths.flatMap((p) => [...p.getAttribute("d").matchAll(/h([\\d.]+)v([\\d.]+)/g)]);
    seen.push({
      said: [
        bar.querySelector("output").textContent, range.getAttribute("aria-valuetext"),
        text(".cw-collectives-small"), text(".cw-collectives-now"),
      ],
      tops: [svg, bar].map((e) => Math.round(e.getBoundingClientRect().top + scrollY)),
      tile: Math.min(...tiles.flatMap((t) => [Number(t[1]), Number(t[2])])),
      screen: bar.getBoundingClientRect().bottom - svg.getBoundingClientRect().top,
    });
  };
  look();
  while (range.value !== range.max) {
    bar.querySelector("[aria-label='Step forward']").click();
    await new Promise(requestAnimationFrame);
    look();
  }
  return seen; }"""


@pytest.mark.parametrize(("query", "steps"), [("?ranks=16&step=0", 30), ("?op=all-to-all&algorithm=tree&step=0", 2)])
def test_a_step_has_one_name_and_moves_nothing(collectives, query, steps):
    """On a phone, through a whole run: one count of steps, a still drawing beside its buttons, tiles of 3.5 px."""
    page = collectives()
    page.set_viewport_size({"width": 390, "height": 844})
    seen = collectives(query).evaluate(WALK)
    named = [{re.search(r"\d+ of \d+", said)[0] for said in one["said"]} for one in seen]
    assert named == [{f"{min(k, steps)} of {steps}"} for k in range(len(seen))]
    assert len({tuple(one["tops"]) for one in seen}) == 1
    assert min(one["tile"] for one in seen) >= 3.5
    assert max(one["screen"] for one in seen) <= 700


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


SET_LAB = """(state) => { const { model } = document.querySelector("[data-widget]").cutaway;
  for (const [key, value] of Object.entries(state)) model.set(key, value);
  model.save_changes(); }"""


def wanted(state: dict, width: float) -> dict:
    """What a drawing of that width shows half-way between two steps, from the run's log and frames."""
    out, k, op = reference.compute(state), int(state["step"]), state["op"]
    g, moves = (
        drawn.Place(state["ranks"], width, drawn.LAB),
        [row for row in out["log"] if row[0] == int(state["step"]) + 1],
    )
    before = out["frames"][0] if (op, state["algorithm"]) == ("all-reduce", "naive") else out["frames"][k]
    gone = {(row[1], row[3]) for row in moves} if moves and out["frees"][k] else set()
    slots = [(r, s) for r in range(g.n) for s in range(g.n)]

    def tiles(frame, places):
        found = [one for r, s in places for one in drawn.tiles(g, op, r, s, frame[r][2 * s])]
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
    {"ranks": 6, "step": 2.5, "algorithm": "naive"},
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
        page.evaluate(SET_LAB, given)
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
    page.evaluate(SET_LAB, given)
    found = lab(page).locator(".cw-collectives-chart").evaluate(CHART)
    assert_times_lie_on_their_axis(found, given, list(reference.ALGORITHMS), 150)
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


NEVER = "Ring and tree never change places here: the {} is never slower."
SAID = [
    ({"ranks": 4, "alpha": 0.5}, "The ring beats the tree from 175.8 KiB on."),
    ({"ranks": 3}, NEVER.format("ring")),
    ({"op": "all-gather", "ranks": 8}, NEVER.format("tree")),
    ({"op": "broadcast", "ranks": 4, "algorithm": "naive"}, "The ring beats the tree from 17.2 MiB on."),
]


def test_what_the_lab_says_of_its_run(collectives):
    """Which of ring and tree wins, and what runs, is said in words that follow the state."""
    page = collectives()
    for change, says in SAID:
        page.evaluate(SET_LAB, {**reference.STATE, **change})
        given = {**reference.STATE, **change}
        assert lab(page).locator(".cw-split .cw-note").last.inner_text() == says
        title = f"{given['algorithm'].capitalize()} {given['op']}, {given['ranks']} ranks"
        assert lab(page).locator(".cw-heading").first.inner_text() == title


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
    assert "meet" not in page.locator("#beat-4 .beat-live svg").get_attribute("aria-label")


WAYS = "(paths) => paths.map((p) => p.getAttribute('d'))"


@pytest.mark.whole
def test_playing_in_a_beat_is_kept_and_a_phrase_ends_it(collectives):
    """Play in a beat moves that beat alone; a phrase pressed meanwhile stops it and sets its own step."""
    page = collectives()
    beat = page.locator("#beat-2")
    beat.scroll_into_view_if_needed()
    beat.get_by_role("button", name="Play").click()
    until(page, lambda: beat.locator(".cw-transport output").inner_text() == "4 of 6")
    beat.get_by_role("link", name="all-gather").click()
    assert beat.evaluate("(s) => [s.machine.state.op, s.machine.state.step]") == ["all-gather", 0]
    assert beat.locator(".cw-transport output").inner_text() == "0 of 3"
    beat.get_by_role("button", name="Step forward").click()
    assert "1 of 3" in beat.locator(".beat-caption").inner_text()
    assert state(page, "step") == reference.STATE["step"]


def test_stepping_moves_the_chunks(collectives):
    """After three steps every rank has sent 3 chunks and owns one finished sum; End is the end."""
    page = collectives("?step=0")
    for _ in range(3):
        lab(page).get_by_role("button", name="Step forward").click()
    assert state(page, "step") == 3
    sent = lab(page).locator(".cw-collectives-count")
    assert sent.all_text_contents() == ["3"] * 4
    assert lab(page).locator(".cw-collectives-op").text_content() == "all-reduce"
    lab(page).get_by_role("slider", name="steps").focus()
    page.keyboard.press("End")
    assert sent.all_text_contents() == ["6"] * 4
    assert lab(page).locator(".cw-collectives-now").inner_text() == "After 6 of 6 steps: done."


@pytest.mark.whole
def test_reduced_motion_plays_in_whole_steps(collectives):
    """With prefers-reduced-motion no chunk is ever seen between two ranks."""
    page = collectives("?step=0")
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("""() => {
      window.seen = [];
      const look = () => {
        const flying = document.querySelectorAll("[data-widget] .cw-collectives-flying > g");
        seen.push(...[...flying].map((g) => g.getAttribute("transform")));
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }""")
    lab(page).get_by_role("button", name="Play").click()
    expect(lab(page).locator(".cw-collectives-count").first).to_have_text("2")
    assert set(page.evaluate("seen")) == {"translate(0.00 0.00)"}


def test_pointing_at_a_slot_reads_its_numbers(collectives):
    """The pointer over a slot says the numbers it holds and whose they are."""
    page = collectives("?step=3")
    slot = lab(page).locator(".cw-collectives-cells rect").first.bounding_box()
    page.mouse.move(slot["x"] + 8, slot["y"] + 8)
    assert lab(page).locator(".cw-collectives-pointed").inner_text() == (
        "Rank 0, slot 0 holds [15, 100]: the sum over ranks 0, 1, 2, 3."
    )


def test_the_root_is_there_for_broadcast_only(collectives):
    """Broadcast has a root, the others do not; fewer ranks pull the root along."""
    page = collectives("?op=broadcast&ranks=8&root=7")
    root = lab(page).get_by_role("slider", name="root")
    assert root.is_visible()
    lab(page).get_by_role("slider", name="ranks n").focus()
    page.keyboard.press("ArrowLeft")
    assert (state(page, "ranks"), state(page, "root")) == (7, 6)
    lab(page).get_by_role("radio", name="all-gather").check()
    assert not root.is_visible()


def test_broken_links_are_said_and_survived(collectives):
    """Nonsense in the address gets a sentence, and the page shows its start."""
    for query, says in (
        ("?ranks=17", "Between 2 and 16 ranks"),
        ("?op=gossip", "there is no “gossip”"),
        ("?op=broadcast&root=9", "one of the 4 ranks, 0 to 3"),
        ("?bandwidth=Infinity", "bandwidth"),
    ):
        page = collectives(query)
        assert says in page.locator("[data-message]").inner_text(), query
        assert counts(page)[0][0] == "6"


@pytest.mark.parametrize(
    ("query", "scheme"), [("?ranks=16", "light"), ("?op=all-to-all&algorithm=tree&ranks=8", "dark")]
)
def test_narrow_and_accessible(collectives, query, scheme):
    """At 390 pixels nothing is cut off, and axe finds nothing."""
    assert_narrow_and_accessible(collectives, query, scheme)
