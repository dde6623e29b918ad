"""compute's result -> one token's scores in groups, what is sent, what comes to every expert. Twin of charts.js."""

from __future__ import annotations

from cutaway.explainers.experts import drawn

fill, pct, px, keys = drawn.fill, drawn.pct, drawn.px, drawn.keys
NODES, TOP, HIGH, SEND = 8, 14, 104, 26  # groups; pixels: above the bars, the bars, a row of sends
HIGHS = {"crowd": 190, "level": 90, "lab": 190}  # pixels of the bars
BIAS, FOOT, GOAL = 27, 22, 1.2  # pixels: half of the biases, the room below; the goal of the lab in even shares


def nearest(x: float) -> int:
    """The whole number nearest to x, as Math.round has it."""
    return int(x + 0.5)


def line(css: str, y: float) -> str:
    return f'<line class="{css}" x1="0" x2="100%" y1="{px(y)}" y2="{px(y)}"/>'


# ---------------------------------------------------------------- one token


def heights(now: dict) -> list[int]:
    """How high each expert's bar is, of 100."""
    ranked = now["here"]["ranked"]
    low, high = min(ranked), max(ranked)
    return [nearest(6 + 86 * (v - low) / ((high - low) or 1)) for v in ranked]


def group(now: dict, g: int, high: list[int], hide: bool) -> str:
    """One group: its box, its bars, what it counts as."""
    here, size = now["here"], len(high) // NODES
    kept = not hide and g in here["kept"]
    bars = {"bar": "", "picked": ""}
    for i in range(size):
        e = g * size + i
        bars["picked" if not hide and e in here["chosen"] else "bar"] += f"M{10 * i + 2} 100v-{high[e]}h6V100z"
    css = " kept" if kept else ""
    paths = "".join(f'<path class="{name}" d="{d}"/>' for name, d in bars.items())
    mark = "" if hide else fill(f"{{here.marks.{g}:fixed 3}}", now, "tspan")
    x = 12.5 * g
    return (
        f'<rect class="box{css}" x="{pct(x + 0.3)}" y="0" width="11.9%" height="{TOP + HIGH}"/>'
        f'<svg x="{pct(x + 0.8)}" y="{TOP}" width="10.9%" height="{HIGH}" viewBox="0 0 {10 * size} 100" '
        f'preserveAspectRatio="none">{paths}</svg>'
        f'<text class="mark{css}" x="{pct(x + 6.25)}" y="{TOP + HIGH + 17}">{mark}</text>'
        f'<text class="node{css}" x="{pct(x + 6.25)}" y="{TOP + HIGH + 34}" data-index="">node {g}</text>'
    )


def dots(now: dict, high: list[int]) -> str:
    """The best of all that stay, those whose group is out, and who takes their place."""
    here, experts = now["here"], len(high)
    size, free, chosen = experts // NODES, set(here["free"]), set(here["chosen"])
    made = ""
    for e in sorted(free | chosen):
        css = "best" if e in free and e in chosen else "missed" if e in free else "gained"
        x = 12.5 * (e // size) + 0.8 + 10.9 * (e % size + 0.5) / size
        made += f'<circle class="{css}" cx="{pct(x)}" cy="{px(TOP + HIGH * (1 - high[e] / 100) - 5)}" r="3.5"/>'
    return made


def sends(now: dict, hide: bool) -> str:
    """What one token costs on the network, without the limit and with it."""
    here, made = now["here"], ""
    rows = (("free", "no limit: {here.nodes_free:int} nodes", here["nodes_free"], "{here.bytes_free:bytes KB 1}"),
            ("now", "as set: {here.nodes:int} nodes", here["nodes"], "{here.bytes:bytes KB 1}"))  # fmt: skip
    for i, (css, label, count, size) in enumerate(rows):
        y = SEND * i
        made += f'<text class="label" x="36%" y="{y + 15}">{fill(label, now, "tspan")}</text>'
        made += "".join(
            f'<rect class="{css}" x="{pct(38 + 5.5 * n)}" y="{y + 2}" width="5.2%" height="18"/>' for n in range(count)
        )
        made += f'<text class="size" x="{pct(39 + 5.5 * count)}" y="{y + 15}">{fill(size, now, "tspan")}</text>'
    hidden = " hide" if hide else ""
    label = "What one token sends over the network, without the limit and with it."
    return (
        f'<svg class="cw-experts-sends{hidden}" role="img" aria-label="{label}" width="100%" height="{2 * SEND}">'
        f"{made}</svg>"
    )


def groups(now: dict, hide: bool = False) -> str:
    """One token's scores in eight groups; `hide` keeps back what the limit does."""
    high = heights(now)
    boxes = "".join(group(now, g, high, hide) for g in range(NODES))
    said = f"One token’s scores for {len(high)} experts in {NODES} groups."
    named = (
        ("best", "one of the best of all"),
        ("missed", "best, but its group is out"),
        ("gained", "takes its place"),
    )
    legend = keys(named).replace('class="cw-legend"', 'class="cw-legend hide"') if hide else keys(named)
    return (
        f'<svg class="cw-experts-groups" role="img" aria-label="{said}" width="100%" height="{TOP + HIGH + 40}">'
        f"{boxes}{'' if hide else dots(now, high)}</svg>{legend}{sends(now, hide)}"
    )


# ---------------------------------------------------------------- all tokens


def bars(now: dict, order: list[int], y, hide: bool) -> dict[str, str]:
    """Paths, ten units an expert: what finds room, what does not, what came before any update."""
    load, made = now["load"], {"kept": "", "lost": "", "before": ""}
    foot, room = y(0), load["room"] or load["busiest"]
    for i, e in enumerate(order):
        n, before = load["counts"][e], load["before"][e]
        fits = n if hide else min(n, room)
        made["kept"] += f"M{10 * i + 1} {px(foot)}V{px(y(fits))}h8V{px(foot)}z"
        if n > fits:
            made["lost"] += f"M{10 * i + 1} {px(y(fits))}V{px(y(n))}h8V{px(y(fits))}z"
        made["before"] += f"M{10 * i + 1} {px(foot)}V{px(y(before))}h8V{px(foot)}"
    return made


def said_of(now: dict, kind: str, y, hide: bool) -> str:
    """Lines and their labels."""
    load = now["load"]
    made = line("even", y(load["even"]))
    if kind == "lab":
        goal = y(GOAL * load["even"])
        most = (
            f'<text class="end" x="100%" y="12">{fill("busiest: {load.ratio:fixed 3} × the even share", now, "tspan")}'
        )
        return made + line("goal", goal) + most + "</text>"
    if kind == "level":
        words = "{updates:int} updates: the busiest gets {load.ratio:fixed 2} × the even share"
        return made + f'<text class="end" x="100%" y="12">{fill(words, now, "tspan")}</text>'
    if load["room"]:
        label = fill("room for {load.room:int}, an even share is {load.even:int}", now, "tspan")
        made += line("room", y(load["room"]))
        made += f'<text class="end" x="100%" y="{px(y(load["room"]) - 6)}">{label}</text>'
    busiest = fill("the busiest: {load.busiest:int}, {load.ratio:fixed 1} × even", now, "tspan")
    return made if hide else made + f'<text x="3%" y="12">{busiest}</text>'


def biases(now: dict, order: list[int], at: int) -> str:
    """A bar for each expert's bias: filled where it was raised, hollow where it was lowered."""
    values = now["biases"]
    most = max(now["high"], -now["low"], 0.001)
    made = {"raised": "", "lowered": ""}
    for i, e in enumerate(order):
        high = nearest(100 * abs(values[e]) / most)
        if high:
            made["raised" if values[e] > 0 else "lowered"] += (
                f"M{10 * i + 1} 100v{'-' if values[e] > 0 else ''}{high}h8V100z"
            )
    paths = "".join(f'<path class="{css}" d="{d}"/>' for css, d in made.items())
    return (
        f'<svg y="{at}" width="100%" height="{2 * BIAS}" viewBox="0 0 {10 * len(order)} 200" '
        f'preserveAspectRatio="none">{paths}</svg>{line("base", at + BIAS)}'
        f'<text class="note" x="0" y="{at + 2 * BIAS + 14}">'
        f"{fill('biases, from {low:signed 3} to {high:signed 3}', now, 'tspan')}</text>"
    )


def nodes(high: int) -> str:
    """The names of the nodes below the bars, and lines between them."""
    names = "".join(
        f'<text class="node" x="{pct(12.5 * g + 6.25)}" y="{high + 16}" data-index="">node {g}</text>'
        for g in range(NODES)
    )
    lines = "".join(f'<line class="wall" x1="{pct(12.5 * g)}" x2="{pct(12.5 * g)}" y1="16" y2="{high}"/>'
                    for g in range(1, NODES))  # fmt: skip
    return lines + names


def legend(kind: str) -> str:
    found = [("kept", "choices an expert gets"), ("even", "the even share")]
    if kind != "level":
        found.insert(1, ("lost", "no room"))
    if kind != "crowd":
        found.append(("before", "before any update"))
    if kind == "lab":
        found.append(("goal", "the goal"))
    return keys(found)


def loads(now: dict, kind: str, hide: bool = False) -> str:
    """What comes to every expert: by popularity (crowd, level), or by number (lab)."""
    load, high = now["load"], HIGHS[kind]
    order = list(range(len(load["counts"]))) if kind == "lab" else load["order"]
    top = max(load["busiest"], *load["before"], GOAL * load["even"])
    y = lambda n: high - (high - 18) * n / top  # noqa: E731
    paths = bars(now, order, y, hide or kind == "level")
    past = kind != "crowd" and now["updates"]
    shown = "".join(f'<path class="{css}" d="{d}"/>' for css, d in paths.items() if css != "before" or past)
    below = biases(now, order, high + 8) if kind != "crowd" else ""
    foot = {"crowd": 4, "level": 2 * BIAS + 26, "lab": 2 * BIAS + 26 + FOOT}[kind]
    if kind == "lab":
        below = nodes(high) + biases(now, order, high + FOOT + 2)
    said = f"Choices that each of {len(order)} experts gets from {now['tokens']} tokens."
    return (
        f'<svg class="cw-experts-loads" role="img" aria-label="{said}" width="100%" height="{high + foot}">'
        f'<svg width="100%" height="{high}" viewBox="0 0 {10 * len(order)} {high}" preserveAspectRatio="none">{shown}'
        f"</svg>{said_of(now, kind, y, hide)}{below}</svg>{legend(kind)}"
    )
