"""compute's result -> the wall of experts, eight experts in cells, a route, the lab's numbers. Twin of view.js.

Along x all is a percentage, or a drawing that is stretched, so one drawing fits every width.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from cutaway.explainers.beats_facts import HOLE, bound, printed

WALL, BAR = 200, 34  # pixels: heights
FINE = 160  # experts up to which the lines between them are drawn


def fill(words: str, now: dict, tag: str = "span") -> str:
    """Words with values in braces, each bound to its path."""

    def value(path: str) -> object:
        found: object = now
        for key in path.split("."):
            found = found[int(key)] if isinstance(found, list) else found[key]  # type: ignore[index]
        return found

    return HOLE.sub(lambda hole: bound(value(hole[1]), hole[1], hole[2] or "text", tag), words)


def pct(x: float) -> str:
    return f"{x:.3f}".rstrip("0").rstrip(".") + "%"


def px(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0")


def keys(labels: Iterable[tuple[str, str]]) -> str:
    """A legend."""
    items = (f'<li><i class="{css}" aria-hidden="true"></i>{label}</li>' for css, label in labels)
    return f'<ul class="cw-legend">{"".join(items)}</ul>'


# ---------------------------------------------------------------- the wall


def grid(layers: int, experts: int) -> str:
    across = "".join(f"M{e} 0V{layers}" for e in range(1, experts)) if experts <= FINE else ""
    return across + "".join(f"M0 {y}H{experts}" for y in range(1, layers))


def wall(now: dict) -> str:
    """Every expert of a model, a row for each layer, the last on top; one token's are lit."""
    of = now["of"]
    layers, experts = of["layers"], of["experts"]
    lit = "".join(f"M{e} {layers - 1 - i}h1v1h-1z" for i, row in enumerate(now["wall"]) for e in row)
    said = f"{of['title']}: {of['met']} of {of['all']} experts are met by one token."
    head = fill("{of.layers:int} layers × {of.experts:int} experts; this token meets {of.k:int} in each", now)
    return (
        f'<p class="cw-experts-head">{head}</p>'
        f'<svg class="cw-experts-wall" role="img" aria-label="{escape(said)}" width="100%" height="{WALL}" '
        f'viewBox="0 0 {experts} {layers}" preserveAspectRatio="none"><rect width="{experts}" height="{layers}"/>'
        f'<path class="lit" d="{lit}"/><path class="grid" d="{grid(layers, experts)}"/></svg>'
        f"{keys((('lit', 'met by this token'), ('rest', 'resting'), ('every', 'not drawn: what every token meets')))}"
    )


# ---------------------------------------------------------------- eight experts

ROWS = (
    ("logit", "logits", "signed 1", "plain"),
    ("score", "scores", "signed 3", "soft"),
    ("selection bias", "biases", "signed 2", "plain"),
    ("sum, sorted by", "ranked", "signed 3", "soft sum"),
    ("weight", "weights", "fixed 3", "weight"),
)


def cell(now: dict, path: str, how: str, css: str, i: int) -> str:
    """A number in its cell; one that is not chosen has no weight."""
    eight = now["eight"]
    on = " on" if i in eight["chosen"] and css not in ("plain", "soft") else ""
    if path == "weights" and not on:
        return f'<td class="{css}"></td>'
    value = eight[path][i]
    return f'<td class="{css}{on}" data-out="eight.{path}.{i}" data-format="{how}">{printed(value, how)}</td>'


def eight(now: dict, hide: bool = False) -> str:
    """Five rows of cells, and what the stream gets; `hide` keeps the weights back."""
    chosen = now["eight"]["chosen"]
    head = "".join(f'<th scope="col"{" class=on" if i in chosen else ""}>{i}</th>' for i in range(8))
    rows = "".join(
        f'<tr{" class=hide" if hide and path == "weights" else ""}><th scope="row">{label}</th>'
        + "".join(cell(now, path, how, css, i) for i in range(8))
        + "</tr>"
        for label, path, how, css in ROWS
    )
    return (
        '<table class="cw-experts-eight"><caption>Eight experts and one token, from logit to weight</caption>'
        f'<thead><tr><th scope="col">expert</th>{head}</tr></thead><tbody>{rows}</tbody></table>{mix(now, hide)}'
    )


def mix(now: dict, hide: bool) -> str:
    """What is added to the stream: the shared expert once, and the chosen by weight."""
    eight = now["eight"]
    parts = [("shared", "shared", 1.0), *(("routed", f"e{i}", eight["weights"][i]) for i in eight["chosen"])]
    x, made = 0.0, ""
    for css, name, weight in parts:
        wide = 100 * weight / eight["whole"]
        made += (
            f'<rect class="{css}" x="{pct(x)}" y="0" width="{pct(wide - 0.4)}" height="{BAR}"/>'
            f'<text class="{css}" x="{pct(x + wide / 2)}" y="22">{name}</text>'
        )
        x += wide
    label = "What is added to the stream: the shared expert, and the chosen by their weights."
    hidden = " hide" if hide else ""
    return (
        f'<p class="cw-experts-name{hidden}">added to the stream</p><svg class="cw-experts-mix{hidden}" role="img" '
        f'aria-label="{label}" width="100%" height="{BAR}">{made}</svg>'
    )


# ---------------------------------------------------------------- a route


def route(now: dict) -> str:
    """What a rollout sends home for one token: eight bytes, and the numbers of its experts."""
    ids = " ".join(str(e) for row in now["wall"] for e in row)
    said = f"{now['route']['ids']} numbers of experts, the first {now['of']['k']} of layer 0."
    return (
        '<div class="cw-experts-two"><p><b>4 B</b>its id</p><p><b>4 B</b>its log-probability</p></div>'.replace(
            "4 B", '<span data-index="">4 B</span>'
        )
        + f'<p class="cw-experts-head">{fill("and its route: {of.layers:int} layers × {of.k:int} numbers", now)}</p>'
        f'<p class="cw-experts-ids" role="img" data-index="" aria-label="{said}">{ids}</p>'
    )


# ---------------------------------------------------------------- the lab in numbers

RESULTS = (
    ("busiest expert, of an even share", "load.ratio", "fixed 3", " ×"),
    ("nodes a token is sent to, on average", "mean.nodes", "fixed 2", ""),
    ("without the bias", "load.ratio_before", "fixed 3", " ×"),
    ("most nodes of any token", "mean.most", "int", ""),
    ("choices that find no room", "load.lost_share", "percent 1", ""),
    ("bytes out per token and layer", "mean.bytes", "bytes KB 1", ""),
    ("experts under half a share", "load.idle", "int", ""),
    ("if each expert got a send", "mean.each", "bytes KB 1", ""),
)


def results(now: dict) -> str:
    rows = (
        f"<div><dt>{label}</dt><dd>{fill(f'{{{path}:{how}}}', now)}{unit}</dd></div>"
        for label, path, how, unit in RESULTS
    )
    return f'<dl class="cw-experts-results">{"".join(rows)}</dl>'


def picture(now: dict) -> str:
    """What comes to each expert, and what that costs. The beats have drawn the rest."""
    from cutaway.explainers.experts import charts

    return f"{charts.loads(now, 'lab')}{results(now)}"
