"""Every page told in beats, in a browser: bets hide what they ask, phrases set states, numbers are the reference's.

One test for each rule; each goes over all such pages. What is printed with data-out is compared with reference.py, so
nothing here knows a page.
"""

from __future__ import annotations

import json
import random
import re
from html import unescape
from pathlib import Path

import pytest

import explainers
from explainers import beats_facts, beats_html, beats_tools, permalink
from tests.explainers.reader import ONLY, until
from tests.explainers.test_pattern import ROUNDED, differences, legal

TOLD = [name for name in explainers.names() if name == ONLY or not ONLY]
STATES = 6  # of each beat and lab in a run; `make fuzz` goes over more


def betting(name: str) -> list:
    return [beat for beat in explainers.load(name).beats if beat.bet]


def section(page, beat):
    return page.locator(f"#beat-{beat.n}")


def place(page, beat) -> None:
    """A guess by keyboard: one key on each handle, or the first option."""
    handles = section(page, beat).locator(".bet-input, .bet-option input").all()
    for i, handle in enumerate(handles[:1] if beat.bet.kind == "pick" else handles):
        handle.focus()
        page.keyboard.press("Space" if beat.bet.kind == "pick" else ("ArrowRight", "ArrowLeft")[i])


def test_the_first_screen_is_calm_and_can_be_played_with(page, learn_url):
    """At most six controls stand on the first screen, and the first of them can be used there."""
    page.set_viewport_size({"width": 1400, "height": 900})
    count = """() => [...document.querySelectorAll("main :is(button, input, select, [role=slider])")]
      .filter((e) => e.checkVisibility() && e.getBoundingClientRect().top < innerHeight).length"""
    for name in TOLD:
        page.goto(f"{learn_url}/learn/{name}/")
        page.locator("#beat-1[data-live]").wait_for()
        assert page.evaluate(count) + page.locator("#beat-1 a.set[href]").count() >= 1
        assert page.evaluate(count) <= 6, name


def printed_answer(name: str, beat) -> str:
    """The answer as it is printed, with its unit; "" where the options of a pick say it anyway."""
    shown = beats_html.looks(explainers.load(name), beat)[1]
    if beat.bet.kind == "pick" and not beat.bet.range:
        return ""
    return beats_facts.printed(shown(beat.bet.answer), beat.bet.format) + (f" {beat.bet.unit}" if beat.bet.unit else "")


WALK = """(section) => {
  const [main, other] = section.querySelectorAll(".bet-buttons button");
  const seen = (css) => [...section.querySelectorAll(css)].some((e) => e.checkVisibility());
  const place = () => {
    for (const one of [...section.querySelectorAll(".bet-input")].reverse()) {
      one.value = Number(one.max) - 1;
      one.dispatchEvent(new Event("input", { bubbles: true }));
    }
    section.querySelector(".bet-option input")?.click();
  };
  const [first, second] = [() => main.click(), () => other.click()];
  const steps = [() => null, first, second, first, place, second, place, first, first];
  return steps.map((step) => {
    step();
    return [section.dataset.state, section.innerText, section.querySelector(".bet-verdict").innerText,
      seen(".beat-controls, .beat-lab")];
  });
}"""
WAY = ("open", "open", "skipped", "open", "placed", "open", "placed", "shown", "open")


def test_a_bet_goes_through_its_states_and_tells_nothing_before(told):
    """Open, skipped, open, placed, open, shown, open: nothing is locked, and no answer is met before it is shown."""
    for name in TOLD:
        page = told(name)
        for beat in betting(name):
            here, answer = section(page, beat), printed_answer(name, beat)
            tells = re.compile(rf"(?<![\d.,]){re.escape(answer)}(?![\d,]|\.\d)" if answer else r"(?!)")
            assert not tells.search(here.aria_snapshot()), (beat.name, answer)
            walked = here.evaluate(WALK)
            assert tuple(state for state, *_ in walked) == WAY, beat.name
            for state, text, verdict, more in walked:
                shown = state in ("shown", "skipped")
                assert shown == more == bool(verdict), (beat.name, state)
                assert answer in text if shown else not tells.search(text), (beat.name, state, answer)
                assert verdict.startswith("You ") == (state == "shown")


def test_a_bet_is_placed_and_shown_by_keyboard(told):
    """Keys place the guess, Enter shows it, and the focus stays on the button; "Show me" does nothing before."""
    page = told(TOLD[0])
    beat = betting(TOLD[0])[0]
    main = section(page, beat).locator(".bet-buttons button").first
    assert main.get_attribute("aria-disabled") == "true"
    place(page, beat)
    main.focus()
    page.keyboard.press("Enter")
    assert section(page, beat).get_attribute("data-state") == "shown"
    assert main.evaluate("(b) => b === document.activeElement")


def off_by(words, guess: tuple, answer: tuple) -> str:
    """The same for a bar with two ends: each end's own difference."""
    off = [theirs - mine for mine, theirs in zip(guess, answer, strict=True)]
    if all(abs(one) <= (answer[1] - answer[0]) / 10 for one in off):
        return ": close"
    short = lambda one: beats_facts.short(words(abs(one)))  # noqa: E731
    ends = [f"{short(one)} {'higher' if one > 0 else 'lower'}" if one else "where you said" for one in off]
    return f", which begins {ends[0]} and ends {ends[1]}"


def said(bet, row: dict, guess, answer) -> str:
    """How far off a guess is, in words: the second route to what kit-bets.js says."""
    words = lambda value: beats_facts.printed(value, bet.format)  # noqa: E731
    unit = f" {bet.unit}" if bet.unit else ""
    if words(guess) == words(answer):
        far = ", exactly"
    elif isinstance(answer, tuple):
        far = off_by(words, guess, answer)
    elif row["ratio"] and guess > 0 and answer > 0:
        times = max(guess, answer) / min(guess, answer)
        much = beats_facts.printed(times, "int" if times >= 10 else "fixed 1")
        far = ": close" if times <= 1.1 else f", {much} times {'more' if answer > guess else 'less'}"
    else:
        off = abs(answer - guess)
        much = beats_facts.short(words(off))
        far = ": close" if off <= abs(answer) / 10 else f", {much} {'more' if answer > guess else 'less'}"
    return f"You bet {beats_facts.short(words(guess))}{unit}. It is {words(answer)}{unit}{far}."


GUESS = """(section, guesses) => guesses.map((guess) => {
  const [main] = section.querySelectorAll(".bet-buttons button");
  const handles = [...section.querySelectorAll(".bet-input")];
  handles.reverse().forEach((handle, i) => { // the end first: no end passes
    handle.value = guess.at(-1 - i);
    handle.dispatchEvent(new Event("input", { bubbles: true }));
  });
  main.click();
  const verdict = section.querySelector(".bet-verdict").innerText;
  main.click();
  return verdict;
})"""


@pytest.mark.whole
def test_a_verdict_says_how_far_off_the_guess_is(told):
    """For guesses along the whole scale, the verdict names the guess, the answer and their distance."""
    for name in TOLD:
        page, one = told(name), explainers.load(name)
        for beat in (beat for beat in betting(name) if beat.bet.kind != "pick"):
            here, looks = section(page, beat), beats_html.looks(one, beat)
            row, answer = beats_tools.wire(beat.bet, *looks), looks[1](beat.bet.answer)
            count = len(row["values"])
            ends = here.locator(".bet-input").count()
            indices = sorted({0, count // 5, count // 2, count - 1})
            chosen = [[max(0, index - 2 * ends + 2), index][-ends:] for index in indices]
            told_so = here.evaluate(GUESS, chosen)
            for at, verdict in zip(chosen, told_so, strict=True):
                both = tuple(row["values"][i] for i in at)
                guess = both if ends > 1 else both[0]
                assert verdict.startswith(said(beat.bet, row, guess, answer))


def test_a_tab_remembers_bets_and_start_over_forgets_them(told):
    """A reload keeps what was bet and shown; the address never holds a guess; the lab's button clears all."""
    page = told(TOLD[0])
    beat = betting(TOLD[0])[0]
    place(page, beat)
    section(page, beat).locator(".beat-main").click()
    assert "?" not in page.url
    again(page, beat)
    assert section(page, beat).get_attribute("data-state") == "shown"
    page.locator("[data-again]").press("Enter")  # not a click: what loads above may still move it
    assert section(page, beat).get_attribute("data-state") == "open"
    again(page, beat)
    assert section(page, beat).get_attribute("data-state") == "open"


PASS = """async () => {
  for (const one of document.querySelectorAll("section.beat, .lab")) {
    one.scrollIntoView({ block: "center", behavior: "instant" });
    for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
  } }"""
SHOW = """(section) => {
  for (const one of [...section.querySelectorAll(".bet-input")].reverse()) {
    one.value = Number(one.max) - 1;
    one.dispatchEvent(new Event("input", { bubbles: true }));
  }
  section.querySelector(".bet-option input")?.click();
  section.querySelector(".beat-main").click(); }"""
RAIL = """() => [[...document.querySelectorAll(".rail a")].map((a) => a.getAttribute("aria-current")),
  [...document.querySelectorAll(".rail a")].map((a) => a.classList.contains("done")),
  [...document.querySelectorAll(".rail-tick")].map((tick) => !tick.hidden),
  document.querySelector("[data-bets]").textContent]"""


def test_the_rail_says_where_one_is_and_what_is_done(told):
    """A bet is done when shown or skipped, a beat without one once it was passed, the lab with both goals reached."""
    name = next((name for name in TOLD if any(not beat.bet for beat in explainers.load(name).beats)), TOLD[0])
    page, beats, bets = told(name), explainers.load(name).beats, betting(name)
    steps = len(beats) + 1

    def rail(at: int, done: list[bool], shown: int) -> list:
        current = [None] * steps
        current[at] = "step"
        return [current, done, done, f"your bets: {shown} of {len(bets)} shown"]

    page.evaluate(PASS)
    free = [not beat.bet for beat in beats]
    until(page, lambda: page.evaluate(RAIL) == rail(steps - 1, [*free, False], 0))
    page.evaluate(PASS)  # a beat is read once, however often it is passed
    read = page.evaluate("(name) => JSON.parse(sessionStorage.getItem(`beats/${name}`))?.read ?? []", name)
    assert sorted(read) == sorted(set(read)) != []
    section(page, bets[0]).evaluate(SHOW)
    section(page, bets[1]).locator(".beat-after .beat-link").evaluate("(b) => b.click()")
    done = [one or beat in bets[:2] for one, beat in zip(free, beats, strict=True)]
    assert page.evaluate(RAIL) == rail(steps - 1, [*done, False], 1)
    for test, ways in beats_facts.part(name, "reach").items():
        assert page.evaluate(RAIL)[1][-1] is False, test
        page.evaluate(SET_LAB, {**explainers.reference(name).STATE, **ways[0]})
    until(page, lambda: page.evaluate(RAIL) == rail(steps - 1, [*done, True], 1))
    page.locator("section.beat").first.evaluate("(s) => s.scrollIntoView({ block: 'center', behavior: 'instant' })")
    until(page, lambda: page.evaluate(RAIL) == rail(0, [*done, True], 1))
    page.reload()
    until(page, lambda: page.evaluate(RAIL)[1:] == rail(0, [*done, True], 1)[1:])
    page.locator("[data-again]").evaluate("(b) => b.click()")
    assert page.evaluate(RAIL)[1:] == rail(0, [False] * steps, 0)[1:]


@pytest.mark.parametrize(
    "kept", ["nonsense", '{"bets": 5}', '{"bets": {"N": ["shown", 999]}}', '{"bets": {"N": ["loud", 0]}}']
)
def test_a_memory_that_no_longer_fits_is_forgotten(told, kept):
    """A guess that the page has no place for any more (a bet was rewritten) leaves the bet open."""
    page, beat = told(TOLD[0]), betting(TOLD[0])[0]
    store = "([name, kept]) => sessionStorage.setItem(`beats/${name}`, kept)"
    page.evaluate(store, [TOLD[0], kept.replace("N", str(beat.n))])
    again(page, beat)
    assert section(page, beat).get_attribute("data-state") == "open"


def again(page, beat) -> None:
    """Reload, and wait for a beat."""
    page.reload()
    section(page, beat).scroll_into_view_if_needed()
    page.locator(f"#beat-{beat.n}[data-live]").wait_for()


LABELS = """(s) => [...s.querySelectorAll(".bet-curve text:not(.end), .bet-answer")].filter((t) => t.checkVisibility())
  .map((t) => [t.textContent, t.getBoundingClientRect()]).filter(([, b]) => b.width > 0)
  .map(([words, b]) => [words, b.left + 1, b.right - 1, b.top + 3, b.bottom - 3])"""


DRAGGED = f"""(section, all) => {{
  const labels = {LABELS};
  const [input, main] = [section.querySelector(".bet-input"), section.querySelector(".bet-buttons button")];
  return all.map((index) => {{
    input.value = index;
    input.dispatchEvent(new Event("input", {{ bubbles: true }}));
    const opened = labels(section);
    main.click();
    const shown = labels(section);
    main.click();
    return [index, opened, shown];
  }});
}}"""


def crossing(labels: list) -> list[tuple[str, str]]:
    """Which labels lie on one another."""
    pairs = ((a, b) for i, a in enumerate(labels) for b in labels[:i])
    return [(a[0], b[0]) for a, b in pairs if a[1] < b[2] and b[1] < a[2] and a[3] < b[4] and b[3] < a[4]]


@pytest.mark.whole
def test_the_labels_of_a_curve_never_lie_on_one_another(told):
    """Wherever the last point is dragged, "your bet", the answer and the labels of the axis are apart."""
    for name in TOLD:
        curves = [beat for beat in betting(name) if beat.bet.kind == "curve"]
        page = told(name) if curves else None
        for beat in curves:
            here = section(page, beat)
            last = int(here.locator(".bet-input").get_attribute("max"))
            for index, opened, shown in here.evaluate(DRAGGED, sorted({last * n // 12 for n in range(13)})):
                assert (crossing(opened), crossing(shown)) == ([], []), (name, index)


@pytest.mark.skipif("heads" not in TOLD, reason="EXPLAINER is another page")
def test_words_and_bet_stay_beside_a_taller_figure(told):
    """From 900 pixels on, the left column stands still 5 rem below the top while a taller figure passes."""
    page = told("heads")
    tops = """(s) => {
      s.querySelector(".beat-show").style.height = "900px";
      scrollTo({ top: scrollY + s.getBoundingClientRect().top + 150, behavior: "instant" });
      const [text, after] = [...s.querySelectorAll(".beat-text, .beat-after")].map((e) => e.getBoundingClientRect());
      return [text.top, Math.round(after.top - text.bottom)]; }"""
    assert section(page, betting("heads")[0]).evaluate(tops) == [80, 0]
    page.set_viewport_size({"width": 800, "height": 900})
    assert section(page, betting("heads")[0]).evaluate(tops)[0] < 0


POINT_AND_KEEP = """(section) => [...section.querySelectorAll("a.set[href]")].map((a) => {
  const point = (kind) => a.dispatchEvent(new PointerEvent(kind, { pointerType: "mouse" }));
  const before = section.machine.state;
  point("pointerenter");
  point("pointerleave");
  const left = section.machine.state;
  a.click();
  const now = section.machine.state;
  const { search, hash } = location;
  return [JSON.parse(a.dataset.set), before, left, now, a.getAttribute("aria-current"), search + hash];
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


@pytest.mark.whole
def test_a_phrase_previews_and_keeps(told):
    """Pointing at a phrase previews its state, leaving restores it, a click keeps it and puts it into the address."""
    for name in TOLD:
        page = told(name)
        for beat in explainers.load(name).beats:
            here = section(page, beat)
            if beat.bet:
                assert here.locator("a.set[data-after][href]").count() == 0, beat.name
                here.get_by_role("button", name="skip the bet").click()
            for phrase in here.locator("a.set[href]").all()[:1]:  # one by the mouse, then all by its events
                before = here.evaluate("(s) => s.machine.state")
                phrase.hover()
                page.mouse.move(2, 300)
                assert here.evaluate("(s) => s.machine.state") == before
                phrase.click()
                assert page.url.endswith(f"#beat-{beat.n}")
            assert not any(here.evaluate(MODIFIED)), beat.name
            start = {**explainers.reference(name).STATE, **beat.state}
            for sets, before, left, now, current, where in here.evaluate(POINT_AND_KEEP):
                assert left == before
                assert {key: now[key] for key in sets} == sets
                assert (current, where) == ("true", f"{permalink.write(start, now)}#beat-{beat.n}")


@pytest.mark.whole
def test_a_link_to_a_beat_opens_it_in_its_state_and_skipped(told):
    """?key=value#beat-N sets that beat alone; its bet counts as skipped; the lab stays as it was."""
    for name in TOLD:
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


def test_goals_are_reached_by_their_states(told):
    """Neither goal is reached at the start; every state that beats.py calls a way ticks it, and it stays ticked."""
    for name in TOLD:
        page, state = told(name), explainers.reference(name).STATE
        assert page.locator("[data-goal][data-reached=true]").count() == 0
        goals, reach = beats_facts.part(name, "goals"), beats_facts.part(name, "reach")
        for test in (goal.test for goal in explainers.load(name).goals):
            assert not goals[test](state, explainers.data(name))["reached"]
            assert reach.get(test), f"explainers/{name}/beats.py: reach = {{'{test}': [states that reach it]}}"
            for changes in reach[test]:
                page.evaluate(SET_LAB, {**state, **changes})
                made = goals[test]({**state, **changes}, explainers.data(name))
                assert made["reached"], (test, changes)
                until(page, lambda p=page, t=test: p.locator(f"[data-goal='{t}'][data-reached=true]").count() == 1)
                assert page.locator(f"[data-goal='{test}'] .goal-says").inner_text() == made["says"]
            page.evaluate(SET_LAB, state)
            assert page.locator(f"[data-goal='{test}'][data-reached=true]").count() == 1


SET_LAB = """(state) => { const { model } = document.querySelector('[data-widget]').cutaway;
  for (const [k, v] of Object.entries(state)) model.set(k, v); model.save_changes();
  return new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done), 20))); }"""


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize("name", TOLD)
def test_answers_captions_and_goals_are_the_same_in_both_languages(name, blank, plain, verified):
    """Over the shared cases, every function of beats.js gives what its twin in beats.py gives."""
    data = explainers.data(name)
    cases = random.Random(3).sample(legal(name), min(60, len(legal(name))))
    twins = [(which, key) for which in ("answers", "captions", "goals") for key in beats_facts.part(name, which)]
    page = blank(explainers.page_module(name))
    theirs = page.evaluate(
        "([cases, twins, data]) => cases.map((c) => twins.map(([which, key]) => loaded.beats[which][key](c, data)))",
        [cases, twins, data],
    )
    wrong = []
    for case, got in zip(cases, theirs, strict=True):
        mine = [plain(beats_facts.part(name, which)[key](case, data)) for which, key in twins]
        each, off = zip(twins, mine, got, strict=True), ROUNDED.get(name, 0.0)
        wrong += [(case, twin, a, b) for twin, a, b in each if list(differences(a, b, off=off))]
    assert wrong[:2] == []
    verified(f"{name}: functions of its beats", len(cases) * len(twins), len(wrong), "their Python twins")


BOUND = """(root) => [...root.querySelectorAll("[data-out]")].filter((e) => e.checkVisibility()).map((e) => ({
  path: e.dataset.out, how: e.dataset.format || "text", unit: e.dataset.unit || "",
  at: e.dataset.at || (e.closest(".beat-first") && "beat") || "",
  text: e.textContent,
  more: JSON.parse(e.dataset.with || "{}"),
  lead: e.dataset.lead || "", tail: e.dataset.tail || "", verdict: Boolean(e.closest(".bet-verdict")) }))"""

SET_BEAT = f"(s, state) => {{ s.machine.set(state); return ({BOUND})(s); }}"


def wanted(name: str, state: dict, out: dict) -> str:
    """What the reference prints for one output."""
    look = beats_facts.Look(name, {**state, **out["more"]})
    kind, _, rest = out["path"].partition(".")
    if kind == "captions":
        return (
            out["lead"]
            + beats_facts.part(name, "captions")[rest](look.state, look.data).replace("**", "")
            + out["tail"]
        )
    if kind == "goals":
        return beats_facts.part(name, "goals")[rest.removesuffix(".says")](look.state, look.data)["says"]
    return beats_facts.printed(look(out["path"]), out["how"]) + (f" {out['unit']}" if out["unit"] else "")


@pytest.mark.whole
@pytest.mark.parametrize("name", TOLD)
def test_every_bound_number_is_the_references(name, told, verified):
    """In random states of the lab and of every beat, what is printed at a path is what reference.py computes there."""
    page, one = told(name), explainers.load(name)
    state = explainers.reference(name).STATE
    cases = random.Random(11).sample(legal(name), STATES)
    checked, wrong = 0, []
    for case in cases:
        page.evaluate(SET_LAB, case)
        for out in page.locator("[data-widget]").evaluate(BOUND):
            checked += 1
            wrong += [(out, case)] if out["text"] != wanted(name, case, out) else []
    for beat in one.beats:
        here, start = section(page, beat), {**state, **beat.state}
        if beat.bet:
            here.get_by_role("button", name="skip the bet").click()
        asked = {**start, **(beat.bet.state if beat.bet else {})}
        for case in [*({**start, **changes} for changes in settings(one, beat)), *drawable(one, beat, cases)[:2]]:
            for out in here.evaluate(SET_BEAT, case):
                at = start if out["at"] == "beat" else asked if out["at"] == "bet" or out["verdict"] else case
                checked += 1
                wrong += [(beat.name, out, case)] if out["text"] != wanted(name, at, out) else []
    assert wrong[:3] == []
    assert checked > 40 * len(one.beats)
    verified(f"{name}: numbers on the screen", checked, len(wrong), "reference.py, over random states")


def drawable(one: explainers.Explainer, beat, cases: list[dict]) -> list[dict]:
    """The cases in which every point of the beat's curve is legal: a short tape has no step 24."""
    along = [{beat.bet.along: x} for x in beat.bet.at] if beat.bet and beat.bet.kind == "curve" else []
    check = explainers.checker(one.name)
    return [case for case in cases if not any(check({**case, **point}) for point in along)]


# Words that an author wrote or that belong to a control; what a bet prints has tests of its own.
KNOWN = """[data-out] [data-index] .cw-control .cw-tip .cw-legend th .cw-live .set h2 .beat-words .beat-count .bet
  .bet-verdict .bet-tick .bet-mark .bet-option .bet-yours .bet-far .bet-note .bet-name"""
LOOSE = f"""(root) => {{
  const [found, known] = [[], {json.dumps(", ".join(KNOWN.split()))}];
  const words = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {{
    const node = words.currentNode, box = node.parentElement;
    const number = /(?<![A-Za-z\\d])\\d/.test(node.data); // BF16 is a name
    if (number && box.checkVisibility() && !box.closest(known)) found.push(node.data.trim().slice(0, 60));
  }}
  return found; }}"""


@pytest.mark.parametrize("name", TOLD)
def test_no_number_is_bound_to_nothing(name, told):
    """In figures, captions and the lab, every printed number says which value of compute it is."""
    page = told(name)
    for beat in betting(name):
        section(page, beat).get_by_role("button", name="skip the bet").click()
    loose = {beat.name: section(page, beat).evaluate(LOOSE) for beat in explainers.load(name).beats}
    loose["lab"] = page.locator("[data-widget] [data-view]").evaluate(LOOSE)
    assert {where: numbers for where, numbers in loose.items() if numbers} == {}


PRINTED = """(root) => {
  const lines = new Set();
  for (const out of root.querySelectorAll("[data-out]")) {
    const box = out.parentElement.closest("p, li, td, th, text, figcaption, dl > div, h3") || out;
    const copy = box.cloneNode(true);
    for (const one of [copy, ...copy.querySelectorAll("[data-out]")]) {
      if (one.dataset.out) one.textContent = `{${one.dataset.out}:${one.dataset.format}}`;
    }
    lines.add(copy.textContent.trim().replace(/[.][0-9]+/g, ".N"));
  }
  return [...lines]; }"""


@pytest.mark.parametrize("name", TOLD)
def test_every_number_stands_under_its_words(name, told, request):
    """The words round each number of the lab, its path in place of it, are those kept: a right sum, a right label."""
    page = told(name)
    found = "\n".join(page.locator("[data-widget] [data-view]").evaluate(PRINTED)) + "\n"
    kept = Path(__file__).parent / "printed" / f"{name}.txt"
    if request.config.getoption("--update-shots"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(found, "utf-8")
    assert kept.read_text("utf-8") == found


def settings(one: explainers.Explainer, beat) -> list[dict]:
    """What a beat's phrases and controls can set."""
    rows = [beats_html.control(one, given) for given in beat.controls]
    values = [(row["key"], option) for row in rows if "options" in row for option in row["options"]]
    found = [{key: option["value"] if isinstance(option, dict) else option} for key, option in values]
    check = explainers.checker(one.name)
    return [s for s in found if not check({**explainers.reference(one.name).STATE, **beat.state, **s})]


# ---------------------------------------------------------------- how it looks


MORE = [(900, "dark", "open"), (390, "light", "skipped")]
MOMENTS = [(1400, "light", "shown"), *(pytest.param(*one, marks=pytest.mark.patient) for one in MORE)]


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme", "moment"), MOMENTS)
@pytest.mark.parametrize("name", TOLD)
def test_three_moments_look_as_kept(name, width, scheme, moment, told, shot):
    """A page with every bet shown, open and skipped, wide, middling and narrow; the lab has pictures of its own."""
    page = told(name)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    for beat in betting(name) if moment != "open" else ():
        if moment == "shown":
            place(page, beat)
        section(page, beat).locator(".bet-buttons button").nth(0 if moment == "shown" else 1).click()
    page.evaluate(BEATS_ALONE)
    page.mouse.move(1, 1)
    shot(page, f"beats-{name}-{moment}")


BEATS_ALONE = """() => { scrollTo(0, 0);
  const other = ".lab, .told-foot, .learn-words, .rail, header, footer";
  for (const e of document.querySelectorAll(".beat-text, .beat-after")) e.style.position = "static";
  for (const e of document.querySelectorAll(other)) e.hidden = true; }"""
