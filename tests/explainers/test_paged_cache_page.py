"""The paged-cache page as a reader meets it: blocks, lanes, levels as the reference has them, moves, narrow, dark."""

from __future__ import annotations

import re

import pytest

from cutaway import explainers
from tests.explainers.reader import assert_narrow_and_accessible, lab, posed, state

reference, data = explainers.reference("paged-cache"), explainers.data("paged-cache")


@pytest.fixture
def paged(learn):
    """Open the page at a state; its lab is ready."""
    return learn("paged-cache")


DRAWN = """(root) => {
  const share = (e, key) => parseFloat(e.getAttribute(key)) / 100;
  const cells = [...root.querySelectorAll(".cw-paged-cache-pool g > g")].map((g) =>
    [g.getAttribute("class") || "", share(g.children[1], "width") / share(g.children[0], "width"), g.textContent]);
  const lanes = [...root.querySelectorAll(".cw-paged-cache-lanes > g:first-of-type > g")].map((g) =>
    [...g.querySelectorAll("rect")].map((e) => [e.getAttribute("class"), share(e, "x"), share(e, "width")]));
  const path = (name) => root.querySelector(`.cw-paged-cache-lanes .${name}`).getAttribute("d");
  return { cells, lanes, held: path("held"), filled: path("filled") }; }"""
KINDS = {"w": "waits", "p": "prefills", "d": "decodes", "r": "repeats", "s": "stalls", "x": "preempted"}


def levels(path: str) -> list[float]:
    """The heights of a line of steps, from 0 to 1."""
    return [1 - float(y) / 100 for y in re.findall(r"L[\d.]+ ([\d.]+)H", path)]


def test_the_drawings_are_the_references(paged):
    """Each block is filled as far as it holds tokens, each lane has its runs, and both areas have their levels."""
    given = {"workload": "turns", "system": 40, "memory": 32, "step": 40, "request": 5}
    now = reference.compute({**reference.STATE, **given}, data)
    drawn = lab(paged("?workload=turns&system=40&memory=32&step=40&request=5")).evaluate(DRAWN)
    table = now["at"]["tables"][5]
    for block, (owner, refs, tokens) in enumerate(now["at"]["cells"]):
        kind, filled, text = drawn["cells"][block]
        wanted = "shared" if refs > 1 else "used" if refs else "kept" if tokens else ""
        assert kind.split() == [*wanted.split(), *["on"] * (block in table)], block
        assert filled == pytest.approx(tokens / 16, abs=0.01)
        assert text == (str(refs) if refs > 1 else chr(65 + owner) if refs else "")
    assert any(refs > 1 for _, refs, _ in now["at"]["cells"]) and now["at"]["cached"] and now["sums"]["preemptions"]
    for row, runs in zip(now["rows"], drawn["lanes"], strict=True):
        seen = [(found[0][0], found.start(), len(found[0])) for found in re.finditer(r"(.)\1*", row["lane"])]
        scale = 0.94 / now["end"]
        assert [(kind, pytest.approx(x, abs=1e-4), pytest.approx(w, abs=1e-4)) for kind, x, w in runs] == [
            (KINDS[mark], 0.06 + scale * start, scale * length) for mark, start, length in seen if mark != " "
        ]
    assert levels(drawn["held"]) == pytest.approx([row[0] / now["blocks"] for row in now["timeline"]], abs=1e-3)
    assert levels(drawn["filled"]) == pytest.approx([row[1] / now["capacity"] for row in now["timeline"]], abs=1e-3)


def test_one_plays_the_scheduler(paged):
    """A waiting request goes to the head of the queue, a running one out of the batch, and undo takes it back."""
    page = paged("?max_num_seqs=4&step=24")
    waiting = lab(page).locator(".cw-paged-cache-queues > div").nth(1)
    assert waiting.inner_text().split() == ["waiting", *"FGHIJK"]
    waiting.get_by_role("button", name="H", exact=True).click()
    lab(page).get_by_role("button", name="H to the head of the queue").click()
    assert (state(page, "moves"), state(page, "step")) == ([25, 7], 25)
    assert waiting.inner_text().split() == ["waiting", *"HFGIJKL"]
    lab(page).get_by_role("button", name="Step forward").click()
    lab(page).get_by_role("button", name="preempt H").click()
    assert (state(page, "moves"), state(page, "step")) == ([25, 7, 27, 7], 27)
    assert waiting.inner_text().split() == ["waiting", *"HFGIJKL"]
    for left in ([25, 7], []):
        lab(page).get_by_role("button", name="undo").click()
        assert state(page, "moves") == left
    assert lab(page).get_by_role("button", name="undo").is_disabled()


def test_every_control_sets_its_own_key(paged):
    """The lab's controls follow a link, each moves its own value, and requests of one's own are read or refused."""
    page = paged("?workload=own&memory=64&system=32&max_num_seqs=3&max_num_batched_tokens=64")
    places = {
        "memory": ("KV cache, MiB", 68),
        "system": ("system prompt, tokens", 33),
        "max_num_seqs": ("max_num_seqs", 4),
    }
    places |= {
        "max_num_batched_tokens": ("max_num_batched_tokens", 80),
        "utilization": ("gpu_memory_utilization, %", 93),
    }
    for key, (name, after) in places.items():
        lab(page).get_by_role("slider", name=name, exact=True).press("ArrowRight")
        assert state(page, key) == after
    lab(page).get_by_label("batching").select_option("whole")
    assert (state(page, "batching"), state(page, "max_num_batched_tokens")) == ("whole", 256)
    lab(page).get_by_label("memory of a request").select_option("max")
    assert state(page, "allocation") == "max" and lab(page).get_by_label("prefix caching").is_disabled()
    for name, key, value in (("32", "block_size", 32), ("FP8", "dtype", "fp8")):
        lab(page).get_by_role("radio", name=name, exact=True).check()
        assert state(page, key) == value
    box = lab(page).get_by_label("arrival prompt answer, …")
    box.fill("0 30 10, 4 20 5")
    assert state(page, "own") == "0 30 10, 4 20 5"
    box.fill("0 30")
    assert lab(page).get_by_text("Type up to 12 requests").is_visible() and state(page, "own") == "0 30 10, 4 20 5"


def test_an_open_bet_hides_how_full_a_block_is(paged):
    """Before the bet is shown, the first beat draws who has a block reserved, and no token in it."""
    page = paged()
    beat = page.locator("#beat-1")
    beat.scroll_into_view_if_needed()
    beat.and_(page.locator("[data-live]")).wait_for()
    filled = """(beat) => [...beat.querySelectorAll(".beat-live rect.fill")]
      .filter((one) => parseFloat(one.getAttribute("width"))).length"""
    assert beat.evaluate(filled) == 0
    beat.get_by_role("button", name="skip the bet").click()
    assert beat.evaluate(filled) > 12


def test_narrow_and_accessible(paged):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    crowded = "?workload=turns&system=40&memory=32&step=40&dtype=fp8&block_size=8"
    assert_narrow_and_accessible(
        paged, "paged-cache", "?workload=own&system=40&step=20", crowded, "?moves=25,7&step=30"
    )


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(paged, shot, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(paged, width, scheme, "?workload=turns&system=40&memory=32&step=40")
    shot(page.locator(".learn-card"), f"paged-cache-{width}-{scheme}")
