"""What the beats of which-axis ask, say and draw: answers, captions, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from collections.abc import Callable

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.which_axis import drawn, reference

TWO_NODES = 16  # GPUs
LLAMA, V3 = "meta-llama/Llama-3.1-70B", "deepseek-ai/DeepSeek-V3"


def rows(state: dict, data: dict) -> dict[str, dict]:
    """By axis."""
    return {row["axis"]: row for row in reference.compute(state, data)["rows"]}


def share(row: dict, part: str) -> float:
    """What a GPU holds of a part; 0 where the plan is not legal."""
    return next((one["share"] for one in row["parts"] if one["name"] == part), 0.0)


def keeps_weights(state: dict, data: dict) -> int:
    """Which of tensor, pipeline and data leaves most of the weights on a GPU."""
    found = rows(state, data)
    held = [found[axis]["weights_share"] for axis in ("tp", "pp", "dp")]
    return held.index(max(held))


def pipeline_keeps(state: dict, data: dict) -> int:
    """0 an eighth, 1 about half, 2 nearly all."""
    held = pipeline_share(state, data)
    return 0 if held < 0.3 else 1 if held < 0.75 else 2


def pipeline_share(state: dict, data: dict) -> float:
    return share(rows(state, data)["pp"], "activations")


def leaving(axis: str) -> Callable[[dict, dict], int]:
    """What an axis sends to another node, on two nodes."""
    return lambda state, data: rows({**state, "gpus": TWO_NODES}, data)[axis]["away"]


def least(state: dict, data: dict, axes: tuple[str, ...], what: str) -> int:
    """Which of some axes has least of something."""
    found = rows(state, data)
    values = [found[axis][what] for axis in axes]
    return values.index(min(values))


answers = {
    "over": lambda state, data: reference.compute(state, data)["one"]["total"] / data["room"],
    "keeps_weights": keeps_weights,
    "tensor_cache": lambda state, data: share(rows(state, data)["tp"], "cache"),
    "context_cache": lambda state, data: share(rows(state, data)["cp"], "cache"),
    "pipeline_keeps": pipeline_keeps,
    "pipeline_share": pipeline_share,
    "first_token": lambda state, data: least(state, data, ("dp", "tp", "pp"), "ms"),
    "two_nodes": lambda state, data: TWO_NODES,
    "tensor_leaves": leaving("tp"),
    "pipeline_leaves": leaving("pp"),
    "sends_least": lambda state, data: least(state, data, ("tp", "zero", "pp"), "sent"),
}


# ---------------------------------------------------------------- captions


def listed(names: list[str]) -> str:
    return "no axis" if not names else names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def fitting(state: dict, data: dict) -> str:
    """Which axes fit the GPU at all."""
    found = [row["name"] for row in rows(state, data).values() if row["fits"]]
    return f"{listed(found)} alone fit{'s' if len(found) < 2 else ''} a GPU of {fmt.in_bytes(data['room'], 'GB', 0)}"


def copies(state: dict, data: dict) -> str:
    """Who keeps all weights, experts among them, and what fits."""
    now = reference.compute(state, data)
    whole = [row["name"] for row in now["rows"] if row["weights_share"] > 0.995]
    some = fitting(state, data)
    verb = "keeps" if len(whole) < 2 else "keep"
    too = ", experts too" if any(part["name"] == "experts" for part in now["one"]["parts"]) else ""
    return f"{int(state['gpus'])} GPUs: **{listed(whole)}** {verb} all weights{too}. {some[0].upper()}{some[1:]}."


def cache(state: dict, data: dict) -> str:
    """What tensor ranks and context ranks hold of the cache."""
    found = rows(state, data)
    part = fmt.percent(share(found["tp"], "cache"), 0)
    said = f"On {int(state['gpus'])} tensor ranks each holds **{part}** of all cache."
    if not found["cp"]["legal"]:
        return f"{said} No head is kept twice, so context ranks have nothing to share."
    return f"{said} With {found['cp']['detail']}: **{fmt.percent(share(found['cp'], 'cache'), 0)}**."


def activations(state: dict, data: dict) -> str:
    """What is left of the activations, by axis."""
    found = [row for row in rows(state, data).values() if row["legal"]]
    less = [row["name"] for row in found if share(row, "activations") < 0.6]
    verb = "makes" if len(less) < 2 else "make"
    return (
        f"{int(state['gpus'])} GPUs: **{listed(less)}** {verb} activations much smaller. The others keep most of them."
    )


def ordered(state: dict, data: dict, what: str) -> list[dict]:
    found = [row for row in rows(state, data).values() if row["legal"]]
    return sorted(found, key=lambda row: row[what])


def waits(state: dict, data: dict) -> str:
    """First and last; who takes as long by the digits that are printed is named too."""
    found = [(fmt.fixed(row["ms"], 1), row["name"]) for row in ordered(state, data, "ms")]
    first, last = found[0][0], found[-1][0]
    ahead, behind = (listed([name for ms, name in found if ms == one]) for one in (first, last))
    return f"First is **{ahead}** with {first} ms, last **{behind}** with {last} ms."


def talks(state: dict, data: dict) -> str:
    """Least and most."""
    found = ordered(state, data, "sent")
    less, most = found[0], found[-1]
    return (
        f"**{less['name']}** sends least, {fmt.in_bytes(less['sent'])}; **{most['name']}** most, "
        f"{fmt.in_bytes(most['sent'])}, {fmt.in_bytes(most['away'])} of it to another node."
    )


captions = {"copies": copies, "cache": cache, "activations": activations, "waits": waits, "talks": talks}


# ---------------------------------------------------------------- goals


def held(row: dict) -> str:
    return f"{row['detail']} holds {fmt.in_bytes(row['total'], 'GB', 0)} on its fullest GPU"


def trains(state: dict, data: dict) -> dict:
    """Llama 3.1 70B in training, on one axis."""
    if (state["model"], state["job"]) != (LLAMA, "train"):
        return no("This goal is about training Llama 3.1 70B.")
    row = rows(state, data)[state["axis"]]
    if not row["legal"]:
        return no(row["why"])
    if not row["fits"]:
        return no(f"{held(row)}: too much for {fmt.in_bytes(data['room'], 'GB', 0)}.")
    return {"reached": True, "says": f"Reached: {held(row)}. It sends {fmt.in_bytes(row['sent'])} in a step, though."}


def serves(state: dict, data: dict) -> dict:
    """DeepSeek V3 while serving, on the fewest GPUs with which an axis fits."""
    if (state["model"], state["job"]) != (V3, "decode"):
        return no("This goal is about serving DeepSeek V3.")
    row = rows(state, data)[state["axis"]]
    if not row["legal"]:
        return no(row["why"])
    if not row["fits"]:
        return no(f"{held(row)}: too much for {fmt.in_bytes(data['room'], 'GB', 0)}.")
    fewer = [n for n in data["gpus"] if n < state["gpus"]]
    if any(one["fits"] for n in fewer for one in rows({**state, "gpus": n}, data).values()):
        return no(f"{held(row)}. Fewer GPUs are enough.")
    others = [one["name"] for one in rows(state, data).values() if one["fits"] and one["axis"] != state["axis"]]
    more = f" With {listed(others)} it fits too." if others else ""
    return {"reached": True, "says": f"Reached: {held(row)}.{more}"}


goals = {"trains": trains, "serves": serves}
reach = {
    "trains": [{"gpus": 32, "axis": "tp"}],
    "serves": [{"model": V3, "job": "decode", "gpus": 16, "axis": "ep"}],
}


# ---------------------------------------------------------------- figures


def grid(state: dict, data: dict, bet: str = "") -> str:
    """What each GPU holds by axis; empty squares while the bet is open."""
    return drawn.grid(reference.compute(state, data), "", bet == "open")


def times(state: dict, data: dict, bet: str = "") -> str:
    """How long a token takes by axis."""
    return drawn.bars(reference.compute(state, data), "ms", state["axis"], bet == "open")


def sent(state: dict, data: dict, bet: str = "") -> str:
    """What a GPU sends by axis."""
    return drawn.bars(reference.compute(state, data), "sent", state["axis"], bet == "open")


figures = {"grid": grid, "times": times, "sent": sent}
