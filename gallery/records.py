"""What graphs, kinds and specs share: the one error, how a norm works, how positions rotate, the usual residual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class ConfigError(ValueError):
    """Everything a config can do wrong: the message says what was read, what was looked for and what to do."""


class Shown:
    """A record that a notebook shows as a table (command/showing.py)."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from cutaway import gallery

        return gallery.html(self)


class Normal(NamedTuple):
    """How a norm works, apart from where it stands and how wide it is."""

    kind: str = "RMSNorm"  # "RMSNorm" | "LayerNorm" | "L2Norm" (x / |x|)
    eps: float = 1e-6
    plus_one: bool = False  # the stored weight is w, what multiplies is 1 + w (Gemma)
    weight_first: bool = False  # the weight multiplies before the norm, not after it (Muse Spark)


class Rope(NamedTuple):
    """A rotation of pairs of numbers by angles that grow with the position.

    `scaling` holds the keys of rope_scaling / rope_parameters that change the frequencies, sorted.
    """

    dims: int  # how many numbers of a head are rotated
    theta: float = 10_000.0
    kind: str = "default"  # "default" | "linear" | "dynamic" | "yarn" | "longrope" | "llama3" | "proportional"
    scaling: tuple[tuple[str, object], ...] = ()
    interleaved: bool = False  # pairs are neighbours (2i, 2i + 1) instead of halves (i, i + d/2)
    last: bool = False  # the last `dims` numbers of a head are rotated, not the first (MLA-like vectors)
    backwards: bool = False  # turned the other way (nanochat)
    learned: str = ""  # a value of the run that frequencies are multiplied by the exponential of (Mistral Large 4)
    context: int = 0  # max_position_embeddings, where a kind needs it

    @property
    def alpha(self) -> float:
        """What a dynamic stretching grows the base by at all lengths (Hunyuan); 0 = by the length alone."""
        said = dict(self.scaling).get("alpha") if self.kind == "dynamic" else 0
        return float(said) if isinstance(said, int | float) else 0.0

    @property
    def base(self) -> float:
        """The base that turns the first pairs of a short text: theta, or what alpha makes of it."""
        return self.theta * self.alpha ** (self.dims / (self.dims - 2)) if self.alpha and self.dims > 2 else self.theta


@dataclass(frozen=True, slots=True)
class Plain:
    """The usual residual scheme, one stream. `multiplier` scales what each half adds (Granite, MiniCPM)."""

    multiplier: float = 1.0
