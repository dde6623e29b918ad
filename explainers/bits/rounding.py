"""A number and the code it became -> what rounding did: neighbours, error, kept bits, reason, bins, other formats."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from cutaway.explainers.bits import exact, saying, text
from cutaway.gallery.formats.scalar import FORMATS, Format

Number = exact.Number


def value_at(f: Format, place: int) -> Fraction:
    return exact.decode(f, exact.at_rank(f, place)).value


def in_digits(f: Format, x: Fraction, more: int = 0) -> str:
    return text.short(x, saying.digits(f) + more, saying.digits(f) + 3 + 2 * more)


def neighbours(f: Format, code: int) -> dict[str, str]:
    """The next numbers up and down, and the step up (down from the top)."""
    place = exact.rank(f, code)
    low, high = exact.ranks(f)
    if place is None:
        return {"up": "", "down": "", "spacing": ""}
    past = "inf" if f.specials == "ieee" else ""
    up = in_digits(f, value_at(f, place + 1)) if place < high else past
    down = in_digits(f, value_at(f, place - 1)) if place > low else (past and "-" + past)
    step = value_at(f, place + 1) - value_at(f, place) if place < high else value_at(f, place) - value_at(f, place - 1)
    return {"up": up, "down": down, "spacing": text.short(step)}


def gap(f: Format, x: Number) -> Fraction:
    """The distance of the two neighbours that x lies between: one ulp there. Past an end: the last distance."""
    low, high = exact.ranks(f)
    stored = exact.encode(f, x)
    place = exact.rank(f, stored)
    if place is None:
        place = low if x.negative and f.sign_bits else high
    value = value_at(f, place)
    above = x.value > value or (x.value == value and place < high)
    place = min(place, high - 1) if above else max(place - 1, low)
    return value_at(f, place + 1) - value_at(f, place)


def measure(f: Format, x: Number, code: int, typed: bool) -> dict[str, Any]:
    """Typed, exact, stored, error; the bits that were kept and why the last one is what it is."""
    stored = exact.decode(f, code)
    made = {
        "label": saying.say_short(x),
        "exact": saying.say(x),
        "stored": saying.say(stored),
        "error": "",
        "error_ulp": "",
        "relative": "",
        "keeps": kept_bits(f, x),
    }
    if x.kind == "finite" and stored.kind == "finite":
        error = stored.value - x.value
        made["error"] = sign_text(error)
        made["error_ulp"] = sign_text(error / gap(f, x)) if error else "0"
        made["relative"] = sign_text(100 * error / x.value) + " %" if x.magnitude else ""
    made["why"] = explain_rounding(f, x, code) if typed else "This code is the number itself."
    return made


def sign_text(x: Fraction) -> str:
    return ("+" if x > 0 else "") + text.short(x, 3)


def kept_bits(f: Format, x: Number) -> dict[str, Any]:
    """The number in binary, cut where the format cuts it: kept, guard, the rest (8 bits of it), sticky."""
    if x.kind != "finite" or x.magnitude == 0 or f.specials == "codebook":
        none = {"exponent": None, "lead": "", "kept": "", "guard": "", "rest": "", "more": False, "sticky": 0}
        return none | {"line": "", "boxes": []}
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
    made |= {"more": part != 0, "sticky": sticky}
    return made | {"line": binary(made), "boxes": boxes(made)}


def binary(k: dict[str, Any]) -> str:
    """The number in binary, as far as it is shown: "1.10110011…₂ × 2⁴"."""
    part = k["guard"] + k["rest"] + ("…" if k["more"] else "")
    if not k["lead"]:
        return f"{k['kept']}.{part}₂"
    return f"{k['lead']}.{k['kept']}{part}₂ × {text.power(k['exponent'])}"


def boxes(k: dict[str, Any]) -> list[list[str]]:
    """Its bits one by one, with what becomes of each; the last 34 of them."""
    named = [("kept", k["kept"]), ("guard", k["guard"]), ("sticky", k["rest"])]
    return [[name, bit] for name, some in named for bit in some][-34:]


def cut_exponent(f: Format, x: Number) -> int:
    """The exponent the significand is written with: never below the smallest normal's; 0 for whole numbers."""
    if not f.exponent_bits:
        return 0
    return max(exact.floor_log2(x.magnitude), -f.bias if exact.bare_exponent(f) else 1 - f.bias)


def explain_rounding(f: Format, x: Number, code: int) -> str:
    """Why the number became this code, in one or two sentences."""
    stored = exact.decode(f, code)
    if x.kind != "finite":
        return explain_special(f, x, stored)
    if x.value == stored.value and stored.kind == "finite" and not (x.negative and not stored.negative):
        return "Exact: all bits that are cut off are 0." if f.exponent_bits else "Exact: no bit is lost."
    if exact.bare_exponent(f) and (x.negative or x.magnitude == 0):
        return "E8M0 has no zero and no sign: anything not above zero is NaN."
    if x.magnitude == 0:
        return f"{f.label} has no -0: it becomes 0."
    past = explain_overflow(f, x, stored)
    return past or explain_rounded(f, x, code)


def explain_special(f: Format, x: Number, stored: Number) -> str:
    """What infinities and NaNs become."""
    name = "NaN" if x.kind == "nan" else "infinity"
    if x.kind == stored.kind:
        return f"{f.label} has a code for {name}."
    if x.kind == "nan":
        rule = {"finite": "ml_dtypes stores the zero of the other sign", "int": "ml_dtypes stores 0"}
        return f"{f.label} has no NaN: {rule.get(f.specials, 'nothing defines what it becomes; 0 is shown')}."
    return f"{f.label} has no infinity: it becomes {saying.say(stored)}."


def explain_overflow(f: Format, x: Number, stored: Number) -> str:
    """Past an end of the line, or ""."""
    low, high = exact.ranks(f)
    top, bottom = value_at(f, high), value_at(f, low)
    if bottom <= x.value <= top:
        return ""
    if exact.bare_exponent(f) and x.value < bottom:
        return f"Below the smallest scale: it becomes {text.power(-f.bias)}."
    end = top if x.value > top else bottom
    if stored.kind == "finite" and f.overflow != "saturate":
        return f"Past {text.short(end)}, but by no more than half a step: it rounds to that."
    becomes = {"saturate": "saturates", "inf": "becomes infinity", "nan": "becomes NaN"}[f.overflow]
    return f"Past the last number {text.short(end)}: {f.label} {becomes}."


def explain_rounded(f: Format, x: Number, code: int) -> str:
    """Guard and sticky, or the distance to the table's entries."""
    if f.specials == "codebook":
        return f"The nearest of 16 entries; entry {code} is {saying.say_short(exact.decode(f, code))}."
    bits = kept_bits(f, x)
    if bits["guard"] == "0":
        return "Guard 0: less than half a step is left over, so the kept bits stay."
    if bits["sticky"]:
        return "Guard 1 and a 1 after it: more than half a step is left over, so the kept bits go up by one."
    if exact.bare_exponent(f):
        return "Guard 1, then only zeros: exactly half. ml_dtypes rounds E8M0 ties up."
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
    value, bare = value_at(f, p), exact.bare_exponent(f)
    under = (value_at(f, p - 1) + value) / 2 if p > low else None
    over = (value_at(f, p + 1) + value) / 2 if p < high else None
    if f.overflow != "saturate" and not bare:
        under = value - (value_at(f, p + 1) - value) / 2 if p == low else under
        over = value + (value - value_at(f, p - 1)) / 2 if p == high else over
    if bare and p == high:
        over = value * 3 / 2
    even = [True, False] if bare else [False, True] if f.specials == "codebook" else [p % 2 == 0] * 2
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


def bin_words(bins: list[dict[str, Any]], place: int | None) -> str:
    """Which numbers become the one in hand."""
    here = next((one for one in bins if one["rank"] == place), None)
    if not here:
        return "This code is not a number, so no number rounds to it."
    if here["from"] == "":
        return f"Everything up to {here['to']} becomes {here['value']}."
    if here["to"] == "":
        return f"Everything from {here['from']} on becomes {here['value']}."
    ends = {(True, True): "both ends", (True, False): "the lower end", (False, True): "the upper end"}
    included = ends.get(tuple(here["ends"]), "neither end")
    return f"Everything from {here['from']} to {here['to']} becomes {here['value']}, {included} included."


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
        "code": saying.hex_code(f, code),
        "stored": saying.say_short(stored, max(6, saying.digits(f)), max(9, saying.digits(f) + 3)),
    }
    if x.kind != "finite" or stored.kind != "finite":
        same = x.kind == stored.kind
        return (Fraction(0) if same else None), made | {"error": "exact" if same else "", "relative": ""}
    error = stored.value - x.value
    relative = sign_text(100 * error / x.value) + " %" if error and x.magnitude else ""
    return abs(error), made | {"error": sign_text(error) if error else "exact", "relative": relative}
