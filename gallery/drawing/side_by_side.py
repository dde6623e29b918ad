"""Two to six models -> one picture of their comparison: a column each, with its tower, its blocks and what differs.

Towers share one scale of depth; a ring marks layers of another kind than A has at that depth. Of two models, discs join
a block, a tower and the rows of the table, which say what each difference costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from cutaway.gallery.comparing.attribution import HEADS
from cutaway.gallery.comparing.comparison import Comparison, Row
from cutaway.gallery.comparing.differences import brief, compare_specs, figures, heads, verdict
from cutaway.gallery.comparing.model_fields import ROPE_BASE, fields_of, say_rope_bases
from cutaway.gallery.comparing.text.number import say_change, scaled_bytes, scaled_count
from cutaway.gallery.drawing.callouts import RADIUS, Callout
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.marks_svg import body, callout_mark, literals_of
from cutaway.gallery.drawing.measure import ellipsize, size_of, wrap
from cutaway.gallery.drawing.mini_block import HIGH, WIDE, draw_blocks, kinds_of
from cutaway.gallery.drawing.svg import as_file
from cutaway.gallery.drawing.tower import draw_slabs, slabs_of
from cutaway.gallery.joined import join_words
from cutaway.gallery.spec import ModelSpec

LETTERS = "ABCDEF"
MARGIN, LABELS, GAP = 28, 210, 14
COLUMN, NARROW = 250, 172  # of two or three models, and of more
COSTS, COST = ("parameters", "active", "cache per token"), 108  # of two models; each column's width
TALL, MOST_PITCH = 300, 7  # of the tallest tower; of a layer
HALF, SUM = 21, 44  # of a tower
LINE = 16


class Line(NamedTuple):
    """A line of the table: what it is about, a value for each model, and the costs of two."""

    what: str
    values: tuple[str, ...]
    costs: tuple[str, ...] = ()
    number: int = 0
    head: bool = False


class Sheet:
    """The picture while it is drawn, from the top; `y` is where the next thing stands."""

    def __init__(self, models: Sequence[tuple[str, ModelSpec]], dark: bool) -> None:
        self.models, self.look = models, literals_of(dark)
        (_, first), *others = models
        self.found = [compare_specs(first, spec) for _, spec in others]
        self.two = self.found[0] if len(others) == 1 else None
        self.column = COLUMN if len(models) < 4 else NARROW
        self.width = 2 * MARGIN + LABELS + len(models) * (self.column + GAP) + (len(COSTS) * COST if self.two else 0)
        self.marks, self.inside, self.y = Marks(), "", float(MARGIN)
        self.discs: list[Callout] = []

    def left(self, at: int) -> int:
        """Where the column of a model begins."""
        return MARGIN + LABELS + at * (self.column + GAP)

    def lines(self, style: str, x: float, words: str, room: float) -> None:
        """Words in lines, and below them the next thing."""
        for line in wrap(words, style, room):
            self.marks.text(style, x, self.y + size_of(style), line)
            self.y += size_of(style) * 1.35


def draw_comparison(models: Sequence[tuple[str, ModelSpec]], dark: bool = False) -> str:
    """(title, spec) of two to six models -> a standalone SVG."""
    sheet = Sheet(models, dark)
    told = sentences(sheet)
    for line in told:
        sheet.lines("head", MARGIN, line, sheet.width - 2 * MARGIN)
    sheet.y += GAP
    put_models(sheet)
    put_table(sheet)
    inside = (
        body(sheet.marks, sheet.look) + sheet.inside + "".join(callout_mark(one, sheet.look) for one in sheet.discs)
    )
    name = join_words([title for title, _ in models])
    return as_file(inside, (round(sheet.width), round(sheet.y + MARGIN)), name, " ".join(told), dark)


def sentences(sheet: Sheet) -> list[str]:
    """The verdict of two; of more, a line on each beside the first."""
    (name, first), *others = sheet.models
    if sheet.two:
        ((other, spec),) = others
        return [verdict(first, spec, (name, other), sheet.two).text]
    pairs = zip(others, sheet.found, strict=True)
    return [f"Next to {name}, {brief(first, spec, other, found)}." for (other, spec), found in pairs]


# ---------------------------------------------------------------- towers and blocks


def put_models(sheet: Sheet) -> None:
    """Names, towers on one scale, and a block of each of the first kinds of layers."""
    deepest = max(len(spec.layers) for _, spec in sheet.models)
    pitch = min(MOST_PITCH, TALL / deepest)
    top = sheet.y + 2 * LINE + GAP
    ground = top + max(deepest * pitch, HIGH)
    for at, (title, spec) in enumerate(sheet.models):
        x, high = sheet.left(at), len(spec.layers) * pitch
        name = ellipsize(f"{LETTERS[at]}  {title}", "name", sheet.column)
        sheet.marks.text("name", x, sheet.y + LINE, name)
        sheet.marks.text("label", x, sheet.y + 2 * LINE, f"{len(spec.layers)} layers of {spec.hidden_size:,}")
        draw_slabs(sheet.marks, slabs_of(spec), x, ground - high, high, half=HALF, thin=True)
        for start, many in unlike(sheet.models[0][1], spec) if at else ():
            sheet.marks.rect("halo", x - 3, ground - (start + many) * pitch - 1, SUM + 5, many * pitch + 2, 3)
        blocks = Marks()
        draw_blocks(blocks, kinds_of(spec))
        place = f"translate({x + SUM + GAP:g} {ground - HIGH:g})"
        sheet.inside += f'<g transform="{place}">{body(blocks, sheet.look)}</g>'
        if at and sheet.two:
            put_discs(sheet, sheet.two, middles(blocks), ground)
    sheet.y = ground + 2 * GAP


def unlike(a: ModelSpec, b: ModelSpec) -> list[tuple[int, int]]:
    """(first layer, how many) of each run of layers whose halves look otherwise than A's at the same depth."""
    mine, theirs = slabs_of(a).roles, slabs_of(b).roles
    found: list[tuple[int, int]] = []
    step = slabs_of(b).per_slab
    for at, roles in enumerate(theirs):
        if at < len(mine) and mine[at] == roles:
            continue
        start, many = found[-1] if found else (-2, 0)
        if start + many == at * step:
            found[-1] = (start, many + step)
        else:
            found.append((at * step, step))
    return [(start, min(many, len(b.layers) - start)) for start, many in found]


def middles(blocks: Marks) -> dict[str, float]:
    """How far below the top of the blocks their first mixer and their first MLP stand; norms above both."""
    found: dict[str, float] = {"norm": -RADIUS - 3}
    for mark in blocks:
        if mark[0] == "rect" and mark[1].startswith("strong "):
            half = "mlp" if mark[1].split()[1] in ("moe", "dense") else "mixer"
            found.setdefault(half, mark[3] + mark[5] / 2)
    return found


def put_discs(sheet: Sheet, found: Comparison, places: dict[str, float], ground: float) -> None:
    """Numbers of the table's rows at B: of a mixer, an MLP and norms beside its block, of the rest below its tower."""
    x, used = sheet.left(1), Counter[str]()
    for row in found.rows:
        if row.number:
            place = row.place if row.place in places else "tower"
            step = used[place] * (2 * RADIUS + 3)
            across, down = x + SUM + GAP + WIDE + RADIUS + 5 + step, ground - HIGH + places.get(place, 0)
            spot = (x + RADIUS + step, ground + RADIUS + 5) if place == "tower" else (across, down)
            sheet.discs.append(Callout(row.number, *spot, row.what, ""))
            used[place] += 1


# ---------------------------------------------------------------- the table


def put_table(sheet: Sheet) -> None:
    """The figures, then what differs, part by part, and how to read it."""
    put_line(sheet, Line("", (), COSTS if sheet.two else (), head=True))
    for line in figure_lines(sheet):
        put_line(sheet, line)
    for part in HEADS:
        found = differing_lines(sheet, part)
        for line in [head_line(sheet, part), *found] if found else ():
            put_line(sheet, line)
    sheet.y += GAP
    costs = " Costs are B's minus A's; cache in 16 bits." if sheet.two else ""
    keys = "".join(f" {name} is read from its config keys alone." for name, spec in sheet.models if spec.read_from_keys)
    says = f"A ring: layers of another kind than A has at that depth. “=”: as in A.{costs}{keys}"
    sheet.lines("small", MARGIN, says, sheet.width - 2 * MARGIN)


def head_line(sheet: Sheet, part: str) -> Line:
    """The name of a part; of more than two models what each has there, too."""
    held = () if sheet.two else tuple(heads(spec, spec)[part] or "none" for _, spec in sheet.models)
    return Line(HEADS[part], as_in_first(held), head=True)


def as_in_first(values: Sequence[str]) -> tuple[str, ...]:
    """Each value, or "=" where it is the first one's."""
    return tuple("=" if at and value == values[0] else value for at, value in enumerate(values))


def figure_lines(sheet: Sheet) -> list[Line]:
    """Parameters, active ones, layers, context, cache, weights."""
    (_, first), *others = sheet.models
    columns = [figures(first, spec) for _, spec in others]
    return [
        Line(same[0].what, as_in_first((same[0].a, *(one.b for one in same)))) for same in zip(*columns, strict=True)
    ]


def differing_lines(sheet: Sheet, part: str) -> list[Line]:
    """What differs in a part: of two, with its costs; of more, every field that any has otherwise than A."""
    if sheet.two:
        return [of_row(row) for row in sheet.two.rows if row.part == part]
    held: dict[str, dict[int, str]] = {}
    for at, (_, spec) in enumerate(sheet.models):
        for where, what, _, text in fields_of(spec):
            if where == part:
                said = say_rope_bases(spec) if what == ROPE_BASE else text
                held.setdefault(what, {}).setdefault(at, said)
    columns = range(len(sheet.models))
    rows = {what: as_in_first([values.get(at) or "none" for at in columns]) for what, values in held.items()}
    return [Line(what, values) for what, values in rows.items() if any(one != "=" for one in values[1:])]


def of_row(row: Row) -> Line:
    """A difference of two, with what it costs."""
    counts = [say_change(many, scaled_count(abs(many))) if many else "" for many in (row.parameters, row.active)]
    cache = say_change(row.cache, scaled_bytes(abs(row.cache))) if row.cache else ""
    return Line(row.what, (row.a or "none", row.b or "none"), (*counts, cache), row.number)


def put_line(sheet: Sheet, line: Line) -> None:
    """One line, as high as its longest cell."""
    style, top = "name" if line.head else "ink", sheet.y
    if line.head:
        sheet.marks.path("rule", f"M{MARGIN} {top + 5:g}H{sheet.width - MARGIN:g}")
        top += 8
    indent = 26 if line.number else 0
    cells = [(MARGIN + indent, line.what, style, LABELS - GAP - indent)]
    for at, value in enumerate(line.values):
        face = "label" if value == "=" or line.head else "name" if at else style
        cells.append((sheet.left(at), value, face, sheet.column))
    if line.number:
        sheet.discs.append(Callout(line.number, MARGIN + RADIUS, top + LINE - 5, line.what, ""))
    rows = 1
    for x, words, face, room in cells:
        told = wrap(words, face, room)
        rows = max(rows, len(told))
        for at, one in enumerate(told):
            sheet.marks.text(face, x, top + (at + 1) * LINE, one)
    for at, words in enumerate(line.costs):
        right = sheet.left(len(sheet.models)) + (at + 1) * COST - GAP
        sheet.marks.text(f"{'label' if line.head else 'mono'} end", right, top + LINE, words)
    sheet.y = top + rows * LINE + 4
