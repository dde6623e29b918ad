"""compute's result -> squares of what a GPU holds by axis, bars of what it sends or takes, as HTML. Twin of view.js."""

from __future__ import annotations

from html import escape
from math import log10

from cutaway.explainers.beats_facts import bound

SIDE = 30  # pixels of a square
FORMATS = {"sent": "bytes", "ms": "fixed 1"}
LABELS = {"sent": "What the busiest GPU sends in a step, by axis, on a log scale.",
          "ms": "Milliseconds for {step} at least, by axis."}  # fmt: skip


def square(share: float, css: str, hide: bool) -> str:
    """A square, filled from below to a share; more than all of it is all of it."""
    high = 0 if hide else SIDE * min(share, 1)
    return (
        f'<svg viewBox="0 0 {SIDE} {SIDE}" aria-hidden="true"><rect class="all" width="{SIDE}" height="{SIDE}"/>'
        f'<rect class="{css}" y="{SIDE - high:.2f}" width="{SIDE}" height="{high:.2f}"/></svg>'
    )


def cells(now: dict, i: int, hide: bool) -> str:
    """One axis: a square and a share for each part, and the sum."""
    row, names = now["rows"][i], [part["name"] for part in now["one"]["parts"]]
    if not row["legal"]:
        return f'<td class="why" colspan="{len(names) + 1}">{escape(row["why"])}</td>'
    out = ""
    for j, part in enumerate(row["parts"]):
        text = "" if hide else bound(part["share"], f"rows.{i}.parts.{j}.share", "percent 1", "span")
        out += f"<td>{square(part['share'], part['name'], hide)}{text}</td>"
    total = "" if hide else bound(row["total"], f"rows.{i}.total", "bytes GB 0", "span")
    fits = "" if hide or not row["fits"] else ' class="fits"'
    return f"{out}<td{fits}>{total}</td>"


def grid(now: dict, axis: str = "", hide: bool = False) -> str:
    """The table of squares; `hide` leaves them empty."""
    head = "".join(f'<th scope="col">{part["name"]}</th>' for part in now["one"]["parts"])
    rows = "".join(
        f'<tr{" class=on" if row["axis"] == axis else ""}><th scope="row">{row["name"]}</th>{cells(now, i, hide)}</tr>'
        for i, row in enumerate(now["rows"])
    )
    return (
        f'<table class="cw-which-axis-grid"><thead><tr><th scope="col">axis</th>{head}<th scope="col">a GPU</th></tr>'
        f"</thead><tbody>{rows}</tbody></table>"
    )


def length(value: float, most: float, what: str) -> float:
    """Percent of the room for bars: bytes on a log scale from a megabyte, milliseconds on a linear one."""
    if not value or not most:
        return 0.0
    if what == "ms":
        return 62 * value / most
    return 62 * max(log10(value / 1e6), 0.02) / max(log10(most / 1e6), 1)


def bars(now: dict, what: str, axis: str = "", hide: bool = False) -> str:
    """One bar for each axis that is legal."""
    out, y = "", 0
    for i, row in enumerate(now["rows"]):
        if not row["legal"]:
            continue
        wide = 0 if hide else length(row[what], now["largest"][what], what)
        number = "" if hide else bound(row[what], f"rows.{i}.{what}", FORMATS[what])
        unit = " ms" if what == "ms" and not hide else ""
        out += (
            f'<g class="{"on" if row["axis"] == axis else ""}"><text x="0" y="{y + 17}">{row["name"]}</text>'
            f'<rect x="20%" y="{y + 4}" width="{wide:.2f}%" height="18"/>'
            f'<text x="{21 + wide:.2f}%" y="{y + 17}">{number}{unit}</text></g>'
        )
        y += 30
    label = LABELS[what].format(step=now["step"])
    return f'<svg class="cw-which-axis-bars" role="img" aria-label="{label}" width="100%" height="{y}">{out}</svg>'


def told(now: dict) -> str:
    """The axis in four lines."""
    lines = (("split", "split"), ("copied", "copied"), ("who talks", "talk"), ("what is sent", "sent"))
    return "".join(f"<dt>{label}</dt><dd>{now['told'][key]}</dd>" for label, key in lines)


def picture(now: dict, state: dict) -> str:
    """All that the lab shows."""
    return (
        f'{grid(now, state["axis"])}<!--more--><dl class="cw-which-axis-told">{told(now)}</dl>'
        f"{bars(now, 'sent', state['axis'])}{bars(now, 'ms', state['axis'])}"
    )
