"""tutorial.ipynb -> /docs/tutorial/: its words as HTML, its code, and what the code gave when it was last executed.

A test executes the notebook and compares (tests/site/test_docs_tutorial.py). Pictures are served as files: the pages'
policy allows no styles inside a page, which a drawing may have.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

NOTEBOOK = Path(__file__).with_name("tutorial.ipynb")
PATH = "/docs/tutorial/"
SVG = "image/svg+xml"


class Cell(NamedTuple):
    """A cell: its words, or its code with what that gave."""

    words: str = ""
    code: str = ""
    text: str = ""
    picture: str = ""  # the path of a file
    live: str = ""  # the page of the explainer that it shows


@cache
def _cells() -> tuple[dict, ...]:
    return tuple(json.loads(NOTEBOOK.read_text("utf-8"))["cells"])


def words() -> str:
    """All Markdown of the notebook but its title."""
    return "\n\n".join(_joined(one["source"]) for one in _cells() if one["cell_type"] == "markdown")


def cells() -> list[Cell]:
    """Every cell in order."""
    return [_cell(place, one) for place, one in enumerate(_cells())]


def pictures() -> dict[str, str]:
    """Path -> SVG of each picture."""
    return {_picture(place): _joined(output["data"][SVG]) for place, one in enumerate(_cells())
            for output in one.get("outputs", ()) if SVG in output.get("data", {})}  # fmt: skip


def _cell(place: int, one: dict) -> Cell:
    source = _joined(one["source"])
    if one["cell_type"] == "markdown":
        return Cell(words=source)
    drawn = any(SVG in output.get("data", {}) for output in one["outputs"])
    live = one["metadata"].get("explainer", "")
    text = "" if drawn or live else "".join(_text(output) for output in one["outputs"])
    return Cell(code=source, text=text.rstrip(), picture=_picture(place) if drawn else "", live=live)


def _text(output: dict) -> str:
    """What an output says as text."""
    if output["output_type"] == "stream":
        return _joined(output["text"])
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    return _joined(output.get("data", {}).get("text/plain", ""))


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def _picture(place: int) -> str:
    return f"{PATH}{place}.svg"
