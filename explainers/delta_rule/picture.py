"""Computed states -> the HTML that stands on the page before any script: five matrices and what the first key reads."""

from __future__ import annotations

from html import escape

from cutaway.explainers import fmt

LETTERS = "ABCDEFGH"
CELL, LEFT = 20, 16


def picture(state: dict, data: dict, out: dict) -> str:
    """The writes, the five states with their errors, and the table of errors per key."""
    head = '<h2 class="cw-heading"><span>Five states, the same writes</span></h2>'
    cards = "".join(card(rule, out) for rule in data["rules"])
    return f'{head}<p>{escape(story(state, out))}</p><div class="cw-delta-rule-cards">{cards}</div>{table(data, out)}'


def story(state: dict, out: dict) -> str:
    """What was written, in words."""
    keys = [LETTERS[int(k)] for k in state["writes"][::2]][: int(state["step"])]
    twice = sorted({k for k in keys if keys.count(k) > 1})
    again = f" {', '.join(twice)} was written twice, and the later value is the one to recall." if twice else ""
    return f"Written in this order: {', '.join(keys) or 'nothing'}.{again}"


def card(rule: dict, out: dict) -> str:
    """One rule: its name, its update, its state, its error."""
    found = out["rules"][rule["name"]]
    return (
        '<div class="cw-delta-rule-card">'
        f'<span class="cw-delta-rule-name"><strong>{escape(rule["label"])}</strong></span>'
        f'<span class="cw-delta-rule-formula">{escape(rule["formula"])}</span>'
        f"{matrix(found['state'], rule['label'])}"
        '<span class="cw-delta-rule-error"><span>recall error</span>'
        f'<strong class="cw-mono">{fmt.percent(found["error"])}</strong></span></div>'
    )


def matrix(state: list, label: str, names: str = LETTERS) -> str:
    """Eight by eight cells: colour for the sign, a dash for minus, strength for the size."""
    most = max(1.0, *(abs(v) for row in state for v in row))
    size = f"0 0 {LEFT + 8 * CELL + 3} {8 * CELL + 5}"
    words = f"State of {label}, largest number {most:.3g}"
    parts = [f'<svg class="cw-delta-rule-matrix" viewBox="{size}" role="img" aria-label="{escape(words)}">']
    box = f'x="{LEFT - 2.5}" y="0.5" width="{8 * CELL + 4}" height="{8 * CELL + 4}"'
    parts.append(f'<rect class="cw-delta-rule-frame" {box} rx="4"/>')
    for i, row in enumerate(state):
        parts.append(
            f'<text text-anchor="middle" x="{LEFT / 2 - 2}" y="{CELL * i + CELL * 0.72 + 2:.1f}">{names[i]}</text>'
        )
        for j, v in enumerate(row):
            strong = abs(v) / most
            if strong < 0.001:
                continue
            x, y, sign = LEFT + CELL * j, 3 + CELL * i, "neg" if v < 0 else "pos"
            inside = f'width="{CELL - 1}" height="{CELL - 1}" rx="1.5" fill-opacity="{strong:.2f}"'
            parts.append(f'<rect class="{sign}" x="{x}" y="{y}" {inside}/>')
            if v < 0 and strong > 0.06:
                parts.append(f'<path class="cw-delta-rule-minus" d="M{x + 6} {y + 9.5}h8"/>')
    return "".join(parts) + "</svg>"


def table(data: dict, out: dict) -> str:
    """How far every written key reads from the value written last."""
    written = [i for i, target in enumerate(out["targets"]) if target is not None]
    head = "".join(f'<th scope="col">{h}</th>' for h in ("how far off", *(f"key {LETTERS[i]}" for i in written)))
    body = ""
    for rule in data["rules"]:
        errors = out["rules"][rule["name"]]["errors"]
        cells = "".join(f"<td>{fmt.percent(errors[i])}</td>" for i in written)
        body += f'<tr><th scope="row">{escape(rule["label"])}</th>{cells}</tr>'
    inner = f"<caption>Recall error per key</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    wrap = '<div class="cw-scroll" tabindex="0" role="region" aria-label="Recall error per key">'
    title = '<h2 class="cw-heading"><span>What the keys read back</span></h2>'
    return f'{title}{wrap}<table class="cw-table">{inner}</table></div>'
