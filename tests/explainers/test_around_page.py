"""The page around the block as a reader meets it: a model's name switches the lab, its card is drawn and steps."""

from __future__ import annotations

import explainers
from tests.explainers.reader import lab, state

reference, data = explainers.reference("around-the-block"), explainers.data("around-the-block")

CARD = """(root) => {
  const all = (css, pick) => [...root.querySelectorAll(`.ab-card ${css}`)].map(pick);
  const boxes = all("> g:nth-of-type(3) > g", (g) => [g.getAttribute("class"), g.textContent]);
  return { boxes, sums: all(".sum", () => 1).length, flows: all(".flow", () => 1).length }; }"""


def test_a_models_name_switches_the_lab_and_layers_are_stepped(learn):
    """On a phone: Gemma 3n's norms, streams and tables; each step prints another layer and moves nothing."""
    go = learn("around-the-block")
    go.page.set_viewport_size({"width": 390, "height": 844})
    page = go("?model=google/gemma-3n-E4B&loops=2")
    own = reference.settle({**reference.STATE, "model": "google/gemma-3n-E4B", "loops": 2}, ["model", "loops"], data)
    assert {key: state(page, key) for key in own} == own
    card = lab(page).evaluate(CARD)
    kinds = [css for css, _ in card["boxes"]]
    assert kinds == ["norm", "mixer", "norm", "norm", "mlp", "norm", "own"]
    assert card["boxes"][1][1] == "attentionQK-norm · cap"
    assert (card["sums"], card["flows"]) == (3, 4)
    seen, tall = [], set()
    for _ in range(3):
        lab(page).get_by_role("button", name="Step forward").click()
        seen.append(lab(page).locator(".ab-card .stream").all_text_contents())
        tall.add(lab(page).evaluate("(root) => root.getBoundingClientRect().height"))
    sizes = reference.compute(own, data)["sizes"]
    assert [(one[0], one[2]) for one in seen] == [(f"{sizes[n]:.2f}", f"{sizes[n + 1]:.2f}") for n in (1, 2, 3)]
    assert len(tall) == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 390
