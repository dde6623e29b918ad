"""A collective, an algorithm and n ranks -> the log of a real run, its frames, its bytes beside the formulas, its time.

The run is the mesh's (gallery/mesh) over small numpy slices (machine.py); a chunk of S / n bytes stands for each slice.
"""

from __future__ import annotations

from collections import Counter
from math import floor, isfinite
from typing import Any

import numpy as np

from cutaway.explainers import fmt
from cutaway.explainers.collectives import formulas, machine, timed
from cutaway.gallery import mesh

largest, cost, crossover, spelt = timed.largest, timed.cost, timed.crossover, timed.spelt
FORMULAS, BUS, evaluate = formulas.FORMULAS, formulas.BUS, formulas.evaluate

STATE: dict[str, Any] = {
    "op": "all-reduce",
    "algorithm": "ring",
    "ranks": 4,
    "root": 0,
    "step": 2,
    "message": 27,  # S = 2**27 bytes = 128 MiB: 8,192 tokens of Llama-3-70B in bf16
    "alpha": 5.0,  # microseconds before the first byte of a message
    "bandwidth": 450.0,  # GB/s out of a rank: NVLink 4, one direction
    "per_node": 16,  # ranks that these links join; to others goes the network
    "net_alpha": 10.0,  # microseconds before the first byte of a message to another node
    "net_bandwidth": 50.0,  # GB/s out of a rank to other nodes: 400 Gbit/s each
}
OPS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast")
ALGORITHMS = ("ring", "tree", "direct", "hierarchical")
ONCE = {"naive": "direct"}  # what older links call an algorithm
WHERE = {(False,): "inside the nodes", (True,): "between the nodes", (False, True): "inside and between the nodes"}
RANGES = {
    "ranks": (2, 16, True, "The number of ranks is a whole number from 2 to 16."),
    "message": (10, 34, True, "The message is a whole power of two, from 2¹⁰ bytes (1 KiB) to 2³⁴ (16 GiB)."),
    "alpha": (0, 100, False, "The start-up time α goes from 0 to 100 µs."),
    "bandwidth": (1, 2000, False, "The bandwidth goes from 1 to 2,000 GB/s."),
    "per_node": (1, 16, True, "The number of GPUs in a node is a whole number from 1 to 16."),
    "net_alpha": (0, 100, False, "The start-up time between nodes goes from 0 to 100 µs."),
    "net_bandwidth": (1, 2000, False, "The bandwidth between nodes goes from 1 to 2,000 GB/s."),
}


def data() -> dict[str, Any]:
    """The formulas' texts, and where a broken link starts from."""
    rows = {f"{op} {algorithm}": row for (op, algorithm), row in FORMULAS.items()}
    between = {f"{op} {algorithm}": text for (op, algorithm), text in formulas.BETWEEN.items()}
    return {"formulas": rows, "between": between, "ops": list(OPS), "algorithms": list(ALGORITHMS), "start": STATE}


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and isfinite(x)


def settle(state: dict[str, Any], given: list[str], data: dict[str, Any]) -> dict[str, Any]:
    """An algorithm that a link calls by its old name, by the one it has."""
    return {**state, "algorithm": ONCE.get(state["algorithm"], state["algorithm"])}


def check(state: dict[str, Any]) -> str:
    """ "" or the sentence that says what is legal."""
    if state["op"] not in OPS:
        return f"The collectives here are {', '.join(OPS)}; there is no “{state['op']}”."
    if state["algorithm"] not in ALGORITHMS:
        return f"The algorithms here are {', '.join(ALGORITHMS)}; there is no “{state['algorithm']}”."
    for key, (low, high, whole, sentence) in RANGES.items():
        x = state[key]
        if not _is_number(x) or not low <= x <= high or (whole and x != int(x)):
            return sentence
    n = int(state["ranks"])
    if not _is_number(state["root"]) or state["root"] != int(state["root"]) or not 0 <= state["root"] < n:
        return f"The root is one of the {n} ranks, 0 to {n - 1}."
    if not _is_number(state["step"]):
        return "The step is a number."
    if state["algorithm"] == "hierarchical" and not levels(n, int(state["per_node"])):
        legal = [str(local) for local in range(1, n) if n % local == 0]
        return f"Hierarchical needs several nodes of equal size: for {n} ranks, {' or '.join(legal)} in a node."
    return ""


def levels(n: int, per_node: int) -> bool:
    """Whether there are several nodes, all of one size."""
    return per_node < n and n % per_node == 0


def start(op: str, n: int, root: int) -> np.ndarray:
    """What every rank holds first: number 0 of a slot is 2**rank, number 1 is its own."""
    held = np.zeros((n, n, machine.WIDTH), np.float32)
    for rank in range(n):
        for slot in range(n):
            if {"all-gather": slot == rank, "broadcast": rank == root}.get(op, True):
                held[rank, slot] = (2**rank, 16 * rank + slot + 1)
    return held


def expected_answer(op: str, held: np.ndarray, root: int) -> tuple[np.ndarray, np.ndarray]:
    """The unsharded answer, and which slots of which rank must show it."""
    n = len(held)
    everywhere, own = np.ones((n, n), bool), np.eye(n, dtype=bool)
    if op == "all-to-all":
        return held.transpose(1, 0, 2), everywhere
    if op == "all-gather":
        return np.broadcast_to(held[range(n), range(n)], held.shape), everywhere
    if op == "broadcast":
        return np.broadcast_to(held[root], held.shape), everywhere
    return np.broadcast_to(held.sum(0), held.shape), own if op == "reduce-scatter" else everywhere


def execute(op: str, algorithm: str, n: int, root: int, local: int = 0) -> tuple[Any, int]:
    """(the machine after the run, numbers that differ from the unsharded answer)."""
    held = start(op, n, root)
    m = machine.Run(held, mesh.schedule(op, algorithm, n, root, (local or n) if algorithm == "hierarchical" else 0))
    answer, where = expected_answer(op, held, root)
    return m, int((m.held != answer)[where].sum())


def time_of(algorithm: str, state: dict[str, Any]) -> float:
    """How long an algorithm takes in a state, in microseconds."""
    n, per_node = int(state["ranks"]), int(state["per_node"])
    return cost(largest(state["op"], algorithm, n, int(state["root"]), per_node), n, state)["us"]


def progress(m: Any, op: str, root: int, step: float, per_node: int) -> dict[str, Any]:
    """How far a run is after so many steps: its name, what comes next, what is sent, and which slots are finished."""
    frame = min(max(floor(step), 0), len(m.frames) - 1)  # one more than steps where slots are put in order at the end
    done = min(frame, len(m.phases))
    sent = [0] * m.n
    for number, src, *_ in m.log:
        sent[src] += number <= done
    crossing = {src // per_node != dst // per_node for number, src, dst, *_ in m.log if number == done + 1}
    answer, where = expected_answer(op, start(op, m.n, root), root)
    held = np.reshape(m.frames[frame], answer.shape)
    return {
        "words": f"{done} of {len(m.phases)}",
        "phase": m.phases[frame] if frame < len(m.phases) else "",
        "where": "" if per_node >= m.n else WHERE.get(tuple(sorted(crossing)), ""),
        "sent": sent,
        "most": max(sent),
        "finished": int(((held == answer).all(2) & where).sum()),
        "wanted": int(where.sum()),
    }


def _sums(m: Any, per_node: int) -> dict[str, list[int]]:
    """Bytes that each rank sent, received, sent inside its node and to others, and the largest message of each step."""
    found = {key: [0] * m.n for key in ("sent", "received", "inside", "outside")}
    messages: dict[int, Counter] = {}
    for step, src, dst, _, _, nbytes, _ in m.log:
        found["sent"][src] += nbytes
        found["received"][dst] += nbytes
        found["inside" if src // per_node == dst // per_node else "outside"][src] += nbytes
        messages.setdefault(step, Counter())[src, dst] += nbytes
    return {**found, "largest": [max(one.values()) for one in messages.values()]}


def _run_collective(op: str, algorithm: str, n: int, root: int, per_node: int) -> tuple[dict[str, Any], Any]:
    """The run itself, and what it counts to in steps and chunks beside the formulas; with the machine after it."""
    local = min(per_node, n)
    m, mismatches = execute(op, algorithm, n, root, local)
    size, sums = 4 * machine.WIDTH, _sums(m, per_node)
    counted = {"steps": len(m.phases), "busiest": max(sums["sent"]), "serial": sum(sums["largest"])}
    written = dict(FORMULAS[op, algorithm])
    if per_node < n:
        counted |= {"inside": max(sums["inside"]), "outside": max(sums["outside"])}
        written |= {"inside": "", "outside": formulas.between_nodes(op, algorithm, n, local)}
    told = {
        "log": m.log,  # [step, src, dst, chunk, into, bytes, op]
        "frames": m.frames,
        "phases": m.phases,
        "frees": m.frees,
        "mismatches": mismatches,
        "sent": [b // size for b in sums["sent"]],
        "received": [b // size for b in sums["received"]],
        "crossing": sum(sums["outside"]) // size,
        "counted": {key: x if key == "steps" else x // size for key, x in counted.items()},
        "formula": {key: evaluate(text, n, local) for key, text in written.items()},
        "written": written,
    }
    return told, m


def compute(state: dict[str, Any], data: dict[str, Any] | None = None) -> dict[str, Any]:
    """Everything the widget prints."""
    op, algorithm, n, root = state["op"], state["algorithm"], int(state["ranks"]), int(state["root"])
    per_node = int(state["per_node"])
    ran, m = _run_collective(op, algorithm, n, root, per_node)
    counted, total = ran["counted"], 2.0 ** state["message"]
    spent = cost(largest(op, algorithm, n, root, per_node), n, state)
    time = spent["us"]
    amount = {key: chunks * total / n for key, chunks in counted.items() if key != "steps"}
    offered = [a for a in ALGORITHMS if a != "hierarchical" or levels(n, per_node)]
    times = {a: time_of(a, state) for a in offered}
    return {
        **ran,
        "nodes": -(-n // per_node),
        "bytes": amount,
        "chunk_bytes": total / n,
        "cost": spent,
        "time_us": time,
        "times_us": times,
        "fastest": min(offered, key=lambda a: times[a]),
        "bus_gbs": total / time / 1000 * (BUS[op] * (n - 1) / n if op in BUS else 1) if time else 0.0,
        "crossover": crossover(op, n, state) if per_node >= n else 0.0,
        "at": progress(m, op, root, state["step"], per_node),
        "words": {
            "time": spelt(time),
            "steps": spelt(spent["inside"]["steps"] * state["alpha"] + spent["outside"]["steps"] * state["net_alpha"]),
            **{key: fmt.in_kib(x) for key, x in amount.items()},
        },
    }


def cases() -> list[dict[str, Any]]:
    """Every collective and algorithm at every number of ranks, with the other controls moving along."""
    made = []
    for op in OPS:
        for algorithm in ALGORITHMS:
            for n in range(2, 17):
                state = {**STATE, "op": op, "algorithm": algorithm, "ranks": n, "root": (5 * n) % n or n // 3}
                state |= {"message": 10 + n, "alpha": n / 2, "bandwidth": 25.0 * n, "step": n // 2}
                halves = n // 2 if n % 2 == 0 else 1 if algorithm == "hierarchical" else 3
                state |= {"per_node": halves if n % 4 < 2 or algorithm == "hierarchical" else 16}
                made.append(state | {"net_alpha": 3.5 * (n % 5), "net_bandwidth": 12.5 * (n % 7 + 1)})
    same = {"ranks": 8, "per_node": 4, "net_alpha": STATE["alpha"], "net_bandwidth": STATE["bandwidth"]}
    return [*made, {**STATE, **same}]  # links of one speed: a step waits for both kinds alike
