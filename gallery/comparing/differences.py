"""Two specs -> what differs, part by part, and what each difference costs: rows that add up, figures, a verdict.

Attribution: fields are changed one at a time in the order of the table, and everything is counted again after each.
"""

from __future__ import annotations

from dataclasses import dataclass

from gallery.spec import ModelSpec

PARTS = ("mixer", "mlp", "norms", "position", "sizes", "beside")


@dataclass(frozen=True, slots=True)
class Row:
    """One difference; "" stands for "has none". Equal rows (`Comparison.equal`) have a == b and no costs."""

    part: str  # of PARTS
    what: str  # "attention heads"
    key: str  # the config's own: "num_attention_heads"
    a: str
    b: str
    parameters: int = 0  # b's minus a's, as far as this row is the cause
    active: int = 0
    cache: float = 0  # bytes per token and sequence, BF16
    fixed: int = 0  # bytes of fixed state and full windows, BF16
    apart: int = 0  # parameters that no total includes (MTP layers)
    number: int = 0  # of the disc that joins table and drawing; 0 = none
    note: str = ""  # "11.51 → 9.21 GB when full"
    place: str = ""  # "mixer", "mlp", "norm", "tower", "embed", "head", "mtp", "stream": where the disc stands
    only: str = ""  # "a" | "b": in one of both alone


@dataclass(frozen=True, slots=True)
class Figure:
    """One of the six a -> b figures."""

    what: str  # "parameters", "active per token", "layers", "context", "cache per token", "weights"
    a: str
    b: str
    change: str  # "+355.38 B", "=" ...


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a verdict."""

    words: str
    heavy: bool  # in bold
    number: int  # of the row it is said of


@dataclass(frozen=True, slots=True)
class Verdict:
    """B is A with ...: a sentence in parts."""

    start: str  # "Kimi K2 is DeepSeek V3 with"
    clauses: tuple[Clause, ...]
    more: int  # smaller changes that are not said
    end: str  # "53 % more parameters, 12 % fewer at work on a token, and the same cache."

    @property
    def text(self) -> str:
        """The whole sentence."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that /compare/ says of a pair."""

    rows: tuple[Row, ...]
    equal: tuple[Row, ...]
    heads: dict[str, str]  # part -> its line in the table
    parameters: tuple[int, int]
    active: tuple[int, int]
    cache: tuple[float, float]  # bytes per token
    fixed: tuple[int, int]
    share: float  # of mechanisms; under relatives.FOUNDER: no superposition, "only in A / only in B"


def between(a: ModelSpec, b: ModelSpec) -> Comparison:
    """Everything in which two models differ."""
    raise NotImplementedError


def figures(a: ModelSpec, b: ModelSpec) -> tuple[Figure, ...]:
    """Six a -> b figures."""
    raise NotImplementedError


def verdict(
    a: ModelSpec, b: ModelSpec, names: tuple[str, str] = ("A", "B"), found: Comparison | None = None
) -> Verdict:
    """The difference of two models as a sentence."""
    raise NotImplementedError


def brief(a: ModelSpec, b: ModelSpec, name: str) -> str:
    """One clause per model where more than two are compared: "Kimi K2 has half the heads and 384 experts"."""
    raise NotImplementedError
