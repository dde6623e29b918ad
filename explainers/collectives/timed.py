"""A schedule and two kinds of links -> how long it takes: every step waits for its slowest message."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

from cutaway.explainers import fmt
from cutaway.explainers.collectives import formulas
from cutaway.gallery import mesh


@cache
def largest(op: str, algorithm: str, n: int, root: int, per_node: int) -> list[tuple[int, int]]:
    """Of each step, the chunks of the largest message inside a node, and of the largest between nodes."""
    grid = mesh.Mesh({"tp": n}, per_node)
    plan = mesh.schedule(op, algorithm, n, root, grid.neighbours(grid.ranks) if algorithm == "hierarchical" else 0)
    made = []
    for step in plan.steps:
        sizes = Counter((send.source, send.destination) for send in step.sends)
        by_link = {"inside": 0, "outside": 0}
        for pair, size in sizes.items():
            by_link[grid.link(*pair)] = max(by_link[grid.link(*pair)], size)
        made.append((by_link["inside"], by_link["outside"]))
    return made


def cost(steps: list[tuple[int, int]], n: int, state: dict[str, Any]) -> dict[str, Any]:
    """The alpha-beta time: every step waits for its slowest message, which goes inside a node or between nodes."""
    total = 2.0 ** state["message"]
    links = {"inside": (state["alpha"], state["bandwidth"]), "outside": (state["net_alpha"], state["net_bandwidth"])}
    waits = {link: {"steps": 0, "chunks": 0} for link in links}
    for chunks in steps:
        each = [
            alpha + size * total / n / speed / 1000 if size else 0.0
            for size, (alpha, speed) in zip(chunks, links.values(), strict=True)
        ]
        link = "outside" if each[1] > each[0] else "inside"
        waits[link]["steps"] += 1
        waits[link]["chunks"] += chunks[link == "outside"]
    for link, (alpha, speed) in links.items():
        own = waits[link]
        own["us"] = own["steps"] * alpha + own["chunks"] * total / n / speed / 1000
        own["bytes"] = own["chunks"] * total / n
    return {**waits, "us": waits["inside"]["us"] + waits["outside"]["us"]}


def crossover(op: str, n: int, state: dict[str, Any]) -> float:
    """On one node, the message in bytes above which the ring beats the tree; 0 = it never does, or always."""
    ring, tree = formulas.FORMULAS[op, "ring"], formulas.FORMULAS[op, "tree"]
    later = formulas.evaluate(ring["steps"], n) - formulas.evaluate(tree["steps"], n)
    fewer = formulas.evaluate(tree["serial"], n) - formulas.evaluate(ring["serial"], n)
    return later * state["alpha"] * 1000 * state["bandwidth"] * n / fewer if later > 0 and fewer > 0 else 0.0


def spelt(us: float) -> str:
    """477.4 -> "477.4 µs"; ms and s from a thousand on."""
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= size:
            return f"{fmt.fixed(us / size, 2)} {unit}"
    return f"{fmt.fixed(us, 1)} µs"
