"""compute's result -> every block as two bars on one scale of time, and what a step reads as two bars. Twin of bars.js.

Along x everything is a percentage, so one drawing fits every width.
"""

from __future__ import annotations

from cutaway.explainers.beats_facts import HOLE, bold, bound

WIDE = 70  # percent that the longest bar takes; its number stands behind it
KEYS = (("weights", "its weights, in its colour"), ("kept", "its cache"), ("work", "its arithmetic"))


def value(now: dict, path: str) -> object:
    """What stands at a path of compute's result."""
    at: object = now
    for key in path.split("."):
        at = at[int(key)] if isinstance(at, list) else at[key]  # type: ignore[index]
    return at


def fill(template: str, now: dict, tag: str = "span") -> str:
    """Words with {path:format} in them: kit.fill, with **bold**."""
    return bold(HOLE.sub(lambda found: bound(value(now, found[1]), found[1], found[2] or "text", tag), template))


def pct(share: float) -> str:
    return f"{100 * share:.3f}%"


def legend(*items: tuple[str, str]) -> str:
    made = (f'<li><i class="{css}" aria-hidden="true"></i>{label}</li>' for css, label in items)
    return f'<ul class="cw-legend">{"".join(made)}</ul>'


def hush(hide: bool) -> str:
    return " hush" if hide else ""


def block(now: dict, i: int, most: float, hide: str) -> str:
    """One block: what it is called, how long it takes, its two bars."""
    row, speed = now["rows"][i], WIDE / 100 / most
    weights = row["bytes_ms"] * (row["weights"] / row["bytes"]) if row["bytes"] else 0.0
    ends = [pct(ms * speed) for ms in (weights, row["bytes_ms"] - weights, row["bytes_ms"], row["flops_ms"])]
    waits = "flops" if row["flops_ms"] > row["bytes_ms"] else "bytes"
    name = (
        f'<b class="number" data-index="">{i + 1}</b> <span class="label">'
        f"{fill(f'{{rows.{i}.label:text}}', now)}</span>"
    )
    time = f'<span class="time{hush(bool(hide))}">{fill(f"{{rows.{i}.time:text}}", now)}</span>'
    return (
        f'<li class="cw-roofline-block of-{row["role"]}"><p>{name}{time}</p>'
        '<svg width="100%" height="38" aria-hidden="true">'
        f'<rect class="weights" x="0" y="2" width="{ends[0]}" height="14"/>'
        f'<rect class="kept" x="{ends[0]}" y="2" width="{ends[1]}" height="14"/>'
        f'<text class="{"on" if waits == "bytes" else ""}" x="{ends[2]}" dx="8" y="14">'
        f"{fill(f'{{rows.{i}.bytes:bytes}}', now, 'tspan')}</text>"
        f'<g class="work{hush(hide == "work")}"><rect x="0" y="21" width="{ends[3]}" height="12"/>'
        f'<text class="{"on" if waits == "flops" else ""}" x="{ends[3]}" dx="8" y="32">'
        f"{fill(f'{{rows.{i}.work:text}}', now, 'tspan')}</text></g></svg></li>"
    )


def blocks(now: dict, hide: str = "") -> str:
    """All blocks that take a share worth drawing; `hide` keeps back "time", or "work" with it."""
    most = max((max(row["flops_ms"], row["bytes_ms"]) for row in now["rows"]), default=0.0) or 1.0
    rows = "".join(block(now, i, most, hide) for i in now["drawn"])
    head = fill("{device.title:text}: {device.tb:num 3} TB a second, {device.tflops:int} TFLOP a second", now)
    return (
        f'<p class="cw-roofline-name">{head}</p><ol class="cw-roofline-blocks" aria-label="Blocks of a step, in order, '
        f'with bytes and arithmetic on one scale of time">{rows}</ol>{legend(*KEYS)}'
    )


READS = (("weights", "all weights that a step reads", "total.weights"), ("kept", "the cache", "total.cache"))


def reads(now: dict) -> str:
    """Weights and cache of a step, to one scale."""
    most = max(now["total"]["weights"], now["total"]["cache"]) or 1.0
    made = ""
    for i, (css, name, path) in enumerate(READS):
        y = 62 * i
        made += (
            f'<text x="0" y="{y + 14}">{name}</text>'
            f'<text class="end" x="100%" y="{y + 14}">{fill(f"{{{path}:bytes}}", now, "tspan")}</text>'
            f'<rect class="{css}" x="0" y="{y + 22}" width="{pct(value(now, path) / most)}" height="26"/>'  # type: ignore[operator]
        )
    head = fill("{batch:int} × {context:int} tokens: what one step reads", now)
    return (
        f'<p class="cw-roofline-name">{head}</p><svg class="cw-roofline-reads" width="100%" height="114" role="img" '
        f'aria-label="Weights and cache of a step, to one scale.">{made}</svg>'
    )
