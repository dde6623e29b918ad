"""Catalogued models -> bytes of one layer's state, and what a layer of attention of the same model holds of a token.

Bits are gallery.counting.cache_growth's: a state and the window of its convolution as the model keeps them, keys and
values or latents in BF16. `crossing` is the first number of tokens of which one attention layer holds more than one
layer's state does; 0 where the model has no such layer.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from cutaway.explainers.linear_family.rules import RULES
from cutaway.gallery.counting import cache_growth as growth
from cutaway.gallery.sublayers import parts_of

BF16 = 16


class Row(NamedTuple):
    """One model."""

    rule: str
    layers: int  # with a state
    of: int
    state: int  # bytes of one of them
    token: int  # bytes that an attention layer holds of a token
    attention: int  # such layers


def rule_of(layer: Any) -> str:
    """The rule of a layer's recurrence, "" where it has none of these."""
    names = {type(part).__name__ for part in parts_of(layer.mixer)}
    return next((rule.name for rule in RULES if names & set(rule.mixers)), "")


def fixed_bytes(rows: list) -> int:
    """What a layer keeps however many tokens there are."""
    return sum(row[growth.BITS] + BF16 * row[growth.NUMBERS] for row in rows if row[growth.FIXED]) // 8


def token_bytes(rows: list) -> int:
    """What a layer keeps of every further token without end."""
    return sum(
        (row[growth.BITS] + BF16 * row[growth.NUMBERS]) // row[growth.EVERY] for row in rows if growth.is_growing(row)
    ) // 8  # fmt: skip


def row(spec: Any) -> list[Any] | None:
    """What is listed of a model; None without a recurrence of the family."""
    kept = growth.growth_rows(spec)
    states = Counter(
        (rule, fixed_bytes(rows)) for layer, rows in zip(spec.layers, kept, strict=True) if (rule := rule_of(layer))
    )
    if not states:
        return None
    (rule, state), layers = states.most_common(1)[0]
    tokens = Counter(size for rows in kept if (size := token_bytes(rows)))
    token, attention = tokens.most_common(1)[0] if tokens else (0, 0)
    return list(Row(rule, layers, len(spec.layers), state, token, attention))


def table() -> list[list[Any]]:
    """[slug, title, *Row] of every catalogued model of the family; a further training only where its numbers differ."""
    from cutaway.explainers import catalogued
    from cutaway.gallery import catalog

    return catalogued.rows(catalog.gallery_rows(), row)


def crossing(state: int, token: int) -> int:
    """The first number of tokens of which attention holds more than the state does."""
    return state // token + 1 if token else 0
