"""The sparse page as a reader meets it: bars, strips and shares as the reference has them, choices, narrow, dark."""

from __future__ import annotations

import re

import pytest

from cutaway import explainers
from tests.explainers.reader import assert_narrow_and_accessible, lab, posed, state

reference, data = explainers.reference("sparse"), explainers.data("sparse")


@pytest.fixture
def sparse(learn):
    """Open the page at a state; its lab is ready."""
    return learn("sparse")


DRAWN = """(root) => ({
  bars: root.querySelector(".cw-sparse-weights .bar").getAttribute("d"),
  marks: [...root.querySelectorAll(".cw-sparse-weights .mark")].map((e) => parseFloat(e.getAttribute("x"))),
  strips: [...root.querySelectorAll(".cw-sparse-strips li")].map((li) => ({
    kind: li.className,
    soft: li.querySelector(".soft").getAttribute("d"),
    read: [...li.querySelectorAll(".read")].map((e) => [Number(e.getAttribute("fill-opacity")), e.getAttribute("d")]),
  })),
  costs: [...root.querySelectorAll(".cw-sparse-costs > g > g")].map((g) =>
    [...g.querySelectorAll("rect")].map((e) => [parseFloat(e.getAttribute("x")), parseFloat(e.getAttribute("width"))])),
})"""


def cells(path: str | None) -> dict[int, float]:
    """Place -> height of the cells of a path."""
    found = re.findall(r"M([\d.]+) 1v-([\d.]+)h", path or "")
    return {int(float(x)): float(tall) for x, tall in found}


def test_the_drawings_are_the_references(sparse):
    """Every weight has its bar, every token read its cell, pale where only some heads read it; shares add up."""
    given = {"text": "heads", "method": "moba", "block": 4, "seed": 7, "needle": 20, "tokens": 65536}
    now = reference.compute({**reference.STATE, **given}, data)
    drawn = lab(sparse("?" + "&".join(f"{key}={value}" for key, value in given.items()))).evaluate(DRAWN)
    most = max(now["weights"])
    assert cells(drawn["bars"]) == pytest.approx({j: w / most for j, w in enumerate(now["weights"])}, abs=1e-3)
    assert drawn["marks"] == pytest.approx([100 * (place + 0.5) / 128 for place in now["needles"]], abs=0.01)
    for strip, row, method in zip(drawn["strips"], now["rows"], data["methods"], strict=True):
        assert strip["kind"] == method["kind"]
        assert set(cells(strip["soft"])) == {j for j, many in enumerate(row["cells"]) if many < 0}, row["key"]
        for heads, (pale, path) in enumerate(strip["read"], start=1):
            assert pale == pytest.approx(0.25 + 0.75 * heads / 4, abs=0.01)
            assert set(cells(path)) == {j for j, many in enumerate(row["cells"]) if many == heads}, row["key"]
    assert {2, 3} & {many for row in now["rows"] for many in row["cells"]}
    for (whole, index, read), one in zip(drawn["costs"], now["models"], strict=True):
        most = max(one["dense"], one["reads"])
        assert whole == pytest.approx([0, 100 * one["dense"] / most], abs=0.01)
        assert index == pytest.approx([0, 100 * one["index"] / most], abs=0.01)
        assert read == pytest.approx([index[1], 100 * (one["reads"] - one["index"]) / most], abs=0.01)


def test_every_control_sets_its_own_key(sparse):
    """Selects, sliders and segments stand in the address; a method is chosen by its name, and says how it chooses."""
    page = sparse("?needle=60")
    lab(page).get_by_label("text", exact=True).select_option("spread")
    lab(page).get_by_label("model", exact=True).select_option("zai-org/GLM-5.2")
    assert (state(page, "text"), state(page, "model")) == ("spread", "zai-org/GLM-5.2")
    assert lab(page).locator("text").get_by_text("no needle", exact=True).count() == 1
    lab(page).get_by_label("text", exact=True).select_option("needle")
    assert lab(page).get_by_text("▲ needle: token 60").count() == 1
    for name, key, after in (
        ("needle at token", "needle", 61),
        ("seed", "seed", 2),
        ("context of the costs, tokens", "tokens", 2**18),
    ):
        lab(page).get_by_role("slider", name=name, exact=True).press("ArrowRight")
        assert state(page, key) == after
    for group, key, value in (("tokens to read", "budget", 64), ("block size", "block", 4)):
        lab(page).get_by_role("group", name=group).get_by_role("radio", name=str(value), exact=True).check()
        assert state(page, key) == value
    lab(page).get_by_role("button", name="MoBA").click()
    assert state(page, "method") == "moba"
    assert lab(page).get_by_role("button", name="MoBA").get_attribute("aria-pressed") == "true"
    assert lab(page).get_by_text("Each head reads the blocks whose mean key").is_visible()


def test_an_open_bet_hides_what_is_read(sparse):
    """Before the bet on blocks is shown, no cell of a strip is drawn; after it, some are."""
    page = sparse()
    beat = page.locator("#beat-3")
    beat.scroll_into_view_if_needed()
    beat.and_(page.locator("[data-live]")).wait_for()
    drawn = "(beat) => [...beat.querySelectorAll('.beat-live .read')].filter((e) => e.getAttribute('d')).length"
    assert beat.evaluate(drawn) == 0
    beat.get_by_role("button", name="skip the bet").click()
    assert beat.evaluate(drawn) > 0


def test_narrow_and_accessible(sparse):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(
        sparse, "sparse", "?text=heads&method=csa", "?text=real&budget=64", "?tokens=1&model=MiniMaxAI/MiniMax-M3"
    )


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(sparse, shot, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(sparse, width, scheme, "?text=heads&method=moba&block=4&seed=7")
    shot(page.locator(".learn-card"), f"sparse-{width}-{scheme}")
