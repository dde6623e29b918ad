"""A cache for functions of a spec: results of the last few specs are kept.

Comparing two specs goes through every field of every layer, so the cache's key is the object's identity.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Any, TypeVar

from cutaway.gallery.spec import ModelSpec

Result = TypeVar("Result")
LAST = 16  # specs; two that are compared, and the relatives that a page names beside its model


class Same:
    """A key that equals only a key of the same object; it keeps the object alive, so that its id is not reused."""

    __slots__ = ("spec",)

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    def __hash__(self) -> int:
        return id(self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.spec is self.spec


def cached_for_spec(work: Callable[[ModelSpec], Result]) -> Callable[[ModelSpec], Result]:
    """A function of a spec that caches its last results; callers must not change what it returns."""
    known = lru_cache(LAST)(lambda same: work(same.spec))

    def ask(spec: ModelSpec) -> Result:
        return known(Same(spec))

    made: Any = update_wrapper(ask, work, updated=())
    made.cache_clear = known.cache_clear
    return made
