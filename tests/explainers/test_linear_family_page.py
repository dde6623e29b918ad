"""The linear-family page as a reader meets it: rows, heat maps and dots where the reference puts them, formulas."""

from __future__ import annotations

import pytest
from pytest import approx

from cutaway import explainers
from tests.explainers.reader import assert_narrow_and_accessible, lab, posed, state

reference, data = explainers.reference("linear-family"), explainers.data("linear-family")


@pytest.fixture
def family(learn):
    """Open the page at a state; its lab is ready."""
    return learn("linear-family")


DRAWN = """(root) => ({
  names: [...root.querySelectorAll(".cw-linear-family-rows tbody th")].map((e) => e.textContent),
  states: [...root.querySelectorAll(".cw-linear-family-rows .cw-linear-family-state")].map((svg) =>
    [...svg.querySelectorAll("rect:not(.frame)")].map((e) =>
      Number(e.getAttribute("fill-opacity")) * (e.getAttribute("class") === "neg" ? -1 : 1))),
  gates: [...root.querySelectorAll(".cw-linear-family-rows .cw-linear-family-gate")].map((svg) =>
    [...svg.querySelectorAll("rect")].map((e) => Number(e.getAttribute("height")) / 16)),
  errors: [...root.querySelectorAll(".cw-linear-family-error rect")].map((e) => parseFloat(e.getAttribute("width"))),
  dots: [...root.querySelectorAll(".retnet circle")].map((e) => parseFloat(e.getAttribute("cx"))),
  stream: [...root.querySelectorAll(".cw-linear-family-stream li")].map((e) => e.textContent).join(""),
  on: root.querySelector(".cw-linear-family-stream .on").textContent,
  math: [...root.querySelectorAll("math")].map((e) => e.textContent),
})"""


def test_the_rows_are_the_references(family):
    """Sorted by error, every state, gate and error is drawn as the reference has it; the formula holds the gate."""
    given = {"task": "keep", "step": 9, "decay": 0.9, "shut": 0.1, "sort": "error", "rule": "kda", "seed": 7}
    now = reference.compute({**reference.STATE, **given}, data)
    drawn = lab(family("?" + "&".join(f"{key}={value}" for key, value in given.items()))).evaluate(DRAWN)
    listed = [now["rules"][i] for i in now["order"]]
    assert drawn["names"] == [one["label"] for one in listed]
    most = max(1, *(abs(x) for one in listed for row in one["state"] for x in row))
    for cells, one in zip(drawn["states"], listed, strict=True):
        assert cells == approx([x / most for row in one["state"] for x in row], abs=0.001)
    assert drawn["errors"] == approx([100 * min(1, one["error"]) for one in listed], abs=0.01)
    gated = [one["alphas"] for one in listed if one["name"] not in ("linear", "deltanet")]
    assert [row for gate in drawn["gates"] for row in gate] == approx([a for row in gated for a in row], abs=0.001)
    assert (drawn["stream"], drawn["on"]) == ("ABCDEFGH–EF", "–")
    assert "0.9  0.9  0.9  0.9  0.1  0.1  0.1  0.1" in drawn["math"][1]
    assert drawn["dots"] == sorted(drawn["dots"])
    assert len(drawn["dots"]) == 8


def test_steps_and_choices_change_the_address(family):
    """A row, a task, an order, keys and sliders stand in the address; a step forward reads one more token."""
    page = family("?step=4")
    lab(page).get_by_role("radio", name="GLA", exact=True).check()
    assert state(page, "rule") == "gla"
    lab(page).get_by_role("button", name="Step forward").click()
    assert state(page, "step") == 5
    for group, value, key in (("keys", "random", "keys"), ("order", "mean", "sort"), ("task", "forget", "task")):
        lab(page).get_by_role("group", name=group, exact=True).locator(f"input[value='{value}']").press(" ")
        assert state(page, key) == value
    for label, key, value in (("decay α of a write", "decay", 0.96), ("separators", "pause", 2), ("seed", "seed", 2),
                              ("α of a separator", "shut", 0.01), ("write strength β", "beta", 0.99)):  # fmt: skip
        press = "ArrowLeft" if key == "beta" else "ArrowRight"
        lab(page).get_by_role("slider", name=label, exact=True).press(press)
        assert state(page, key) == value


def test_narrow_and_accessible(family):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(
        family, "linear-family", "?task=keep&rule=rwkv7", "?task=forget&keys=random&rule=mlstm"
    )


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(family, shot, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(family, width, scheme, "?task=keep&step=9&decay=1&rule=kda")
    shot(page.locator(".learn-card"), f"linear-family-{width}-{scheme}")
