"""Models -> a poster of towers to one scale: a layer is equally high in all, 1,024 of hidden_size equally wide.

The sheet has the proportions of ISO A2; families stand together. Colours are literal in a file, classes in a page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from cutaway.gallery.cached import Same
from cutaway.gallery.drawing.marks_svg import classes_of, escape, literals_of, tokens
from cutaway.gallery.drawing.pictures import role_of
from cutaway.gallery.drawing.words import count
from cutaway.gallery.spec import ModelSpec

WIDTH, HEIGHT = 1684, 1191  # A2 across, in points: 594 x 420 mm
MARGIN, HEAD = 36, 74
LAYER, THOUSAND = 1.6, 5.0  # at scale 1: height of a layer, width of 1,024 numbers of the residual stream
MOST_SCALE = 11.0
NAME, GAP, FAMILY_GAP, ROW_GAP, FAMILY = 14, 5, 16, 14, 18  # a name's column, and spaces; the line of a family's name
LETTER, BOLD_LETTER = 6.1, 7.6  # of a name of 11 units, of a family's
ROLES = (
    ("full", "full attention"), ("window", "sliding window"), ("latent", "latent attention"),
    ("sparse", "sparse attention"), ("linear", "linear attention"), ("ssm", "state space"), ("dense", "dense MLP"),
    ("moe", "mixture of experts"),
)  # fmt: skip

Look = Callable[[str], str]


class Entry(NamedTuple):
    """A model on the sheet; `says` is its tooltip."""

    slug: str
    title: str
    family: str
    says: str
    spec: ModelSpec


def entry_of(slug: str, title: str, family: str, spec: ModelSpec, parameters: int) -> Entry:
    """A model whose tip says how many parameters it has."""
    return Entry(slug, title, family, f"{count(parameters)} parameters", spec)


class Spot(NamedTuple):
    """Where an entry's tower stands: its left bottom corner; `family` where the family's name stands above it."""

    entry: Entry
    x: float
    y: float
    wide: float
    high: float
    family: str


class Sheet(NamedTuple):
    """Spots on a sheet of A2's proportions; many models make it wider than WIDTH, so that letters print smaller."""

    scale: float
    spots: list[Spot]
    width: float
    filled: float  # of its height

    @property
    def height(self) -> float:
        return self.width * HEIGHT / WIDTH


def poster(entries: Iterable[Entry], dark: bool = False) -> str:
    """Models on a sheet, as a standalone SVG of A2."""
    return sheet_svg(lay_out(list(entries)), dark)


def sheet_svg(sheet: Sheet, dark: bool = False) -> str:
    """A sheet as a standalone SVG of A2."""
    look, colours = literals_of(dark), tokens(dark)
    box = f"{sheet.width:.1f} {sheet.height:.1f}"
    faces = escape(colours["sans"].replace('"', "'"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {box}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="{faces}" role="img"><title>{title_of(sheet)}</title><desc>{scale_of(sheet)}</desc>'
        f'<rect width="100%" height="100%" fill="{colours["paper"]}"/>{head(sheet, look)}'
        f"{''.join(tower(spot, look, sheet.scale) for spot in sheet.spots)}</svg>\n"
    )


def poster_in_page(sheet: Sheet, url: Callable[[str], str]) -> str:
    """A sheet for a page that loads figure.css: each tower leads to its model's page."""
    towers = "".join(
        f'<a href="{escape(url(spot.entry.slug))}">{tower(spot, classes_of, sheet.scale)}</a>' for spot in sheet.spots
    )
    box = f"{sheet.width:.1f} {sheet.height:.1f}"
    return (
        f'<svg class="cf" viewBox="0 0 {box}" role="group" aria-label="{title_of(sheet)}. '
        f'{scale_of(sheet)}">{head(sheet, classes_of)}{towers}</svg>'
    )


def title_of(sheet: Sheet) -> str:
    many = len(sheet.spots)
    return f"{many} open-weight language model{'s' * (many != 1)} to scale"


def scale_of(sheet: Sheet) -> str:
    """The scale in millimetres of a printed A2 sheet."""
    millimetre = 594 / sheet.width * sheet.scale
    return (
        f"Printed on A2, a layer is {LAYER * millimetre:.2f} mm high, and a width of 1,024 (hidden_size) is "
        f"{THOUSAND * millimetre:.1f} mm. Left half of a tower: mixers; right half: MLPs and experts."
    )


# ---------------------------------------------------------------- layout


def lay_out(entries: list[Entry]) -> Sheet:
    """The largest scale at which all towers fit, on the smallest sheet that holds them at scale 1; families with the
    most models first, each by its order."""
    counts = Counter(entry.family for entry in entries)
    ordered = sorted(entries, key=lambda entry: (-counts[entry.family], entry.family))
    width = float(WIDTH)
    while not fits(ordered, 1, width):
        width *= 1.05
    low, high = 1.0, MOST_SCALE
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(ordered, middle, width) else (low, middle)
    return flow(ordered, low, width)


def rows_of(entries: list[Entry], scale: float, width: float) -> Iterator[tuple[float, list[tuple]]]:
    """(height, its towers: entry, x, width, height, its family's name where that stands above it) of each row.

    A row is as high as its highest tower or longest name.
    """
    right, row, x, highest = width - MARGIN, list[tuple](), float(MARGIN), 0.0
    across, down = THOUSAND * scale, LAYER * scale
    for family, members in groupby(entries, key=attrgetter("family")):
        words, begun, named = BOLD_LETTER * len(family), x, family
        for entry in members:
            spec, wide = entry.spec, across * entry.spec.hidden_size / 1024
            taken = NAME + wide
            if row and x + (words if named and words > taken else taken) > right:
                yield highest, row
                row, x, begun, highest, named = [], float(MARGIN), float(MARGIN), 0.0, family
            high, letters = down * spec.num_hidden_layers, LETTER * len(entry.title)
            highest = max(highest, high, letters)
            row.append((entry, x + NAME, wide, high, named))
            named = ""
            x += taken + GAP
        x = max(x, begun + words) + FAMILY_GAP
    yield highest, row


def fits(entries: list[Entry], scale: float, width: float) -> bool:
    """Whether all towers stand within the margins of a sheet."""
    filled, reach = float(HEAD), 0.0
    for high, row in rows_of(entries, scale, width):
        filled += FAMILY + high
        filled += ROW_GAP
        reach = max(reach, *(x + wide for _, x, wide, _, _ in row)) if row else reach
    return filled - ROW_GAP <= width * HEIGHT / WIDTH - MARGIN and reach <= width - MARGIN


def flow(entries: list[Entry], scale: float, width: float) -> Sheet:
    """Towers in rows at a scale."""
    y, spots = float(HEAD), []
    for highest, row in rows_of(entries, scale, width):
        y += FAMILY + highest
        spots += [Spot(entry, x, y, wide, high, family) for entry, x, wide, high, family in row]
        y += ROW_GAP
    return Sheet(scale, spots, width, y - ROW_GAP)


# ---------------------------------------------------------------- marks


def head(sheet: Sheet, look: Look) -> str:
    """Title, scale, legend, and each family's name above its first tower in a row."""
    out = (
        f'<text{look("title2")} x="{MARGIN}" y="{MARGIN + 8}">{title_of(sheet)}</text>'
        f'<text{look("subtitle")} x="{MARGIN}" y="{MARGIN + 28}">{scale_of(sheet)}</text>'
    )
    tops: dict[float, float] = {}
    for spot in sheet.spots:
        tops[spot.y] = max(tops.get(spot.y, 0), spot.high, LETTER * len(spot.entry.title))
    for spot in sheet.spots:
        if spot.family:
            place = f'x="{spot.x - NAME:.1f}" y="{spot.y - tops[spot.y] - 5:.1f}"'
            out += f"<text{look('name')} {place}>{escape(spot.family)}</text>"
    return out + legend(look, sheet.width)


def legend(look: Look, width: float) -> str:
    """The legend of the colours, in a line that ends at the right margin."""
    out, x = "", width - MARGIN
    for role, words in reversed(ROLES):
        x -= LETTER * len(words) + 24
        out += f'<rect{look(f"solid {role}")} x="{x:.1f}" y="{MARGIN - 2}" width="10" height="10"/>'
        out += f'<text{look("small")} x="{x + 15:.1f}" y="{MARGIN + 7}">{words}</text>'
    return out


def tower(spot: Spot, look: Look, scale: float) -> str:
    """A model: its name, turned by 90 degrees, beside two columns with a rectangle for each run of equal layers."""
    sides = columns(Same(spot.entry.spec), spot.wide, LAYER * scale)
    paths = "".join(f'<path{look(f"solid {role}")} d="{d}"/>' for role, d in sides)
    title, says = escape(spot.entry.title), escape(spot.entry.says)
    return (
        f'<g transform="translate({spot.x:.1f} {spot.y:.1f})"><title>{title}: {says}</title>{paths}'
        f'<text{look("small")} transform="rotate(-90)" y="-3">{title}</text></g>'
    )


@lru_cache(4096)  # the sheets of a page and of its files, and of a catalogue in which one model has changed
def columns(same: Same, wide: float, pitch: float) -> tuple[tuple[str, str], ...]:
    """(role, its path) of both columns of a tower; a layer is `pitch` high."""
    half, paths = wide / 2 - 0.3, list[tuple[str, str]]()
    for side, runs in enumerate(sides_of(same)):
        found: dict[str, str] = {}
        for role, start, many in runs:
            x, y = side * (half + 0.6), -start * pitch
            found[role] = found.get(role, "") + f"M{x:.4g} {y:.5g}h{half:.4g}v-{many * pitch:.4g}h-{half:.4g}z"
        paths += [(role, d) for role, d in found.items() if role]
    return tuple(paths)


@lru_cache(4096)
def sides_of(same: Same) -> tuple[tuple[tuple[str, int, int], ...], ...]:
    """The runs of the mixers' roles, and those of the MLPs'."""
    roles = ((role_of(layer.mixer), role_of(layer.mlp)) for layer in same.spec.layers)
    return tuple(tuple(runs_of(side)) for side in zip(*roles, strict=True))


def runs_of(roles: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """(role, first layer, how many layers) of each run of one role."""
    start = 0
    for role, same in groupby(roles):
        many = len(list(same))
        yield role, start, many
        start += many
