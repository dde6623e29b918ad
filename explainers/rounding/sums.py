"""Numbers added one by one in a format -> the running sum, where it stops, and what helps: chance, chunks, Kahan.

A sum is rounded after every addition, as a loop in numpy does. Terms are ones, or exact products of two FP8 numbers, as
a tensor core has them before it adds. No sum here leaves the range of FP16, so nothing overflows.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor, frexp, ldexp, sqrt
from typing import Any

import numpy as np

from cutaway.explainers.hash32 import hash32
from cutaway.gallery.formats.codes import even
from cutaway.gallery.formats.scalar import FORMATS, Format

TERMS = ("ones", "products", "signed")
LENGTHS = (256, 1024, 4096)
ACCUMULATORS = ("float32", "float16", "bfloat16")
HOW = ("plain", "stochastic", "chunks", "kahan")
CHUNKS = (16, 32, 64, 128, 256, 512)
RUNS = 16  # stochastic sums that are compared
POINTS = 64  # of a running sum that are drawn
T95 = 2.131  # Student's t: 95 of 100, 15 degrees of freedom


def check(state: dict[str, Any]) -> str:
    """The sentence that says what is legal, or ""."""
    for key, values, words in (
        ("terms", TERMS, "What is summed"),
        ("n", LENGTHS, "The number of terms"),
        ("sum", ACCUMULATORS, "The accumulator"),
        ("how", HOW, "The way of adding"),
        ("chunk", CHUNKS, "A chunk"),
    ):
        if isinstance(state[key], bool) or state[key] not in values:
            return f"{words} is one of {', '.join(map(str, values))}."
    return ""


def compute(state: dict[str, Any]) -> dict[str, Any]:
    """The exact sum, each accumulator's, and that of the chosen one with the chosen way of adding."""
    numbers = terms(state["terms"], state["n"], state["seed"])
    running = np.cumsum(numbers)  # exact: all terms are multiples of 1/256
    size = float(np.abs(numbers).sum())
    exact = float(running[-1])
    at = [state["n"] * i // POINTS for i in range(1, POINTS + 1)]
    plain = [told(name, add(plainly, numbers, FORMATS[name]), exact, size, at) for name in ACCUMULATORS]
    return {
        "at": at,
        "exact": exact,
        "line": [float(running[n - 1]) for n in at],
        "plain": plain,
        "chosen": chosen(state, numbers, exact, size, at),
    }


def terms(kind: str, n: int, seed: int) -> np.ndarray:
    """Ones, or products of two E4M3 numbers from 0.5 to 1.875; signed, half of them are negative."""
    if kind == "ones":
        return np.ones(n)
    random = hash32(hash32(np.array([seed + 2000])) + np.arange(n)).astype(np.int64)
    product = fp8(random % 16) * fp8(random // 16 % 16)
    return product * np.where(random // 256 % 2, -1, 1) if kind == "signed" else product


def fp8(code: np.ndarray) -> np.ndarray:
    """The sixteen values of E4M3 from 0.5 to 1.875."""
    return (8 + code % 8) / np.where(code < 8, 16, 8)


def told(name: str, sums: list[float], exact: float, size: float, at: list[int]) -> dict[str, Any]:
    """A running sum: its total, its error, when it last changed, and points of its line."""
    moved = max((i for i, (now, before) in enumerate(zip(sums, [0.0, *sums], strict=False), 1) if now != before))
    total = sums[-1]
    return {
        "name": name,
        "label": FORMATS[name].label,
        "total": total,
        "error": (total - exact) / size,
        "moved": moved,
        "line": [sums[n - 1] for n in at],
    }


def chosen(state: dict[str, Any], numbers: np.ndarray, exact: float, size: float, at: list[int]) -> dict[str, Any]:
    """The chosen accumulator; of stochastic sums the first is drawn, and all have a mean with its interval."""
    f = FORMATS[state["sum"]]
    if state["how"] == "stochastic":
        every = [add(by_chance(state["seed"], run), numbers, f) for run in range(RUNS)]
    elif state["how"] == "chunks":
        every = [in_chunks(numbers, f, state["chunk"])]
    else:
        every = [add(plainly, numbers, f)] if state["how"] == "plain" else [kahan(numbers, f)]
    totals = [one[-1] for one in every]
    mean = sum(totals) / len(totals)
    spread = sqrt(sum((one - mean) ** 2 for one in totals) / (RUNS - 1)) if len(totals) > 1 else 0.0
    rows = told(state["sum"], every[0], exact, size, at)
    return rows | {"totals": totals, "mean": mean, "half": T95 * spread / sqrt(RUNS), "off": (mean - exact) / size}


# ---------------------------------------------------------------- ways of adding

Round = Callable[[float, Format, int], float]  # of the number, to a format, at which step


def step_at(x: float, f: Format) -> float:
    """The distance of a format's values around a number."""
    exponent = max(frexp(x)[1] - 1, 1 - f.bias)
    return ldexp(1.0, exponent - f.mantissa_bits)


def plainly(x: float, f: Format, i: int = 0) -> float:
    """To nearest, ties to even."""
    step = step_at(x, f)
    return float(even(*(x / step).as_integer_ratio())) * step


def by_chance(seed: int, run: int) -> Round:
    """Up as often as the number is near: the same draws for a seed and a run."""
    start = int(hash32(np.array([seed * RUNS + run + 3000]))[0])
    random = hash32(start + np.arange(LENGTHS[-1]))

    def rounded(x: float, f: Format, i: int) -> float:
        step = step_at(x, f)
        down = floor(x / step)
        return (down + (int(random[i]) < (x / step - down) * 2**32)) * step

    return rounded


def add(to_format: Round, numbers: np.ndarray, f: Format) -> list[float]:
    """One by one, rounded after every addition."""
    total, made = 0.0, []
    for i, one in enumerate(numbers.tolist()):
        total = to_format(total + one, f, i)
        made.append(total)
    return made


def in_chunks(numbers: np.ndarray, f: Format, chunk: int) -> list[float]:
    """Partial sums in the format; each is added to a total in FP32 and starts again at zero."""
    total, part, made = 0.0, 0.0, []
    for i, one in enumerate(numbers.tolist(), 1):
        part = plainly(part + one, f)
        made.append(plainly(total + part, FORMATS["float32"]))
        if i % chunk == 0:
            total, part = made[-1], 0.0
    return made


def kahan(numbers: np.ndarray, f: Format) -> list[float]:
    """A second number of the same format remembers what the last addition lost."""
    total, lost, made = 0.0, 0.0, []
    for one in numbers.tolist():
        more = plainly(one - lost, f)
        after = plainly(total + more, f)
        lost = plainly(plainly(after - total, f) - more, f)
        total = after
        made.append(total)
    return made


def cases(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Every way of adding in every accumulator, of all terms."""
    return [
        {"terms": terms, "sum": name, "how": how, "n": int(rng.choice(LENGTHS)), "chunk": int(rng.choice(CHUNKS)),
         "seed": int(rng.integers(1, 100))}
        for terms in TERMS for name in ACCUMULATORS for how in HOW
    ]  # fmt: skip
