"""A placed drawing and numbered mechanisms -> the lit arrangement: the parts of the drawing that show what is new.

It is the fourth arrangement beside wide, middle and narrow, and reuses their shapes. The panel with most numbered
mechanisms is shown in full, or as much of it as fits; further panels are below it if they fit, and the rest are tiles
cut out of panels, cards or the tower. Numbered mechanisms are at full strength (lit), all else is dimmed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from cutaway.gallery.comparing.mechanisms import BY_KEY
from cutaway.gallery.drawing.callouts import Numbered, Placed
from cutaway.gallery.drawing.layer_kinds import picture_key
from cutaway.gallery.drawing.lit_cuts import (
    EDGE,
    GAP,
    HEAD,
    LEAST,
    SCALES,
    SPACES,
    Cut,
    Space,
    Tile,
    from_start,
    kept,
    scale_of,
    stretch,
    tidy,
    window,
)
from cutaway.gallery.drawing.lit_discs import Lit, put_numbers
from cutaway.gallery.drawing.lit_spots import Part, Spot, join_boxes, parts_of, spots_of
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import ellipsize, wide
from cutaway.gallery.sublayers import parts_of as halves_of

FIRST, OTHER, FOREMOST = 4, 1, 3  # weights of numbers in the choice of the main panel; number 1 adds FOREMOST
WHOLE = 0.8  # the least scale at which a panel is still shown in full
ABBREVIATED = (
    ("grouped-query attention", "GQA"), ("multi-head attention", "MHA"), ("multi-query attention", "MQA"),
    ("multi-head latent attention", "MLA"), ("compressed sparse attention", "CSA"),
    ("heavily compressed attention", "HCA"), ("mixture of experts", "MoE"),
    ("sliding window", "window"),
)  # fmt: skip
TALLER = 1.5  # times its height, a tile where there is room


def arrange(placed: Placed, marks: Marks, layout: str, numbered: Iterable[Numbered]) -> Lit:
    """What is new in a drawing, with its numbers; for a model with nothing new, its mixer and its MLP."""
    space, parts = SPACES[layout], parts_of(placed, marks)
    spots = [spots_of(placed, parts, one) for one in numbered]
    lit = Lit(space.width)
    if not placed.panels:
        return lit
    every = [spot for some in spots for spot in some]
    main = main_part(placed, parts, every)
    mine = [spot for spot in every if spot.part is main]
    tiles = tiles_of(spots, main, [], space)
    cut = cut_main(main, mine, space, tiles)
    for _ in spots:  # what the main panel has no room for takes room from it as a tile
        missed = [spot for spot in mine if not any(map(cut.holds, spot.boxes))]
        tiles = tiles_of(spots, main, missed, space)
        space = SPACES[layout].with_rows(-(-len(tiles) // space.across))
        cut = cut_main(main, mine, space, tiles)
    put_main(lit, cut)
    tiles = put_panels(lit, tiles, space)
    put_tiles(lit, tiles, space)
    if not tiles:
        put_companion(lit, placed, parts, space, bool(spots))
    put_numbers(lit, every)
    return lit


# ---------------------------------------------------------------- the panel that carries most


def main_part(placed: Placed, parts: dict[str, Part], spots: list[Spot]) -> Part:
    """The panel with most of what is new; if no panel has any, the mixer of most layers."""
    weights: dict[str, float] = {}
    for spot in spots:
        if spot.part.panel and not spot.part.panel.like:
            weight = (FIRST if spot.one.kind == "first" else OTHER) + (FOREMOST if spot.one.number == 1 else 0)
            weights[spot.part.name] = weights.get(spot.part.name, 0) + weight
    if weights:
        return parts[max(weights, key=weights.__getitem__)]
    return parts[usual_panel(placed)]


def usual_panel(placed: Placed, mixer: bool = True) -> str:
    """The mixer of most layers, or their MLP, where one is opened in full."""
    opened = {picture_key(part): content.where for part, content in placed.fig.panels}
    full = {panel.content.where for panel in placed.panels if not panel.like}
    layers: Counter[str] = Counter()
    for layer, indices in placed.fig.tallies:
        for half in halves_of(layer.mixer if mixer else layer.mlp):
            if (where := opened.get(picture_key(half))) in full:
                layers[where] += len(indices)
    return layers.most_common(1)[0][0] if layers else placed.panels[0].content.where


def cut_main(part: Part, spots: list[Spot], space: Space, tiles: list[Tile]) -> Cut:
    """The whole panel if it fits, scaled down a little if need be; else the stretch of it with most numbers."""
    room = max(LEAST, space.height - -(-len(tiles) // space.across) * (space.tile + GAP))
    dim = bool(spots)
    if part.h * WHOLE <= room:
        scale = min(1.0, room / part.h)
        return Cut(part, part.box, (space.width - space.width * scale) / 2, 0, scale, dim)
    left, top, right, _ = part.box
    boxes = [box for spot in spots for box in spot.boxes] or [(left, top + part.head, right, top + part.head)]
    cuts = [Cut(part, stretch(part, box, room - HEAD - EDGE), 0, HEAD, 1, dim) for box in boxes]

    def shown(cut: Cut) -> tuple[int, int, int]:
        """(numbers, numbers at their first box, lit boxes) in a cut."""
        many = [sum(map(cut.holds, spot.boxes)) for spot in spots]
        return sum(map(bool, many)), sum(cut.holds(spot.boxes[0]) for spot in spots), sum(many)

    best = max(cuts, key=shown)
    held = [box for box in boxes if best.holds(box)]
    _, top, _, bottom = tidy(best.source, kept(held or boxes, best.source), part)
    return best._replace(source=(left, top, right, bottom))


def put_main(lit: Lit, cut: Cut) -> None:
    """The main panel; a stretch of it has a frame and a title of its own."""
    lit.cuts.append(cut)
    lit.height = cut.y + cut.size[1] + (EDGE if cut.y else 0)
    if cut.y:
        put_frame(lit, cut.part, cut.part.title, 0, 0, lit.width, lit.height)


def put_frame(lit: Lit, part: Part, title: str, x: float, y: float, w: float, h: float, style: str = "head") -> None:
    """A frame with a title for what is cut out of a part."""
    lit.frames.rect(part.style, x, y, w, h, 12)
    lit.frames.text(style, x + 14, y + 21, shortened(title, style, w - 26))


def shortened(title: str, style: str, room: float) -> str:
    """A title by its abbreviation where it has too little room; cut off only where that is too long, too."""
    for words, letters in ABBREVIATED:
        if wide(title, style) > room:
            title = re.sub(words, letters, title, flags=re.IGNORECASE)
    return ellipsize(title, style, room)


# ---------------------------------------------------------------- further panels, and tiles


def tiles_of(spots: list[list[Spot]], main: Part, missed: list[Spot], space: Space) -> list[Tile]:
    """Tiles for what the main panel does not show; numbers near each other on one part share a tile."""
    tiles: list[Tile] = []
    for some in spots:
        here = [spot for spot in some if spot.part is main]
        if here and not all(spot in missed for spot in here):
            continue
        choice = [spot for spot in some if spot.part is not main] or some
        homes = ((tile, spot) for tile in tiles for spot in choice)
        home, spot = next((pair for pair in homes if is_near(*pair, space)), ([], choice[0]))
        home.append(spot)
        if len(home) == 1:
            tiles.append(home)
    order = list(dict.fromkeys(tile[0].part.name for tile in tiles))
    return sorted(tiles, key=lambda tile: order.index(tile[0].part.name))


def is_near(tile: Tile, spot: Spot, space: Space) -> bool:
    """Whether a number fits into a tile: on its part, at one of its boxes or near them."""
    if tile[0].part is not spot.part:
        return False
    return spot.boxes[0] in [one.boxes[0] for one in tile] or scale_of([*tile, spot], space.least) > 0


def put_panels(lit: Lit, tiles: list[Tile], space: Space) -> list[Tile]:
    """Put panels that fit in full below the main one; return the tiles that are left."""
    left = list(tiles)
    for tile in tiles:
        part = tile[0].part
        others = [one for one in left if one[0].part is not part]
        rows = -(-len(others) // space.across)
        shown = part in [cut.part for cut in lit.cuts]
        if part.panel and not shown and lit.height + GAP + part.h + rows * (space.tile + GAP) <= space.height:
            put_whole(lit, part, True)
            left = others
    return left


def put_whole(lit: Lit, part: Part, dim: bool, scale: float = 1) -> None:
    """Put a whole panel at the bottom."""
    lit.cuts.append(Cut(part, part.box, (lit.width - lit.width * scale) / 2, lit.height + GAP, scale, dim))
    lit.height += GAP + part.h * scale


def put_companion(lit: Lit, placed: Placed, parts: dict[str, Part], space: Space, dim: bool) -> None:
    """Put the mixer of most layers, or their MLP, at the bottom if it fits, scaled down a little if need be."""
    shown = [cut.part.name for cut in lit.cuts]
    for name in (usual_panel(placed), usual_panel(placed, mixer=False)):
        room = space.height - lit.height - GAP
        if name not in shown and parts[name].h * WHOLE <= room:
            put_whole(lit, parts[name], dim, min(1.0, room / parts[name].h))
            return


def put_tiles(lit: Lit, tiles: list[Tile], space: Space) -> None:
    """Tiles in rows that fill the width, a little taller where there is room."""
    rows = -(-len(tiles) // space.across)
    h = min(max((space.height - lit.height) / max(rows, 1) - GAP, space.tile), TALLER * space.tile)
    across = -(-len(tiles) // max(rows, 1))
    for start in range(0, len(tiles), across or 1):
        row = tiles[start : start + across]
        w, y = (space.width - GAP * (len(row) - 1)) / len(row), lit.height + GAP
        for at, tile in enumerate(row):
            put_tile(lit, tile, at * (w + GAP), y, w, h)
        lit.height = y + h


def put_tile(lit: Lit, tile: Tile, x: float, y: float, w: float, h: float) -> None:
    """A tile: its title, and as much of its part as it has room for, around what is numbered."""
    part = tile[0].part
    names = [BY_KEY[spot.one.key].short for spot in tile] if part.panel is None else [part.title]
    put_frame(lit, part, ", ".join(names), x, y, w, h, "name")
    scale = scale_of(tile, (w, h)) or SCALES[-1]
    wanted, room = join_boxes(spot.boxes[0] for spot in tile), w - 2 * EDGE
    source = window(part.bounds(wanted), wanted, room / scale, (h - HEAD - EDGE) / scale)
    source = from_start(source, wanted, part)
    source = tidy(source, kept((spot.boxes[0] for spot in tile), source), part)
    shown = Cut(part, source, x + EDGE, y + HEAD, scale, part.panel is not None, 1)
    spare = (room - shown.size[0]) / 2, (h - HEAD - EDGE - shown.size[1]) / 2
    lit.cuts.append(shown._replace(x=shown.x + spare[0], y=shown.y + spare[1]))
