"""A computed schedule -> the first picture as HTML: lanes, cursor and numbers, with the widget's own classes."""

from __future__ import annotations

from typing import Any

from explainers import fmt

WIDTH, LEFT, RIGHT, TOP, LANE, PITCH = 950, 60, 168, 26, 32, 38


def _cells(out: dict[str, Any], p: int) -> list[str]:
    unit = (WIDTH - LEFT - RIGHT) / out["span"]
    marks = []
    for rank, ops in enumerate(out["ops"]):
        for op in ops:
            halves = [(op[0], op[1], op[2], 0, LANE)]
            if op[0] == "X":
                halves = [("F", op[1], op[2], 0, LANE / 2 - 0.5), ("B", op[3], op[4], LANE / 2 + 0.5, LANE / 2 - 0.5)]
            x, w = LEFT + op[-2] * unit, (op[-1] - op[-2]) * unit - 1
            for kind, stage, micro, down, height in halves:
                chunk = 0 if stage == rank else stage // p
                y = TOP + rank * PITCH + down
                marks.append(
                    f'<rect class="cw-pipeline-{kind} cw-pipeline-tone{chunk}" x="{x + 0.5:.1f}" y="{y}" '
                    f'width="{w:.1f}" height="{height}" rx="3"/>'
                )
                marks.append(
                    f'<text class="cw-pipeline-on{min(chunk, 1)}" x="{x + w / 2:.1f}" y="{y + height / 2 + 4}" '
                    f'text-anchor="middle">{micro + 1}</text>'
                )
    return marks


def _row(rank: int, out: dict[str, Any], scale: float) -> str:
    y, x = TOP + rank * PITCH, WIDTH - RIGHT
    peak, now = out["peak"][rank], out["now"][rank]

    def bar(kind: str, chunks: float) -> str:
        size = f'width="{(RIGHT - 62) * chunks / scale:.1f}" height="10"'
        return f'<rect class="cw-pipeline-{kind}" x="{x + 10}" y="{y + 11}" {size} rx="3"/>'

    return (
        f'<rect class="cw-pipeline-lane" x="{LEFT}" y="{y}" width="{WIDTH - LEFT - RIGHT}" height="{LANE}" rx="4"/>'
        f'<text class="cw-pipeline-rank" x="{LEFT - 8}" y="{y + 20}" text-anchor="end">rank {rank}</text>'
        f"{bar('peak', peak)}{bar('now', now)}"
        f'<text class="cw-pipeline-held" x="{WIDTH - 1}" y="{y + 20}" text-anchor="end">{now:.5g} of {peak:.5g}</text>'
    )


def picture(state: dict[str, Any], out: dict[str, Any], label: str) -> str:
    """Lanes with micro-batch numbers, the cursor, what is in flight, and both bubbles in words."""
    p, m = int(state["pp"]), int(state["microbatches"])
    height = TOP + p * PITCH + 6
    scale = max(m, *out["peak"])
    rows = "".join(_row(rank, out, scale) for rank in range(p))
    x = LEFT + (WIDTH - LEFT - RIGHT) * min(state["cursor"], out["span"]) / out["span"]
    words = (
        f"{label}: {p} ranks, {m} micro-batches, {out['span']:.5g} units long, each rank idle for {out['bubble']:.5g}; "
        f"at most {max(out['peak']):.5g} micro-batches in flight on a rank."
    )
    sentence = out["why"]["sentence"] if out["why"] else ""
    return (
        f'<h2 class="cw-heading"><span>{label}, {p} ranks × {m} micro-batches</span> '
        f"<small>idle {fmt.percent(out['of_total'])} of the step · "
        f"rank 0 holds {out['peak'][0]:.5g} micro-batches at most</small></h2>"
        f'<svg class="cw-pipeline-svg" role="img" aria-label="{words}" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}">{rows}'
        f'<g class="cw-pipeline-labels">{"".join(_cells(out, p))}</g>'
        f'<g class="cw-pipeline-cursor" transform="translate({x:.1f} 0)">'
        f'<line class="cw-pipeline-line" x1="0" x2="0" y1="10" y2="{height - 2}"/>'
        f'<circle class="cw-pipeline-knob" cy="10" r="6"/></g></svg>'
        '<ul class="cw-legend"><li><i class="cw-pipeline-F"></i>forward</li>'
        '<li><i class="cw-pipeline-B"></i>backward</li>'
        '<li><i class="cw-pipeline-key-idle"></i>idle</li><li><i class="cw-pipeline-now"></i>activations in flight, '
        "in micro-batches</li></ul>"
        f"<p>Each rank is idle for {out['bubble']:.5g} of {out['span']:.5g} units: {fmt.percent(out['of_total'])} of "
        f"the whole step, which is {fmt.percent(out['of_ideal'])} of the work. {sentence}</p>"
    )
