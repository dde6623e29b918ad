"""A number, a format and a way of rounding -> what is kept, by whom, and what rounding does to a mean and to a sum.

Single numbers are exact fractions, rounded and cast by the bits page's own functions. What is random comes from hash32
of the seed, so that both languages draw the same.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np

from cutaway.explainers.bits import casts, exact, policies, rounding, saying
from cutaway.explainers.bits.reference import plain
from cutaway.explainers.hash32 import hash32
from cutaway.explainers.rounding import sums
from cutaway.gallery.formats.scalar import FORMATS, Format

STATE: dict[str, Any] = {
    "format": "float8_e4m3fn",
    "typed": "27.3",
    "mode": "even",  # of the errors that are drawn for every remainder
    "cut": 4,  # mantissa bits that a cast drops
    "draws": 1024,  # stochastic roundings of the number
    "seed": 1,
    "terms": "ones",  # what is summed
    "n": 4096,
    "sum": "bfloat16",  # the accumulator
    "how": "plain",  # how it adds
    "chunk": 128,  # terms in a partial sum, where partial sums are added in FP32
}
ROUNDED = 1e-9  # square roots of two languages, and means of doubles
HERE = ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float6_e2m3fn", "float6_e3m2fn",
        "float4_e2m1fn")  # fmt: skip
MODES = ("even", "away", "zero", "up", "down", "stochastic")  # in the order of casts.MODES
CUTS = (1, 8)
DRAWS = (16, 64, 256, 1024, 4096)
SEEDS = (1, 99)
Z95 = 1.96  # standard errors on either side of a mean that hold it 95 times of 100


def data() -> dict[str, Any]:
    """Formats, casts and modes as the bits page has them, and what may be chosen here."""
    return {
        "formats": {name: plain(FORMATS[name]) for name in HERE},
        "policies": [list(row) for row in policies.POLICIES if row.format in HERE],
        "modes": [list(row) for row in casts.MODES],
        "accumulators": list(sums.ACCUMULATORS),
        "lengths": list(sums.LENGTHS),
        "chunks": list(sums.CHUNKS),
        "draws": list(DRAWS),
    }


def beat_data(data: dict[str, Any], beat: Any) -> dict[str, Any]:
    """What libraries do stands in the beat about casts alone."""
    return data if beat.figure == "paths" else data | {"policies": []}


def check(state: dict[str, Any]) -> str:
    """The sentence that says what is legal, or ""."""
    if state["format"] not in HERE:
        return f"There is no format “{state['format'][:40]}” here. There is {', '.join(HERE)}."
    wrong = exact.parse(state["typed"], FORMATS[state["format"]])[2] if state["typed"].strip() else exact.HOW
    if wrong:
        return wrong
    if state["mode"] not in MODES:
        return f"The mode is one of {', '.join(MODES)}."
    if not is_integer(state["cut"], *CUTS):
        return f"A cast drops {CUTS[0]} to {CUTS[1]} bits here."
    if not is_integer(state["seed"], *SEEDS):
        return f"The seed is a whole number from {SEEDS[0]} to {SEEDS[1]}."
    if isinstance(state["draws"], bool) or state["draws"] not in DRAWS:
        return f"The number of draws is one of {', '.join(map(str, DRAWS))}."
    return sums.check(state)


def is_integer(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


# ---------------------------------------------------------------- one number


def compute(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Everything the page prints."""
    f = FORMATS[state["format"]]
    x = exact.number_of(state["typed"].strip(), f)
    rows = [row for row in data["policies"] if row[0] == f.name]
    return {
        "label": f.label,
        "number": saying.say_short(x, 17, 20),
        **between(f, x),
        "modes": casts.modes(f, x),
        **casts.casts(f, rows, x),
        "steps": steps(f, x),
        "drawn": drawn(f, x, state),
        "errors": errors(state),
        "sums": sums.compute(state),
    }


def neighbours(f: Format, x: exact.Number) -> tuple[Fraction, Fraction] | None:
    """The two values that a number lies between; None for a value itself, past an end, infinity and NaN."""
    low, high = casts.around(f, x) if x.kind == "finite" else (None, None)
    return (low, high) if low is not None and high is not None and low < high else None


def between(f: Format, x: exact.Number) -> dict[str, Any]:
    """The neighbours, where the number lies between them, and to which of them (0, 1) each mode takes it."""
    pair = neighbours(f, x)
    if pair is None:
        return {"between": False, "low": "", "high": "", "share": 0.0, "aims": []}
    low, high = pair
    aims = [0 if one == low else 1 for one in casts.kept(f, x)]
    names = [rounding.in_digits(f, one) for one in pair]
    return {"between": True, "low": names[0], "high": names[1], "share": float(share(low, high, x)), "aims": aims}


def share(low: Fraction, high: Fraction, x: exact.Number) -> Fraction:
    """How far a number is on its way up; stochastic rounding goes up as often as that."""
    return (x.value - low) / (high - low)


def steps(f: Format, x: exact.Number) -> list[dict[str, str]]:
    """The number through FP64 and FP32: what each holds, and on which side of the tie of the target's neighbours."""
    pair = neighbours(f, x)
    made = []
    for name in ("typed", "float64", "float32"):
        x = x if name == "typed" else exact.decode(one := FORMATS.get(name, casts.FP64), exact.encode(one, x))
        made.append({"name": name, "holds": saying.say_short(x, 17, 20), "side": side(pair, x), "keeps": kept(f, x)})
    return made


def side(pair: tuple[Fraction, Fraction] | None, x: exact.Number) -> str:
    """Above, below or on the tie; "" where there is none."""
    if pair is None or x.kind != "finite":
        return ""
    middle = sum(pair, Fraction(0)) / 2
    return "above" if x.value > middle else "below" if x.value < middle else "on"


def kept(f: Format, x: exact.Number) -> str:
    """What rounding to nearest, ties to even, makes of it."""
    return casts.short(f, exact.decode(f, exact.encode(f, x)))


# ---------------------------------------------------------------- many draws


def drawn(f: Format, x: exact.Number, state: dict[str, Any]) -> dict[str, Any]:
    """Stochastic roundings of the number: how many went up, their mean with its interval, and how it settled."""
    pair = neighbours(f, x)
    if pair is None:
        return {"up": 0, "down": 0, "mean": 0.0, "half": 0.0, "bias": 0.0, "nearest": 0.0, "curve": []}
    low, high = pair
    limit = int(share(low, high, x) * 2**32)
    ups = draws(state["seed"], state["draws"]) < limit
    up, many, step = int(ups.sum()), state["draws"], float(high - low)
    part = up / many
    counted = np.cumsum(ups)
    return {
        "up": up,
        "down": many - up,
        "mean": float(low) + part * step,
        "half": Z95 * sqrt(part * (1 - part) / many) * step,
        "bias": float(low) + part * step - float(x.value),
        "nearest": float(exact.decode(f, exact.encode(f, x)).value - x.value),
        "curve": [[n, int(counted[n - 1]) / n] for n in counts(many)],
    }


def draws(seed: int, many: int) -> np.ndarray:
    """So many whole numbers below 2³², all equally likely."""
    return hash32(hash32(np.array([seed])) + np.arange(many))


def counts(many: int) -> list[int]:
    """1 to 15, then eight numbers to each doubling: 16, 18, ... up to `many`."""
    found = list(range(1, 8))
    base = 1
    while 8 * base <= many:
        found += [m * base for m in range(8, 16) if m * base <= many]
        base *= 2
    return found


# ---------------------------------------------------------------- every remainder


def errors(state: dict[str, Any]) -> dict[str, Any]:
    """Errors in steps of all numbers between three values, and the mean of each mode."""
    many = 1 << state["cut"]
    random = draws(state["seed"] + 1000, 2 * many)
    made = [error(state["mode"], place, many, int(random[place])) for place in range(2 * many)]
    return {"each": made, "mean": sum(made) / len(made), "means": [mean_error(mode, many) for mode in MODES]}


def error(mode: str, place: int, many: int, random: int) -> float:
    """What a mode adds to the positive number that is place/many steps above an even value; `random` is below 2³²."""
    left = place % many
    up = {
        "even": 2 * left > many or (2 * left == many and place > many),
        "away": 2 * left >= many,
        "zero": False,
        "up": left > 0,
        "down": False,
        "stochastic": random * many < left << 32,
    }[mode]
    return (many - left) / many if up else -left / many


def mean_error(mode: str, many: int) -> float:
    """The mean over all remainders, and over all draws where a mode leaves it to chance."""
    if mode == "stochastic":
        return 0.0
    return sum(error(mode, place, many, 0) for place in range(2 * many)) / (2 * many)


# ---------------------------------------------------------------- states that are asked for

NUMBERS = ("27.3", "27", "29", "-27.5", "0.1", "1/3", "464", "1000", "nan", "-inf", "1e-9", "1.0625000000010625",
           "65519.9999", "1.00048828125001", "0", "-0", "5.2", "2^-7")  # fmt: skip


def cases(seed: int = 5) -> list[dict[str, Any]]:
    """Every number in every format, with random draws and sums beside it; then what is not legal."""
    rng = np.random.default_rng(seed)
    pick = lambda values: values[int(rng.integers(len(values)))]  # noqa: E731
    found = [
        {
            "format": name,
            "typed": number,
            "mode": pick(MODES),
            "cut": int(rng.integers(CUTS[0], CUTS[1] + 1)),
            "draws": pick(DRAWS),
            "seed": int(rng.integers(1, 100)),
            "n": 256,
        }
        for name in HERE
        for number in NUMBERS
    ]
    found += sums.cases(rng)
    wrong: list[dict[str, Any]] = [
        {"format": "int8"}, {"typed": ""}, {"typed": "many"}, {"mode": "odd"}, {"cut": 0}, {"seed": 1.5}, {"draws": 3},
        {"n": 5}, {"sum": "int8"}, {"how": "twice"}, {"chunk": 3}, {"terms": "tens"},
    ]  # fmt: skip
    return [*found, *wrong]
