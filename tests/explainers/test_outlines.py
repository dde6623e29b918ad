"""What every explainer draws and prints and what every control does, kept as text: no mark moves unseen.

`pytest tests/explainers/test_outlines.py -k <name> --update-shots` keeps today's as outlines/<name>.txt; read the
difference first. A number is compared with the reference elsewhere (test_numbers_browser.py); here is where it is
drawn, how long, in which class, under which words.
"""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from cutaway import explainers
from tests.explainers import expected
from tests.explainers.beats_page import SET_LAB, section, settings
from tests.explainers.outline import OUTLINE, POINT, WORK
from tests.explainers.reader import WIDE, tell
from tests.guarded import guarded

KEPT = Path(__file__).parent / "outlines"
# What a worker makes (the maps of *matrix*) is looked at when it is there, however fast the machine is.
MADE = """async () => {
  for (const from = performance.now(); document.querySelector("[data-widget] .wait");) {
    if (performance.now() - from > 60_000) throw new Error("what is waited for does not come");
    await new Promise(requestAnimationFrame);
  } }"""
LAB = f"""(state) => ({SET_LAB})(state).then({MADE})
  .then(() => ({OUTLINE})(document.querySelector('[data-widget] [data-view]')))"""
BEAT = f"(s, state) => {{ s.machine.set(state); return ({OUTLINE})(s); }}"
MOMENTS = f"""(s) => {{
  const [main, other] = s.querySelectorAll(".bet-buttons button"), made = [];
  const look = (what) => made.push([what, ({OUTLINE})(s)]);
  const put = (share) => {{
    for (const one of [...s.querySelectorAll(".bet-input")].reverse()) {{
      one.value = Math.round(share * Number(one.max)) - Number(one.dataset.end === "0");
      one.dispatchEvent(new Event("input", {{ bubbles: true }}));
    }}
    const options = s.querySelectorAll(".bet-option input");
    options[Math.round(share * (options.length - 1))]?.click();
  }};
  look("open");
  for (const share of [0.1, 0.8]) {{
    put(share);
    look(`placed ${{share}}`);
    main.click();
    look(`shown ${{share}}`);
    main.click();
  }}
  other.click();
  look("skipped");
  return made; }}"""
OF_LAB = """const { model } = document.querySelector("[data-widget]").cutaway, keys = Object.keys(start);
  const get = () => Object.fromEntries(keys.map((k) => [k, model.get(k)]));
  const reset = () => { for (const k of keys) model.set(k, start[k]); model.save_changes(); };"""
OF_BEAT = "const get = () => root.machine.state, reset = () => root.machine.set(start);"


# Every run draws the same dice, and looks when what was fetched is there.
STILL = """() => {
  let seed = 1, pending = 0;
  Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const { fetch } = window;
  window.fetch = async (...asked) => {
    pending += 1;
    const got = await fetch(...asked);
    got.clone().arrayBuffer().finally(() => setTimeout(() => { pending -= 1; }, 20));
    return got;
  };
  window.fetched = async () => { while (pending) await new Promise((done) => setTimeout(done, 5)); };
}"""


def used(of: str) -> str:
    """A script that uses the controls of a lab or a beat, then points at its drawings."""
    return f"""async (root, start) => {{ {of} reset(); await 0;
      return [...await ({WORK})(root, get, reset), ...({POINT})(root, get, reset)]; }}"""


def lab_states(name: str) -> list[dict]:
    """States of the lab that its page names: the first, those that reach a goal, those that bets ask about."""
    one, start = explainers.load(name), explainers.reference(name).STATE
    reach = [ways[0] for ways in expected.reach(name).values()]
    asked = [{**beat.state, **(beat.bet.state if beat.bet else {})} for beat in one.beats]
    return [start, *({**start, **changes} for changes in [*reach, *asked[-3:]])]


def told_apart(looks: list[tuple[str, list[str]]]) -> list[str]:
    """Outlines one after the other: the first whole, of the others the lines that differ from the one before."""
    lines, last = [], []
    for what, outline in looks:
        kinds = {line.partition(" ")[0] for line in outline}
        gone = [f"{kind} gone" for line in last if (kind := line.partition(" ")[0]) not in kinds]
        lines += [f"-- {what}", *(line for line in outline if line not in last), *gone]
        last = outline
    return lines


def drawn(page, name: str) -> list[str]:
    """The outlines of the lab in some states, and of every beat: its bet's moments, then what its controls can set."""
    one, start = explainers.load(name), explainers.reference(name).STATE
    looks = [(str(different(state, start)), page.evaluate(LAB, state)) for state in lab_states(name)]
    lines = ["## lab", *told_apart(looks)]
    page.evaluate(SET_LAB, start)
    for beat in one.beats:
        here, first = section(page, beat), {**start, **beat.state}
        looks = here.evaluate(MOMENTS) if beat.bet else [("first", here.evaluate(BEAT, first))]
        looks += [(str(more), here.evaluate(BEAT, {**first, **more})) for more in settings(one, beat)[:2]]
        lines += [f"## {beat.name}", *told_apart(looks)]
    return lines


def different(state: dict, start: dict) -> dict:
    return {key: value for key, value in state.items() if value != start[key]}


def done(page, name: str) -> list[str]:
    """What each control of the lab and of every beat does to the state."""
    start = explainers.reference(name).STATE
    lines = ["## the lab's controls", *page.locator("[data-widget]").evaluate(used(OF_LAB), start)]
    for beat in explainers.load(name).beats:
        lines += [f"## {beat.name}", *section(page, beat).evaluate(used(OF_BEAT), {**start, **beat.state})]
    return lines


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


@pytest.fixture(scope="module")
def fresh(browser, learn_url, name):
    """A page with every beat and the lab live that no test but the two below has touched: a click moves marks."""
    with guarded(browser, **WIDE) as page:
        yield tell(page, learn_url, name)


def test_every_number_stands_under_its_words(name, fresh, request):
    """The words round each number of the lab, its path in place of it, are those kept: a right sum, a right label."""
    kept = Path(__file__).parent / "printed" / f"{name}.txt"
    found = "\n".join(fresh.locator("[data-widget] [data-view]").evaluate(PRINTED)) + "\n"
    if request.config.getoption("--update-shots"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(found, "utf-8")
    assert kept.read_text("utf-8") == found


def test_drawings_and_controls_are_as_kept(name, fresh, request):
    """Shapes, places, classes, labels in several states, and what every control does, are those that were kept."""
    fresh.emulate_media(reduced_motion="reduce")
    fresh.evaluate(STILL)
    for state in lab_states(name) if "apart" in explainers.data(name) else ():  # what comes when it is asked for
        fresh.evaluate(SET_LAB, state)
        fresh.evaluate("fetched()")
    found = [*drawn(fresh, name), *done(fresh, name)]
    kept = KEPT / f"{name}.txt"
    if request.config.getoption("--update-shots"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text("\n".join(found) + "\n", "utf-8")
    differ = difflib.unified_diff(kept.read_text("utf-8").split("\n")[:-1], found, "kept", "now", lineterm="", n=0)
    assert list(differ)[:20] == []
