"""compute's result -> nodes with their GPUs and a token's way through them, tokens by nodes, loads, and the folding.

Twin of view.js. Along x all is a percentage, or a nested drawing that is stretched, so one drawing fits every width.
"""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.explainers.beats_facts import bound

ROW, TOP, HIGH, BUS, WIRE = 84, 18, 40, 66, 75  # pixels of a node: all of it, its GPUs' top and height, both wires
SIDE, OTHER = 45, 55  # percent: how wide a node is, and where the right column begins
BARS, FOOT, CELL = 190, 24, 25  # pixels: of a chart, of the room below it, of a GPU in the folding
LEAST = 4  # columns that a chart of tokens by nodes has room for
CHOICE, NETWORK, INSIDE, SUMS, BACK = 2, 3, 4, 5, 6


def pct(x: float) -> str:
    return f"{x:.3f}".rstrip("0").rstrip(".") + "%"


def px(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0")


def nearest(x: float) -> int:
    """The whole number nearest to x, as Math.round has it."""
    return int(x + 0.5)


def line(css: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{css}" x1="{pct(x1)}" y1="{px(y1)}" x2="{pct(x2)}" y2="{px(y2)}"/>'


def keys(labels: Iterable[tuple[str, str]]) -> str:
    """A legend."""
    items = (f'<li><i class="{css}" aria-hidden="true"></i>{label}</li>' for css, label in labels)
    return f'<ul class="cw-legend">{"".join(items)}</ul>'


# ---------------------------------------------------------------- one token's way


def place(node: int, nodes: int) -> tuple[float, float, float]:
    """x, width (percent) and y of a node; half of them stand on each side of the network."""
    if nodes == 1:
        return 0, 100, 0
    rows = nodes // 2
    return (0 if node < rows else OTHER), SIDE, node % rows * ROW


def centre(gpu: int, nodes: int) -> tuple[float, float]:
    """x of a GPU's middle, and y of its node."""
    x, wide, y = place(gpu // 8, nodes)
    return x + wide * (gpu % 8 + 0.5) / 8, y


def bars(now: dict, node: int, step: int) -> dict[str, str]:
    """The GPUs of a node as paths, 1,000 units wide each: boxes, and a bar for each slot."""
    per, here = now["per_gpu"], now["here"]
    found = {"box": "", "goal": "", "bar": "", "out": "", "picked": ""}
    low, span = here["low"], here["high"] - here["low"]
    size = now["experts"] // max(len(here["marks"]), 1)
    for gpu in range(8):
        visited = step >= NETWORK and node * 8 + gpu in here["gpus"]
        found["goal" if visited else "box"] += f"M{1000 * gpu + 30} 0h940v{HIGH}h-940z"
        for j in range(per):
            slot = (node * 8 + gpu) * per + j
            expert = now["slots"][slot]
            high = 3 + 33 * (here["scores"][expert] - low) / span
            stays = not here["marks"] or step < 1 or expert // size in here["kept"]
            kind = "picked" if step >= CHOICE and slot in here["goals"] else "bar" if stays else "out"
            wide = 860 / per
            x = 1000 * gpu + 70 + wide * (j + 0.1)
            found[kind] += f"M{nearest(x)} {HIGH}v-{nearest(high)}h{nearest(wide * 0.8)}V{HIGH}z"
    return found


def wires(now: dict, nodes: int, step: int) -> list[tuple[str, float, float, float, float]]:
    """(class, x1, y1, x2, y2): to the network and along it, then inside the nodes."""
    here, made = now["here"], []
    if step >= NETWORK and here["away"]:
        on = "net on" if step in (NETWORK, BACK) else "net"
        ends = [centre(8 * node + here["gpu"] % 8, nodes) for node in [here["node"], *here["away"]]]
        for x, y in ends:
            made += [(on, x, y + TOP + HIGH, x, y + WIRE), (on, x, y + WIRE, 50, y + WIRE)]
        heights = [y + WIRE for _, y in ends]
        made.append((on, 50, min(heights), 50, max(heights)))
    if step >= INSIDE:
        on = "nvl on" if step in (INSIDE, SUMS) else "nvl"
        for node in here["nodes"]:
            goals = [gpu for gpu in here["inside"] if gpu // 8 == node]
            at = [centre(gpu, nodes) for gpu in ([8 * node + here["gpu"] % 8, *goals] if goals else [])]
            made += [(on, x, y + TOP + HIGH, x, y + BUS) for x, y in at]
            if at:
                made.append((on, min(x for x, _ in at), at[0][1] + BUS, max(x for x, _ in at), at[0][1] + BUS))
    return made


def node_of(now: dict, node: int, nodes: int, step: int) -> str:
    """A node: its name, what its group counts as, its GPUs."""
    x, wide, y = place(node, nodes)
    here = now["here"]
    stays = step >= 1 and len(here["marks"]) == nodes and node in here["kept"]
    mark = ""
    if step >= 1 and len(here["marks"]) == nodes:
        value = bound(here["marks"][node], f"here.marks.{node}", "fixed 3")
        mark = f'<text class="sum{" kept" if stays else ""}" x="{pct(x + wide)}" y="{y + 12}">{value}</text>'
    paths = "".join(f'<path class="{css}" d="{d}"/>' for css, d in bars(now, node, step).items())
    return (
        f'<text class="name{" kept" if stays else ""}" x="{pct(x)}" y="{y + 12}" data-index="">node {node}</text>{mark}'
        f'<svg x="{pct(x)}" y="{y + TOP}" width="{pct(wide)}" height="{HIGH}" viewBox="0 0 8000 {HIGH}" '
        f'preserveAspectRatio="none">{paths}</svg>'
    )


def label(now: dict, step: int) -> str:
    """The drawing in words."""
    here = now["here"]
    seen = here["visits"]
    said = f" It goes to {seen['gpus']} GPUs on {seen['nodes']} nodes." if step >= CHOICE else ""
    return f"{now['gpus']} GPUs with {now['per_gpu']} experts each; the token stands on GPU {here['gpu']}.{said}"


def token_map(now: dict, state: dict) -> str:
    """Where a token goes, at a step of its way."""
    nodes, step, here = state["nodes"], state["step"], now["here"]
    high = max(nodes // 2, 1) * ROW
    x, y = centre(here["gpu"], nodes)
    spine = line("spine", 50, TOP, 50, high - 6) if nodes > 1 else ""
    home = f'<circle class="home" cx="{pct(x)}" cy="{y + TOP + HIGH}" r="5"/>'
    each = "".join(node_of(now, node, nodes, step) for node in range(nodes))
    drawn = "".join(line(*wire) for wire in wires(now, nodes, step))
    legend = keys((("home", "the token"), ("picked", "its experts"), ("net", "network"), ("nvl", "inside a node")))
    return (
        f'<svg class="cw-expert-parallel-map" role="img" aria-label="{label(now, step)}" width="100%" height="{high}">'
        f"{spine}<g>{each}</g><g>{drawn}</g>{home}</svg>{legend}"
    )


# ---------------------------------------------------------------- all tokens


def spread(now: dict, state: dict) -> str:
    """How many tokens go to how many other nodes; dashed, as the model is built."""
    counts, own = now["spread"], now["spread_own"]
    most, n = max(*counts, *own, 1), max(len(counts), LEAST)
    made, differ = "", counts != own

    def column(css: str, i: int, high: float) -> str:
        at = f'x="{pct((100 * i + 15) / n)}" y="{px(BARS - high)}" width="{pct(70 / n)}" height="{px(high)}"'
        return f'<rect class="{css}" {at}/>'

    for i in range(len(counts)):
        x, high = 100 * i / n, (BARS - 30) * counts[i] / most
        made += column("now", i, high) + (column("own", i, (BARS - 30) * own[i] / most) if differ else "")
        value = bound(counts[i], f"spread.{i}", "int")
        made += f'<text x="{pct(x + 50 / n)}" y="{px(BARS - high - 6)}">{value}</text>'
        made += f'<text class="index" x="{pct(x + 50 / n)}" y="{BARS + 18}" data-index="">{i}</text>'
    legend = keys((("now", "tokens, by how many other nodes they go to"), *((("own", "as built"),) if differ else ())))
    return (
        f'<svg class="cw-expert-parallel-spread" role="img" aria-label="Tokens by the number of other nodes." '
        f'width="100%" height="{BARS + FOOT}">{line("base", 0, BARS, 100, BARS)}{made}</svg>{legend}'
    )


def loads(now: dict, state: dict) -> str:
    """What comes to each GPU; what finds no room stands pale on top."""
    load, gpus = now["load"], now["gpus"]
    nodes = gpus // 8
    wide = gpus * 10 + (nodes - 1) * 6
    top = max(2 * load["mean"], *load["asked"])
    y = lambda n: BARS - (BARS - 24) * n / top  # noqa: E731
    at = lambda g: 10 * g + 6 * (g // 8) + 1  # noqa: E731
    box = lambda g, a, b: f"M{at(g)} {px(y(a))}V{px(y(b))}h8V{px(y(a))}z"  # noqa: E731
    kept = "".join(box(g, 0, n) for g, n in enumerate(load["kept"]))
    away = "".join(box(g, n, load["asked"][g]) for g, n in enumerate(load["kept"]) if load["asked"][g] > n)
    x = 100 * (at(load["busiest"]) + 4) / wide
    anchor = "start" if x < 12 else "end" if x > 88 else "middle"
    high = y(max(load["kept"][load["busiest"]], load["asked"][load["busiest"]]))
    names = "".join(
        f'<text class="index" x="{pct(100 * (at(8 * n) + 39) / wide)}" y="{BARS + 16}" data-index="">node {n}</text>'
        for n in range(nodes)
    )
    said = f"{bound(load['ratio'], 'load.ratio', 'fixed 2')} ×"
    legend = keys((("kept", "computed"), *((("lost", "no room"),) if away else ()), ("mean", "the mean")))
    return (
        f'<svg class="cw-expert-parallel-loads" role="img" aria-label="Token copies on each of {gpus} GPUs." '
        f'width="100%" height="{BARS + FOOT}"><svg width="100%" height="{BARS}" viewBox="0 0 {wide} {BARS}" '
        f'preserveAspectRatio="none"><path class="kept" d="{kept}"/><path class="lost" d="{away}"/></svg>'
        f"{line('mean', 0, y(load['mean']), 100, y(load['mean']))}{names}"
        f'<text class="most" x="{pct(x)}" y="{px(high - 6)}" text-anchor="{anchor}">{said}</text></svg>{legend}'
    )


# ---------------------------------------------------------------- the same GPUs, read twice


def grid(now: dict, state: dict, colour: list[int], words: list[int], label: str) -> str:
    """The GPUs, a row for each node: one colour for one set of weights."""
    cells = ""
    for gpu in range(now["fold"]["gpus"]):
        x, y = gpu % 8 * 12.5, gpu // 8 * CELL
        kind = f"cw-rank cw-rank{colour[gpu] % 16}{' on' if gpu == state['gpu'] else ''}"
        cells += f'<rect class="{kind}" x="{pct(x + 0.4)}" y="{y + 1}"/>'
        dark = ' class="dark"' if colour[gpu] % 16 > 7 else ""
        cells += f'<text{dark} x="{pct(x + 6.25)}" y="{y + 17}">{words[gpu]}</text>'
    size = f'width="100%" height="{8 * CELL}"'
    return f'<svg class="cw-expert-parallel-grid" {size} role="img" aria-label="{label}" data-index="">{cells}</svg>'


def put(now: dict, *names: str) -> str:
    """DP 64 × CP 1 × TP 1."""
    return " × ".join(f"{name.upper()} {bound(now['fold'][name], f'fold.{name}', 'int', 'span')}" for name in names)


def fold(now: dict, state: dict, half: bool = False) -> str:
    """Both readings; `half` leaves out the experts'."""
    places, sizes = now["fold"]["places"], now["fold"]
    attention = grid(now, state, places["tp"], places["dp"], "GPUs as attention reads them.")
    parts = [e * sizes["etp"] + t for e, t in zip(places["ep"], places["etp"], strict=True)]
    experts = grid(now, state, parts, places["ep"], "GPUs as experts read them.")
    left = f"<div><p><b>attention</b> {put(now, 'dp', 'cp', 'tp')}</p>{attention}<p>the number of its data</p></div>"
    right = f"<div><p><b>experts</b> {put(now, 'edp', 'ep', 'etp')}</p>{experts}<p>the number of its experts</p></div>"
    return f'<div class="cw-expert-parallel-fold">{left}{"<div></div>" if half else right}</div>'


def picture(now: dict, state: dict) -> str:
    """The first picture: one token's way."""
    all_ = {**state, **now}
    here = lambda path, how="int": bound(value(all_, path), path, how, "span")  # noqa: E731
    said = (
        f"<p>Token {here('token')} stands on GPU {here('here.gpu')} and visits {here('here.visits.gpus')} GPUs on "
        f"{here('here.visits.nodes')} nodes, of {here('gpus')} GPUs on {here('nodes')}.</p>"
    )
    return f"{token_map(now, state)}{said}"


def value(found: dict, path: str) -> object:
    """The value of a path."""
    for key in path.split("."):
        found = found[key]
    return found
