"""The dots of a roofline: inside the chart, on no axis and on no other, wherever their own places are."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from cutaway.app.roofline import section as roofline
from cutaway.app.roofline import words as roofline_words
from cutaway.app.site import Site
from cutaway.app.weigh.words import State

SITE = Site()
STATES = (
    State(8192, 1, "bf16", "h100_sxm", 1),
    State(131072, 64, "bf16", "h100_sxm", 8),
    State(1, 1, "bf16", "l4", 1),
    State(1048576, 512, "fp8", "b200_sxm", 64),
)


def dots(view, state: State, prefill: bool, frame) -> list[tuple[float, float]]:
    """The middles of the dots that a figure draws."""
    drawn = roofline_words.inner(frame, roofline_words.rows(roofline.sheet(view), state, prefill), state)
    return [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.-]+)" cy="([\d.-]+)"', drawn)]


@pytest.mark.parametrize("frame", roofline_words.FRAMES, ids=lambda frame: frame.kind)
def test_no_dot_leaves_the_chart_or_hides_another(frame, verified):
    """Of every catalogued model, at contexts from 1 to 1M tokens, of prompts and of single tokens."""
    checked, wrong = 0, []
    for view in [view for view in SITE.views if view.spec]:
        for state in STATES:
            for prefill in (False, True):
                found = dots(view, state, prefill, frame)
                checked += len(found)
                wrong += [(view.slug, state, one) for one in found if not inside(frame, *one)]
                wrong += [(view.slug, state, *two) for two in combinations(found, 2) if touching(*two)]
        view.lighten()
    assert wrong[:3] == []
    verified(f"dots of rooflines inside their charts, {frame.kind}", checked, len(wrong), "the edges of the chart")


def inside(frame, x: float, y: float) -> bool:
    """With all of its nine pixels around: the ticks stand below the axis, and left of it."""
    left, right = roofline_words.LEFT + 9, frame.width - frame.right
    return left < x <= right and 0 < y < frame.height - roofline_words.BOTTOM - 9


def touching(one: tuple[float, float], two: tuple[float, float]) -> bool:
    return max(abs(one[0] - two[0]), abs(one[1] - two[1])) < 20.7


def test_dots_of_one_place_stand_side_by_side():
    """The nearest room is taken: eight dots of one place lie within a decade, and none above or left of the first."""
    frame, placed = roofline_words.FRAMES[0], []
    for _ in range(8):
        placed.append(roofline_words.free(frame, 150.0, 120.0, placed))
    assert placed[0] == (150, 120)
    assert all(0 <= x - 150 < 50 and 0 <= y - 120 < 70 for x, y in placed)


def test_dots_stop_at_the_axis():
    """Where there is no room below, the next one stands to the right."""
    frame = roofline_words.FRAMES[0]
    foot = frame.height - roofline_words.BOTTOM - roofline_words.EDGE
    first = roofline_words.free(frame, 0.0, 1000.0, [])
    assert first == (roofline_words.LEFT + roofline_words.EDGE, foot)
    assert roofline_words.free(frame, 0.0, 1000.0, [first]) == (first[0] + roofline_words.NEAR, foot)
