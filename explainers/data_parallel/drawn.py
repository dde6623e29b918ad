"""compute's result -> ranks and what each holds, and what the stages send, as HTML. Twin of view.js."""

from __future__ import annotations

from cutaway.explainers.beats_facts import bound

SIDE = 30  # pixels of a cell
SHOWN = 8
HIGH = {"weights": 12, "gradients": 12, "optimizer": 40}
FORMATS = {"sends": "fixed 2", "per": "fixed 2"}
LABELS = {"sends": "Bytes that a rank sends for each parameter, by ZeRO stage.",
          "per": "Bytes that a rank holds for each parameter, by ZeRO stage."}  # fmt: skip


def shown(d: int) -> list[int]:
    """The ranks that are drawn: all, or the first and the last."""
    return list(range(d)) if d <= SHOWN else [*range(SHOWN - 1), d - 1]


def cell(part: dict, rank: int, shards: int) -> str:
    """A bar as wide as the parameters, as high as their bytes, filled where this rank holds them."""
    high, share = HIGH[part["name"]], part["share"]
    at = SIDE * (rank % shards) / shards if 0 < share < 1 else 0
    wide = max(SIDE * share, 1.5) if share else 0
    return (
        f'<svg viewBox="0 0 {SIDE} {high}" aria-hidden="true">'
        f'<rect class="all" width="{SIDE}" height="{high}"/>'
        f'<rect class="{part["name"]}" x="{min(at, SIDE - wide):.2f}" width="{wide:.2f}" height="{high}"/></svg>'
    )


def cards(now: dict, d: int) -> str:
    """A table: ranks across, what they hold down."""
    ranks = shown(d)
    head = "".join(
        f'<th scope="col" data-index="">{"… " if n and rank - ranks[n - 1] > 1 else ""}{rank}</th>'
        for n, rank in enumerate(ranks)
    )
    rows = ""
    for i, part in enumerate(now["parts"]):
        cells = "".join(f"<td>{cell(part, rank, now['shards'])}</td>" for rank in ranks)
        size = bound(part["bytes"], f"parts.{i}.bytes", "int", "span")
        rows += f'<tr><th scope="row">{part["name"]} <small>{size} B</small></th>{cells}</tr>'
    return (
        f'<table class="cw-data-parallel-cards"><thead><tr><th scope="col">rank</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def bars(now: dict, what: str, stage: int, hide: bool = False) -> str:
    """One bar for each stage; `hide` leaves stage 3 out."""
    most, out = max(row[what] for row in now["rows"]), ""
    for z, row in enumerate(now["rows"]):
        gone = hide and z == 3
        wide = 0 if gone else 62 * row[what] / most
        number = "" if gone else bound(row[what], f"rows.{z}.{what}", FORMATS[what])
        out += (
            f'<g class="{"on" if z == stage else ""}"><text x="0" y="{30 * z + 17}" data-index="">stage {z}</text>'
            f'<rect x="20%" y="{30 * z + 4}" width="{wide:.2f}%" height="18"/>'
            f'<text x="{21 + wide:.2f}%" y="{30 * z + 17}">{number}{"" if gone else " B"}</text></g>'
        )
    size = 'width="100%" height="120"'
    return f'<svg class="cw-data-parallel-bars" role="img" aria-label="{LABELS[what]}" {size}>{out}</svg>'


def picture(now: dict, state: dict) -> str:
    """All that the lab shows."""
    return (
        f"{cards(now, state['dp'])}<p>{now['words']}</p><!--more-->"
        f"{bars(now, 'per', state['stage'])}{bars(now, 'sends', state['stage'])}"
    )
