"""Pages in beats on paper, in forced colours and at twice the size: nothing vanishes, nothing is cut."""

from __future__ import annotations

import pytest

PRINTED = """() => [...document.querySelectorAll("section.beat")].map((s) => {
  const shows = (e) => e.checkVisibility() && e.getBoundingClientRect().height > 20;
  const seen = (css) => [...s.querySelectorAll(css)].some(shows);
  return { n: s.id, figure: !s.querySelector(".beat-figure") || seen(".beat-still"), live: seen(".beat-live"),
    before: seen(".beat-before"), caption: !s.querySelector(".beat-caption") || seen(".beat-caption"),
    answer: !s.dataset.bet || seen(".bet-says"), exact: getComputedStyle(s.querySelector("h2")).printColorAdjust };
})"""
BARE = """() => [...document.querySelectorAll(".beat-controls input[type=range], .cw-legend i")]
  .filter((e) => e.checkVisibility())
  .filter((e) => (e.tagName === "INPUT" ? getComputedStyle(e).appearance === "none"
    : getComputedStyle(e).forcedColorAdjust !== "none")).map((e) => e.outerHTML.slice(0, 80))"""


@pytest.mark.turns
@pytest.mark.spoils
@pytest.mark.whole
def test_paper_forced_colours_and_zoom(name, live):
    """Printed: answered figure, caption and answer, once. Forced colours: sliders and swatches stay. 200 %: no bar."""
    page = live(name)
    page.emulate_media(media="print")
    good = {"figure": True, "live": False, "before": False, "caption": True, "answer": True, "exact": "exact"}
    assert [beat for beat in page.evaluate(PRINTED) if {k: beat[k] for k in good} != good] == []
    page.emulate_media(media="screen", forced_colors="active")
    page.evaluate("for (const b of document.querySelectorAll('.beat-after .beat-link')) b.click()")
    assert page.evaluate(BARE) == []
    page.emulate_media(forced_colors="none")
    page.set_viewport_size({"width": 700, "height": 450})  # 1400 x 900 at 200 %
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.close()  # its figures were drawn for other widths
