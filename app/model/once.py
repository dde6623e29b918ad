"""Functions that many pages ask the same of: one view, or one whole site."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Made = TypeVar("Made")


def once_for_each(work: Callable[..., Made]) -> Callable[..., Made]:
    """A function that is worked out once for each view, or site, that it is asked of first.

    What a list says of a model stays with the model's view, what follows from all models with the site. Where a model
    changes, a watching build makes its view anew (Site.forget): a list asks that one again, and no other.
    """
    name = f"{work.__module__}.{work.__qualname__}"

    @wraps(work)
    def ask(one: Any, *shared: Any) -> Made:
        if name not in one.known:
            one.known[name] = work(one, *shared)
        return one.known[name]

    return ask
