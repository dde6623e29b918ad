"""An opened mixer or MLP -> its panel: title, flows under each other, what no picture shows as a line of words."""

from __future__ import annotations

from .block import fitted
from .flow import Columns, scale_for
from .items import LINE, Kept, Matrix
from .marks import Marks
from .measure import wide
from .parts import Inside
from .tiers import Tiers
from .words import count

PAD, HEAD = 18, 52


class Panel:
    """One panel of width `w`; its height follows from what it holds."""

    def __init__(self, inside: Inside, w: int) -> None:
        self.inside, self.w = inside, w
        self.room = w - 2 * PAD
        self.tight = w < 480
        self.says = wrapped(inside.says, "says", self.room - (0 if self.tight or not inside.band else inside.band.w + 12))
        self.head = 34 + 17 * len(self.says)
        if inside.band and self.tight:
            self.head += inside.band.h + 8
        self.flows = self._measure() if not inside.experts and not inside.alarm else []
        body = sum(flow.height + (24 if flow.flow.heading else 0) for flow in self.flows) + 14 * max(len(self.flows) - 1, 0)
        if inside.experts:
            body = self._measure_experts()
        self.foot = self._foot()
        self.h = int(self.head + 12 + body + (LINE + 2) * len(self.foot) + (8 if self.foot else 0) + 14 + (40 if inside.alarm else 0))

    def _measure(self) -> list:
        inside = self.inside
        matrices = [matrix for flow in inside.flows for matrix in flow.matrices()]
        sizes = ((62, 46),) if self.tight else ((116, 82), (84, 64), (60, 52))
        for most_wide, most_high in sizes:
            inside.scale = scale_for(matrices, most_wide, most_high)
            if self.tight:
                break
            flows = [Columns(flow, inside.scale, self.room) for flow in inside.flows]
            if all(flow.fits for flow in flows):
                return flows
        out = []
        for flow in inside.flows:
            columns = None if self.tight else Columns(flow, inside.scale, self.room)
            out.append(columns if columns and columns.fits else Tiers(flow, inside.scale, self.room, self.tight))
        return out

    def _measure_experts(self) -> int:
        e = self.inside.experts
        matrices = e.matrices()
        self.inside.scale = scale_for([*matrices, e.router], 62 if self.tight else 76, 50 if self.tight else 64)
        for matrix in matrices:
            matrix.fit(self.inside.scale)
        self.groups = [(heading, group, e.group_size(group)) for heading, group in e.groups]
        side_w = max(max(size[0], wide(heading, "ink")) for heading, _, size in self.groups)
        side_h = sum(size[1] for *_, size in self.groups) + 16 * (len(self.groups) - 1)
        self.beside = not self.tight and self.room - side_w - 40 >= 300
        self.field_room = self.room - side_w - 40 if self.beside else self.room
        self.field_room = min(self.field_room, 500)
        fw, fh = e.field_size(self.field_room)
        self.field_h = fh + 20 + 32 + 20 + 22
        self.side_w, self.side_h = side_w, side_h
        return max(self.field_h, side_h) if self.beside else self.field_h + 12 + side_h

    def _foot(self) -> list[tuple[str, str]]:
        """Lines under the picture: the scale, what is kept (narrow), tensors that no picture shows."""
        out = []
        if self.tight:
            kept = [i for flow in self.flows for i in flow.flow.items() if isinstance(i, Kept) and i.bytes]
            out += [("keptsays", f"cached: {item.text}, {item.bytes}") for item in kept]
        if self.inside.chips:
            out += [("small", line) for line in wrapped("also " + " · ".join(self.inside.chips), "small", self.room - 120 * (not self.tight))]
        return out

    def put(self, m: Marks, x: float, y: float) -> None:
        inside, self.x, self.y = self.inside, x, y
        m.rect(("panel " if not inside.alarm else "alarm ") + inside.role, x, y, self.w, self.h, 12)
        m.text("head", x + PAD, y + 29, fitted(inside.title, "head", self.room))
        for i, line in enumerate(self.says):
            m.text("says", x + PAD, y + 50 + 17 * i, line)
        if inside.band:
            inside.band.put(m, x + self.w - PAD if not self.tight else x + PAD + inside.band.w, y + (14 if not self.tight else self.head - inside.band.h))
        at = y + self.head + 12
        if inside.alarm:
            m.text("ink", x + PAD, at + 14, fitted(inside.alarm, "ink", self.room))
        if inside.experts:
            self._put_experts(m, x + PAD, at)
        for flow in self.flows:
            if flow.flow.heading:
                m.text("smallx " + inside.role, x + PAD, at + 12, flow.flow.heading)
                at += 24
            flow.put(m, x + PAD, at, self.room)
            at += flow.height + 14
        self._put_foot(m, x, y)

    def _put_foot(self, m: Marks, x: float, y: float) -> None:
        at = y + self.h - 14 - (LINE + 2) * len(self.foot) + 11
        for style, line in self.foot:
            m.text(style, x + PAD, at, line)
            at += LINE + 2
        if not self.tight and (self.inside.flows or self.inside.experts):
            self._put_scale(m, x + self.w - PAD, y + self.h - 14)

    def _put_scale(self, m: Marks, right: float, bottom: float) -> None:
        """A square of a round number of parameters, at the panel's own scale."""
        if not self._has_matrices():
            return
        for number in (m * 10**e for e in range(3, 12) for m in (1, 2, 5)):
            side = number**0.5 * self.inside.scale
            if side >= 7:
                break
        words = f"{count(number).replace('.00', '').replace('.0', '')} parameters"
        m.text("small end", right, bottom, words)
        m.rect("box " + self.inside.role, right - wide(words, "small") - side - 5, bottom - 4 - side / 2, side, side, 1)

    def _has_matrices(self) -> bool:
        return bool(self.inside.experts) or any(isinstance(item, Matrix) for flow in self.flows for item in flow.flow.items())

    def _put_experts(self, m: Marks, x: float, y: float) -> None:
        e = self.inside.experts
        fw, fh = e.field_size(self.field_room)
        free = self.room - fw - (self.side_w if self.beside else 0)
        left = x + (free / 3 if self.beside else free / 2)
        left = round(left)
        e.put_field(m, left, y, self.field_room)
        middle = round(left + fw / 2)
        m.edge(middle, y + fh + 20, middle, y + fh + 2, tip="up")
        e.put_router(m, middle, y + fh + 20, self.inside.scale)
        m.middle("label", middle, y + fh + 64, e.router_says())
        at_x = round(left + fw + free / 3) if self.beside else x
        at = y if self.beside else y + self.field_h + 12
        for heading, group, size in self.groups:
            e.put_group(m, at_x, at, heading, group)
            at += size[1] + 16


def wrapped(words: str, style: str, room: float) -> list[str]:
    """Words in lines of at most `room`; breaks at spaces, before a "·" if one is near."""
    if not words:
        return []
    lines, line = [], ""
    for word in words.split(" "):
        longer = f"{line} {word}" if line else word
        if line and wide(longer, style) > room:
            lines.append(line.removesuffix(" ·"))
            line = word if word != "·" else ""
        else:
            line = longer
    return [*lines, fitted(line, style, room)] if line else lines
