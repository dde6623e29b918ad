"""A computed schedule -> its static picture as HTML: lanes, cursor and numbers, with the widget's own classes.

Along x everything is a percentage, so the picture keeps its height at every width.
"""

from __future__ import annotations

from typing import Any

from cutaway.explainers.beats_facts import bound, sig

LEFT, INNER, TOP, LANE, PITCH = 7, 75, 26, 32, 38
WIDE = 600  # pixels of the lanes in a wide window: numbers that do not fit there are left out


def cells(out: dict[str, Any]) -> list[tuple]:
    """(kind, chunk, micro-batch, start, end, top, height) of every cell; an overlapped pair is two halves."""
    p, made = len(out["ops"]), []
    for rank, ops in enumerate(out["ops"]):
        for op in ops:
            halves: list[tuple[str, int, int, float, float]] = [(op[0], op[1], op[2], 0, LANE)]
            if op[0] == "X":
                half = LANE / 2 - 0.5
                halves = [("F", op[1], op[2], 0, half), ("B", op[3], op[4], half + 1, half)]
            for kind, stage, micro, down, height in halves:
                chunk = 0 if stage == rank else max(1, stage // p)
                made.append((kind, chunk, micro + 1, op[-2], op[-1], TOP + rank * PITCH + down, height))
    return made


def paths(found: list[tuple], span: float) -> str:
    """One path for all cells of a kind and chunk."""
    made: dict[tuple, str] = {}
    edge = span / 1200
    for kind, chunk, _, start, end, top, height in found:
        wide = max(0, end - start - 2 * edge)
        made[kind, chunk] = (
            made.get((kind, chunk), "") + f"M{start + edge:.2f} {top:g}h{wide:.2f}v{height:g}h-{wide:.2f}z"
        )
    return "".join(f'<path class="cw-pipeline-{k} cw-pipeline-tone{c}" d="{made[k, c]}"/>' for k, c in sorted(made))


def labels(found: list[tuple], span: float, m: int) -> str:
    """The micro-batch of every cell with room for all digits; those that only a wide window has room for are marked.

    Labels of one digit in one line are one text, each with a place of its own.
    """
    lines: dict[tuple, list[tuple[str, str]]] = {}
    digits = 7 * len(str(m)) + 2
    for _, chunk, label, start, end, top, height in found:
        wide = (end - start) / span * WIDE
        if wide >= digits and height >= 13:
            css = f"cw-pipeline-on{min(chunk, 1)}" + ("" if wide >= 2.2 * digits else " cw-pipeline-wide")
            alone = (start, top) if label > 9 else ()
            at = f"{100 * (start + end) / 2 / span:.1f}%"
            lines.setdefault((css, top + height / 2 + 4, *alone), []).append((at, str(label)))
    return "".join(
        f'<text class="{key[0]}" x="{" ".join(at for at, _ in all_)}" y="{key[1]:g}" text-anchor="middle">'
        f"{''.join(label for _, label in all_)}</text>"
        for key, all_ in lines.items()
    )


def row(rank: int, out: dict[str, Any], scale: float, clock: bool) -> str:
    """The lane, its name, and what is held there: at the cursor, or at most."""
    y, peak, now = TOP + rank * PITCH, out["peak"][rank], out["now"][rank] if clock else out["peak"][rank]

    def bar(kind: str, chunks: float) -> str:
        size = f'width="{10 * chunks / scale:.2f}%" height="10"'
        css = f"cw-pipeline-{kind}" + (" cw-pipeline-wide" if clock else "")
        return f'<rect class="{css}" x="83%" y="{y + 11}" {size} rx="3"/>'

    most = bound(peak, f"peak.{rank}", "sig 5")
    said = f"{bound(now, f'now.{rank}', 'sig 5')} of {most}" if clock else most
    return (
        f'<rect class="cw-pipeline-lane" x="{LEFT}%" y="{y}" width="{INNER}%" height="{LANE}" rx="4"/>'
        f'<text class="cw-pipeline-rank" data-index="" x="{LEFT}%" dx="-8" y="{y + 20}" text-anchor="end">'
        f'<tspan class="cw-pipeline-wide">rank </tspan>{rank}</text>{bar("peak", peak)}{bar("now", now)}'
        f'<text class="cw-pipeline-held" x="100%" y="{y + 20}" text-anchor="end">{said}</text>'
    )


def why(out: dict[str, Any], rank: int) -> str:
    """The gap that is asked about, and the cell whose result ends it."""
    found = out["why"]
    if not found or found["rank"] < 0:
        return ""
    start, end = out["ops"][found["rank"]][found["index"]][-2:]
    marks = (("gap", rank, found["from"], found["to"]), ("source", found["rank"], start, end))
    return "".join(
        f'<rect class="cw-pipeline-{kind}" x="{100 * a / out["span"]:.2f}%" y="{TOP + r * PITCH}" '
        f'width="{100 * (b - a) / out["span"]:.2f}%" height="{LANE}" rx="3"/>'
        for kind, r, a, b in marks
    )


def lanes(state: dict[str, Any], out: dict[str, Any], words: str, clock: bool = True) -> str:
    """Lanes with micro-batch numbers, and what is in flight."""
    p, span = int(state["pp"]), out["span"]
    height = TOP + p * PITCH + 6
    rows = "".join(row(r, out, max(state["microbatches"], *out["peak"]), clock) for r in range(p))
    x, found, m = 100 * out["at"] / span, cells(out), int(state["microbatches"])
    column = "in flight" if clock else f"held, of {bound(m, 'microbatches')}"
    inner = f'<svg x="{LEFT}%" width="{INNER}%" height="{height}"'
    cursor = (
        f'<g class="cw-pipeline-cursor"><line class="cw-pipeline-line" x1="{x:.2f}%" x2="{x:.2f}%" y1="10" '
        f'y2="{height - 2}"/><circle class="cw-pipeline-knob" cx="{x:.2f}%" cy="10" r="6"/></g>'
    )
    return (
        f'<svg class="cw-pipeline-svg" role="img" aria-label="{words}" width="100%" height="{height}">{rows}'
        f'{inner} viewBox="0 0 {span} {height}" preserveAspectRatio="none">{paths(found, span)}</svg>'
        f'{inner} overflow="visible"><g class="cw-pipeline-labels" data-index="">{labels(found, span, m)}</g>'
        f"{why(out, int(state['rank']))}{cursor if clock else ''}</svg>"
        f'<text class="cw-pipeline-rank" x="100%" y="14" text-anchor="end">{column}</text></svg>'
    )


def batches(n: float) -> str:
    return "micro-batch" if n == 1 else "micro-batches"


def words(state: dict[str, Any], out: dict[str, Any], label: str, quiet: bool = False) -> str:
    """The drawing for those who do not see it; nothing of its bubble while a bet asks for that."""
    said = (
        ""
        if quiet
        else f", {sig(out['span'], 5)} units long, {out['notes']['who']} idle for {sig(out['bubble'], 5)}; "
        f"at most {sig(max(out['peak']), 5)} {batches(max(out['peak']))} in flight on a rank"
    )
    return f"{label}: {int(state['pp'])} ranks, {int(state['microbatches'])} {batches(state['microbatches'])}{said}."


def legend(out: dict[str, Any], held: str) -> str:
    """What the colours are: those that occur."""
    split = any(op[0] == "W" for ops in out["ops"] for op in ops)
    rows = [("F", "forward F"), ("B", "backward B, or its input gradient I" if split else "backward B")]
    rows += [("W", "weight gradient W")] if split else []
    far = any(op[1] != rank for rank, ops in enumerate(out["ops"]) for op in ops)
    rows += [("later", f"fainter: {'a later chunk' if out['chunks'] > 1 else 'from the other end'}")] if far else []
    rows += [("key-idle", "idle"), ("now", held)]
    items = "".join(f'<li><i class="cw-pipeline-{css}"></i>{said}</li>' for css, said in rows)
    return f'<ul class="cw-legend">{items}</ul>'


def picture(state: dict[str, Any], out: dict[str, Any], label: str) -> str:
    """The lab before any script: lanes, and both bubbles in words."""

    def said(value: float, path: str, how: str = "sig 5") -> str:
        return bound(value, path, how, "span")

    total, ideal = said(out["of_total"], "of_total", "percent 1"), said(out["of_ideal"], "of_ideal", "percent 1")
    return (
        f'<h2 class="cw-heading"><span>{label}</span> '
        f"<small>idle {total} of the step · the first rank holds {said(out['peak'][0], 'peak.0')} "
        f"micro-batches at most</small></h2>{lanes(state, out, words(state, out, label))}"
        f"{legend(out, 'activations in flight, of their peak (micro-batches × 1/p of the model)')}"
        f"<p>{out['notes']['who'].capitalize()} is idle for {said(out['bubble'], 'bubble')} of "
        f"{said(out['span'], 'span')} units: {total} of "
        f"the whole step, which is {ideal} of the work. {out['says']}</p>"
    )
