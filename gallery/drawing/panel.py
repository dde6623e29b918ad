"""An opened mixer or MLP -> its panel: title, flows under each other, what no picture shows as a line of words."""

from __future__ import annotations

from cutaway.gallery.drawing.dataflow import Flow, scale_for
from cutaway.gallery.drawing.experts import Experts
from cutaway.gallery.drawing.folded import Fold
from cutaway.gallery.drawing.head_items import CacheBox
from cutaway.gallery.drawing.items import LINE, Matrix
from cutaway.gallery.drawing.lanes_narrow import LanesNarrow
from cutaway.gallery.drawing.lanes_wide import LanesWide
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import ellipsize, wide, wrap
from cutaway.gallery.drawing.panel_content import PanelContent
from cutaway.gallery.drawing.words import count
from cutaway.gallery.graph import Node

PAD = 18
TRIES = (
    (116, 82, 0, True),
    (84, 64, 0, True),
    (84, 64, 0, False),
    (70, 56, 24, False),
    (56, 46, 15, False),
    (42, 38, 15, False),
)  # widest, highest, lean, notes
LAST_LEAN = TRIES[-1][2]  # after the last try, what still does not fit is put in tiers


class Panel:
    """One panel of width `w`; its height follows from what it holds. With `like`, another panel shows its wiring, and a
    line of words stands in place of its picture."""

    def __init__(self, content: PanelContent, w: int, like: Fold | None = None) -> None:
        self.content, self.w, self.like = content, w, like
        self.room = w - 2 * PAD
        self.tight = w < 480
        for i, flow in enumerate(content.flows):
            flow.op.fit()
            if i and self.tight and not content.experts:
                flow.op.shrink()
        beside = 0 if self.tight or not content.band else content.band.w + 12
        self.says = wrap(like.says if like else content.says, "says", self.room - beside)
        self.title = wrap(content.title, "head", self.room - (0 if self.tight else beside + 130))[:2]
        self.head = 14 + 20 * len(self.title) + 17 * len(self.says)
        if content.band and self.tight:
            self.head += content.band.h + 8
        self.line = wrap(like.words, "says", self.room) if like else []
        self.drawn = list(like.flows) if like else content.flows
        self.flows = self._measure() if (like or not content.experts) and not content.alarm else []
        self.rows = self._rows()
        body: float = sum(self._row_height(row) for row in self.rows) + 14 * max(len(self.rows) - 1, 0)
        if like:
            body += 17 * len(self.line) + (4 if self.flows else -12)
        elif content.experts:
            body = self._measure_experts(content.experts)
        self.foot = self._foot()
        lines = len(self.foot)
        self.h = int(
            self.head + 12 + body + (LINE + 2) * lines + (8 if lines else 0) + 14 + (30 if content.alarm else 0)
        )

    def _measure(self) -> list:
        content = self.content
        matrices = [matrix for flow in self.drawn for matrix in flow.matrices()]
        for most_wide, most_high, lean, notes in () if self.tight else TRIES[-1:] if self.like else TRIES:
            content.scale = scale_for(matrices, most_wide, most_high)
            half = (self.room - 10) // 2  # the flows under the first one try to share rows
            flows = []
            for i, flow in enumerate(self.drawn):
                flows.append(LanesWide(flow, content.scale, self.room, lean, notes, wish=half if i else 0))
                if not flows[-1].fits and lean != LAST_LEAN:
                    break
            if all(flow.fits for flow in flows):
                return flows
        if self.tight:
            content.scale = scale_for(matrices, 62, 46)
            return [LanesNarrow(flow, content.scale, self.room) for flow in self.drawn]
        return [c if c.fits else LanesNarrow(c.flow, content.scale, self.room, False) for c in flows]

    def _rows(self) -> list[list]:
        """Flows that fit beside each other share a row; the first has its own."""
        rows: list[list] = []
        for flow in self.flows:
            row = rows[-1] if len(rows) > 1 else []
            if row and sum(f.width for f in row) + flow.width + 10 * len(row) <= self.room:
                row.append(flow)
            else:
                rows.append([flow])
        return rows

    @staticmethod
    def _row_height(row: list) -> int:
        return max(flow.height + (24 if flow.flow.heading else 0) for flow in row)

    def _measure_experts(self, e: Experts) -> float:
        """The way through the experts on the left, opened experts beside it or below."""
        matrices = e.matrices()
        e.GAP = 8 if self.tight else 10 if self.w < 800 else 18
        self.content.scale = scale_for(matrices, 62 if self.tight else 76, 50 if self.tight else 64)
        for matrix in matrices:
            matrix.fit(self.content.scale)
        said = [(wrap(heading, "ink", self.room), group) for heading, group in e.groups]
        self.groups = [(lines, group, e.group_size(group, len(lines))) for lines, group in said]
        wides = [max(size[0], *(wide(line, "ink") for line in lines)) for lines, _, size in self.groups]
        self.side_w, in_row = max(wides), sum(wides) + 30 * (len(wides) - 1)
        self.beside = not self.tight and self.room - self.side_w - 24 >= 440
        avail = int(self.room - self.side_w - 24) if self.beside else int(self.room)
        self.flows = [self._through(self.content.flows[0], avail)]
        self.level = not self.beside and in_row <= self.room
        heights = [size[1] for *_, size in self.groups]
        self.side_h = max(heights) if self.level else sum(heights) + 16 * (len(heights) - 1)
        high = self.flows[0].height
        return max(high, self.side_h) if self.beside else high + 12 + self.side_h

    def _through(self, flow: Flow, avail: int) -> LanesWide | LanesNarrow:
        """Router, field and what is added to it, with as wide a field as fits."""
        for less in (100, 140, 180, 220, 260) if not self.tight else ():
            flow.op.most(avail - less)  # type: ignore[attr-defined]
            found = LanesWide(flow, self.content.scale, avail)
            if found.fits:
                return found
        return LanesNarrow(flow, self.content.scale, avail, self.tight)

    def _foot(self) -> list[tuple[str, str]]:
        """Lines under the picture: the scale, what is kept (narrow), tensors that no picture shows."""
        out = []
        if self.tight:
            out += [("keptsays", line) for line in self._cache_words()]
        if self.content.chips:
            out += [("small", line) for line in wrap("also " + " · ".join(self.content.chips), "small", self.room)]
        return out

    def _cache_words(self) -> list[str]:
        """What narrow flows leave out beside their yellow boxes: k 8 × 128, v 8 × 128: 4,096 B per token."""
        lines, names = [], []
        for item in (i for flow in self.flows for i in flow.flow.items() if isinstance(i, CacheBox)):
            names.append(item.text)
            if item.bytes:
                lines += wrap(f"cached: {', '.join(names)}: {item.bytes}", "keptsays", self.room)
                names = []
        return lines

    def put(self, m: Marks, x: float, y: float) -> None:
        content, self.x, self.y = self.content, x, y
        m.part(content.where, (x, y, x + self.w, y + self.h))
        m.rect(("panel " if not content.alarm else "alarm ") + content.role, x, y, self.w, self.h, 12)
        for i, line in enumerate(self.title):
            m.text("head", x + PAD, y + 29 + 20 * i, line)
        for i, line in enumerate(self.says):
            m.text("says", x + PAD, y + 30 + 20 * len(self.title) + 17 * i, line)
        if content.band:
            content.band.put(
                m,
                x + self.w - PAD if not self.tight else x + PAD + content.band.w,
                y + (14 if not self.tight else self.head - content.band.h),
            )
        at = y + self.head + 12
        if content.graph:
            m.scope(content.where, content.wires())
        self._body(m, x, at)
        if content.graph:
            m.leave()
        self._put_foot(m, x, y)
        if not self.tight and (self.flows or content.experts) and not (self.like and not self.flows):
            self._put_scale(m, x + self.w - PAD - (content.band.w + 18 if content.band else 0), y + 28)
        m.close()

    def _body(self, m: Marks, x: float, at: float) -> None:
        """The picture under the words."""
        content = self.content
        if content.alarm:
            m.text("ink", x + PAD, at + 14, ellipsize(content.alarm, "ink", self.room))
        if self.line:
            told = self._told()
            m.open("", [node.name for node in told])
            m.open("", self._reads(told) if self.flows else (), refer=True)
            for line in self.line:
                m.text("says", x + PAD, at + 4, line)
                at += 17
            m.close()
            m.close()
            at += 4
        elif content.experts:
            self._put_experts(content.experts, m, x + PAD, at)
        for row in self.rows:
            spare = (self.room - sum(flow.width for flow in row)) / len(row)
            left = x + PAD
            for flow in row:
                if flow.flow.heading:
                    m.text("smallx " + content.role, round(left), at + 12, flow.flow.heading)
                flow.put(m, left, at + (24 if flow.flow.heading else 0), int(flow.width + spare))
                left += flow.width + spare
            at += self._row_height(row) + 14

    def _told(self) -> list[Node]:
        """The nodes that the line of a folded panel stands for: all but those of the flows that are drawn."""
        drawn = {name for flow in self.drawn for item in flow.items() for name in item.nodes}
        drawn |= {name for flow in self.drawn for name in flow.op.nodes}
        return [node for node in self.content.graph.nodes if node.name not in drawn] if self.content.graph else []

    @staticmethod
    def _reads(told: list[Node]) -> tuple[str, ...]:
        """What these nodes read of others."""
        own = {node.name for node in told}
        return tuple(dict.fromkeys(value for node in told for value in node.inputs if value not in own))

    def _put_foot(self, m: Marks, x: float, y: float) -> None:
        at = y + self.h - 14 - (LINE + 2) * len(self.foot) + 11
        for style, line in self.foot:
            m.text(style, x + PAD, at, line)
            at += LINE + 2

    def _put_scale(self, m: Marks, right: float, bottom: float) -> None:
        """A square of a round number of parameters, at the panel's own scale."""
        if not self._has_matrices():
            return
        for number in (m * 10**e for e in range(3, 12) for m in (1, 2, 5)):
            side = number**0.5 * self.content.scale
            if side >= 7:
                break
        words = f"{count(number).replace('.00', '').replace('.0', '')} parameters"
        m.text("small end", right - side - 6, bottom, words)
        m.rect("box " + self.content.role, right - side, bottom - 4 - side / 2, side, side, 1)

    def _has_matrices(self) -> bool:
        return bool(self.content.experts) or any(
            isinstance(item, Matrix) for flow in self.content.flows for item in flow.items()
        )

    def _put_experts(self, e: Experts, m: Marks, x: float, y: float) -> None:
        flow = self.flows[0]
        avail = int(self.room - self.side_w - 24) if self.beside else int(self.room)
        flow.put(m, x, y + (max(0, self.side_h - flow.height) / 2 if self.beside else 0), avail)
        at_x = round(x + self.room - self.side_w) if self.beside else x
        at = y if self.beside else y + flow.height + 12
        for heading, group, size in self.groups:
            e.put_group(m, at_x, at, heading, group)
            if self.level:
                at_x += max(size[0], *(wide(line, "ink") for line in heading)) + 30
            else:
                at += size[1] + 16
