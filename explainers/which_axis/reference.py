"""A model, a job and so many GPUs, all on one axis -> what each holds of what one GPU would, what it sends, how long.

Every number is gallery.planning's: its memory is gallery.memory's and weights', its bytes the collectives' formulas.
"""

from __future__ import annotations

from typing import Any

from cutaway.explainers.which_axis import table, words

ALL_WEIGHTS = ("weights", "experts")  # two columns, one answer to “all weights”
STEPS = {"train": "a whole step", "decode": "the next token"}  # what a step is
STATE: dict[str, Any] = {"model": "meta-llama/Llama-3.1-70B", "job": "train", "gpus": 8, "axis": "tp"}


def data() -> dict[str, Any]:
    """The table of plans, the GPUs' memory, and the words of each axis."""
    return table.data() | {"words": words.WORDS}


def model_of(state: dict, data: dict) -> dict:
    return next(row for row in data["models"] if row["slug"] == state["model"])


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if state["model"] not in [row["slug"] for row in data["models"]]:
        return f"No model here is called “{state['model']}”; choose one from the list."
    if state["job"] not in list(data["parts"]):
        return "A job is train or decode."
    if isinstance(state["gpus"], bool) or state["gpus"] not in data["gpus"]:
        return f"The numbers of GPUs here are {', '.join(str(n) for n in data['gpus'])}."
    if state["axis"] not in data["axes"]:
        return f"An axis is one of {', '.join(data['axes'])}."
    return ""


def cell(found: list | str, whole: list[int], names: list[str]) -> dict[str, Any]:
    """One plan: parts that the model has, the fullest GPU's total, and what is sent; or why there is none."""
    if isinstance(found, str):
        return {"legal": False, "why": found, "detail": "", "parts": [], "total": 0, "sent": 0, "away": 0, "ms": 0.0,
                "weights_share": 0.0}  # fmt: skip
    detail, held, total, sent, away, ms = found
    parts = [
        {"name": name, "bytes": mine, "share": mine / all_of_it}
        for name, mine, all_of_it in zip(names, held, whole, strict=True)
        if all_of_it
    ]
    mine, all_of_it = (
        sum(size for name, size in zip(names, sizes, strict=True) if name in ALL_WEIGHTS) for sizes in (held, whole)
    )
    return {"legal": True, "why": "", "detail": detail, "parts": parts, "total": total, "sent": sent,
            "away": away, "ms": ms, "weights_share": mine / all_of_it}  # fmt: skip


def compute(state: dict, data: dict) -> dict[str, Any]:
    """Everything the page prints."""
    model, job = model_of(state, data), state["job"]
    names, whole = data["parts"][job], model["one"][job]
    cells = model["plans"][job][str(int(state["gpus"]))]
    rows = [
        {"axis": axis, "name": data["words"][axis]["name"]} | cell(found, whole, names)
        for axis, found in zip(data["axes"], cells, strict=True)
    ]
    for row in rows:
        row["fits"] = row["legal"] and row["total"] <= data["room"]
        row["share"] = row["total"] / sum(whole)
    return {
        "title": model["title"],
        "one": cell(["", whole, sum(whole), 0, 0, 0.0], whole, names),
        "rows": rows,
        "here": rows[data["axes"].index(state["axis"])],
        "told": data["words"][state["axis"]][job],
        "step": STEPS[job],
        "room": data["room"],
        "readers": data["readers"],
        "batch": data["batch"],
        "tokens": data["tokens"][job],
        "largest": {what: max(row[what] for row in rows) for what in ("total", "sent", "ms")},
    }


def cases() -> list[dict]:
    """Every state there is, and a few that are not legal."""
    found: list[dict] = [{"model": "no/such"}, {"job": "cook"}, {"gpus": 3}, {"axis": "zz"}]
    for model in table.MODELS:
        for job in table.PARTS:
            for place, gpus in enumerate(table.GPUS):
                for axis in table.AXES[place % 2 :: 2]:
                    found.append({"model": model, "job": job, "gpus": gpus, "axis": axis})
    return found
