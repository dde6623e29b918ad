"""Catalogued models -> the rows of an explainer's list: [slug, title, number, ...], by owner and name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def rows(models: Iterable[Any], numbers: Callable[[Any], list[Any] | None]) -> list[list[Any]]:
    """Every model of the catalogue for which `numbers(spec)` has some; one that is derived from another, only where
    its numbers differ from that one's. A config that is lent is listed once, as its owner's."""
    from cutaway.gallery import catalog

    own = [model for model in models if not model.config_of]
    made = {model.slug: numbers(catalog.spec(model.slug)) for model in own}
    kept = [model for model in own if made[model.slug] and made.get(model.variant_of) != made[model.slug]]
    listed = [[model.slug, model.title, *(made[model.slug] or ())] for model in kept]
    return sorted(listed, key=lambda one: (one[0].split("/")[0].lower(), one[1].lower()))
