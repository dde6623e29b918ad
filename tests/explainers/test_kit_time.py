"""Time in a widget: what is said of a step stands once, bound, and moves nothing."""

from cutaway import explainers
from tests import bundled

MAKE = """([short, long]) => {
  const { kit } = loaded;
  const el = document.body.appendChild(kit.h("div", { class: "cw", style: { width: "200px" } }));
  const words = kit.steadyText({ class: "mine" });
  const time = kit.makeTransport({ label: "steps", length: 2, format: (t) => `step ${t + 1} of 3`,
    print: (node, t) => kit.fill(node, "step {step} of {steps}", { step: t + 1, steps: 3 }),
    onFrame: (t) => words.update([short, long, short], t) });
  words.update([short, long, short], 0);
  el.append(words.el, time.el); }"""


def test_words_of_a_step_stand_once_and_move_nothing(blank):
    """Stepping from a short sentence to a long one, the play button stays; the step is named alike to eye and ear."""
    page = blank(bundled.kit())
    page.add_style_tag(content=explainers.tokens() + (explainers.HERE / "kit.css").read_text("utf-8"))
    page.evaluate(MAKE, ["Short.", "A sentence so long that it takes three lines or more in a narrow column. " * 2])
    play, slider = page.get_by_role("button", name="Play"), page.get_by_role("slider", name="steps")
    before = play.bounding_box()["y"]
    page.get_by_role("button", name="Step forward").click()
    assert play.bounding_box()["y"] == before
    assert page.locator(".mine .on").inner_text().startswith("A sentence")
    assert page.locator(".mine").aria_snapshot().count("Short") == 0
    assert page.locator("output").inner_text() == slider.get_attribute("aria-valuetext") == "step 2 of 3"
    assert page.locator("output [data-out]").all_inner_texts() == ["2", "3"]
