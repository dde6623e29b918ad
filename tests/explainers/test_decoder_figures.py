"""explainers/decoder: its figures as their JavaScript draws them, and its goals."""

import re
from itertools import pairwise

import pytest

from tests import bundled
from tests.explainers.decoder_states import at, data, decoder, mixers

AFTER = {"mqa": (576, 24), "mla": (576, 29), "full8": (256, 4), "delta8": (256, 4)}  # else (576, 6)


DRAW = """([figure, state, data]) => ["shown", "open"].map((bet) => {
  const root = document.body.appendChild(document.createElement("div"));
  loaded.beats.figures[figure](root, { data, onSet() {} }).update(state, loaded.compute(state, data), { bet });
  root.remove();
  return root.innerHTML; })"""


@pytest.fixture
def figure(blank):
    """figure("chart", m="window"): a beat's figure as its JavaScript draws it, answered and while the bet is open."""

    def drawn(which: str, **state) -> list[str]:
        return blank(bundled.explainer("decoder")).evaluate(DRAW, [which, {**decoder.STATE, **state}, data])

    return drawn


@pytest.mark.parametrize("name", mixers.KINDS)
def test_a_cell_is_drawn_for_every_number_that_is_kept(name, figure):
    """A state beside the first tokens that keep as much, and two to come, nothing on anything; of an open bet, one."""
    now = at(m=name)
    meets, (fixed, after) = now["meets"], AFTER.get(name, (576, 6))
    shown, opened = (re.findall(r' d="([^"]+)"', html) for html in figure("price", m=name))
    state, kept, later = shown
    wide = [[int(many) for many in re.findall(r"h(\d+)", path)] for path in (state, kept, later)]
    assert (sum(wide[0]), wide[1:]) == (fixed, [[meets["row"]] * after, [meets["row"]] * 2])
    assert after * meets["row"] >= fixed > (after - 1) * meets["row"]
    lines = [(float(y), int(x), int(x) + meets["row"]) for x, y in re.findall(r"M(\d+) ([\d.]+)", kept + later)]
    assert all(one[0] < two[0] or one[2] < two[1] for one, two in pairwise(sorted(lines)))
    assert max(end for _, _, end in lines) <= 96 and max(y for y, _, _ in lines) <= 12.5
    assert opened == [state, f"M0 0.5h{meets['row']}"]


def test_the_chart_stands_between_its_lines(figure):
    """All right is on the upper line, none on the lower; below stand tokens back; of an open bet only the near dots."""
    shown, opened = figure("chart", m="window")
    lines = re.findall(r'y1="(\d+)"[^>]*><text x="0"|y1="(\d+)"', shown)
    assert sorted(int(one or other) for one, other in lines) == [16, 91, 166]
    ticks = re.findall(r'x="([\d.]+)%" y="186"[^>]*>(\d+)<', shown)
    assert ticks == [("8.000", "2"), ("35.391", "23"), ("66.696", "47"), ("98.000", "71")]
    rows = {row["name"]: row["said"] for row in data["mixers"]}
    for css, name, near in (("full", "full", 24), ("window own", "window", 8)):
        dots = [re.findall(rf'class="{css}" cx="[\d.]+%" cy="([\d.]+)"', html) for html in (shown, opened)]
        assert [float(y) for y in dots[0]] == [pytest.approx(16 + 150 * (1 - share), abs=0.006) for share in rows[name]]
        assert dots[1] == dots[0][:near]


MISSED = [
    ("far_right", {}, "Choose the 24-token window"),
    ("far_right", {"m": "window", "u": 0}, "Put the cursor on a read."),
    ("far_right", {"m": "window"}, "E was written 26 tokens back and last seen 26 back: not far enough."),
    ("far_right", {"m": "window", "x": ".".join(["e5"] + ["a1"] * 22 + ["e"]), "u": 23}, "the window answers"),
    ("old_value", {}, "Choose linear or delta."),
    ("old_value", {"m": "delta", "x": "e5.e", "u": 0}, "Put the cursor on a read."),
    ("old_value", {"m": "linear"}, "14 operations are too many"),
    ("old_value", {"m": "linear", "x": "e5.e", "u": 1}, "Linear answers 5, delta 5; the right answer is 5."),
]


@pytest.mark.parametrize(("goal", "changes", "says"), MISSED)
def test_a_goal_that_is_missed_says_why(goal, changes, says, of_beats):
    """Near misses are named."""
    (made,) = of_beats("decoder", "goals", goal, [{**decoder.STATE, **changes}])
    assert (made["reached"], says in made["says"]) == (False, True), made
