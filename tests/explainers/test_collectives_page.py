"""The collectives lab as a reader meets it: stepped, played, switched, pointed at, from a link, narrow."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from cutaway import explainers
from tests.explainers.reader import assert_narrow_and_accessible, lab, put, state
from tests.guarded import until


@pytest.fixture
def collectives(learn):
    """Open the page at a state; its lab is ready."""
    return learn("collectives")


reference = explainers.reference("collectives")


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


RUNS = [
    ("?ranks=16&step=0", 30),
    ("?op=all-to-all&algorithm=tree&step=0", 2),
    ("?ranks=8&per_node=4&algorithm=hierarchical&step=0", 8),
]


@pytest.mark.parametrize(("query", "steps"), RUNS)
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


# The columns in a node's box; its band must begin and end at the first and the last of their ranks.
INSIDE = """(g) => {
  const svg = g.closest("svg"), box = g.querySelector("rect").getBBox();
  const numbers = (text) => text.match(/-?[\\d.]+/g).map(Number);
  const columns = [...svg.querySelectorAll(".cw-collectives-columns circle")].map((c) => Number(c.getAttribute("cx")));
  const found = columns.flatMap((x, i) => (x > box.x && box.x + box.width > x ? [i] : []));
  const spots = [...svg.querySelectorAll(".cw-collectives-nodes > g")].map((n) => numbers(n.getAttribute("transform")));
  const band = numbers(g.querySelector("path").getAttribute("d"));
  const ends = [spots[found[0]], spots[found.at(-1)]];
  if (Math.hypot(ends[0][0] - band[0], ends[0][1] - band[1]) > 0.1) return "begins elsewhere";
  if (Math.hypot(ends[1][0] - band.at(-2), ends[1][1] - band.at(-1)) > 0.1) return "ends elsewhere";
  return found; }"""


def test_nodes_are_boxes_and_what_leaves_them_is_dashed(collectives):
    """Hierarchical puts the ranks on two nodes; each has a band and a box, and only what crosses is dashed."""
    page = collectives("?ranks=8&step=3")
    boxes, dashed = (lab(page).locator(f".cw-collectives-{css}") for css in ("boxes > g", "ways .outside"))
    assert (boxes.count(), dashed.count(), len(counts(page))) == (0, 0, 3)
    assert not lab(page).get_by_role("slider", name="network", exact=True).is_visible()
    lab(page).get_by_role("radio", name="hierarchical").check()
    assert (boxes.count(), dashed.count()) == (2, 0)
    assert [row[2] for row in counts(page)][3:] == ["", "2(k − 1)/n · S"]
    put(page, {**reference.STATE, "ranks": 8, "algorithm": "hierarchical", "per_node": 4, "step": 3})
    assert (boxes.count(), dashed.count()) == (2, 8)
    assert boxes.first.evaluate(INSIDE) == [0, 1, 2, 3]
    assert boxes.last.evaluate(INSIDE) == [4, 5, 6, 7]
    assert "Next, reduce-scatter between the nodes" in lab(page).locator(".cw-collectives-now").inner_text()
    lab(page).get_by_role("slider", name="GPUs in a node").press("ArrowRight")
    assert "for 8 ranks, 1 or 2 or 4 in a node" in lab(page).locator(".cw-collectives-controls").inner_text()


NEVER = "There is no crossover here: the {} is never slower."
SAID = [
    ({"ranks": 4, "alpha": 0.5}, "The ring is faster than the tree for arrays larger than 175.8 KiB."),
    ({"ranks": 3}, NEVER.format("ring")),
    ({"op": "all-gather", "ranks": 8}, NEVER.format("tree")),
    (
        {"op": "broadcast", "ranks": 4, "algorithm": "direct"},
        "The ring is faster than the tree for arrays larger than 17.2 MiB.",
    ),
]


def test_what_the_lab_says_of_its_run(collectives):
    """Which of ring and tree wins, and what runs, is said in words that follow the state."""
    page = collectives()
    for change, says in SAID:
        given = {**reference.STATE, **change}
        put(page, given)
        assert lab(page).locator(".cw-split .cw-note").last.inner_text() == says
        title = f"{given['algorithm'].capitalize()} {given['op']}, {given['ranks']} ranks"
        assert lab(page).locator(".cw-heading").first.inner_text() == title


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
        ("?ranks=17", "a whole number from 2 to 16"),
        ("?op=gossip", "there is no “gossip”"),
        ("?op=broadcast&root=9", "one of the 4 ranks, 0 to 3"),
        ("?bandwidth=Infinity", "bandwidth"),
    ):
        page = collectives(query)
        assert says in page.locator("[data-message]").inner_text(), query
        assert counts(page)[0][0] == "6"


def test_an_old_link_opens_the_same_picture(collectives):
    """?algorithm=naive was the word for direct: the lab is as under the new one, and nothing is said of it."""
    seen = []
    for word in ("naive", "direct"):
        page = collectives(f"?op=broadcast&algorithm={word}&ranks=5")
        assert page.locator("[data-message]").inner_text() == ""
        seen.append((state(page, "algorithm"), lab(page).aria_snapshot()))
    assert seen[0] == seen[1]
    assert seen[0][0] == "direct"


def test_narrow_and_accessible(collectives):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(collectives, "collectives", "?ranks=16", "?op=all-to-all&algorithm=tree&ranks=8")
