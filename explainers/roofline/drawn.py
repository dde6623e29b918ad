"""compute's result -> the lab's first picture: blocks, roofline, what it comes to, the table. Twin of widget.js."""

from __future__ import annotations

from cutaway.explainers.roofline import bars, roof

fill = bars.fill

COLUMNS = (("block", "label", "text"), ("arithmetic", "work", "text"), ("weights", "weights", "bytes"),
           ("cache", "cache", "bytes"), ("FLOP a byte", "intensity", "fixed 1"), ("at least", "time", "text"),
           ("share", "share", "percent 1"), ("waits for", "binds", "text"))  # fmt: skip
TOLD = (
    "A step takes at least {total.time:text}, {total.rate:count} tokens a second. {most_says:text}",
    "{gpus:int} × {device.title:text}: room for {room.room:bytes}. All weights take {room.weights:bytes}, the "
    "cache of {batch:int} × {context:int} tokens {room.cache:bytes}: {fits_says:text}.",
    "{peaks_says:text} {waits_says:text}",
    "{rule_says:text}",
)


def table(now: dict) -> str:
    """Every block in numbers."""
    head = "".join(f'<th scope="col"{right(label)}>{label}</th>' for label, _, _ in COLUMNS)
    rows = "".join(f"<tr>{line(now, i)}</tr>" for i in range(len(now["rows"])))
    return (
        '<div class="cw-scroll" tabindex="0" role="region" aria-label="Every block in numbers"><table class="cw-table">'
        f"<caption>Every block in numbers</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def line(now: dict, i: int) -> str:
    """One row of it."""
    cells = [f"{right(label)}>{fill(f'{{rows.{i}.{key}:{how}}}', now)}" for label, key, how in COLUMNS]
    return f'<th scope="row"{cells[0]}</th>' + "".join(f"<td{one}</td>" for one in cells[1:])


def right(label: str) -> str:
    return "" if label in ("block", "waits for") else ' class="cw-right"'


def picture(now: dict) -> str:
    """The lab's first picture."""
    told = "".join(f"<p>{fill(words, now)}</p>" for words in TOLD)
    return (
        f'<div class="cw-split"><div>{bars.blocks(now)}</div><div>{roof.roof(now)}</div></div>'
        f'<div class="cw-roofline-told">{told}</div><!--more--><div class="cw-section">{table(now)}</div>'
    )
