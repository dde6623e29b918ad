"""A Bokeh figure -> its JSON, the same whatever else the process has made or imported."""

from __future__ import annotations

import re
from typing import Any

from bokeh.core.types import ID
from bokeh.embed import json_item


def item_of(made: Any, name: str) -> Any:
    """What BokehJS takes, without the classes that other code of the process has registered: Panel has dozens."""
    item: Any = json_item(made, ID(name))
    item["doc"].pop("defs", None)
    return item


def renumbered(text: str, name: str) -> str:
    """Items as JSON text, with ids that begin at `name`-1: Bokeh numbers all that a process has made."""
    found = dict.fromkeys(re.findall(r'"id": "(p\d+)"', text))
    words = {one: f"{name}-{at}" for at, one in enumerate(found, 1)}
    return re.sub(r'"(p\d+)"', lambda one: f'"{words.get(one[1], one[1])}"', text)
