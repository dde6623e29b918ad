"""A collective, an algorithm and n ranks -> the log of a real run, its frames, its bytes beside the formulas, its time.

The run is the mesh's (gallery/mesh) over small numpy slices (machine.py); a chunk of S / n bytes stands for each slice.
"""

from __future__ import annotations

from math import floor, isfinite
from pathlib import Path
from typing import Any

import numpy as np

from explainers import fmt, load_file
from gallery import mesh

machine = load_file(Path(__file__).with_name("machine.py"))
drawn = load_file(Path(__file__).with_name("drawn.py"))
formulas = load_file(Path(__file__).with_name("formulas.py"))
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
}
OPS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast")
ALGORITHMS = ("ring", "tree", "naive")
OF_THE_MESH = {"naive": "direct"}  # what the mesh calls an algorithm, where that is another word
RANGES = {
    "ranks": (2, 16, True, "Between 2 and 16 ranks are drawn here; a whole number."),
    "message": (10, 34, True, "The message is a whole power of two, from 2¹⁰ bytes (1 KiB) to 2³⁴ (16 GiB)."),
    "alpha": (0, 100, False, "The start-up time α goes from 0 to 100 µs."),
    "bandwidth": (1, 2000, False, "The bandwidth goes from 1 to 2,000 GB/s."),
}


def data() -> dict[str, Any]:
    """The formulas' texts, and where a broken link starts from."""
    rows = {f"{op} {algorithm}": row for (op, algorithm), row in FORMULAS.items()}
    return {"formulas": rows, "ops": list(OPS), "algorithms": list(ALGORITHMS), "start": STATE}


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and isfinite(x)


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
    return ""


def start(op: str, n: int, root: int) -> np.ndarray:
    """What every rank holds first: number 0 of a slot is 2**rank, number 1 is its own."""
    held = np.zeros((n, n, machine.WIDTH), np.float32)
    for rank in range(n):
        for slot in range(n):
            if {"all-gather": slot == rank, "broadcast": rank == root}.get(op, True):
                held[rank, slot] = (2**rank, 16 * rank + slot + 1)
    return held


def expected(op: str, held: np.ndarray, root: int) -> tuple[np.ndarray, np.ndarray]:
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


def execute(op: str, algorithm: str, n: int, root: int) -> tuple[Any, int]:
    """(the machine after the run, numbers that differ from the unsharded answer)."""
    held = start(op, n, root)
    m = machine.Run(held, mesh.schedule(op, OF_THE_MESH.get(algorithm, algorithm), n, root))
    answer, where = expected(op, held, root)
    return m, int((m.held != answer)[where].sum())


def microseconds(steps: int, serial: int, n: int, state: dict[str, Any]) -> float:
    """The alpha-beta time: start-ups, then bytes one after the other."""
    return steps * state["alpha"] + serial * 2 ** state["message"] / n / state["bandwidth"] / 1000


def progress(m: Any, op: str, root: int, step: float) -> dict[str, Any]:
    """How far a run is after so many steps: its name, what comes next, what is sent, and which slots are finished."""
    frame = min(max(floor(step), 0), len(m.frames) - 1)  # one more than steps where slots are put in order at the end
    done = min(frame, len(m.phases))
    sent = [0] * m.n
    for number, src, *_ in m.log:
        sent[src] += number <= done
    answer, where = expected(op, start(op, m.n, root), root)
    held = np.reshape(m.frames[frame], answer.shape)
    return {
        "words": f"{done} of {len(m.phases)}",
        "phase": m.phases[frame] if frame < len(m.phases) else "",
        "sent": sent,
        "most": max(sent),
        "finished": int(((held == answer).all(2) & where).sum()),
        "wanted": int(where.sum()),
    }


def spelt(us: float) -> str:
    """477.4 -> "477.4 µs"; ms and s from a thousand on."""
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= size:
            return f"{fmt.fixed(us / size, 2)} {unit}"
    return f"{fmt.fixed(us, 1)} µs"


def _sums(m: Any) -> tuple[list[int], list[int], list[int]]:
    """Bytes sent and received by each rank, and the largest message of each step."""
    sent, received = [0] * m.n, [0] * m.n
    messages: dict[int, dict] = {}
    for step, src, dst, _, _, nbytes, _ in m.log:
        sent[src] += nbytes
        received[dst] += nbytes
        meant = messages.setdefault(step, {})
        meant[src, dst] = meant.get((src, dst), 0) + nbytes
    return sent, received, [max(one.values()) for one in messages.values()]


def _ran(op: str, algorithm: str, n: int, root: int) -> tuple[dict[str, Any], Any]:
    """The run itself, and what it counts to in steps and chunks beside the formulas; with the machine after it."""
    m, mismatches = execute(op, algorithm, n, root)
    size = 4 * machine.WIDTH
    sent, received, largest = _sums(m)
    told = {
        "log": m.log,  # [step, src, dst, chunk, into, bytes, op]
        "frames": m.frames,
        "phases": m.phases,
        "frees": m.frees,
        "mismatches": mismatches,
        "sent": [b // size for b in sent],
        "received": [b // size for b in received],
        "counted": {"steps": len(m.phases), "busiest": max(sent) // size, "serial": sum(largest) // size},
        "formula": {key: evaluate(text, n) for key, text in FORMULAS[op, algorithm].items()},
        "written": FORMULAS[op, algorithm],
    }
    return told, m


def compute(state: dict[str, Any], data: dict[str, Any] | None = None) -> dict[str, Any]:
    """Everything the widget prints."""
    op, algorithm, n, root = state["op"], state["algorithm"], int(state["ranks"]), int(state["root"])
    ran, m = _ran(op, algorithm, n, root)
    counted, total = ran["counted"], 2.0 ** state["message"]
    time = microseconds(counted["steps"], counted["serial"], n, state)
    amount = {key: counted[key] * total / n for key in ("busiest", "serial")}
    return {
        **ran,
        "bytes": amount,
        "chunk_bytes": total / n,
        "time_us": time,
        "times_us": {a: _time(op, a, n, state) for a in ALGORITHMS},
        "bus_gbs": total / time / 1000 * (BUS[op] * (n - 1) / n if op in BUS else 1) if time else 0.0,
        "crossover": _crossover(op, n, state),
        "at": progress(m, op, root, state["step"]),
        "words": {
            "time": spelt(time),
            "steps": spelt(counted["steps"] * state["alpha"]),
            **{key: fmt.in_kib(x) for key, x in amount.items()},
        },
    }


def _time(op: str, algorithm: str, n: int, state: dict[str, Any]) -> float:
    row = FORMULAS[op, algorithm]
    return microseconds(evaluate(row["steps"], n), evaluate(row["serial"], n), n, state)


def _crossover(op: str, n: int, state: dict[str, Any]) -> float:
    """The message in bytes above which the ring beats the tree; 0 = it never does, or always."""
    ring, tree = FORMULAS[op, "ring"], FORMULAS[op, "tree"]
    later = evaluate(ring["steps"], n) - evaluate(tree["steps"], n)
    fewer = evaluate(tree["serial"], n) - evaluate(ring["serial"], n)
    return later * state["alpha"] * 1000 * state["bandwidth"] * n / fewer if later > 0 and fewer > 0 else 0.0


def picture(state: dict[str, Any], data: dict[str, Any]) -> str:
    """The first picture: ranks, chunks, this step's messages, and the counted numbers."""
    return drawn.picture(state, compute(state, data))


def cases() -> list[dict[str, Any]]:
    """Every collective and algorithm at every number of ranks, with the other controls moving along."""
    made = []
    for op in OPS:
        for algorithm in ALGORITHMS:
            for n in range(2, 17):
                state = {**STATE, "op": op, "algorithm": algorithm, "ranks": n, "root": (5 * n) % n or n // 3}
                made.append(state | {"message": 10 + n, "alpha": n / 2, "bandwidth": 25.0 * n, "step": n // 2})
    return made
