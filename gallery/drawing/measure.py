"""Text and a style -> how wide it is drawn; sizes are read from static/css/figure.css, their one home."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

SPARE = 1.12  # a fallback face may be this much wider than Inter
_HERE = Path(__file__).resolve()
_UNITS = re.compile(r"(?<=\d) ([KMBT]B?)\b")  # a number and its unit stay on one line
_RULE = re.compile(r"^\.cf \.f-(\w+) \{([^}]*)\}", re.MULTILINE)


@cache
def advances() -> dict:
    """How wide each character of the site's fonts is; build/measure_fonts.py writes it."""
    return json.loads((_HERE.parent / "widths.json").read_text(encoding="utf-8"))


@cache
def _of_sans(weight: int) -> dict[str, int]:
    """Advance by character at the weight that was measured and is nearest."""
    measured = advances()["sans"]
    nearest = min(measured, key=lambda one: abs(int(one) - weight))
    table = dict(zip(advances()["characters"], measured[nearest], strict=True))
    widest = max(table[digit] for digit in "0123456789")  # figures are tabular
    return table | dict.fromkeys("0123456789", widest)


def css(name: str) -> str:
    """A style sheet of the site, from the tree or from beside the installed package."""
    return (_HERE.parents[2] / "static" / "css" / name).read_text(encoding="utf-8")


@cache
def rules() -> dict[str, dict[str, str]]:
    """figure.css as {class: {property: value}}."""
    out = {}
    for name, body in _RULE.findall(css("figure.css")):
        pairs = (part.split(":", 1) for part in body.split(";") if ":" in part)
        out[name] = {key.strip(): value.strip() for key, value in pairs}
    return out


@cache
def _face(style: str) -> tuple[float, dict[str, int] | None]:
    """(font size / 1000, advances by character), for mono no advances."""
    merged: dict[str, str] = {}
    for word in style.split():
        merged |= rules()[word]
    size = float(merged["font-size"].removesuffix("px")) / 1000
    if "mono" in merged.get("font-family", ""):
        return size, None
    return size, _of_sans(int(merged.get("font-weight", "400")))


def size_of(style: str) -> float:
    """Font size of a style in px."""
    return _face(style)[0] * 1000


@cache
def _short(text: str, style: str) -> int:
    size, table = _face(style)
    if table is None:
        return -int(-len(text) * advances()["mono"] * size * SPARE // 1)
    get = table.get
    return -int(-sum([get(c, 700) for c in text]) * size * SPARE // 1)


def wide(text: str, style: str) -> int:
    """Room that the text needs, in px, with the spare for fallback faces."""
    return _short(text, style)


def ellipsize(words: str, style: str, room: float) -> str:
    """Words cut to their room with an ellipsis."""
    if wide(words, style) <= room:
        return words
    while words and wide(words + "…", style) > room:
        words = words[:-1]
    return words.rstrip() + "…"


def wrap(words: str, style: str, room: float) -> list[str]:
    """Words in lines of at most `room`; breaks at spaces, before a "·" if one is near."""
    if not words:
        return []
    lines, line = [], ""
    for word in _UNITS.sub("\u00a0\\1", words).split(" "):
        longer = f"{line} {word}" if line else word
        if line and wide(longer, style) > room:
            lines.append(line.removesuffix(" ·"))
            line = word if word != "·" else ""
        else:
            line = longer
    lines += [ellipsize(line, style, room)] if line else []
    return [line.replace("\u00a0", " ") for line in lines]
