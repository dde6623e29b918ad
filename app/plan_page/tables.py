"""A plan of one stage -> its drawing and its tables as HTML: what stands on /plan/ before the script.

The tables say what app/plan_page/planner/tables.js says, without the buttons that explain a number.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import log10

from markupsafe import Markup

from cutaway.explainers import fmt
from cutaway.gallery.command.plan_words import PARTS, gigabytes
from cutaway.gallery.drawing.words import runs, size
from cutaway.gallery.planning.communication import Collective
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import NAME, NUMBERS, PART, RULE, RankMemory
from cutaway.gallery.planning.seconds import Bound

HEIGHT, BASE, ABOVE = 236, 8, 22  # px of a stack, under it, over it; as in marks.js
SHAPE = 1
TERMS = (("products", "products"), ("memory", "reading memory"), ("inside", "links in a node"),
         ("outside", "links between nodes"))  # fmt: skip


def table(caption: str, heads: Iterable[tuple[str, str]], rows: Iterable[str], cls: str = "") -> Markup:
    head = "".join(
        f'<th scope="col"{kind(align)}>{text}</th>' if text else f"<td{kind(align)}></td>" for text, align in heads
    )
    inner = f'<caption class="away">{caption}</caption><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody>'
    return Markup(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table{kind(cls)}>{inner}</table></div>'
    )


def kind(cls: str) -> str:
    return f' class="{cls}"' if cls else ""


def row(head: str, *cells: tuple[str, str], cls: str = "") -> str:
    inner = "".join(f"<td{kind(one)}>{text}</td>" for text, one in cells)
    return f'<tr{kind(cls)}><th scope="row">{head}</th>{inner}</tr>'


# ------------------------------------------------------------ the drawing


def drawing(found: Plan, copies: list[float]) -> Markup:
    """A GPU and its stack in each column, the parts' names on their left."""
    layout, rank = found.layout, found.fullest
    most = max(layout.device.memory_bytes, rank.total_bytes)
    room = HEIGHT - BASE - ABOVE
    parts = stacked(rank, room / most)
    many = layout.gpus
    columns = "".join(column(parts, place, many, copies[place % layout.tp]) for place in range(many))
    capacity = HEIGHT - BASE - layout.device.memory_bytes / most * room
    line = f'<line class="st-line" x1="0" x2="100%" y1="{capacity:.1f}" y2="{capacity:.1f}"/>'
    words = "".join(
        f'<text class="st-word" x="0" y="{y:.1f}">{word}</text>'
        f'<text class="st-number" x="96%" y="{y:.1f}" text-anchor="end">{gigabytes(size)}</text>'
        for y, word, size in labelled(parts)
    )
    alt = f"{many} GPUs; each holds {gigabytes(rank.total_bytes)} of {gigabytes(layout.device.memory_bytes)} GB"
    tall = HEIGHT + ABOVE
    return Markup(
        f'<div class="columns"><div class="columns-names"><p>GPU</p>'
        f'<svg class="stack gutter" width="100%" height="{tall}" aria-hidden="true">{words}</svg></div>'
        f'<div class="columns-gpus"><svg class="stack" width="100%" height="{tall}" role="img" aria-label="{alt}">'
        f"{columns}{line}</svg></div></div>"
    )


def stacked(rank: RankMemory, scale: float) -> list[tuple[str, str, int, float, float]]:
    """(name, word, bytes, from, to) of the parts from below, in px over the base."""
    out, under = [], 0
    for name, word in PARTS:
        if size := getattr(rank, name):
            out.append((name, word, size, under * scale, (under + size) * scale))
            under += size
    return out


def labelled(parts: list[tuple[str, str, int, float, float]]) -> list[tuple[float, str, int]]:
    """Where each part's name stands, 14 px apart at least."""
    out, low = [], HEIGHT - BASE + 7.0
    for _, word, held, start, end in parts:
        low = min(HEIGHT - BASE - (start + end) / 2 + 4, low - 14)
        out.append((low, word, held))
    return out


def column(parts: list[tuple[str, str, int, float, float]], place: int, many: int, copied: float) -> str:
    x, wide = f"{100 * (place + 0.14) / many:.2f}%", f"{72 / many:.2f}%"
    out = []
    for name, _, _, start, end in parts:
        top, high = HEIGHT - BASE - end, max(end - start, 0.5)
        role = "st-copy-plain" if name == "cache_bytes" and copied == 1 else f"st-{name.removesuffix('_bytes')}"
        out.append(f'<rect class="{role}" x="{x}" width="{wide}" y="{top:.1f}" height="{high:.1f}"/>')
    middle = f"{100 * (place + 0.5) / many:.2f}%"
    return "".join(out) + f'<text class="st-total" x="{middle}" y="{HEIGHT + 8}" text-anchor="middle">{place}</text>'


# ------------------------------------------------------------ the tables


def holds(found: Plan) -> Markup:
    rank = found.fullest
    parts = [part for part in reversed(PARTS) if getattr(rank, part[0])]
    rows = [
        row(f'<i class="ax key-{name}" aria-hidden="true"></i>{word}', (gigabytes(getattr(rank, name)), "n"))
        for name, word in parts
    ]
    rows.append(row(f"of {gigabytes(found.room_bytes)}", (gigabytes(rank.total_bytes), "n"), cls="sum"))
    if found.sequences:
        rows.append(row("sequences, all GPUs", (f"{found.sequences:,}", "n"), cls="sum"))
    return table("What a GPU holds, in GB", [("", ""), ("each GPU", "n")], rows)


def bar(share: float, cls: str) -> str:
    return (
        '<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="{cls}" width="{max(share * 1000, 2):.1f}" height="10"/></svg>'
    )


def costs(found: Plan, least: Bound) -> Markup:
    from cutaway.app.plan_page.first_visit import duration

    whole = least.unhidden
    most = max(whole, least.seconds, *least[:4])
    rows = [
        row(word, (bar(getattr(least, name) / most, f"b-{name}"), "wide"), (duration(getattr(least, name)), "n"))
        for name, word in TERMS
        if getattr(least, name)
    ]
    rows.append(
        row("at least", (bar(least.seconds / most, "b-bound"), "wide"), (duration(least.seconds), "n"), cls="sum")
    )
    rows.append(row("if nothing hides", (bar(whole / most, "b-sum"), "wide"), (duration(whole), "n")))
    return table("What a step costs", [("", ""), ("", "wide"), ("time", "n")], rows, "bars")


def bare(name: str) -> str:
    return name.removesuffix(".weight").removesuffix(".bias").replace("{expert}", "*")


def owns(model: PlannerModel, layout: Layout) -> Markup:
    """Tensors that are dealt alike, one row each, as sharded-tensors.js folds them."""
    found: dict[tuple, dict] = {}
    for where, kinds in (("before", [None]), ("inside", model["layers"]), ("after", [None])):
        for layer, number in enumerate(kinds):
            for piece in model[where] if number is None else model["kinds"][number]["pieces"]:
                norm = piece[PART] == "norm" or "norm" in bare(piece[NAME]).split(".")[-1]
                parent = "norms" if norm else bare(piece[NAME]).rpartition(".")[0]
                key = (where, parent, piece[RULE]) if where == "inside" else (where, piece[NAME])
                held = found.setdefault(
                    key, {"parent": parent, "pieces": {}, "layers": set(), "rule": piece[RULE], "where": where}
                )
                held["pieces"].setdefault(piece[NAME], piece)
                held["layers"] |= {layer} if where == "inside" else set()
    return table(
        "Who owns every tensor",
        [("tensor", ""), ("layers", ""), ("shape", ""), ("cut by", ""), ("copies", "n"), ("owners", "")],
        [owned(model, layout, held) for held in found.values()],
        "owns",
    )


def owned(model: PlannerModel, layout: Layout, held: dict) -> str:
    """One row: of a layout of one stage, whose experts are cut like the rest."""
    pieces, rule, tp = list(held["pieces"].values()), model["rules"][held["rule"]], layout.tp
    most = max(pieces, key=lambda piece: piece[NUMBERS])
    inside, many = held["where"] == "inside", len(pieces)
    label = (
        bare(most[NAME])
        if many == 1 or not inside
        else f"{held['parent']}.* ({many})"
        if held["parent"]
        else f"* ({many})"
    )
    label = f"norms ({many})" if inside and held["parent"] == "norms" else label
    shape = " × ".join(f"{n:,}" for n in most[SHAPE][1 if rule[0] == "experts" else 0 :]) + (" …" if many > 1 else "")
    parts = {
        "tp": tp,
        "groups": tp,
        "heads": min(rule[-1], tp) if rule[0] == "heads" else 1,
        "experts": layout.etp,
    }.get(rule[0], 1)
    cut = {"tp": f"tp {tp}", "groups": f"tp {tp}", "whole": "–", "experts": f"etp {layout.etp}"}.get(rule[0])
    cut = cut or f"tp: {max(rule[1] // tp, 1)} of {rule[1]} heads"
    layers = " ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in runs(sorted(held["layers"]))) or "–"
    cells = (layers, ""), (shape, ""), (cut, ""), (f"{layout.gpus // parts:,}", "n"), ("all", "")
    return row(escape(label), *cells)


def talked(layout: Layout, found: list[Collective]) -> Markup:
    from cutaway.app.plan_page.first_visit import duration

    def busy(talk: Collective) -> float:
        stay = talk.bytes - talk.leaving_bytes
        return stay / layout.device.inside_bytes + talk.leaving_bytes / layout.outside_bytes

    most = max(map(busy, found), default=1.0)
    rows = [
        row(
            f'<i class="ax ax-{talk.axis}" aria-hidden="true"></i>{talk.axis}', (talk.operation, ""),
            (f"{talk.ranks}: 0–{talk.ranks - 1}", ""), (size(talk.bytes), "n"),
            (wire(talk) + left(talk), ""),
            (duration(busy(talk)), "n"), (bar(busy(talk) / most, f"fill-{talk.axis}"), "wide"),
        )
        for talk in found
    ]  # fmt: skip
    silent = ", ".join(axis for axis in ("tp", "pp", "cp", "dp", "edp") if axis not in {talk.axis for talk in found})
    nothing = "nothing to send: 1 rank each, or each keeps its own sequences"
    rows.append(f'<tr><th scope="row">{silent}</th><td colspan="6" class="muted">{nothing}</td></tr>')
    heads = [("axis", ""), ("operation", ""), ("ranks", ""), ("bytes", "n"), ("link", ""), ("busy", "n"), ("", "wide")]
    return table("Who talks to whom", heads, rows, "talks")


def left(talk: Collective) -> str:
    return f"{size(talk.leaving_bytes)} leave the node" if talk.leaving_bytes else "stays in the node"


def wire(talk: Collective) -> str:
    wide = min(max(log10(max(talk.bytes, 1) / 1e6), 1), 7)
    dash = " ln-out" if talk.leaving_bytes else ""
    line = f'<line class="line-{talk.axis}{dash}" stroke-width="{fmt.fixed(wide, 2)}" x2="26" y1="4" y2="4"/>'
    return f'<svg class="wire" width="26" height="8" aria-hidden="true">{line}</svg>'
