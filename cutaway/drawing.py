"""A standalone SVG -> text that a notebook shows as a picture, with the words in it as its plain form."""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path


class Drawing(str):
    """The SVG's text; `source` is one sentence on where the config is from."""

    source: str

    def __new__(cls, svg: str, source: str = "") -> Drawing:
        made = super().__new__(cls, svg)
        made.source = source
        return made

    def __repr__(self) -> str:
        """What the picture says in a sentence: a console shows this, and so does a notebook without pictures."""
        says = re.search(r"<desc>(.*?)</desc>", self, re.S)
        return f"<Drawing: {unescape(says[1]) if says else 'empty'}>"

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """The picture in the page itself: it shrinks to the column, and what is hovered over says its name."""
        return self.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the .svg file."""
        Path(path).write_text(self, "utf-8")
