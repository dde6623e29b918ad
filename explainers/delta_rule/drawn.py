"""A computed state -> the pieces the beats' static figures are made of: tape, matrix, strips, columns, keys."""

from __future__ import annotations

from html import escape

from cutaway.explainers import fmt
from cutaway.explainers.delta_rule import reference

LETTERS = reference.LETTERS
SIZE = 26  # of a cell in a strip


def row_names(state: dict) -> str:
    """Rows are keys only while the keys are the axes."""
    return "01234567" if state["overlap"] or state["seed"] else LETTERS[:8]


def share(x: float) -> str:
    return f"{x:.3f}".rstrip("0").rstrip(".") + "%"


def tape(state: dict, now: dict, gates: bool = False) -> str:
    """The writes in order, each with the signs of its value, and the α before it."""
    rows = zip(state["writes"][::2], state["writes"][1::2], now["gates"], strict=True)
    return (
        '<ol class="cw-delta-rule-tape">'
        + "".join(entry(state, i, *row, gates) for i, row in enumerate(rows))
        + "</ol>"
    )


def entry(state: dict, i: int, key: int, bits: int, alpha: float, gates: bool) -> str:
    """One write."""
    signs = "".join(
        f'<rect class="{"neg" if v < 0 else "pos"}" x="{4 * j}" width="3.4" height="4"/>'
        for j, v in enumerate(reference.value(bits))
    )
    where = " now" if i + 1 == state["step"] else " later" if i + 1 > state["step"] else ""
    side = " border" if i and i == state["border"] else " old" if i < state["border"] else ""
    below = (
        f'<span class="cw-delta-rule-gate"><span class="cw-mono">{fmt.fixed(alpha, 2)}</span></span>' if gates else ""
    )
    return (
        f'<li class="{side.strip()}"><span class="cw-delta-rule-entry{where}"><b>{LETTERS[int(key)]}</b>'
        f'<svg viewBox="0 0 32 4" aria-hidden="true">{signs}</svg></span>{below}</li>'
    )


def strip(values: list, most: float, label: str) -> str:
    """Eight numbers in a row."""
    cells = "".join(
        f'<g transform="translate({SIZE * j} 0)"><rect class="{"neg" if v < 0 else "pos"}" width="{SIZE - 1}"'
        f' height="{SIZE - 1}" rx="1.5" fill-opacity="{min(1, abs(v) / most):.3f}"/></g>'
        f'<text text-anchor="middle" x="{SIZE * (j + 0.5) - 0.5:g}" y="{SIZE * 0.64:.2f}"'
        f"{' class=' + chr(34) + 'on' + chr(34) if abs(v) / most > 0.6 else ''}>{fmt.fixed(v, 2)}</text>"
        for j, v in enumerate(values)
    )
    size = f"0 0 {8 * SIZE} {SIZE}"
    return f'<svg viewBox="{size}" class="cw-delta-rule-strip" role="img" aria-label="{escape(label)}">{cells}</svg>'


def reads(state: dict, now: dict, rows: list[tuple[str, str]]) -> str:
    """What the chosen key should read, and what it reads under some rules."""
    q = int(state["query"])
    target = now["targets"][q]
    found = [(label, now["rules"][name]["recall"][q], now["rules"][name]["errors"][q]) for name, label in rows]
    most = max(1.0, *(abs(x) for _, values, _ in found for x in values))
    note = "" if target else "not written yet"
    lines = read("should read", target or [], most, note)
    return f'<div class="cw-delta-rule-reads">{lines}{"".join(line(*row, most) for row in found)}</div>'


def line(label: str, values: list, error: float | None, most: float) -> str:
    return read(label, values, most, "" if error is None else f"<b>{fmt.percent(error)}</b> off")


def read(label: str, values: list, most: float, note: str) -> str:
    """One row: who reads, what, how far off."""
    return (
        f'<div class="cw-delta-rule-read"><span>{escape(label)}</span>{strip(values, most, label)}'
        f'<span class="cw-mono">{note}</span></div>'
    )


def fading(state: dict, now: dict) -> str:
    """One column for each write: how much of it an adding rule still holds."""
    written = state["writes"][::2]
    n = len(written)
    columns = ""
    for i, key in enumerate(written):
        high = max(1, 150 * (now["left"][i] if i < len(now["left"]) else 0))
        x = f'x="{share(100 * i / n)}" width="{share(80 / n)}"'
        mark = ' class="wanted"' if key in state["wanted"] else ""
        columns += (
            f'<g{mark}><rect class="all" {x} y="0" height="150"/>'
            f'<rect class="left" {x} y="{150 - high:g}" height="{high:g}"/>'
            f'<text text-anchor="middle" x="{share((100 * i + 40) / n)}" y="172">{LETTERS[int(key)]}</text></g>'
        )
    label = f"How much of each of {n} writes an adding rule still holds"
    svg = f'<svg class="cw-delta-rule-fading" width="100%" height="190" role="img" aria-label="{label}">{columns}</svg>'
    return f'<p class="cw-delta-rule-above">what is left of each write; the keys still wanted are marked</p>{svg}'


def keys(state: dict, now: dict) -> str:
    """Each key that was written: what it should read, and how far off it is."""
    one = now["rules"][state["rule"]]
    rows = ""
    for i, target in enumerate(now["targets"]):
        if target is None:
            continue
        error = one["errors"][i]
        rows += (
            f"<li><b>{LETTERS[i]}</b><span>{'its value' if any(target) else 'nothing'}</span>"
            f'<svg width="100%" height="10" aria-hidden="true"><rect class="all" width="100%" height="10"/>'
            f'<rect class="off" width="{share(min(100, 100 * error))}" height="10"/></svg>'
            f'<span class="cw-mono">{fmt.percent(error)}</span></li>'
        )
    label = escape(reference.rules.BY_NAME[state["rule"]]["label"])
    head = f'<p class="cw-delta-rule-above">{label}: what each key should read, and how far off it is</p>'
    return f'<div>{head}<ul class="cw-delta-rule-keys">{rows}</ul></div>'
