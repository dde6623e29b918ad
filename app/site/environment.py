"""Where templates are rendered: Jinja with the filters that they use."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined
from markupsafe import Markup

from cutaway.app.words.labels import says
from cutaway.explainers import fmt, languages

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def month(date: str | None) -> str:
    """2024-12-26 -> Dec 2024."""
    year, _, rest = (date or "").partition("-")
    return f"{MONTHS[int(rest[:2]) - 1]} {year}" if rest[:2].isdigit() else year


def month_in(code: str) -> Callable[[str | None], str]:
    """The filter `month` of a language: 2024-12-26 -> 2024年12月, as Unicode's CLDR has it."""
    if not code:
        return month

    def written(date: str | None) -> str:
        from babel.dates import format_skeleton

        year, _, rest = (date or "").partition("-")
        if not rest[:2].isdigit():
            return year
        return format_skeleton("yMMM", datetime.date(int(year), int(rest[:2]), 1), locale=code)

    return written


def script_words(code: str) -> Markup:
    """What scripts say in a language, as JSON that is safe inside a <script>."""
    rows = json.dumps(languages.script_words(code), separators=(",", ":"), ensure_ascii=False)
    return Markup(rows.replace("<", "\\u003c"))


FILTERS: dict[str, Callable[..., str]] = {
    "count": fmt.count,
    "integer": fmt.integer,
    "bytes": lambda total: "unknown" if total is None else fmt.in_bytes(total),
    "percent": fmt.percent,
    "month": month,
    "says": says,
    "script_words": script_words,
}


KEPT = r"(<(pre|textarea|script|style)\b.*?</\2>)"  # where an indent shows, or is part of a hash


def unindented(html: str) -> str:
    """HTML without the indents between its tags: nobody sees them, and they cost 50 bytes of a gzipped page."""
    return re.sub(KEPT + r"|(?<=>)\n +|\n +(?=<)", lambda found: found[1] or "\n", html, flags=re.DOTALL)


def environment(loader: BaseLoader, **options: Any) -> Environment:
    """Where templates are rendered, with the filters that they use."""
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
                       **options)  # fmt: skip
    made.filters |= FILTERS
    return made
