"""Numbers -> the few words that sentences about differences use: one, twelfth, half the, 327.01 B."""

from __future__ import annotations

NAMES = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
            "eleventh", "twelfth")  # fmt: skip
UNITS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "K"))
BYTES = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "KB"))
MINUS = "−"


def number_word(value: int) -> str:
    """Small numbers in words, others in digits."""
    return NAMES[value] if 0 <= value < len(NAMES) else f"{value:,}"


def ordinal(value: int) -> str:
    """4th, 21st, 112th."""
    end = {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th") if value % 100 not in (11, 12, 13) else "th"
    return f"{value}{end}"


def ordinal_word(value: int) -> str:
    """seventh, twelfth, 13th."""
    return ORDINALS[value] if value < len(ORDINALS) else ordinal(value)


def _scaled(value: float, units: tuple[tuple[int, str], ...], one: str) -> str:
    for size, unit in units:
        if abs(value) >= size * 0.99995:
            digits = 2 if size >= 10**9 else 1
            return f"{abs(value) / size:,.{digits}f} {unit}"
    return f"{abs(value):,.0f}{one}" if value == int(value) else f"{abs(value):,.1f}{one}"


def scaled_count(value: int) -> str:
    """A number of parameters: 671.03 B, 53.2 M, 2,048 as 2.0 K."""
    return _scaled(value, UNITS, "")


def scaled_bytes(value: float) -> str:
    """Bytes, decimal units: 70.3 KB, 11.51 GB."""
    return _scaled(value, BYTES, " B")


def say_change(value: float, told: str) -> str:
    """A difference with its sign, or "="."""
    return "=" if not value else ("+" if value > 0 else MINUS) + told


def percent_change(before: float, after: float) -> int:
    """By how many per cent of `before` the two differ, rounded to the even half; -100 to any."""
    return round((after - before) / before * 100) if before else 0


TIMES = {2: "twice", 3: "three times", 4: "four times", 8: "eight times"}
PARTS_OF = {2: "half", 3: "a third of", 4: "a quarter of", 8: "an eighth of"}


def say_times(a: int, b: int) -> str:
    """Twice, half; "" where it is no round ratio."""
    if b > a:
        return TIMES.get(b // a, "") if b % a == 0 else ""
    return PARTS_OF.get(a // b, "") if a % b == 0 else ""
