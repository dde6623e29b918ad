"""The header of the standalone picture: title, subtitle and key figures."""

from __future__ import annotations

from cutaway.gallery.drawing.arrangements import Arrangement
from cutaway.gallery.drawing.figure import Figure
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import ellipsize, wide, wrap


def put_header(m: Marks, fig: Figure, a: Arrangement, margin: int) -> float:
    """Title, subtitle and key figures; returns where the drawing begins."""
    if a.stacked:
        return _stacked_header(m, fig, a, margin)
    keys = list(fig.keys)
    while True:
        slots = [max(wide(value, "key"), wide(what, "label")) + 20 for value, what in keys]
        if sum(slots) <= a.width * 0.7 or len(keys) < 4:
            break
        keys.pop(-2)
    x = margin + a.width - sum(slots) + 20
    room = x - margin - 30
    style = "title" if wide(fig.title, "title") <= room else "title2"
    m.text(style, margin, 54, ellipsize(fig.title, style, room))
    m.text("subtitle", margin, 79, ellipsize(fig.subtitle, "subtitle", room))
    for (value, what), slot in zip(keys, slots, strict=True):
        m.text("key", x, 50, value)
        m.text("label", x, 70, what)
        x += slot
    m.path("rule", f"M{margin} 98.5h{a.width}")
    return 122


def _stacked_header(m: Marks, fig: Figure, a: Arrangement, margin: int) -> float:
    y = 20
    style = "title" if wide(fig.title, "title") <= a.width else "title2"
    for line in wrap(fig.title, style, a.width)[:3]:
        y += 32
        m.text(style, margin, y, line)
    for line in wrap(fig.subtitle, "subtitle", a.width)[:3]:
        y += 19
        m.text("subtitle", margin, y, line)
    columns = 2 if a.width < 480 else 4
    for i, (value, what) in enumerate(fig.keys):
        if i % columns == 0:
            y += 46
        x = margin + i % columns * (a.width // columns)
        m.text("key", x, y, value)
        m.text("label", x, y + 18, what)
    m.path("rule", f"M{margin} {y + 34.5}h{a.width}")
    return y + 56
