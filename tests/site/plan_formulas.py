"""A number on /plan/ and the arithmetic behind it, typed in as a reader would: units and words left out."""

from __future__ import annotations

import re
from math import inf

from tests.tally import Tally

UNITS = {"PFLOP/s": 1e15, "TFLOP/s": 1e12, "GFLOP": 1e9, "TB/s": 1e12, "GB/s": 1e9, "TB": 1e12, "GB": 1e9, "MB": 1e6,
         "KB": 1e3, "µs": 1e-6, "ms": 1e-3, "B": 1, "s": 1, "%": 0.01}  # fmt: skip
UNIT = "|".join(UNITS)
SYMBOLS = re.compile(r" v m\b|\bb ÷")  # letters that stand for numbers: told, not typed
SHORT = 0.011  # numbers are printed with three figures


def typed(text: str) -> float:
    """What a reader gets who types it in, words left out; infinity where it is words alone."""
    if SYMBOLS.search(text):
        return inf
    text = re.sub(r" on each of dp .*", "", text).replace("dp × cp ", "").replace(", each", "")
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(rf"([\d.]*\d)\s?({UNIT})(?![\w/])", lambda found: f"({found[1]}*{UNITS[found[2]]!r})", text)
    text = re.sub(rf"\)\s?({UNIT})(?![\w/])", lambda found: f")*{UNITS[found[1]]!r}", text)
    text = text.replace("×", "*").replace("÷", "/").replace("−", "-")
    kept = re.findall(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?|max\(|[-+*/(),]", text)
    if re.search(r"[\d)]\(", "".join(kept)):  # words between two numbers
        return inf
    try:
        return float(eval("".join(kept), {"__builtins__": {}, "max": max}))  # digits, operators, max
    except (SyntaxError, TypeError):
        return inf


def sums(lines: list[str]) -> list[str]:
    """Lines that go on with an operator are one with the line before."""
    out: list[str] = []
    for line in lines:
        if line[0] in "=×+" and out:
            out[-1] += " " + line
        else:
            out.append(line)
    return out


def sides(line: str) -> list[float]:
    """Every side of its equations that can be typed in."""
    return [value for part in re.split(r" = | → ", line) if (value := typed(part)) != inf]


def formulas_give_their_numbers(told: list[list], layout) -> Tally:
    """Behind every number stands arithmetic; typed in it gives what it says, and the number on the page."""
    tally, many = Tally(), layout.gpus // layout.pp
    alike = f", each of its {many} GPUs" if many > 1 else ""
    for text, title, lines, says in told:
        assert says and lines
        if title.endswith("a step") and ": " in title and "idle" not in title:
            communicator(tally, text, title, lines)
        elif all(re.match(r"[\d.,]+ = [a-z]", line) for line in lines):
            assert re.fullmatch(rf".*{re.escape(alike)}: {re.escape(text.removesuffix(' GB'))} GB", title), (
                title,
                alike,
            )
            parts = sum(typed(line.partition(" =")[0]) for line in lines)
            tally.near(parts, float(text.removesuffix(" GB")), title, lines, abs=0.051 * (len(lines) + 1))
        else:
            for line in sums(lines):
                line_holds(tally, line)
            ends_in(tally, text, title, lines)
    return tally


def line_holds(tally: Tally, line: str) -> int:
    """All sides of a line are equal: how many beside the first."""
    found = sides(line)
    for side in found[1:]:
        tally.near(found[0], side, line, found, rel=SHORT, abs=0.99 if "→" in line else 1e-9)
    return len(found[1:])


def ends_in(tally: Tally, text: str, title: str, lines: list[str]) -> None:
    """The last side is the number that was asked."""
    if "tokens per second" in title:
        tally.near(typed(lines[0]), typed(text), title, lines, rel=SHORT)
    elif "FLOP of" not in title and re.fullmatch(r"[\d.,]+ (µs|ms|s)", text) and "idle" not in title:
        tally.near(sides(sums(lines)[-1])[-1], typed(text), title, lines, rel=0.006)
    elif ", weights:" in title or "routed experts:" in title:
        *own, last = lines if " B × " in lines[-1] else [*lines, ""]
        total = sum(sides(line)[-1] for line in own)
        wanted = typed(last.partition(" × ")[2].partition(" ")[0]) if last else 1e9 * typed(text)
        near = {"rel": 1e-9, "abs": len(own)} if last else {"rel": SHORT, "abs": 0.06e9}
        tally.near(total, wanted, title, lines, **near)
    elif re.fullmatch(r"[\d.,]+", text) and title.endswith(f"{text} GB") and lines[-1] != "typed in, under More":
        tally.near(sides(sums(lines)[-1])[-1], 1e9 * typed(text), title, lines, rel=0.006, abs=0.06e9)


def communicator(tally: Tally, text: str, title: str, lines: list[str]) -> None:
    """Calls times the bytes of one, those bytes as the table of NCCL's tests has them, and the time on both links."""
    calls, _, each = lines[0].partition(", each = ")
    tally.near(typed(calls), typed(text), title, lines, rel=SHORT)
    if each:
        tally.near(typed(each) * typed(calls.partition(" × ")[0]), typed(text), title, lines, rel=SHORT)
    assert sum(line_holds(tally, line) for line in lines[1:]) == 1
