"""The dots of a roofline: inside the chart, on no axis and on no other, wherever their own places are."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from cutaway.app.roofline import section as roofline
from cutaway.app.weigh.words import State
from tests import noded
from tests.one_site import SITE

FRAMES = {"narrow": (380, 300, 20), "middle": (700, 360, 24)}  # width, height, right: of roofline-figure.js
LEFT, BOTTOM, EDGE, NEAR = 60, 44, 11, 21
STATES = (
    State(8192, 1, "bf16", "h100_sxm", 1),
    State(131072, 64, "bf16", "h100_sxm", 8),
    State(1, 1, "bf16", "l4", 1),
    State(1048576, 512, "fp8", "b200_sxm", 64),
)


def drawn(states: list[tuple[dict, dict]]) -> list[dict[str, str]]:
    """The figure of each width, of models' data at some states."""
    found = noded.called("roofline.js", "rows", [[data, state] for data, state in states])
    asked = [[rows, *one] for rows, one in zip(found, states, strict=True)]
    each = {kind: noded.called("roofline-figure.js", "inner", [[frame, *one] for one in asked])
            for kind, frame in FRAMES.items()}  # fmt: skip
    return [dict(zip(each, one, strict=True)) for one in zip(*each.values(), strict=True)]


@pytest.mark.whole
def test_no_dot_leaves_the_chart_or_hides_another(verified):
    """Of every catalogued model, at contexts from 1 to 1M tokens, of prompts and of single tokens."""
    asked = []
    for view in [view for view in SITE.views if view.spec]:
        data = roofline.numbers(roofline.sheet(view))
        asked += [(data, {**state._asdict(), "job": job}) for state in STATES for job in ("decode", "prefill")]
        view.lighten()
    checked, wrong = 0, []
    for (_, state), figures in zip(asked, drawn(asked), strict=True):
        for kind, figure in figures.items():
            found = [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.-]+)" cy="([\d.-]+)"', figure)]
            checked += len(found)
            wrong += [(kind, state, one) for one in found if not inside(FRAMES[kind], *one)]
            wrong += [(kind, state, *two) for two in combinations(found, 2) if touching(*two)]
    assert wrong[:3] == [] and checked > 10_000
    verified("dots inside the roofline charts", checked, len(wrong), "the edges of each chart")


def inside(frame: tuple[int, int, int], x: float, y: float) -> bool:
    """With all of its nine pixels around: the ticks stand below the axis, and left of it."""
    width, height, right = frame
    return LEFT + 9 < x <= width - right and 0 < y < height - BOTTOM - 9


def touching(one: tuple[float, float], two: tuple[float, float]) -> bool:
    return max(abs(one[0] - two[0]), abs(one[1] - two[1])) < 20.7


def free(x: float, y: float, placed: list[tuple[float, float]]) -> tuple[float, float]:
    (found,) = noded.called("roofline-figure.js", "free", [[FRAMES["narrow"], x, y, placed]])
    return tuple(found)


@pytest.mark.whole
def test_dots_of_one_place_stand_side_by_side():
    """The nearest room is taken: eight dots of one place lie within a decade, and none above or left of the first."""
    placed = []
    for _ in range(8):
        placed.append(free(150, 120, placed))
    assert placed[0] == (150, 120) and len(set(placed)) == 8
    assert all(0 <= x - 150 < 50 and 0 <= y - 120 < 70 for x, y in placed)


def test_dots_stop_at_the_axis():
    """Where there is no room below, the next one stands to the right."""
    foot = FRAMES["narrow"][1] - BOTTOM - EDGE
    first = free(0, 1000, [])
    assert first == (LEFT + EDGE, foot)
    assert free(0, 1000, [first]) == (first[0] + NEAR, foot)
