"""What the beats of the heads page ask, say and draw: answers, goals and figures by name. Twin of beats.js.

The numbers are reference.compute's; here stand only what a single state does not tell, and the drawings.
"""

from __future__ import annotations

from html import escape

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import bound
from cutaway.explainers.heads import picture, reference

LIMIT_BYTES, CONTEXT, RANKS = 20 * 10**9, 131_072, 16


def at(state: dict, data: dict, **changes) -> dict:
    return reference.compute({**state, **changes}, data)


answers = {
    "weights_bytes": lambda state, data: data["weights_bytes"],
    "of_weights": lambda state, data: at(state, data)["holds_bytes"] / data["weights_bytes"],
    "mha_bytes": lambda state, data: at(state, data, kv=at(state, data)["heads"], tp=1)["bytes_per_token"],
    "mqa_bytes": lambda state, data: at(state, data, kv=1, tp=1)["bytes_per_token"],
    "own_bytes": lambda state, data: at(state, data, kv=-1, tp=1)["bytes_per_token"],
}


# ---------------------------------------------------------------- goals


def asked(state: dict) -> bool:
    """The goals are about the model the page starts with, at 128k tokens."""
    return state["model"] == reference.STATE["model"] and state["context"] == CONTEXT


def kept(now: dict) -> str:
    """1 pair, 2 pairs, a latent."""
    return f"{now['kv']} pair{'s' if now['kv'] > 1 else ''}" if now["kv"] else "a latent"


def fits(state: dict, data: dict) -> dict:
    """128k tokens in 20 GB."""
    now = at(state, data)
    held = fmt.in_bytes(now["holds_bytes"])
    if not asked(state):
        return {"reached": False, "says": "This goal is about Llama 3.1 70B and 128k tokens."}
    if now["holds_bytes"] > LIMIT_BYTES:
        return {"reached": False, "says": f"With {kept(now)} it takes {held}."}
    hint = "There is another way, and it keeps 64 different keys." if now["kv"] else "Two shared pairs would do it too."
    return {"reached": True, "says": f"Reached with {kept(now)}: {held}. {hint}"}


def no_copies(state: dict, data: dict) -> dict:
    """16 ranks, no copy, and no rank keeps more than with the model's own heads."""
    now, today = at(state, data), at({**state, "kv": -1, "tp": RANKS}, data) if asked(state) else None
    if not today:
        return {"reached": False, "says": "This goal is about Llama 3.1 70B and 128k tokens."}
    each = fmt.in_bytes(today["tp"]["bytes_per_rank"] * CONTEXT)
    now_each = fmt.in_bytes(now["tp"]["bytes_per_rank"] * CONTEXT)
    if state["tp"] != RANKS:
        return {"reached": False, "says": f"Today, on 16 GPUs: {each} on each, and every pair is held twice."}
    if now["tp"]["copies"] > 1:
        return {"reached": False, "says": f"With {kept(now)}, {now_each} on each, held {now['tp']['copies']} times."}
    if now["tp"]["bytes_per_rank"] > today["tp"]["bytes_per_rank"]:
        return {"reached": False, "says": f"Nothing is copied, but each keeps {now_each}, more than {each}."}
    return {
        "reached": True,
        "says": f"Reached with {kept(now)}: {now_each} on each, all different, for the price of copies.",
    }


goals = {"fits_20_gb": fits, "no_copies": no_copies}
reach = {"fits_20_gb": [{"kv": 2}, {"kv": 1}, {"kv": 0}], "no_copies": [{"kv": 16, "tp": 16}]}


# ---------------------------------------------------------------- figures


def heads(now: dict) -> str:
    return bound(now["heads"], "heads", "int", "span")


def fan(state: dict, data: dict) -> str:
    """Heads, what they read, and the bytes per token beside those of a pair for each head."""
    now = at(state, data)
    most, own = answers["mha_bytes"](state, data), now["bytes_per_token"]
    share = max(0.4, 100 * own / most)
    return (
        f'<p class="cw-heads-above"><span>{heads(now)} query heads of one layer</span></p>{picture.heads_svg(now)}'
        f'<p class="cw-heads-below"><b>{escape(now["keeps"])}: what a token leaves behind</b> <b>{now["reads"]}</b></p>'
        f'<p class="cw-heads-above cw-heads-scale"><span>per token, all layers</span>'
        f"<span>{fmt.in_bytes(most, 'KB')} with {now['heads']} pairs</span></p>"
        f'<svg class="cw-heads-one" width="100%" height="22" aria-hidden="true">'
        '<rect class="cw-heads-rest" width="100%" height="22"/>'
        f'<rect class="cw-heads-now" width="{share:.3f}%" height="22" rx="2"/>'
        f'<text x="{min(share, 70):.3f}%" dx="8" y="16">{fmt.in_bytes(own, "KB")}</text></svg>'
    )


def grid(state: dict, data: dict) -> str:
    """One cell for each pair that a token leaves: heads across, layers up; and one of them opened."""
    now = at(state, data)
    wide, narrow = cells(now, 62, 70, True), cells(now, 0, 100, False)
    return f'<div class="cw-heads-pairs">{wide}</div><div class="cw-heads-pairs narrow">{narrow}</div>'


def cells(now: dict, left: int, wide: int, zoom: bool) -> str:
    """The cells as one yellow block cut by lines; `left` pixels and `wide` percent of the drawing."""
    heads, layers = now["heads"], now["layers"]
    cuts = "".join(f"M{i} 0V{layers}" for i in range(1, heads)) + "".join(f"M0 {i}H{heads}" for i in range(1, layers))
    x, y, high = min(40, heads - 1), min(52, layers - 1), 280
    top = 24 + high * (layers - 1 - y) / layers
    label = f"{heads} times {layers} cells, one for each pair of key and value that one token leaves"
    block = (
        f'<svg x="{left}" y="24" width="{wide}%" height="{high}" viewBox="0 0 {heads} {layers}"'
        f' preserveAspectRatio="none"><rect class="cw-heads-cells" width="{heads}" height="{layers}"/>'
        f'<path class="cw-heads-cuts" d="{cuts}"/></svg>'
    )
    pairs, deep = bound(now["kv"], "kv"), bound(layers, "layers")
    title = f"one token, “cat”: {pairs} pairs in each of {deep} layers"
    names = f'<text class="cw-heads-title" x="{left}" y="14">{title}</text>'
    foot = f'<text data-index="" x="{left}" y="{44 + high}">head 0</text>'
    foot += f'<text data-index="" x="{wide}%" dx="{left}" y="{44 + high}" text-anchor="end">head {heads - 1}</text>'
    rows = f'<text data-index="" x="54" y="35" text-anchor="end">layer {layers - 1}</text>'
    rows += f'<text data-index="" x="54" y="{24 + high}" text-anchor="end">layer 0</text>'
    opened = pair(now, left, wide * (x + 0.5) / heads, top, x, y) if zoom else ""
    svg = f'<svg width="100%" height="{52 + high}" role="img" aria-label="{label}">'
    return f"{svg}{names}{block}{foot}{rows if zoom else ''}{opened}</svg>"


def pair(now: dict, left: int, percent: float, top: float, head: int, layer: int) -> str:
    """One cell opened at the right: its key and its value."""
    x, y = f"{percent:.2f}%", top + 2
    each = now["width"]
    lines = "".join(
        f'<svg x="{left}" overflow="visible">'
        f'<line class="cw-heads-lead" x1="{x}" y1="{y:g}" x2="73.5%" y2="{end}"/></svg>'
        for end in (76, 214)
    )
    frame = f'<svg x="{left}" overflow="visible">'
    frame += f'<rect class="cw-heads-frame" x="{x}" y="{top - 1:g}" width="9" height="5"/>'
    frame += '<rect class="cw-heads-box" x="73.5%" y="76" width="134" height="138" rx="4"/>'
    cuts = "".join(f"M{i} 0V16" for i in range(1, 8)) + "".join(f"M0 {i}H8" for i in range(1, 16))
    tiles = "".join(
        f'<svg x="73.5%" y="104" overflow="visible"><svg x="{dx}" width="52" height="100" viewBox="0 0 8 16"'
        f' preserveAspectRatio="none"><rect class="cw-heads-cells" width="8" height="16"/>'
        f'<path class="cw-heads-cuts" d="{cuts}"/></svg>'
        f'<text class="cw-heads-tile" x="{dx + 26}" y="-10">{word}</text></svg>'
        for dx, word in ((10, "key"), (72, "value"))
    )
    words = f'<text data-index="" x="73.5%" y="232">layer {layer}, head {head}:</text>'
    words += f'<text x="73.5%" y="250">{bound(each, "width")} numbers each</text></svg>'
    return lines + frame + tiles + words


def latent(state: dict, data: dict) -> str:
    """Every head rebuilds its key from one latent."""
    now = at({**state, "kv": 0}, data)
    return (
        f'<p class="cw-heads-above"><span>{heads(now)} query heads of one layer</span></p>{picture.latent_svg(now)}'
        '<p class="cw-heads-below cw-heads-purple">'
        "<span>in purple: each head’s own matrices rebuild its key and value from the latent</span>"
        "<span>one key for all heads, with the position in it</span></p>"
    )


def ranks(state: dict, data: dict) -> str:
    """GPUs, their query heads and the pairs they hold."""
    return picture.ranks_html(at(state, data))


figures = {"grid": grid, "fan": fan, "latent": latent, "ranks": ranks}
