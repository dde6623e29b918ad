"""The context-parallel page as a reader meets it: cells, bars and blocks where the reference puts them, and play."""

from __future__ import annotations

import pytest
from pytest import approx

from cutaway import explainers
from tests.explainers.reader import SETTLED, posed, state
from tests.guarded import until

reference, data = explainers.reference("context-parallel"), explainers.data("context-parallel")
NAME = "cw-context-parallel"


@pytest.fixture
def context(learn):
    """Open the page at a state; its lab is ready."""
    return learn("context-parallel")


def lab(page):
    return page.locator("[data-widget]")


DRAWN = """(root) => {
  const number = (e, key) => Number(e.getAttribute(key).replace("%", ""));
  const rank = (e) => Number(/cw-rank(\\d+)/.exec(e.className.baseVal)[1]);
  const all = (css) => [...root.querySelectorAll(css)];
  const cells = {};
  for (const path of all(".cw-context-parallel-mask path")) {
    const when = path.className.baseVal.split(" ")[2];
    for (const [, x, y, wide] of path.getAttribute("d").matchAll(/M(\\d+) (\\d+)h(\\d+)/g)) {
      for (let key = Number(x); key !== Number(x) + Number(wide); key += 1) cells[`${y} ${key}`] = [rank(path), when];
    }
  }
  const blocks = all(".cw-context-parallel-ring g:nth-of-type(4) > g").map(({ children: [part, name] }) =>
    [rank(part), number(part, "height"), part.className.baseVal.split(" ")[2], Number(name.textContent)]);
  const bars = all(".cw-context-parallel-bars > g:nth-of-type(2) > g").map((g) => number(g.children[1], "width"));
  const kept = all(".cw-context-parallel-strips svg path:not(.track)").map((path) => [
    rank(path), [...path.getAttribute("d").matchAll(/M(\\d+) /g)].map((m) => Number(m[1]))]);
  const dots = all(".cw-context-parallel-chart .ulysses circle").map((dot) => number(dot, "cy"));
  const columns = all(".cw-context-parallel-grid").map((svg) => svg.getAttribute("viewBox"));
  return { cells, blocks, bars, kept, dots, columns }; }"""


@pytest.mark.parametrize(("order", "step"), [("contiguous", 3), ("zigzag", 1)])
def test_the_drawings_are_the_references(context, order, step):
    """Each cell has its rank and moment, each block its owner and height, bars and strips and dots their values."""
    now = reference.compute({**reference.STATE, "order": order, "step": step}, data)
    drawn = lab(context(f"?order={order}&step={step}")).evaluate(DRAWN)
    owner = now["owner"]
    when = lambda gone: ("done", "now", "later")[(gone >= step) + (gone > step)]  # noqa: E731
    cells = {
        f"{query} {key}": [rank, when((rank - owner[key]) % 8)]
        for query, rank in enumerate(owner)
        for key in range(query + 1)
    }
    assert drawn["cells"] == cells
    blocks = [
        [(rank - j) % 8, approx(24 * share, abs=0.01), when(j), (rank - j) % 8]
        for rank, row in enumerate(now["table"])
        for j, share in enumerate(row)
    ]
    assert drawn["blocks"] == blocks
    assert drawn["bars"] == [approx(36 * share, abs=0.01) for share in now["work"]["each"]]
    assert drawn["kept"] == [[rank, list(range(rank, 32, 8))] for rank in range(8)]
    assert drawn["dots"] == [approx(14 + 206 * (1 - value / 2e9), abs=0.1) for value in now["curve"]["ulysses"]]
    assert drawn["columns"] == ["0 0 8 32"] * 4


def test_the_ring_plays_steps_and_stays_where_it_is(context):
    """Play goes to the end and stops, steps move by one, nothing jumps; a beat's button keeps the beat's own step."""
    context.page.emulate_media(reduced_motion="reduce")
    page = context("?step=0&cp=4")
    here = lab(page)
    top = "(root) => root.querySelector('.cw-section').getBoundingClientRect().top + scrollY"
    first = here.evaluate(top)
    for wanted in (1, 2):
        here.get_by_role("button", name="Step forward").click()
        assert state(page, "step") == wanted
        assert here.evaluate(top) == first
    here.get_by_role("button", name="Play").click()
    until(page, lambda: state(page, "step") == 4)
    assert here.get_by_role("button", name="Play").is_visible()
    assert here.locator(".cw-transport output").inner_text() == "4 of 4"
    assert here.locator(f".{NAME}-mask path:not(.done)").count() == 0
    beat = page.locator("#beat-3")
    beat.scroll_into_view_if_needed()
    beat.and_(page.locator("[data-live]")).wait_for()
    beat.get_by_role("slider", name="steps of the ring").press("End")
    assert beat.evaluate("(s) => s.machine.state.step") == 8
    assert state(page, "step") == 4


FLYING = """async (root) => {
  root.querySelector("[aria-label=Play]").click();
  const number = (e, key) => Number(e.getAttribute(key).replace("%", ""));
  for (let i = 0; i < 300; i += 1) {
    await new Promise(requestAnimationFrame);
    const found = [...root.querySelectorAll(".flying rect")];
    if (found.length && number(found[0], "x") > 8 + 1.55 * 23) {
      return found.map((e) => [e.className.baseVal, number(e, "x"), number(e, "y")]);
    }
  } }"""


def test_blocks_fly_to_the_next_rank(context):
    """Between steps 1 and 2 each block is as far on its way down as across; the last rank's goes to the first."""
    flying = lab(context("?step=1&cp=4")).evaluate(FLYING)
    assert [css for css, *_ in flying] == [f"cw-rank cw-rank{(rank - 1) % 4}" for rank in range(4)]
    share = (flying[0][1] - 8) / 23 - 1.4
    assert 0.1 < share < 1
    assert {x for _, x, _ in flying} == {flying[0][1]}
    way = [1, 1, 1, -3]
    expected = [approx(24 + (rank + way[rank] * share) * 28, abs=0.3) for rank in range(4)]
    assert [y for *_, y in flying] == expected


def test_what_cannot_be_shared_is_said(context):
    """56 heads on 16 ranks: the table and a sentence say so, no grid after the exchange is drawn."""
    page = context("?model=Snowflake/snowflake-arctic-instruct&cp=16")
    here = lab(page)
    assert here.get_by_text("Ulysses: not possible").is_visible()
    assert here.get_by_text("cannot split 56 query heads and 8 KV heads evenly; 8 can.").is_visible()
    assert [grid.is_visible() for grid in here.locator(f".{NAME}-grid").all()] == [True, False, True, False]
    page.goto(page.url.replace("cp=16", "cp=8"))
    page.wait_for_selector("[data-widget][data-ready]", state="attached")
    page.evaluate(SETTLED)
    assert [grid.is_visible() for grid in here.locator(f".{NAME}-grid").all()] == [True] * 4


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(context, shot, card, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(context, width, scheme, "?order=zigzag&step=3")
    shot(card(page), f"context-parallel-{width}-{scheme}")
