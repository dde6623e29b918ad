"""A state (format, code or typed text) -> everything the bits page prints, from exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

from explainers import load_file
from explainers.fmt import integer, sup
from gallery.formats import FORMATS, Format

HERE = Path(__file__).parent
exact = load_file(HERE / "exact.py")
text = load_file(HERE / "text.py")
policies = load_file(HERE / "policies.py")
Number = exact.Number

# A typed number wins over the code: then the code is what the number becomes.
STATE: dict[str, Any] = {"format": "float8_e4m3fn", "code": 93, "typed": "27.3"}


def data() -> dict[str, Any]:
    """The rows of the two tables, as lists."""
    return {
        "formats": {name: row._asdict() | {"values": list(row.values)} for name, row in FORMATS.items()},
        "policies": [list(row) for row in policies.POLICIES],
    }


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
    number, code, _ = exact.parse(typed, f) if typed else (None, state["code"], "")
    if code is None:
        code = exact.encode(f, number)
    stored = exact.decode(f, code)
    number = number or stored
    return {
        "format": facts(f),
        "code": code,
        "hex": hex_code(f, code),
        "fields": fields(f, code),
        "kind": kind(f, code),
        "value": say(stored),
        "short": say_short(stored, digits(f), digits(f) + 3),
        "hexfloat": text.hexfloat(stored.value) if stored.kind == "finite" and not minus_zero(stored) else "",
        "formula": formula(f, code),
        "scientific": scientific(stored),
        **neighbours(f, code),
        "typed": measure(f, number, code, bool(typed)),
        "bins": bins(f, code),
        "everywhere": everywhere(number),
        "policies": [row[1:] for row in data["policies"] if row[0] == f.name],
    }


# ---------------------------------------------------------------- saying


def minus_zero(x: Number) -> bool:
    return x.kind == "finite" and x.negative and x.magnitude == 0


def say(x: Number) -> str:
    """A number in full: "26", "-0", "-inf", "NaN"."""
    if x.kind == "nan":
        return "NaN"
    if x.kind == "inf":
        return "-inf" if x.negative else "inf"
    return "-0" if minus_zero(x) else text.decimal(x.value)


def digits(f: Format) -> int:
    """How many digits tell any two neighbours of a format apart, at least four."""
    return max(4, math.ceil(1 + (f.mantissa_bits + 1) * math.log10(2))) if f.exponent_bits else 4


def say_short(x: Number, count: int = 4, width: int = 7) -> str:
    """A number in four digits."""
    return text.short(x.value, count, width) if x.kind == "finite" and not minus_zero(x) else say(x)


def hex_code(f: Format, code: int) -> str:
    return f"0x{code:0{-(-f.bits // 4)}X}"


def facts(f: Format) -> dict[str, Any]:
    """The line under the format's name, and how many numbers it has."""
    low, high = exact.ranks(f)
    count = high - low + 1
    if f.specials == "codebook":
        below = sum(abs(v) < 1 for v in f.values)
    elif f.specials == "int":
        below = 1
    else:
        one = f.bias * exact.mantissa_size(f)
        below = one if f.specials == "fnu" else 2 * one - 1
    ends = [exact.decode(f, exact.at_rank(f, place)) for place in (low, high)]
    return {"line": fact_line(f), "count": count, "below_one": below, "ends": [say_short(end) for end in ends]}


def fact_line(f: Format) -> str:
    """ "1 sign · 4 exponent · 3 mantissa bits, bias 7, no infinity, 2 NaN codes, -0"."""
    if f.specials == "int":
        return f"{f.bits} bits, two's complement; no infinity, no NaN, no -0"
    if f.specials == "codebook":
        return f"{f.bits} bits that index a table; no infinity, no NaN, no -0"
    nans = {"ieee": exact.sign_mask(f) and 2 * (exact.mantissa_size(f) - 1), "fn": 2, "fnuz": 1, "fnu": 1}
    codes = nans.get(f.specials, 0)
    said = f"{integer(codes)} NaN code{'' if codes == 1 else 's'}" if codes else "no NaN"
    infinity = "±infinity" if f.specials == "ieee" else "no infinity"
    zero = {"fnuz": "no -0", "fnu": "no zero"}.get(f.specials, "±0")
    sign = "1 sign · " if f.sign_bits else ""
    return (
        f"{sign}{f.exponent_bits} exponent · {f.mantissa_bits} mantissa bits, bias {f.bias}, {infinity}, {said}, {zero}"
    )


def fields(f: Format, code: int) -> list[dict[str, Any]]:
    """The bits from left to right: what each is, what it counts, whether it is on, and the words for it."""
    made = []
    for i in range(f.bits - 1, -1, -1):
        field, place, of = place_of(f, i)
        on = code >> i & 1
        worth = weight(f, i)
        words = "sign bit" if field == "sign" else f"{field} bit {place - 1} of {of}, value {worth}"
        made.append({"field": field, "bit": i, "on": on, "worth": worth, "says": f"{words}, {'on' if on else 'off'}"})
    return made


def place_of(f: Format, i: int) -> tuple[str, int, int]:
    """(field, place from its right end starting at 1, bits of the field) of bit i."""
    if f.specials in ("int", "codebook"):
        return ("integer" if f.specials == "int" else "index"), i + 1, f.bits
    if i < f.mantissa_bits:
        return "mantissa", i + 1, f.mantissa_bits
    if i < f.mantissa_bits + f.exponent_bits:
        return "exponent", i - f.mantissa_bits + 1, f.exponent_bits
    return "sign", 1, 1


def weight(f: Format, i: int) -> str:
    """What a bit is worth inside its field."""
    field, place, of = place_of(f, i)
    if field == "sign":
        return "±"
    if field == "mantissa":
        return f"1/{integer(1 << (of - place + 1))}"
    if field == "integer" and place == of:
        return f"-{1 << (of - 1)}"
    return str(1 << (place - 1))


def kind(f: Format, code: int) -> str:
    """The class of a code."""
    x = exact.decode(f, code)
    if x.kind != "finite":
        return {"nan": "NaN", "inf": "infinity"}[x.kind]
    if x.magnitude == 0:
        return "zero"
    if f.specials == "int":
        return "whole number"
    if f.specials == "codebook":
        return "table entry"
    exponent = (code & ~exact.sign_mask(f)) >> f.mantissa_bits
    return "subnormal" if exponent == 0 and f.specials != "fnu" else "normal"


def formula(f: Format, code: int) -> str:
    """How the bits make the value, with superscripts."""
    what = kind(f, code)
    if what in ("NaN", "infinity"):
        return special_words(f, code)
    if f.specials == "codebook":
        return f"table[{code}] = {say(exact.decode(f, code))}"
    if f.specials == "int":
        parts = [weight(f, i) for i in range(f.bits - 1, -1, -1) if code >> i & 1]
        return " + ".join(parts) or "0"
    if f.specials == "fnu":
        return f"2{sup(code)}⁻{sup(f.bias)}"
    magnitude = code & ~exact.sign_mask(f)
    exponent, mantissa = divmod(magnitude, exact.mantissa_size(f))
    lead = f"(-1){sup(int(code != magnitude))} × 2{sup(max(exponent, 1))}⁻{sup(f.bias)}"
    return f"{lead} × ({int(exponent > 0)} + {mantissa}/{exact.mantissa_size(f)})"


def special_words(f: Format, code: int) -> str:
    """Why a code is no number."""
    if f.specials == "ieee":
        zero = "mantissa zero: infinity" if kind(f, code) == "infinity" else "mantissa not zero: NaN"
        return f"exponent all ones, {zero}"
    return {"fn": "exponent and mantissa all ones: NaN", "fnuz": "the code of -0 is the one NaN"}.get(
        f.specials, "all ones: NaN"
    )


def scientific(x: Number) -> str:
    """ "+1.625 × 2⁴"."""
    if x.kind != "finite" or x.magnitude == 0:
        return ("-" if x.negative else "+") + "0" if x.kind == "finite" else ""
    e = exact.floor_log2(x.magnitude)
    return f"{'-' if x.negative else '+'}{text.short(x.magnitude / exact.pow2(e), 6, 10)} × {text.power(e)}"


# ---------------------------------------------------------------- what stands beside it


def at(f: Format, place: int) -> Fraction:
    return exact.decode(f, exact.at_rank(f, place)).value


def in_digits(f: Format, x: Fraction, more: int = 0) -> str:
    return text.short(x, digits(f) + more, digits(f) + 3 + 2 * more)


def neighbours(f: Format, code: int) -> dict[str, str]:
    """The next numbers up and down, and the step up (down from the top)."""
    place = exact.rank(f, code)
    low, high = exact.ranks(f)
    if place is None:
        return {"up": "", "down": "", "spacing": ""}
    past = "inf" if f.specials == "ieee" else ""
    up = in_digits(f, at(f, place + 1)) if place < high else past
    down = in_digits(f, at(f, place - 1)) if place > low else (past and "-" + past)
    step = at(f, place + 1) - at(f, place) if place < high else at(f, place) - at(f, place - 1)
    return {"up": up, "down": down, "spacing": text.short(step)}


def gap(f: Format, x: Number) -> Fraction:
    """The distance of the two neighbours that x lies between: one ulp there. Past an end: the last distance."""
    low, high = exact.ranks(f)
    stored = exact.encode(f, x)
    place = exact.rank(f, stored)
    if place is None:
        place = low if x.negative and f.sign_bits else high
    value = at(f, place)
    above = x.value > value or (x.value == value and place < high)
    place = min(place, high - 1) if above else max(place - 1, low)
    return at(f, place + 1) - at(f, place)


def measure(f: Format, x: Number, code: int, typed: bool) -> dict[str, Any]:
    """Typed, exact, stored, error; the bits that were kept and why the last one is what it is."""
    stored = exact.decode(f, code)
    made = {"exact": say(x), "stored": say(stored), "error": "", "error_ulp": "", "relative": "", "keeps": keeps(f, x)}
    if x.kind == "finite" and stored.kind == "finite":
        error = stored.value - x.value
        made["error"] = signed(error)
        made["error_ulp"] = signed(error / gap(f, x)) if error else "0"
        made["relative"] = signed(100 * error / x.value) + " %" if x.magnitude else ""
    made["why"] = why(f, x, code) if typed else "This code is the number itself."
    return made


def signed(x: Fraction) -> str:
    return ("+" if x > 0 else "") + text.short(x, 3)


def keeps(f: Format, x: Number) -> dict[str, Any]:
    """The number in binary, cut where the format cuts it: kept, guard, the rest (8 bits of it), sticky."""
    if x.kind != "finite" or x.magnitude == 0 or f.specials == "codebook":
        return {"exponent": None, "lead": "", "kept": "", "guard": "", "rest": "", "more": False, "sticky": 0}
    exponent = cut_exponent(f, x)
    steps = x.magnitude / exact.pow2(exponent - (f.mantissa_bits if f.exponent_bits else 0))
    whole, part = divmod(steps, 1)
    bits = f"{int(whole):b}".rjust(1 + (f.mantissa_bits if f.exponent_bits else 0), "0")
    guard, part = divmod(part * 2, 1)
    rest = ""
    for _ in range(8):
        bit, part = divmod(part * 2, 1)
        rest += str(int(bit))
    sticky = int(part != 0 or "1" in rest)
    width = f.mantissa_bits if f.exponent_bits else 0
    lead, kept = (bits[: len(bits) - width], bits[len(bits) - width :]) if f.exponent_bits else ("", bits)
    rest = rest if part else rest.rstrip("0")
    made = {"exponent": exponent, "lead": lead, "kept": kept, "guard": str(int(guard)), "rest": rest}
    return made | {"more": part != 0, "sticky": sticky}


def cut_exponent(f: Format, x: Number) -> int:
    """The exponent the significand is written with: never below the smallest normal's; 0 for whole numbers."""
    if not f.exponent_bits:
        return 0
    return max(exact.floor_log2(x.magnitude), -f.bias if f.specials == "fnu" else 1 - f.bias)


def why(f: Format, x: Number, code: int) -> str:
    """Why the number became this code, in one or two sentences."""
    stored = exact.decode(f, code)
    if x.kind != "finite":
        return why_special(f, x, stored)
    if x.value == stored.value and stored.kind == "finite" and not (x.negative and not stored.negative):
        return "Exact: nothing after the kept bits is 1." if f.exponent_bits else "Exact: nothing is lost."
    if f.specials == "fnu" and (x.negative or x.magnitude == 0):
        return "E8M0 has no zero and no sign: anything not above zero is NaN."
    if x.magnitude == 0:
        return f"{f.label} has no -0: it becomes 0."
    past = why_past(f, x, stored)
    return past or why_rounded(f, x, code)


def why_special(f: Format, x: Number, stored: Number) -> str:
    """What infinities and NaNs meet."""
    name = "NaN" if x.kind == "nan" else "infinity"
    if x.kind == stored.kind:
        return f"{f.label} has a code for {name}."
    if x.kind == "nan":
        rule = {"finite": "ml_dtypes stores the zero of the other sign", "int": "ml_dtypes stores 0"}
        return f"{f.label} has no NaN: {rule.get(f.specials, 'nothing defines what it becomes; 0 is shown')}."
    return f"{f.label} has no infinity: it becomes {say(stored)}."


def why_past(f: Format, x: Number, stored: Number) -> str:
    """Past an end of the line, or ""."""
    low, high = exact.ranks(f)
    top, bottom = at(f, high), at(f, low)
    if bottom <= x.value <= top:
        return ""
    if f.specials == "fnu" and x.value < bottom:
        return f"Below the smallest scale {text.power(-f.bias)}: it stays there."
    end = top if x.value > top else bottom
    if stored.kind == "finite" and f.overflow != "saturate":
        return f"Past {text.short(end)}, but by no more than half a step: rounds back to it."
    becomes = {"saturate": "saturates", "inf": "becomes infinity", "nan": "becomes NaN"}[f.overflow]
    return f"Past the last number {text.short(end)}: {f.label} {becomes}."


def why_rounded(f: Format, x: Number, code: int) -> str:
    """Guard and sticky, or the distance to the table's entries."""
    if f.specials == "codebook":
        return f"The nearest of 16 entries; entry {code} is {say_short(exact.decode(f, code))}."
    bits = keeps(f, x)
    if bits["guard"] == "0":
        return "Guard 0: less than half a step is left over, so the kept bits stay."
    if bits["sticky"]:
        return "Guard 1 and a 1 after it: more than half a step is left over, so the kept bits go up by one."
    if f.specials == "fnu":
        return "Guard 1, then only zeros: exactly half. E8M0 in ml_dtypes takes ties up."
    if (bits["lead"] + bits["kept"]).endswith("1"):
        return "Guard 1, then only zeros: exactly half. The kept bits are odd, so they go up to even."
    return "Guard 1, then only zeros: exactly half. The kept bits are even, so they stay."


def bins(f: Format, code: int) -> list[dict[str, Any]]:
    """The code and three neighbours on each side: each value with the interval that rounds to it."""
    place = exact.rank(f, code)
    if place is None:
        return []
    low, high = exact.ranks(f)
    first = min(max(low, place - 3), max(low, high - 6))
    return [one_bin(f, p) for p in range(first, min(high, first + 6) + 1)]


def one_bin(f: Format, p: int) -> dict[str, Any]:
    """A value, its rank, and the ends of its interval as float and text; "" where it has no end."""
    low, high = exact.ranks(f)
    value = at(f, p)
    under = (at(f, p - 1) + value) / 2 if p > low else None
    over = (at(f, p + 1) + value) / 2 if p < high else None
    if f.overflow != "saturate" and f.specials != "fnu":
        under = value - (at(f, p + 1) - value) / 2 if p == low else under
        over = value + (value - at(f, p - 1)) / 2 if p == high else over
    if f.specials == "fnu" and p == high:
        over = value * 3 / 2
    even = {"fnu": [True, False], "codebook": [False, True]}.get(f.specials, [p % 2 == 0] * 2)
    return {
        "rank": p,
        "value": in_digits(f, value),
        "at": float(value),
        "from": in_digits(f, under, 1) if under is not None else "",
        "to": in_digits(f, over, 1) if over is not None else "",
        "low": float(under) if under is not None else None,
        "high": float(over) if over is not None else None,
        "ends": even,
    }


def everywhere(x: Number) -> list[dict[str, Any]]:
    """The same number in every format, the closest first; formats that cannot say it at the end."""
    rows = [everywhere_row(f, x) for f in FORMATS.values()]
    order = sorted(range(len(rows)), key=lambda i: (rows[i][0] is None, rows[i][0] or 0, i))
    return [rows[i][1] for i in order]


def everywhere_row(f: Format, x: Number) -> tuple[Fraction | None, dict[str, Any]]:
    """(absolute error or None, what the table prints)."""
    code = exact.encode(f, x)
    stored = exact.decode(f, code)
    made = {
        "format": f.name,
        "label": f.label,
        "bits": f.bits,
        "code": hex_code(f, code),
        "stored": say_short(stored, 6, 9),
    }
    if x.kind != "finite" or stored.kind != "finite":
        same = x.kind == stored.kind
        return (Fraction(0) if same else None), made | {"error": "exact" if same else "", "relative": ""}
    error = stored.value - x.value
    relative = signed(100 * error / x.value) + " %" if error and x.magnitude else ""
    return abs(error), made | {"error": signed(error) if error else "exact", "relative": relative}


def picture(state: dict[str, Any], data: dict[str, Any]) -> str:
    """The first picture, for the page before any script."""
    return load_file(HERE / "picture.py").draw(state, compute(state, data))


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
    )
    typed = [{"format": name, "code": 0, "typed": number} for name in FORMATS for number in numbers]
    codes = []
    for name, row in FORMATS.items():
        last = (1 << row.bits) - 1
        some = {0, 1, 2, last, last - 1, last >> 1, (last >> 1) + 1, (last >> 1) - 1, last // 3, last // 7, last // 5}
        codes += [{"format": name, "code": code, "typed": ""} for code in sorted(some)]
    return typed + codes
