"""A drawn config -> the cards above its drawing: its unread keys, and its cache beside that of the nearest models."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from cutaway.app.model.cache_rows import Bar
from cutaway.app.model.view import SpecView
from cutaway.gallery import catalog, comparing
from cutaway.gallery.comparing.novelty import Novelty

FEW, LONG = 12, 40  # keys that are listed, and characters of a value
TOKENS = 131_072  # of the cache card, where the model's own context is not shorter
PEERS = 2


class Unread(NamedTuple):
    """The keys that no family reads."""

    keys: list[tuple[str, str]]  # (key, its value in short)
    more: int
    total: int  # all keys of the same object, these among them


class CacheCard(NamedTuple):
    """A cache at one length, beside those of the nearest models."""

    tokens: int
    total: int
    fixed: int  # of `total`, the bytes that do not grow with the context
    bars: list[Bar]


def unread(view: SpecView) -> Unread:
    """Keys with their values, the first few of many, of the part of the config that describes the language model."""
    keys, config = view.spec.unread, view.config or {}
    parts = [config, *(value for value in config.values() if isinstance(value, dict))]
    part = next((one for one in parts if all(key in one for key in keys)), config)
    return Unread(
        [(key, in_short(part.get(key))) for key in keys[:FEW]],
        max(len(keys) - FEW, 0),
        max(len(part), len(keys)),
    )


def in_short(value: Any) -> str:
    """A value as JSON; "" if it is long."""
    text = "" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONG else ""


def cache_card(view: SpecView, new: Novelty | None) -> CacheCard:
    """The cache at this model's context, at most 128 K, and that of the nearest models at the same length."""
    tokens = min(view.spec.max_position_embeddings or TOKENS, TOKENS)
    entries = comparing.catalogue_lineage().entries if new else {}
    near = [(link.slug, entries[link.slug].spec) for link in (new.nearest if new else ()) if link.slug in entries]
    views = [(slug, SpecView(spec, catalog.BY_SLUG[slug].title)) for slug, spec in near[:PEERS]] + [("", view)]
    kept = [(slug, one, one.memory(tokens).total_bytes) for slug, one in views]
    most = max(total for *_, total in kept) or 1
    bars = [Bar(one.title, slug, total, total / most, one is view) for slug, one, total in kept]
    total = kept[-1][2]
    return CacheCard(tokens, total, min(view.fixed_bytes, total), sorted(bars, key=lambda bar: -bar.total))
