"""A placed drawing -> sentences about what is wrong with it: words on words, words out of their box, crossing lines."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from cutaway.gallery.drawing.marks import text_box

BOXES = {"box", "solid", "strong", "pill", "norm", "keep", "card", "panel", "alarm", "ghost"}
SLACK = 1.5  # px by which two boxes may touch


def texts(marks) -> list[tuple[tuple, str]]:
    return [(text_box(mark), mark[4]) for mark in marks if mark[0] == "text"]


def rects(marks) -> list[tuple[float, float, float, float]]:
    """Boxes that words may stand in, as (left, top, right, bottom)."""
    found = [m for m in marks if m[0] == "rect" and m[1].split()[0] in BOXES and m[4] > 20 and m[5] > 12]
    return [(m[2], m[3], m[2] + m[4], m[3] + m[5]) for m in found]


def segments(marks) -> list[tuple[float, float, float, float]]:
    out = []
    for mark in marks:
        if mark[0] == "edge":
            p = mark[1]
            out += [(p[i], p[i + 1], p[i + 2], p[i + 3]) for i in range(0, len(p) - 2, 2)]
    return out


def overlaps(a: tuple, b: tuple, slack: float = SLACK) -> bool:
    return a[0] < b[2] - slack and b[0] < a[2] - slack and a[1] < b[3] - slack and b[1] < a[3] - slack


def inside(a: tuple, b: tuple, slack: float = SLACK) -> bool:
    return a[0] >= b[0] - slack and a[2] <= b[2] + slack and a[1] >= b[1] - slack and a[3] <= b[3] + slack


def words_on_words(marks) -> list[str]:
    found = sorted(texts(marks), key=lambda t: t[0][1])
    out = []
    for i, (box, words) in enumerate(found):
        for other, more in found[i + 1 :]:
            if other[1] > box[3]:
                break
            if overlaps(box, other):
                out.append(f"{words!r} lies on {more!r}")
    return out


def words_out_of_box(marks, width: float, height: float) -> list[str]:
    """Words belong to the smallest box around their middle, or to the page."""
    homes = sorted([*rects(marks), (0, 0, width, height)], key=lambda b: (b[2] - b[0]) * (b[3] - b[1]))
    said, boxes = texts(marks), columns(homes)
    if not said:
        return []
    left, top, right, bottom = columns([box for box, _ in said])[:, :, None]
    x, y = (left + right) / 2, (top + bottom) / 2
    around = (boxes[0] <= x) & (x <= boxes[2]) & (boxes[1] <= y) & (y <= boxes[3])
    at = around.argmax(1)  # the first, and so the smallest
    found = zip(said, around.any(1), at, strict=True)
    return [f"{words!r} leaves its box" for (box, words), some, i in found if not (some and inside(box, homes[i]))]


def columns(boxes) -> np.ndarray:
    """Lefts, tops, rights and bottoms of boxes, or the four numbers of lines: [4, many]."""
    return np.array(boxes, float).reshape(-1, 4).T


def spans(lines: np.ndarray, wider: float) -> np.ndarray:
    """The boxes around lines, with a margin."""
    x, y = np.sort(lines[[0, 2]], 0), np.sort(lines[[1, 3]], 0)
    return np.stack([x[0] - wider, y[0] - wider, x[1] + wider, y[1] + wider])


def meeting(a: np.ndarray, b: np.ndarray, slack: float) -> list[tuple[int, int]]:
    """Which boxes of one list overlap which of another."""
    a = a[:, :, None]
    both = (a[0] < b[2] - slack) & (b[0] < a[2] - slack) & (a[1] < b[3] - slack) & (b[1] < a[3] - slack)
    return [(int(i), int(j)) for i, j in np.argwhere(both)]


def words_on_lines(marks) -> list[str]:
    said, lines = texts(marks), spans(columns(segments(marks)), 0.7)
    return [f"a line runs through {said[j][1]!r}" for _, j in meeting(lines, columns([box for box, _ in said]), 1.2)]


def lines_crossing(marks) -> list[str]:
    """Pairs of a level and an upright line that pass through each other; meeting at an end is no crossing."""
    x0, y0, x1, y1 = lines = columns(segments(marks))
    left, top, right, bottom = spans(lines, -2)
    level, upright = np.flatnonzero(y0 == y1), np.flatnonzero(x0 == x1)
    through = (left[level, None] < x0[upright]) & (x0[upright] < right[level, None])
    through &= (top[upright] < y0[level, None]) & (y0[level, None] < bottom[upright])
    return [f"lines cross at {x0[upright[j]]:g}, {y0[level[i]]:g}" for i, j in np.argwhere(through)]


def lines_through_boxes(marks) -> list[str]:
    """Lines that run through a box of the picture; cards and panels hold lines, other boxes do not."""
    solid = {"box", "solid", "strong", "pill", "norm", "keep"}
    boxes = [m for m in marks if m[0] == "rect" and m[1].split()[0] in solid and m[4] > 12 and m[5] > 8]
    lines = spans(columns(segments(marks)), 0.1)
    found = meeting(lines, columns([(m[2], m[3], m[2] + m[4], m[3] + m[5]) for m in boxes]), 0.1)
    return [
        f"a line runs through the {m[1]} box at {m[2]:g}, {m[3]:g}"
        for line, m in ((lines[:, i], boxes[j]) for i, j in found)
        if _cuts(line, m)
    ]


def _cuts(line: tuple, m: tuple) -> bool:
    """Whether more than an arrowhead's length of the line lies inside."""
    w = min(line[2], m[2] + m[4]) - max(line[0], m[2])
    h = min(line[3], m[3] + m[5]) - max(line[1], m[3])
    return max(w, h) > 5


def polygons(marks) -> list[list[tuple[float, float]]]:
    """The fans as lists of corners."""
    out = []
    for mark in marks:
        if mark[0] == "path" and mark[1].startswith("fan "):
            corners, x, y = [], 0.0, 0.0
            for step in mark[2].replace("z", "").replace("L", " L").replace("V", " V").replace("M", " M").split(" "):
                if not step:
                    continue
                if step[0] == "V":
                    y = float(step[1:])
                    corners.append((x, y))
                elif step[0] in "ML":
                    x = float(step[1:])
                else:
                    y = float(step)
                    corners.append((x, y))
            out.append(corners)
    return out


def fans_crossing(marks) -> list[str]:
    out = []
    for i, (a, b) in enumerate(combinations(polygons(marks), 2)):
        for p in zip(a, a[1:] + a[:1], strict=True):
            for q in zip(b, b[1:] + b[:1], strict=True):
                if _cross(*p, *q):
                    out.append(f"fans cross (pair {i})")
    return out


def _cross(a, b, c, d) -> bool:
    def turn(p, q, r):
        value = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        return 0 if abs(value) < 40 else 1 if value > 0 else -1

    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0


CHECKS = (words_on_words, words_on_lines, lines_crossing, lines_through_boxes, fans_crossing)


def faults(page) -> list[str]:
    """Everything wrong with a placed page."""
    out = [fault for check in CHECKS for fault in check(page.marks)]
    return out + words_out_of_box(page.marks, page.width, page.height)
