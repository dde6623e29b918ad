"""A model's view -> its KV cache in rows: bytes at each context, and bars beside a few other models."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.app.model.once import once_for_each
from cutaway.app.model.view import CONTEXT_WORDS, CONTEXTS, ModelView, SpecView
from cutaway.gallery.counting.memory import KINDS


class CacheRow(NamedTuple):
    """What decoding keeps at one context."""

    context: int
    words: str
    total: int
    by_kind: dict[str, int]
    beyond: bool  # longer than the model was made for


class Cache(NamedTuple):
    """The cache table: its columns, as (key, words), and its rows."""

    kinds: list[tuple[str, str]]
    rows: list[CacheRow]


def cache(view: SpecView, contexts: tuple[int, ...] = CONTEXTS) -> Cache:
    """8k, 128k and a million tokens."""
    most = view.spec.max_position_embeddings
    rows = []
    for context in contexts:
        kept = view.memory(context)
        beyond = bool(most and context > most)
        rows.append(
            CacheRow(context, CONTEXT_WORDS.get(context, f"{context:,}"), kept.total_bytes, kept.by_kind, beyond)
        )
    return Cache([(kind, words) for kind, words in KINDS.items() if any(kind in row.by_kind for row in rows)], rows)


class Bar(NamedTuple):
    """One model of the comparison, `share` of the longest bar."""

    title: str
    slug: str
    total: int
    share: float
    own: bool


# What most readers have run or read about; each shows another way to keep less.
BESIDE = (
    "meta-llama/Llama-3.1-70B",
    "Qwen/Qwen3-32B",
    "google/gemma-3-27b-it",
    "openai/gpt-oss-120b",
    "deepseek-ai/DeepSeek-V3",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "moonshotai/Kimi-Linear-48B-A3B-Instruct",
    "deepseek-ai/DeepSeek-V4-Flash",
)


BARS_AT = 128 * 1024  # tokens


@once_for_each
def kept_bytes(view: SpecView) -> int:
    """A model's cache at BARS_AT; that of the few that stand beside every model stays with their views."""
    return view.memory(BARS_AT).total_bytes


def bars(view: ModelView, site, beside: tuple[str, ...] = BESIDE) -> list[Bar]:
    """This model's cache at BARS_AT beside a few others', largest first."""
    views = [view] + [site.view(slug) for slug in beside if slug != view.slug and slug in site.slugs]
    kept = {one.slug: kept_bytes(one) for one in views if one.spec}
    most = max(kept.values()) or 1
    rows = [Bar(one.title, one.slug, kept[one.slug], kept[one.slug] / most, one is view) for one in views if one.spec]
    return sorted(rows, key=lambda bar: -bar.total)
