"""A state (format, code or typed text) -> everything the bits page prints, from exact fractions."""

from __future__ import annotations

from typing import Any

from cutaway.explainers.bits import casts, exact, lines, policies, rounding, saying, text
from cutaway.explainers.fmt import integer
from cutaway.gallery.formats.scalar import FORMATS, Format

# A typed number wins over the code: then the code is what the number becomes.
STATE: dict[str, Any] = {"format": "float8_e4m3fn", "code": 93, "typed": "27.3"}


def data() -> dict[str, Any]:
    """The rows of the two tables, as lists."""
    return {
        "formats": {name: plain(row) for name, row in FORMATS.items()},
        "policies": [list(row) for row in policies.POLICIES],
        "modes": [list(row) for row in casts.MODES],
        "code": STATE["code"],  # where a number is typed: so that a link to the first one sets nothing
    }


def beat_data(data: dict[str, Any], beat: Any) -> dict[str, Any]:
    """What libraries do at the end of a format stands in the beat about the end alone."""
    return data if beat.figure == "ending" else data | {"policies": []}


def plain(row: Format) -> dict[str, Any]:
    """A format as the widget reads it: its sources are the page's."""
    return {key: value for key, value in row._asdict().items() if key != "source"} | {"values": list(row.values)}


def settle(state: dict[str, Any], given: list[str], data: dict[str, Any]) -> dict[str, Any]:
    """A link that sets a code and types nothing means the code."""
    return {**state, "typed": ""} if "code" in given and "typed" not in given else state


def check(state: dict[str, Any]) -> str:
    """What is wrong with a state, in one sentence."""
    row = FORMATS.get(state["format"])
    if row is None:
        return f"There is no format “{state['format'][:40]}”. There is {', '.join(FORMATS)}."
    if state["typed"].strip():
        return exact.parse(state["typed"], row)[2]
    if not isinstance(state["code"], int) or not 0 <= state["code"] < 1 << row.bits:
        return f"{row.label} has {row.bits} bits: its codes are 0 to {integer((1 << row.bits) - 1)}."
    return ""


def compute(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Everything that is printed, as strings and plain numbers."""
    f = FORMATS[state["format"]]
    typed = state["typed"].strip()
    number, code, wrong = exact.parse(typed, f) if typed else (exact.decode(f, state["code"]), state["code"], "")
    if number is None:
        raise ValueError(wrong)
    if code is None:
        code = exact.encode(f, number)
    stored = exact.decode(f, code)
    return {
        "format": saying.facts(f),
        "code": code,
        "hex": saying.hex_code(f, code),
        "fields": (fields := saying.fields(f, code)),
        "groups": saying.groups(fields),
        "kind": saying.kind(f, code),
        "value": saying.say(stored),
        "short": saying.say_short(stored, saying.digits(f), saying.digits(f) + 3),
        "hexfloat": text.hexfloat(stored.value) if stored.kind == "finite" and not saying.minus_zero(stored) else "",
        "formula": saying.formula(f, code),
        "scientific": saying.scientific(stored),
        **rounding.neighbours(f, code),
        "typed": rounding.measure(f, number, code, bool(typed)),
        "bins": (bins := rounding.bins(f, code)),
        "bin_words": rounding.bin_words(bins, exact.rank(f, code)),
        "everywhere": rounding.everywhere(number),
        **casts.casts(f, [row for row in data["policies"] if row[0] == f.name], number),
        "modes": casts.modes(f, number),
        "codes": lines.codes(f, code),
        "ticks": lines.ticks(f.name),
        "last": lines.last(f.name),
    }


def cases() -> list[dict[str, Any]]:
    """States that the widget and this file are both asked for."""
    numbers = (
        "27.3",
        "0.1",
        "1/3",
        "-0",
        "nan",
        "-inf",
        "464",
        "465",
        "1e-45",
        "-1000",
        "2^-7",
        "0x1.8p-9",
        "2.5",
        "7.5",
        "1.0625000000010625",
        "65519.9999",
        "0x1.6p-127",
    )
    typed = [{"format": name, "code": STATE["code"], "typed": number} for name in FORMATS for number in numbers]
    codes = []
    for name, row in FORMATS.items():
        last = (1 << row.bits) - 1
        some = {0, 1, 2, last, last - 1, last >> 1, (last >> 1) + 1, (last >> 1) - 1, last // 3, last // 7, last // 5}
        codes += [{"format": name, "code": code, "typed": ""} for code in sorted(some)]
    return typed + codes
