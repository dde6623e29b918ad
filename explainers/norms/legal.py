"""What may be chosen on this page, the sentence that says so, and what a model's name alone chooses.

Twin of the head of compute.js.
"""

from __future__ import annotations

from typing import Any

NORMS = ("pre", "post", "sandwich", "behind", "normed")
GATES, STREAMS, ROUNDS = ("none", "heads", "numbers"), (1, 4), (0, 1, 2, 3, 5, 10, 20)
HEADS = (16, 32, 64, 96, 128, 192, 256, 512)
KINDS = {"norm": NORMS, "gate": GATES, "head": HEADS, "streams": STREAMS, "rounds": ROUNDS}
WHOLE = {"layers": (1, 128), "layer": (0, 255), "drafts": (0, 7), "loops": (1, 16), "borrow": (0, 127)}
REAL = {"scale": (0.01, 4), "grown": (0.25, 16), "cap": (0, 200), "score": (0, 200), "accept": (0.05, 0.99)}
SWITCHES = ("qk", "parallel", "own")
PASSES = 256


def find(slug: Any, data: dict) -> dict:
    """The model's row by its columns; {} where there is none."""
    found = next((row for row in data["models"] if row[0] == slug), None)
    if not found:
        return {}
    row = {**data["usual"], **dict(zip(data["columns"], found[:-1], strict=True)), **found[-1]}
    return {**row, "title": row["title"] or slug.split("/")[1].replace("-", " ")}


def real(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def one_of(value: Any, values: tuple) -> bool:
    return not isinstance(value, bool) and value in values


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if not find(state["model"], data):
        return f"No model here is called “{state['model']}”; choose one from the list."
    for key, (low, high) in {**WHOLE, **REAL}.items():
        if not (is_integer if key in WHOLE else real)(state[key]) or not low <= state[key] <= high:
            return f"{key} is a {'whole ' if key in WHOLE else ''}number from {low} to {high}."
    for key in SWITCHES:
        if not isinstance(state[key], bool):
            return f"{key} is on or off."
    return check_kinds(state) or check_sizes(state)


def check_kinds(state: dict) -> str:
    """What is one of a few."""
    for key, values in KINDS.items():
        if not one_of(state[key], values):
            return f"{key} is one of {', '.join(map(str, values))}."
    return ""


def check_sizes(state: dict) -> str:
    """What must hold between two numbers."""
    if state["layers"] * state["loops"] > PASSES:
        return f"Layers times loops are at most {PASSES}."
    if state["borrow"] >= state["layers"]:
        return "At least one layer must store its own keys and values."
    return ""


def nearest_divisor(value: float, values: tuple) -> int:
    """The largest that is not above, or the least."""
    return max((one for one in values if one <= value), default=values[0])


def switches(row: dict) -> dict:
    """A model's row -> the switches that make the small stack like it, as far as it can.

    Where nothing attends, how many numbers a head has is left as it was.
    """
    layers = min(row["layers"], WHOLE["layers"][1])
    lent = sum(one >= 0 for one in row["sources"])
    return {
        "norm": row["norm"], "scale": min(max(row["scale"], 0.01), 4), "layers": layers, "qk": row["qk"] == 1,
        "cap": row["cap"] or row["logits_cap"], "gate": row["gate"], "parallel": row["parallel"] == 1,
        **({"head": nearest_divisor(row["head"], HEADS)} if row["head"] else {}), "drafts": min(row["mtp"], 7),
        "loops": min(row["loops"], 16, PASSES // layers),
        "borrow": min(lent, layers - 1), "own": row["table"] > 0, "streams": nearest_divisor(row["streams"], STREAMS),
        "rounds": nearest_divisor(row["rounds"] or 20, ROUNDS),
    }  # fmt: skip


def settle(state: dict, given: list[str], data: dict) -> dict:
    """A link that names a model and no switch means the model's own switches."""
    row = find(state["model"], data)
    if not row or "model" not in given:
        return state
    return {**state, **{key: value for key, value in switches(row).items() if key not in given}}
