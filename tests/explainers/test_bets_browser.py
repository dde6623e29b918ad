"""Every bet of every page, in a browser: it hides what it asks, tells how far off a guess was, and is remembered."""

from __future__ import annotations

import re

import pytest

from cutaway import explainers
from cutaway.explainers import beats_html
from tests.explainers import expected, reader
from tests.explainers.beats_page import SET_LAB, TOLD, betting, place, section
from tests.explainers.expected import looks


def printed_answer(name: str, beat) -> str:
    """The answer as it is printed, with its unit; "" where the options of a pick say it anyway."""
    shown = looks(explainers.load(name), beat)[1]
    if beat.bet.kind == "pick" and not beat.bet.range:
        return ""
    return expected.counted(expected.printed(shown(beat.bet.answer), beat.bet.format), beat.bet.unit)


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


@pytest.mark.turns
def test_a_bet_goes_through_its_states_and_tells_nothing_before(name, live):
    """Open, skipped, open, placed, open, shown, open: nothing is locked, and no answer is met before it is shown."""
    page = live(name)
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


def test_a_bet_is_placed_and_shown_by_keyboard(live):
    """Keys place the guess, Enter shows it, and the focus stays on the button; "Show me" does nothing before."""
    page = live(TOLD[0])
    beat = betting(TOLD[0])[0]
    main = section(page, beat).locator(".bet-buttons button").first
    assert main.get_attribute("aria-disabled") == "true"
    place(page, beat)
    main.focus()
    page.keyboard.press("Enter")
    assert section(page, beat).get_attribute("data-state") == "shown"
    assert main.evaluate("(b) => b === document.activeElement")


def apart(how: str, off: float) -> str:
    """A difference as a verdict prints it: percentages differ by points."""
    text = expected.short(expected.printed(off, how))
    number = text.removesuffix(" %")
    return text if number == text else f"{number} point{'' if number == '1' else 's'}"


def off_by(how: str, guess: tuple, answer: tuple) -> str:
    """The same for a bar with two ends: each end's own difference."""
    off = [theirs - mine for mine, theirs in zip(guess, answer, strict=True)]
    if all(abs(one) <= (answer[1] - answer[0]) / 10 for one in off):
        return ": close"
    ends = [f"{apart(how, abs(one))} {'higher' if one > 0 else 'lower'}" if one else "where you said" for one in off]
    return f", which begins {ends[0]} and ends {ends[1]}"


def said(bet, row: dict, guess, answer) -> str:
    """How far off a guess is, in words: the second route to what kit-bets.js says."""
    words = lambda value: expected.printed(value, bet.format)  # noqa: E731
    if words(guess) == words(answer):
        far = ", exactly"
    elif isinstance(answer, tuple):
        far = off_by(bet.format, guess, answer)
    elif row.get("within") and row["within"][0] <= guess <= row["within"][1]:
        far = ", and yours is as good"
    elif row["ratio"] and guess > 0 and answer > 0:
        times = max(guess, answer) / min(guess, answer)
        much = expected.printed(times, "int" if times >= 10 else "fixed 1")
        far = ": close" if times <= 1.1 else f", {much} times {'more' if answer > guess else 'less'}"
    else:
        off = abs(answer - guess)
        much = apart(bet.format, off)
        far = ": close" if off <= abs(answer) / 10 else f", {much} {'more' if answer > guess else 'less'}"
    yours, right = words(guess), words(answer)
    yours = expected.counted(yours, bet.unit).replace(yours, expected.short(yours))
    return f"You bet {yours}. The answer is {expected.counted(right, bet.unit)}{far}."


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


@pytest.mark.turns
@pytest.mark.whole
def test_a_verdict_says_how_far_off_the_guess_is(name, live):
    """For guesses along the whole scale, the verdict names the guess, the answer and their distance."""
    page, one = live(name), explainers.load(name)
    for beat in (beat for beat in betting(name) if beat.bet.kind != "pick"):
        here, shown = section(page, beat), looks(one, beat)[1]
        row, answer = beats_html.bet_row(one, beat), shown(beat.bet.answer)
        count = len(row["values"])
        ends = here.locator(".bet-input").count()
        indices = sorted({0, count // 5, count // 2, count - 1})
        chosen = [[max(0, index - 2 * ends + 2), index][-ends:] for index in indices]
        told_so = here.evaluate(GUESS, chosen)
        for at, verdict in zip(chosen, told_so, strict=True):
            both = tuple(row["values"][i] for i in at)
            guess = both if ends > 1 else both[0]
            assert verdict.startswith(said(beat.bet, row, guess, answer))


def test_tests_share_a_page_that_is_started_over(live):
    """The same page comes back from its start: no bet placed, no state set, no address; a broken one is opened anew."""
    name = TOLD[0]
    page, start = live(name), explainers.reference(name).STATE
    beat = betting(name)[0]
    place(page, beat)
    page.evaluate(SET_LAB, expected.reach(name)[explainers.load(name).goals[0].test][0])
    page.set_viewport_size({"width": 390, "height": 500})
    assert page.locator("[data-goal][data-reached=true]").count() == 1
    assert live(name) is page
    assert section(page, beat).get_attribute("data-state") == "open"
    assert {key: reader.state(page, key) for key in start} == start
    assert (page.viewport_size["width"], page.locator("[data-goal][data-reached=true]").count()) == (1400, 0)
    assert "?" not in page.url
    page.close()
    other = live(name)
    assert other is not page and section(other, beat).get_attribute("data-state") == "open"


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


NO_LONGER = ("nonsense", '{"bets": 5}', '{"bets": {"N": ["shown", 999]}}', '{"bets": {"N": ["loud", 0]}}')


def test_a_memory_that_no_longer_fits_is_forgotten(page, learn_url):
    """A guess that the page has no place for any more (a bet was rewritten) leaves the bet open."""
    beat = betting(TOLD[0])[0]
    page.goto(f"{learn_url}/learn/{TOLD[0]}/")
    store = "([name, kept]) => sessionStorage.setItem(`beats/${name}`, kept)"
    for kept in NO_LONGER:
        page.evaluate(store, [TOLD[0], kept.replace("N", str(beat.n))])
        again(page, beat)
        assert section(page, beat).get_attribute("data-state") == "open", kept


def again(page, beat) -> None:
    """Reload, and wait for a beat."""
    page.reload()
    section(page, beat).scroll_into_view_if_needed()
    page.locator(f"#beat-{beat.n}[data-live]").wait_for()


LABELS = """(s) => [...s.querySelectorAll(".bet-curve text:not(.end), .bet-answer")]
  .filter((t) => t.checkVisibility({ visibilityProperty: true }))
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
def test_the_labels_of_a_curve_never_lie_on_one_another(name, live):
    """Wherever the last point is dragged, "your bet", the answer and the labels of the axis are apart."""
    curves = [beat for beat in betting(name) if beat.bet.kind == "curve"]
    page = live(name) if curves else None
    for beat in curves:
        here = section(page, beat)
        last = int(here.locator(".bet-input").get_attribute("max"))
        for index, opened, shown in here.evaluate(DRAGGED, sorted({last * n // 12 for n in range(13)})):
            assert (crossing(opened), crossing(shown)) == ([], []), (name, index)
