"""The records of a comparison: a row for each difference, and all that is said of a pair."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.comparing.fields import Field


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
    fixed: float = 0  # bytes of fixed state and full windows, BF16
    apart: int = 0  # parameters that no total includes (MTP layers)
    number: int = 0  # of the disc that joins table and drawing; 0 = none
    place: str = ""  # "mixer", "mlp", "norm", "tower", "embed", "head", "mtp", "stream": where the disc stands
    only: str = ""  # "a" | "b": in one of both alone
    row: Field | None = None  # of the table of fields, where it is one
    values: tuple = (None, None)  # as the specs have them
    where: str = ""  # "its full layers", where others of a's do not differ so

    @property
    def costs(self) -> bool:
        """Whether it is the cause of any number."""
        return bool(self.parameters or self.active or self.cache or self.fixed or self.apart)


PARTIAL = {"moe", "product-keys", "ngrams", "per-layer"}  # mechanisms of which a token uses a part


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that /compare/ says of a pair."""

    rows: tuple[Row, ...]
    equal: tuple[Row, ...]
    heads: dict[str, str]  # part -> its line in the table
    parameters: tuple[int, int]
    active: tuple[int, int]
    cache: tuple[float, float]  # bytes per token
    fixed: tuple[float, float]
    apart: tuple[int, int]
    full_at: tuple[int, int]  # tokens after which every window is full; 0: no window
    full: tuple[int, int]  # bytes kept of one sequence of the longest text; 0 = not known
    mechanisms: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def partial(self) -> bool:
        """Whether a token leaves more of one of the two out than its embedding."""
        return bool(PARTIAL & {key for held in self.mechanisms for key in held})

    @property
    def share(self) -> float:
        """How much they share, by the weights of the catalogue; under FOUNDER no superposition makes sense."""
        from cutaway.gallery.comparing import catalogue_lineage

        return catalogue_lineage().share(*self.mechanisms)
