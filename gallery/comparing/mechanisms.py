"""A spec -> the set of its mechanisms: words for what it does, each of one part. Sizes are not mechanisms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gallery.spec import ModelSpec


class Mechanism(NamedTuple):
    """One row of MECHANISMS."""

    key: str  # "gated-deltanet"; stands in addresses and in data
    part: str  # "mixer", "mlp", "norms", "position", "bias", "block"
    word: str  # in a sentence: "a gate on attention's output"
    short: str  # on a label: "output gate"
    find: Callable[..., Any]  # Seen -> where it is
    head: str  # in bold: "RoPE on {p.rotary_dim} of {p.head_dim} dimensions"
    says: str  # the rest of the sentence, a template over the part that has it
    source: str
    earlier: tuple[str, str] | None = None  # (an uncatalogued model or paper that had it before, source)


MECHANISMS: tuple[Mechanism, ...] = ()


def mechanisms(spec: ModelSpec) -> tuple[str, ...]:
    """The keys of what a model has, in the order of the table."""
    raise NotImplementedError
