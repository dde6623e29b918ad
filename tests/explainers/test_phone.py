"""Every page on a phone, 390 pixels wide and touched with fingers: labels of bets stay apart, targets are large."""

from __future__ import annotations

import pytest

from cutaway import explainers
from tests.explainers.reader import SETTLED, tell
from tests.guarded import guarded

NAMES = explainers.names()
FINGER = 40  # pixels: the least width and height of what is touched


@pytest.fixture(scope="module")
def phone(browser, learn_url):
    """phone(name, query): the page with every beat and the lab live, on a touch screen 390 pixels wide."""
    with guarded(browser, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as page:
        yield lambda name, query="": tell(page, learn_url, name, query)


@pytest.fixture(scope="module", params=NAMES)
def opened(request, phone):
    """(name, page): each page is opened once for all tests that go over all pages."""
    return request.param, phone(request.param)


# ---------------------------------------------------------------- labels

SMALL = """() => [...document.querySelectorAll("main *")].flatMap((node) => {
  const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
  if (!own || !node.checkVisibility() || !node.getBoundingClientRect().width) return [];
  let size = parseFloat(getComputedStyle(node).fontSize);
  if (node instanceof SVGElement) {
    const { a, b, c, d } = node.getScreenCTM();
    size *= Math.sqrt(Math.abs(a * d - b * c));
  }
  return size < 9.995 ? [`${node.textContent.trim().slice(0, 30)}: ${size.toFixed(2)} px`] : [];
})"""
TABLES = """() => {
  for (const one of document.querySelectorAll("[data-widget] details")) one.open = true;
  const found = [...document.querySelectorAll("[data-widget] .cw-scroll")]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
    .map((one) => `${one.getAttribute("aria-label") ?? one.textContent.slice(0, 30)}: ${one.scrollWidth}`);
  return document.documentElement.scrollWidth > innerWidth ? ["the page", ...found] : found;
}"""


@pytest.mark.turns
def test_no_label_is_smaller_than_ten_pixels(opened):
    """On a phone and at a desk, letters of pages and drawings, at their scale, are ten pixels high or more."""
    _, page = opened
    phone = page.evaluate(SMALL)
    page.set_viewport_size({"width": 1400, "height": 900})
    page.evaluate(SETTLED)
    desk = page.evaluate(SMALL)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(SETTLED)
    assert (phone, desk) == ([], [])


@pytest.mark.turns
def test_tables_of_a_lab_fit_a_phone(opened):
    """No table of a lab is wider than the screen, those that are folded away among them; nor is the page."""
    name, page = opened
    assert page.evaluate(TABLES) == [], name


BETS = """(steps) => [...document.querySelectorAll("section.beat:has(.bet-bar, .bet-line)")].map((section) => {
  const inputs = [...section.querySelectorAll(".bet-input")];
  const [main] = section.querySelectorAll(".bet-buttons button");
  const [tool, values] = [section.querySelector(".bet-area"), Number(inputs[0].max)];
  const labels = () => [...tool.querySelectorAll("text")].filter((t) => t.textContent && t.checkVisibility())
    .map((t) => [t.textContent, t.getBoundingClientRect()]).filter(([, b]) => b.width > 0);
  const crossing = () => {
    const all = labels();
    const found = [];
    all.forEach(([words, a], i) => {
      if (a.left < 0 || a.right > innerWidth) found.push([words, "the edge of the screen"]);
      for (const [other, b] of all.slice(0, i)) {
        const beside = a.left + 1 > b.right || b.left + 1 > a.right;
        const below = a.top + 3 > b.bottom || b.top + 3 > a.bottom;
        if (!beside && !below) found.push([words, other]);
      }
    });
    return found;
  };
  const put = (input, value) => { input.value = value; input.dispatchEvent(new Event("input", { bubbles: true })); };
  const found = [];
  let placed = 0;
  const look = (at, when) => { for (const pair of crossing()) found.push([section.id, at, when, ...pair]); };
  look(-1, "open");
  for (let i = 0; i <= steps; i += 1) {
    const at = Math.round((i * values) / steps);
    put(inputs.at(-1), inputs.length > 1 ? Math.max(at, 1) : at);
    if (inputs.length > 1) put(inputs[0], Math.floor(at / 2));
    look(at, "placed");
    main.click();
    placed += section.dataset.state === "shown";
    look(at, "shown");
    main.click();
  }
  return [placed, found];
})"""


@pytest.mark.turns
def test_labels_of_a_bet_never_lie_on_one_another(opened, verified):
    """Along the whole scale, open, placed, shown, no two texts of a bar or a line meet, and none leaves the screen."""
    steps, (name, page) = 16, opened
    looked = page.evaluate(BETS, steps)
    assert [placed for placed, _ in looked] == [steps + 1] * len(looked)
    wrong = [one for _, found in looked for one in found]
    assert wrong == []
    if looked:
        seen = (steps + 1) * len(looked)
        verified(
            f"{name}: labels of prediction sliders do not overlap on a phone",
            seen,
            len(wrong),
            "bounding boxes of the labels",
        )


def test_a_stack_too_shallow_says_so_where_the_answer_stands(phone):
    """A link to the beat with Mistral's 32 windows prints no 33rd layer."""
    page = phone("masks", "?model=mistralai/Mistral-7B-v0.1#beat-4")
    answer = page.locator("#beat-4 .bet-value")
    assert answer.text_content() == "none of its 32 layers"
    box = answer.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390


# ---------------------------------------------------------------- targets

SMALL = r"""(least) => {
  const size = (node) => node.getBoundingClientRect();
  const all = [...document.querySelectorAll("main :is(button, select, input, summary)")];
  return all.filter((node) => node.checkVisibility()).map((node) => {
    const label = node.closest("label"); // what is touched of a radio or a check box is its label
    const box = size(["radio", "checkbox"].includes(node.type) && label ? label : node);
    const name = node.getAttribute("aria-label") || node.textContent || label?.textContent;
    return [node.localName, name, node.className, Math.round(box.width), Math.round(box.height)];
  }).filter(([, , css, wide, high]) => {
    const narrow = /^(bit|cw-delta-rule-sign)\b/.test(css) ? 24 : least;
    return narrow > wide + 0.5 || least > high + 0.5;
  });
}"""


@pytest.mark.turns
def test_what_is_touched_is_as_large_as_a_finger(opened):
    """On a touch screen every button, field, slider and choice of a page is at least 40 pixels wide and high.

    The bits of a number, and the signs of a vector, stand in a row that must fit: they are high, and 24 pixels wide.
    """
    assert opened[1].evaluate(SMALL, FINGER) == []


# ---------------------------------------------------------------- without scripts

WIDE = """() => ({
  over: document.documentElement.scrollWidth - innerWidth,
  small: [...document.querySelectorAll(".cw-wide text")].filter((t) => t.checkVisibility()).map((t) => {
    const { c, d } = t.getScreenCTM();
    return [t.textContent, parseFloat(getComputedStyle(t).fontSize) * Math.hypot(c, d)];
  }).filter(([, size]) => 10 > size),
  lost: [...document.querySelectorAll(".cw-wide")].filter((box) => box.checkVisibility()).filter((box) => {
    box.scrollLeft = 9999;
    const [outer, inner] = [box, box.firstElementChild].map((one) => one.getBoundingClientRect());
    return box.scrollHeight > box.clientHeight || inner.right > outer.right + 1;
  }).length,
})"""


@pytest.fixture(scope="module")
def still_phone(browser):
    """A page 390 pixels wide that runs no script."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", NAMES)
def test_without_scripts_the_words_of_wide_pictures_keep_their_size(name, still_phone, learn_url):
    """A first picture is not shrunk to the column: its box scrolls to its right end, the page does not."""
    still_phone.goto(f"{learn_url}/learn/{name}/")
    assert still_phone.evaluate(WIDE) == {"over": 0, "small": [], "lost": 0}
