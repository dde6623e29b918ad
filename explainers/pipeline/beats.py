"""What the beats of the pipeline page ask, say and draw: answers, captions, goals and figures. Twin of beats.js.

The numbers are reference.compute's; here stand only what a single state does not tell, and the drawings.
"""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import bound
from cutaway.explainers.pipeline import reference

drawn, schedules, number = reference.drawn, reference.schedules, reference.number
IDLE_GOAL, FEW_GOAL = 0.06, 0.2


def at(state: dict, **changes) -> dict:
    return reference.compute({**state, **changes})


def label(state: dict, data: dict | None = None) -> str:
    return schedules.SCHEDULES[state["schedule"]].label


def saves(state: dict, data: dict) -> int:
    """What 1F1B saves against GPipe at the page's first sizes: 0 time, 1 memory, 2 both."""
    old, new = at(reference.STATE, schedule="gpipe"), at(reference.STATE, schedule="1f1b")
    return 2 * (new["span"] < old["span"] and new["peak"][0] < old["peak"][0]) or int(new["peak"][0] < old["peak"][0])


def price(state: dict, data: dict) -> int:
    """What two chunks cost there: 0 memory and messages, 1 messages only, 2 nothing."""
    old, new = ({**reference.STATE, "schedule": name} for name in ("1f1b", "interleaved"))
    if at(new)["peak"][0] > at(old)["peak"][0]:
        return 0
    return 1 if messages(new, data) > messages(old, data) else 2


def messages(state: dict, data: dict) -> int:
    """How often one micro-batch travels from a rank to another, there and back."""
    p, v = int(state["pp"]), reference.chunks_of(state)
    turns = v - 1 if schedules.SCHEDULES[state["schedule"]].placement == "v" else 0  # both stages on one rank
    return 2 * (p * v - 1 - turns)


answers = {
    "label": label,
    "saves": saves,
    "price": price,
    "messages": messages,
    "gpipe_peak": lambda state, data: at(state, schedule="gpipe")["peak"][0],
    "plain_peak": lambda state, data: at(state, schedule="1f1b")["peak"][0],
    "plain_messages": lambda state, data: messages({**state, "schedule": "1f1b"}, data),
    "interleaved_idle": lambda state, data: at(reference.STATE, schedule="interleaved")["of_total"],
    "last_peak": lambda state, data: at(state)["peak"][-1],
}


def waits(state: dict, data: dict) -> str:
    """How long the ranks are idle, and why the one that is asked."""
    now = at(state)
    why = now["says"] or "Press a gap to ask what it waits for."
    return (
        f"**{label(state)}: {now['notes']['who']} is idle for "
        f"{number(now['bubble'])} of {number(now['span'])} units**, "
        f"{fmt.percent(now['of_total'])} of the step. {why}"
    )


captions = {"waits": waits}


# ---------------------------------------------------------------- goals


def under_6(state: dict, data: dict) -> dict:
    """Idle under 6 % with 4 ranks, 8 micro-batches and equal times."""
    first = {key: reference.STATE[key] for key in ("pp", "microbatches", *reference.PARTS, "model")}
    if any(state[key] != first[key] for key in first):
        return {"reached": False, "says": "This goal is about 4 ranks, 8 micro-batches and the first times."}
    now = at(state)
    idle = fmt.percent(now["of_total"])
    if now["of_total"] >= IDLE_GOAL:
        return {"reached": False, "says": f"Under {label(state)} ranks are idle for {idle} of the step."}
    zb_v = state["schedule"] == "zb-v"
    hint = "Interleaved ZB does it too, with more messages." if zb_v else "ZB-V does it too, with fewer messages."
    held = number(now["peak"][0])
    return {
        "reached": True,
        "says": f"Reached with {label(state)}: {idle}, and the first rank holds {held} micro-batches. {hint}",
    }


def few(state: dict, data: dict) -> dict:
    """Idle at most 20 % with 8 ranks and plain 1F1B, and no micro-batch more than it needs."""
    m = int(state["microbatches"])
    if state["pp"] != 8 or state["schedule"] != "1f1b":
        return {"reached": False, "says": "This goal is about 8 ranks and plain 1F1B."}
    now = at(state)
    idle = f"With {m} micro-batch{'es' if m > 1 else ''} ranks are idle for {fmt.percent(now['of_total'])} of the step"
    if now["of_total"] > FEW_GOAL:
        return {"reached": False, "says": f"{idle}."}
    if at(state, microbatches=m - 1)["of_total"] <= FEW_GOAL:
        return {"reached": False, "says": f"{idle}: fewer will do."}
    return {"reached": True, "says": f"Reached. {idle}. Interleaved 1F1B in two chunks would do with 16."}


goals = {"under_6": under_6, "few": few}
reach = {
    "under_6": [{"schedule": "zb-v"}, {"schedule": "interleaved-zb"}],
    "few": [{"pp": 8, "microbatches": 28}],
}


# ---------------------------------------------------------------- figures


def lanes(state: dict, data: dict, bet: str) -> str:
    """The lanes without a cursor, and what each rank holds at most."""
    now = at(state)
    sizes = [bound(state[key], key, "text", "span") for key in ("pp", "microbatches")]
    return (
        f'<p class="cw-pipeline-above"><b>{bound(label(state), "label", "text", "span")}</b>: '
        f"{sizes[0]} ranks, {sizes[1]} micro-batches</p>"
        f"{drawn.lanes(state, now, drawn.words(state, now, label(state), bet == 'open'), clock=False)}"
        f"{drawn.legend(now, 'micro-batches held at most')}"
    )


figures = {"lanes": lanes}
