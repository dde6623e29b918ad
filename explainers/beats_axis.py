"""A bet -> its scale: where a value lies, what can be bet, and where ticks stand."""

from __future__ import annotations

import math
from typing import NamedTuple

from cutaway.explainers.beats import Bet


class Axis(NamedTuple):
    """A scale from low to high and what can be bet on it."""

    low: float
    high: float
    log: bool
    values: tuple[float, ...]
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """0 to 1 along the axis; past an end it stays there."""
        if self.log:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return min(1.0, max(0.0, share))


def axis(bet: Bet) -> Axis:
    """The bet's scale; without a range (a pick without an axis) 0 to 1."""
    low, high = bet.range or (0, 1)
    if bet.scale == "log":
        tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = [float(f"{digit}e{ten}") for ten in tens for digit in range(1, 10)]
        ticks = [float(f"1e{ten}") for ten in tens]
    else:
        step = bet.step or nice((high - low) / 80)
        steps = [low + step * i for i in range(int((high - low) / step + 1e-9) + 1)]
        wide = nice((high - low) / 5)
        ticks = [low + wide * i for i in range(int((high - low) / wide + 1e-9) + 1)]
    return Axis(
        low, high, bet.scale == "log", bet.values or inside(steps, low, high), bet.ticks or inside(ticks, low, high)
    )


def inside(values: list[float], low: float, high: float) -> tuple[float, ...]:
    return tuple(plain(v) for v in values if low <= v <= high * (1 + 1e-12))


def plain(value: float) -> float:
    """8.0 as 8, and no digit that is only rounding."""
    return int(value) if float(value).is_integer() else float(f"{value:.12g}")


def nice(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= step * (1 - 1e-9))


def curve_values(axis: Axis, known: list[float]) -> tuple[float, ...]:
    """What the last point of a curve can be set to: on a log scale eighths of a doubling from the point before."""
    if not axis.log:
        return axis.values
    found = (known[-1] * 2 ** (k / 8) for k in range(-80, 81))
    return tuple(plain(float(f"{v:.6g}")) for v in found if axis.low <= v <= axis.high)


def pct(share: float) -> str:
    return f"{100 * share:.3f}".rstrip("0").rstrip(".") + "%"
