"""Words with bound numbers in them: what mla_numbers draws with in Python."""

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
