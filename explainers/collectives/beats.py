"""What the beats of collectives ask, say and draw: answers, captions, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from math import log2

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.collectives import charted, drawn, reference

FAST_US, LARGE_US = 25, 600
RANKS, WIRES = 16, {"alpha": reference.STATE["alpha"], "bandwidth": reference.STATE["bandwidth"]}


def known(state: dict, algorithm: str, what: str) -> int:
    """A formula's value: steps, or chunks."""
    return reference.evaluate(reference.FORMULAS[state["op"], algorithm][what], int(state["ranks"]))


def times_straight(state: dict, algorithm: str) -> float:
    """How many times what the busiest rank sends where every chunk goes straight."""
    return known(state, algorithm, "busiest") / known(state, "direct", "busiest")


def round_about(state: dict, data: dict) -> int:
    """Ring against straight: 0 as many chunks, 1 about twice as many, 2 more."""
    ratio = times_straight(state, "ring")
    return 0 if ratio < 1.5 else 1 if ratio < 3 else 2


answers = {
    "half": lambda state, data: known(state, "ring", "steps") // 2,
    "array": lambda state, data: 2 ** state["message"],
    "twice": lambda state, data: 2 * 2 ** state["message"],
    "ring_steps": lambda state, data: known(state, "ring", "steps"),
    "tree_steps": lambda state, data: known(state, "tree", "steps"),
    "ring_arrays": lambda state, data: known(state, "ring", "serial") / state["ranks"],
    "tree_arrays": lambda state, data: known(state, "tree", "serial") / state["ranks"],
    "straight": lambda state, data: known(state, "direct", "busiest"),
    "times_straight": lambda state, data: times_straight(state, state["algorithm"]),
    "round_about": round_about,
}


def meets(state: dict, data: dict) -> str:
    """Where ring and tree take equally long, and why there."""
    size = reference.crossover(state["op"], int(state["ranks"]), state)
    later = known(state, "ring", "steps") - known(state, "tree", "steps")
    if not size:
        return f"On {int(state['ranks'])} ranks ring and tree never change places."
    return (
        f"On {int(state['ranks'])} ranks ring and tree take equally long at **{fmt.in_kib(size)}**: "
        f"{later} more starts on the ring cost as much there as what the tree sends more."
    )


captions = {"meets": meets}


# ---------------------------------------------------------------- goals


def small_fast(state: dict, data: dict) -> dict:
    """64 KiB on 4 ranks under 25 µs, on the wires the page starts with."""
    wanted = {"op": "all-reduce", "ranks": 4, "message": 16, "per_node": 16, **WIRES}
    if any(state[key] != value for key, value in wanted.items()):
        return no("This goal is about an all-reduce of 64 KiB on 4 ranks of one node, with α 5 µs and 450 GB/s.")
    now, name = reference.compute(state, data), state["algorithm"]
    if now["time_us"] >= FAST_US:
        return no(f"The {name} takes {now['words']['time']}, and {now['words']['steps']} of it only to start.")
    hint = "Sending straight is faster still." if name == "tree" else "The tree does it too, and sends less."
    return {"reached": True, "says": f"Reached with {name}: {now['words']['time']}. {hint}"}


def large_fast(state: dict, data: dict) -> dict:
    """128 MiB on 16 ranks under 600 µs."""
    if [state[key] for key in ("op", "ranks", "message", "per_node")] != ["all-reduce", RANKS, 27, 16]:
        return no("This goal is about an all-reduce of 128 MiB on 16 ranks of one node.")
    told = reference.compute(state, data)
    if told["time_us"] >= LARGE_US:
        return no(
            f"With {state['algorithm']} it takes {told['words']['time']}, {told['words']['steps']} of it to start."
        )
    wider, quicker = state["bandwidth"] > WIRES["bandwidth"], state["alpha"] < WIRES["alpha"]
    other = "Quicker starts" if wider else "Wider wires"
    hint = "One change may be enough." if wider and quicker else f"{other} would do it too."
    hint = hint if state["algorithm"] == "ring" else "The ring does it on narrower wires."
    return {"reached": True, "says": f"Reached with {state['algorithm']}: {told['words']['time']}. {hint}"}


goals = {"small_fast": small_fast, "large_fast": large_fast}
reach = {
    "small_fast": [{"message": 16, "algorithm": "tree"}, {"message": 16, "algorithm": "direct"}],
    "large_fast": [
        {"ranks": 16, "bandwidth": 560},
        {"ranks": 16, "alpha": 1},
        {"ranks": 16, "alpha": 1, "bandwidth": 560},
        {"ranks": 16, "algorithm": "tree", "bandwidth": 2000},
    ],
}


# ---------------------------------------------------------------- figures


def run(state: dict, data: dict, bet: str) -> str:
    """The ring and everybody's slots at a step."""
    out = reference.compute(state, data)
    label = f"{int(state['ranks'])} ranks, each a column of as many chunks."
    return drawn.both(lambda width: drawn.drawing(state, out, width, drawn.BEAT, label, bet == "open"))


def chart(state: dict, data: dict, bet: str) -> str:
    """Ring and tree: only the ends of their lines, or all of them and where they meet."""

    def time(name: str, message: float) -> float:
        return reference.time_of(name, {**state, "message": message})

    times = {name: [time(name, m) for m in range(charted.LOW, charted.TO + 1)] for name in ("ring", "tree")}
    size = reference.compute(state, data)["crossover"]
    inside = size and charted.LOW <= log2(size) <= charted.TO and bet != "open"
    meet = (log2(size), time("ring", log2(size))) if inside else None
    return drawn.both(lambda width: charted.chart(times, reference.spelt, width, meet, bet == "open"))


figures = {"run": run, "chart": chart}
