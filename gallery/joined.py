"""Words -> a list as a sentence has it."""

from __future__ import annotations

from collections.abc import Sequence


def join_words(words: Sequence[str]) -> str:
    """a, b and c."""
    *most, last = words or ("",)
    return f"{', '.join(most)} and {last}" if most else last
