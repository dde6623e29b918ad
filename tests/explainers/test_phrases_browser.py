"""Every page told in beats, in a browser: phrases and links set states, and states reach goals."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from cutaway import explainers
from cutaway.explainers import beats_html, permalink
from tests.explainers import expected
from tests.explainers.beats_page import SET_LAB, section, skip
from tests.guarded import until

POINT_AND_KEEP = """(section) => [...section.querySelectorAll("a.set[href]")].map((a) => {
  a.scrollIntoView({ block: "center", behavior: "instant" });
  const [box] = a.getClientRects();
  const free = a.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
  const point = (kind) => a.dispatchEvent(new PointerEvent(kind, { pointerType: "mouse" }));
  const before = section.machine.state;
  point("pointerenter");
  point("pointerleave");
  const left = section.machine.state;
  a.click();
  const now = section.machine.state;
  const { search, hash } = location;
  return [free, JSON.parse(a.dataset.set), before, left, now, a.getAttribute("aria-current"), search + hash];
})"""

# A click with a modifier is the browser's: it opens a tab. Nothing may prevent it or set a state.
MODIFIED = """(section) => [...section.querySelectorAll("a.set[href]")].slice(0, 1).flatMap((a) =>
  ["ctrlKey", "metaKey", "shiftKey", "altKey"].map((key) => {
    const before = JSON.stringify(section.machine.state);
    let taken = null;
    const look = (e) => { taken = e.defaultPrevented; e.preventDefault(); };
    section.addEventListener("click", look, { once: true });
    a.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, [key]: true }));
    return taken || before !== JSON.stringify(section.machine.state);
  }))"""


# With the end of a beat 100 pixels too high for its words, every phrase is pointed at, left, pointed at and kept.
STAYS = """async (section) => {
  const phrases = [...section.querySelectorAll("a.set[href]")], text = section.querySelector(".beat-text"), moved = [];
  const frame = () => new Promise(requestAnimationFrame);
  const still = async (was) => { await frame(); await frame(); const now = text.getBoundingClientRect().top;
    if (now !== was) await still(now); };
  await document.fonts.ready;
  for (const a of phrases) {
    const [words, more] = [text.offsetHeight, section.querySelector(".beat-after").offsetHeight];
    const end = section.getBoundingClientRect().bottom - parseFloat(getComputedStyle(section).paddingBottom);
    scrollTo({ top: scrollY + end - (80 + words + more - 100), behavior: "instant" });
    await still();
    const from = text.getBoundingClientRect().top, box = a.getBoundingClientRect();
    for (const kind of ["pointerenter", "pointerleave", "pointerenter", "click"]) {
      a.dispatchEvent(new PointerEvent(kind, { pointerType: "mouse", bubbles: true, cancelable: true }));
      for (const wait of [() => 0, frame]) {
        await wait();
        const off = text.getBoundingClientRect().top - from;
        if (Math.abs(off) > 1) moved.push(`${a.textContent}: ${kind}, ${off} px`);
      }
    }
  }
  return moved; }"""


@pytest.mark.turns
def test_words_stand_still_while_a_phrase_changes_the_figure(name, live):
    """A taller or lower figure moves no word of the beat: a phrase that left the pointer would come back, and so on."""
    page, moved = live(name), {}
    for beat in explainers.load(name).beats:
        here = section(page, beat)
        if beat.bet:
            skip(here)
        moved[beat.name] = here.evaluate(STAYS)
    assert {where: what for where, what in moved.items() if what} == {}


@pytest.mark.turns
@pytest.mark.whole
def test_a_phrase_previews_and_keeps(name, live):
    """Pointing at a phrase previews its state, leaving restores it, a click keeps it and puts it into the address."""
    page, by_mouse = live(name), 0
    for beat in explainers.load(name).beats:
        here = section(page, beat)
        if beat.bet:
            assert here.locator("a.set[data-after][href]").count() == 0, beat.name
            skip(here)
        for phrase in here.locator("a.set[href]").all()[: 1 - by_mouse]:  # one by the mouse, then all by their events
            before, by_mouse = here.evaluate("(s) => s.machine.state"), 1
            phrase.hover()
            page.mouse.move(2, 300)
            assert here.evaluate("(s) => s.machine.state") == before
            phrase.click()
            until(page, lambda n=beat.n: page.url.endswith(f"#beat-{n}"))
        assert not any(here.evaluate(MODIFIED)), beat.name
        start = {**explainers.reference(name).STATE, **beat.state}
        for free, sets, before, left, now, current, where in here.evaluate(POINT_AND_KEEP):
            assert free, "nothing lies on a phrase"
            assert left == before
            assert {key: now[key] for key in sets} == sets
            assert (current, where) == ("true", f"{permalink.write(start, now)}#beat-{beat.n}")
    assert by_mouse


@pytest.mark.turns
@pytest.mark.whole
def test_a_link_to_a_beat_opens_it_in_its_state_and_skipped(name, told):
    """?key=value#beat-N sets that beat alone; its bet counts as skipped; the lab stays as it was."""
    one = explainers.load(name)
    html = "".join(beats_html.section(one, beat) for beat in one.beats)
    href, data = re.search(r'<a class="set" href="(\?[^"]+)" data-set="([^"]+)"', html).groups()
    n, sets = href.partition("#")[2], json.loads(unescape(data))
    page = told(name, unescape(href))
    now = page.locator(f"#{n}").evaluate("(s) => s.machine.state")
    assert {key: now[key] for key in sets} == sets
    assert page.locator(f"#{n}").get_attribute("data-state") in (None, "skipped")
    lab = page.evaluate(
        "(keys) => keys.map((k) => document.querySelector('[data-widget]').cutaway.model.get(k))", list(sets)
    )
    assert lab == [explainers.reference(name).STATE[key] for key in sets]


# Until every beat and the lab that are near have come to life and the page has been as high for twenty frames.
ALIVE = """async () => {
  const near = (e) => { const { top, bottom } = e.getBoundingClientRect();
    return bottom > -innerHeight && 2 * innerHeight > top; };
  const asleep = ".beat:not([data-live]), [data-widget]:not([data-ready])";
  const waits = () => [...document.querySelectorAll(asleep)].some(near);
  await document.fonts.ready;
  for (let still = 0, high = 0; 20 > still; still += 1) {
    await new Promise(requestAnimationFrame);
    if (waits() || high !== document.body.offsetHeight) still = 0;
    high = document.body.offsetHeight;
  }
}"""


@pytest.mark.turns
def test_an_address_leads_to_what_it_names(name, page, learn_url):
    """The last beat and the lab stand below the rail when what is above them has come to life."""
    for part in (f"beat-{len(explainers.load(name).beats)}", "lab"):
        page.goto("about:blank")
        page.goto(f"{learn_url}/learn/{name}/#{part}")
        page.evaluate(ALIVE)  # beats above come to life, and move it away
        until(page, lambda part=part: abs(page.locator(f"#{part}").bounding_box()["y"] - 56) <= 4)


def test_goals_are_reached_by_their_states(name, live):
    """Neither goal is reached at the start; every state that is called a way ticks it, and it stays ticked."""
    page, state = live(name), explainers.reference(name).STATE
    assert page.locator("[data-goal][data-reached=true]").count() == 0
    reach = expected.reach(name)
    for test in (goal.test for goal in explainers.load(name).goals):
        assert reach[test], f"{explainers.folder_path(name)}/page.md: goal {test} has no reach: [states that reach it]"
        for changes in reach[test]:
            page.evaluate(SET_LAB, {**state, **changes})
            until(page, lambda p=page, t=test: p.locator(f"[data-goal='{t}'][data-reached=true]").count() == 1)
        page.evaluate(SET_LAB, state)
        assert page.locator(f"[data-goal='{test}'][data-reached=true]").count() == 1
