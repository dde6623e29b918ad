"""Catalogued models -> the rows of an explainer's list: [slug, title, number, ...], by owner and name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def config_ends(slugs: Iterable[str]) -> list[int]:
    """How many tokens each config goes up to, 0 where it does not say: what is shown beyond is marked."""
    from cutaway.gallery import catalog

    return [catalog.spec(slug).max_position_embeddings or 0 if slug in catalog.BY_SLUG else 0 for slug in slugs]


def config_end(slug: str, data: dict[str, Any]) -> int:
    """Where the config of one model of an explainer's data ends, or 0."""
    return dict(zip(slugs_of(data), data["config_ends"]["of"], strict=True)).get(slug, 0)


def slugs_of(data: dict[str, Any]) -> list[str]:
    """The models of an explainer's data, as rows, as records or as columns."""
    models = data["models"]
    if isinstance(models, dict):
        return list(models["slug"]) if "slug" in models else [slug for slug, _ in data["names"]]
    return [one["slug"] if isinstance(one, dict) else one[0] for one in models]


def rows(models: Iterable[Any], numbers: Callable[[Any], list[Any] | None]) -> list[list[Any]]:
    """Every model of the catalogue for which `numbers(spec)` has some; one that is derived from another, only where
    its numbers differ from that one's. A config that is lent is listed once, as its owner's."""
    from cutaway.gallery import catalog

    own = [model for model in models if not model.config_of]
    made = {model.slug: numbers(catalog.spec(model.slug)) for model in own}
    kept = [model for model in own if made[model.slug] and made.get(model.variant_of) != made[model.slug]]
    listed = [[model.slug, model.title, *(made[model.slug] or ())] for model in kept]
    return sorted(listed, key=lambda one: (one[0].split("/")[0].lower(), one[1].lower()))
