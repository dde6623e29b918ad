"""A standalone SVG -> a picture that a notebook shows and that can be saved, with its words as its plain form."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path


@dataclass(frozen=True, slots=True, repr=False)
class Drawing:
    """A drawing: `svg` is the whole file as text, `source` one sentence on where the config is from."""

    svg: str  # the whole file as text
    source: str = ""  # one sentence on where the config is from

    def __repr__(self) -> str:
        """What the picture says in a sentence: a console shows this, and so does a notebook without pictures."""
        says = re.search(r"<desc>(.*?)</desc>", self.svg, re.S)
        return f"<Drawing: {unescape(says[1]) if says else 'empty'}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        """The picture in the page itself: it shrinks to the column, and what is hovered over says its name."""
        return self.svg.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)

    def save(self, path: str | os.PathLike[str], *, scale: float = 2.0) -> None:
        """Write a file: .svg, .png or .pdf by its ending; `scale`: pixels of a PNG for each unit of the drawing.

        PNG and PDF need cutaway[png]. ValueError for another ending, for a scale that is too small or too large, and
        where Typst is not installed; OSError where the file cannot be written.
        """
        from cutaway.gallery.command.pictures import kind_of, picture

        Path(path).write_bytes(picture(self.svg, kind_of(os.fspath(path)), scale))
