"""Values in words and legends as HTML: what explainers/around_the_block draws with."""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.explainers.beats_facts import HOLE, bound


def fill(words: str, now: dict, tag: str = "span") -> str:
    """Words with values in braces, each bound to its path."""

    def value(path: str) -> object:
        found: object = now
        for key in path.split("."):
            found = found[int(key)] if isinstance(found, list) else found[key]  # type: ignore[index]
        return found

    return HOLE.sub(lambda hole: bound(value(hole[1]), hole[1], hole[2] or "text", tag), words)


def keys(labels: Iterable[tuple[str, str]]) -> str:
    """A legend."""
    items = (f'<li><i class="{css}" aria-hidden="true"></i>{label}</li>' for css, label in labels)
    return f'<ul class="cw-legend">{"".join(items)}</ul>'
