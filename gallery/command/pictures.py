"""A standalone SVG -> the bytes of a file: SVG, PNG or PDF by the file's ending.

PNG and PDF are set by Typst, whose SVG renderer takes our faces: from static/fonts, as TrueType. Letters that these
lack come from the fonts of the machine.
"""

from __future__ import annotations

import re
import tempfile
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

KINDS = ("svg", "png", "pdf")
FACES = ("Inter", "JetBrainsMono", "JetBrainsMono-Symbols")
FONTS = Path(__file__).resolve().parents[2] / "static" / "fonts"
SCALE = 2.0  # pixels of a PNG for each unit of the drawing
LEAST, MOST_PIXELS = 0.05, 120_000_000
INSTALL = 'A {kind} file needs Typst: pip install "cutaway[png]". An .svg file needs nothing.'
PAGE = b"""\
#set document(title: sys.inputs.title, date: none)
#set page(width: auto, height: auto, margin: 0pt)
#image("drawing.svg", width: eval(sys.inputs.width), alt: sys.inputs.says)"""


class PictureError(ValueError):
    """A file that a drawing cannot be written as: one sentence."""


def kind_of(path: str) -> str:
    """svg, png or pdf, by the ending; svg where there is none. PictureError for another."""
    ending = Path(path).suffix[1:].lower()
    if ending and ending not in KINDS:
        raise PictureError(f"{path}: a drawing is written as .svg, .png or .pdf, not as .{ending[:20]}.")
    return ending or "svg"


def size_of(svg: str) -> tuple[float, float]:
    """(width, height) of a drawing, in its own units."""
    found = re.match(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', svg)
    if not found:
        raise PictureError("This SVG does not say how wide and high it is.")
    return float(found[1]), float(found[2])


def picture(svg: str, kind: str, scale: float = SCALE) -> bytes:
    """The bytes of a file of a kind; `scale`: pixels of a PNG for each unit of the drawing. PictureError says what is
    missing, or which scale would do."""
    if kind == "svg":
        return svg.encode("utf-8", "replace")
    width, height = size_of(svg)
    if kind == "png":
        check_scale(width, height, scale)
    try:
        return typeset(svg, kind, width, scale)
    except ImportError:
        raise PictureError(INSTALL.format(kind=f".{kind}")) from None


def check_scale(width: float, height: float, scale: float) -> None:
    """PictureError where a PNG would have no pixels, or too many."""
    most = (MOST_PIXELS / width / height) ** 0.5
    if not LEAST <= scale <= most:  # also what is no number
        raise PictureError(f"A PNG of this drawing may have a scale from {LEAST:g} to {int(most)}, not {scale:g}.")


def typeset(svg: str, kind: str, width: float, scale: float) -> bytes:
    """The drawing as a page of its own size."""
    import typst

    words = {
        name: unescape(found[1]) if (found := re.search(rf"<{tag}>(.*?)</{tag}>", svg, re.S)) else ""
        for name, tag in (("title", "title"), ("says", "desc"))
    }
    compiled: Any = typst.compile  # its stubs know no input of several files
    return compiled(
        {"main": PAGE, "drawing.svg": svg.encode("utf-8", "replace")},
        format=kind,
        ppi=72.0 * scale,
        font_paths=[fonts()],
        sys_inputs={**words, "width": f"{width:g}pt"},
    )


@cache
def fonts() -> str:
    """A folder with our faces as TrueType, made once a process."""
    import brotli  # noqa: F401  # fontTools reads WOFF2 by it
    from fontTools.ttLib import TTFont

    global _FOLDER
    _FOLDER = tempfile.TemporaryDirectory(prefix="cutaway-fonts-")
    for name in FACES:
        font = TTFont(FONTS / f"{name}.woff2")
        font.flavor = None
        font.save(Path(_FOLDER.name) / f"{name}.ttf")
    return _FOLDER.name


_FOLDER: tempfile.TemporaryDirectory | None = None  # is emptied when the process ends
