"""Words with bound numbers in them, and the square of the small example: what drawn.py and chip.py both draw with."""

from __future__ import annotations

from typing import Any

from cutaway.explainers.beats_facts import HOLE, bold, bound


def value(now: dict, path: str) -> Any:
    """What stands at a path of compute's result."""
    at: Any = now
    for key in path.split("."):
        at = at[int(key)] if isinstance(at, list) else at[key]
    return at


def put(now: dict, path: str, how: str = "int", tag: str = "span") -> str:
    return bound(value(now, path), path, how, tag)


def fill(template: str, now: dict, tag: str = "span") -> str:
    """Words with {path:format} in them: kit.fill, with **bold**."""
    return bold(HOLE.sub(lambda found: put(now, found[1], found[2] or "text", tag), template))


def box(css: str, x: float, y: float, wide: float, high: float) -> str:
    return f'<rect class="{css}" x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}"/>'


def tile_at(now: dict, q: int, k: int) -> bool:
    """Whether the tile that holds a score is computed."""
    tall, wide = now["small"]["tall"], now["small"]["wide"]
    return [q // tall * tall, k // wide * wide] in now["small"]["order"]


def grid(now: dict, cell: int, corner: tuple[int, int], hide: bool = False) -> str:
    """Every score: needed, computed for nothing, or left out; `hide` keeps back what becomes of tiles."""
    x, y = corner
    made = ""
    for q in range(8):
        for k in range(8):
            needed = k <= q and q - k < now["reach"]
            css = "needed" if needed else "idle" if not hide and tile_at(now, q, k) else "none"
            made += box(css, x + k * cell + 1, y + q * cell + 1, cell - 2, cell - 2)
    return f"<g>{made}</g>"


def outlines(now: dict, cell: int, corner: tuple[int, int]) -> str:
    """A line round every tile, dashed where it is left out."""
    small, (x, y) = now["small"], corner
    high, wide = small["tall"] * cell, small["wide"] * cell
    made = "".join(
        box(css, x + k * cell, y + r * cell, wide, high)
        for css, tiles in (("out", small["skipped"]), ("tile", small["order"]))
        for r, k in tiles
    )
    return f"<g>{made}</g>"
