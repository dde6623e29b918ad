"""What the beats of the delta rule ask, say and draw: answers, captions, goals and figures by name. Twin of beats.js.

The numbers are reference.compute's, or the means over 300 random tapes (means.py).
"""

from __future__ import annotations

import numpy as np

from cutaway.explainers import fmt
from cutaway.explainers.delta_rule import drawn, reference
from cutaway.explainers.delta_rule.picture import matrix

MEANS = reference.data()["means"]
TAPES = reference.tapes.offered_tapes()
LETTERS = reference.LETTERS
LIMIT, CLEAN = 0.45, 0.01
BORDER_WAYS = ({"rule": "delta"}, {"rule": "gated", "decay": 0.9}, {"rule": "gated", "decay": 1, "gates": [8, 0]})
WANTED = [20, 21, 22, 23]


def at(state: dict, data: dict, **changes) -> dict:
    return reference.compute({**state, **changes}, data)


def least(errors: list[float]) -> int:
    """Where the least of them stands; those within rounding of it count as one."""
    return next(i for i, e in enumerate(errors) if e <= min(errors) + 1e-9)


def heard(state: dict, data: dict) -> int:
    """What the adding rule reads with A on the tape that writes it twice: 0 the old value, 1 the new, 2 their sum."""
    twice = TAPES["twice"]
    read = np.array(at(reference.STATE, data, **twice)["rules"]["linear"]["recall"][0])
    old, new = reference.value(twice["writes"][1]), reference.value(twice["writes"][-1])
    return least([float(np.linalg.norm(read - one)) for one in (old, new, old + new)])


def way(state: dict, data: dict) -> int:
    """Which of the three ways leaves both documents' keys nearest to what they should read."""
    found = []
    for change in BORDER_WAYS:
        one = at({**reference.STATE, **TAPES["documents"]}, data, **change)["rules"][change["rule"]]
        found.append(max(one["kept"], one["old"]))
    return least(found)


def written(state: dict) -> int:
    """How many keys of the 24 are written, at least one."""
    return min(24, max(1, int(state["step"])))


def fits(state: dict, data: dict) -> float:
    """The mean error of all keys, as many as the step says: added, or written by the delta rule, without decay."""
    rule = "linear" if state["rule"] in ("linear", "decay") else "delta"
    return MEANS["fits"][rule][written(state) - 1]


def percent(alpha: float) -> int:
    """0.74 -> 74: where an α stands in the table."""
    return int(100 * alpha + 0.5)


FOUR = MEANS["last_four"]
answers = {
    "letter": lambda state, data: LETTERS[int(state["query"])],
    "heard": heard,
    "way": way,
    "fits": fits,
    "attention_fits": lambda state, data: MEANS["fits"]["attention"][written(state) - 1],
    "gentle_beta": lambda state, data: MEANS["gentle"]["beta"],
    "gentle_fits": lambda state, data: MEANS["gentle"]["off"],
    "best_matrix": lambda state, data: MEANS["solved"],
    "best_alpha": lambda state, data: least(FOUR["decay"]) / 100,
    "least_adding": lambda state, data: min(FOUR["decay"]),
    "undecayed_adding": lambda state, data: FOUR["decay"][100],
    "undecayed_delta": lambda state, data: FOUR["gated"][100],
    "best_delta_alpha": lambda state, data: least(FOUR["gated"]) / 100,
    "least_delta": lambda state, data: min(FOUR["gated"]),
    "adding": lambda state, data: FOUR["decay"][percent(state["decay"])],
    "deltas": lambda state, data: FOUR["gated"][percent(state["decay"])],
    "tapes_measured": lambda state, data: MEANS["tapes"],
    "random_keys": lambda state, data: len(TAPES["random"]["writes"]) // 2,
    "attention_four": lambda state, data: MEANS["attention_last_four"],
    "a_adding": lambda state, data: at(state, data)["rules"]["linear"]["errors"][0] or 0.0,
    "a_delta": lambda state, data: at(state, data)["rules"]["delta"]["errors"][0] or 0.0,
    "kept": lambda state, data: at(state, data)["rules"][state["rule"]]["kept"],
    "old": lambda state, data: at(state, data)["rules"][state["rule"]]["old"],
    "label": lambda state, data: reference.rules.BY_NAME[state["rule"]]["label"],
}


def one_write(state: dict, data: dict) -> str:
    """What a key reads in the first beat."""
    now = at(state, data)
    name, one = LETTERS[int(state["query"])], now["rules"]["linear"]
    size = "The matrix has **64 numbers**, whatever is written."
    error = one["errors"][int(state["query"])]
    if error is not None:
        return f"Key {name} reads its value, **{fmt.percent(error)} off**. {size}"
    read = max(abs(x) for x in one["recall"][int(state["query"])])
    return f"Nothing is written under {name}; it reads **{'something all the same' if read else 'nothing'}**. {size}"


captions = {"one_write": one_write}


# ---------------------------------------------------------------- goals


def best(now: dict, worst) -> tuple[dict, float]:
    """The rule that does best by a measure, and how far off it is."""
    rows = [worst(now["rules"][rule["name"]]) for rule in reference.rules.RULES]
    return reference.rules.RULES[least(rows)], rows[least(rows)]


def last_four(state: dict, data: dict) -> dict:
    """The last four of 24 random keys under 45 %, by a rule that may forget."""
    tape = TAPES["random"]
    if any(state[key] != tape[key] for key in ("writes", "seed", "step")):
        return {"reached": False, "says": "Load the tape of 24 random keys, and stand at its last write."}
    if sorted(state["wanted"]) != WANTED:
        return {"reached": False, "says": "Now all that counts is U, V, W and X: score the last four."}
    rule, error = best(at(state, data), lambda one: one["error"])
    if error >= LIMIT:
        return {"reached": False, "says": f"The best is {rule['label']} with {fmt.percent(error)}."}
    hint = "One gate, shut before U, does it too." if not state["gates"] else "One gentle α for all does it too."
    return {"reached": True, "says": f"Reached by {rule['label']}: {fmt.percent(error)}. {hint}"}


def two_documents(state: dict, data: dict) -> dict:
    """After the second document both its keys and the old one's are under 1 %."""
    tape = TAPES["documents"]
    if any(state[key] != tape[key] for key in ("writes", "seed", "step", "border")):
        return {"reached": False, "says": "Load the tape of two documents, and stand at its last write."}
    rule, error = best(at(state, data), lambda one: max(one["kept"], one["old"]))
    one = at(state, data)["rules"][rule["name"]]
    told = f"{rule['label']} leaves A–D {fmt.percent(one['kept'])} off, E–H {fmt.percent(one['old'])}."
    if error >= CLEAN:
        return {"reached": False, "says": f"The best, {told}"}
    return {"reached": True, "says": f"Reached: {told} Behind a shut gate even a rule that only adds starts clean."}


goals = {"last_four": last_four, "two_documents": two_documents}
reach = {
    "last_four": [
        {**TAPES["random"], "wanted": WANTED, **way} for way in ({"decay": 0.95}, {"decay": 1.0, "gates": [20, 0]})
    ],
    "two_documents": [{**TAPES["documents"], "decay": 1.0, "gates": [8, 0]}],
}


# ---------------------------------------------------------------- figures


def one_state(state: dict, data: dict) -> str:
    """The tape, one matrix, and what the key reads."""
    now = at(state, data)
    name = LETTERS[int(state["query"])]
    return (
        f'{drawn.tape(state, now)}<div class="cw-delta-rule-pair">'
        f"{matrix(now['rules']['linear']['state'], 'the adding rule', drawn.row_names(state))}"
        f"{drawn.reads(state, now, [('linear', f'key {name} reads')])}</div>"
    )


def two_reads(state: dict, data: dict) -> str:
    """What A should read, and what it reads by adding and by the delta rule."""
    now = at(state, data)
    rows = [("linear", "Linear attention"), ("delta", "DeltaNet")]
    return drawn.tape(state, now) + drawn.reads(state, now, rows)


def fading(state: dict, data: dict) -> str:
    """How much of each write is left."""
    return drawn.fading(state, at(state, data))


def documents(state: dict, data: dict) -> str:
    """The tape with its gates, the matrix of the chosen rule, and how far off each key is."""
    now = at(state, data)
    label = reference.rules.BY_NAME[state["rule"]]["label"]
    found = matrix(now["rules"][state["rule"]]["state"], label, drawn.row_names(state))
    return f'{drawn.tape(state, now, True)}<div class="cw-delta-rule-pair">{found}{drawn.keys(state, now)}</div>'


figures = {"one_state": one_state, "two_reads": two_reads, "fading": fading, "documents": documents}
