"""What may be chosen on this page, and the sentence that says so. Twin of the head of compute.js."""

from __future__ import annotations

from typing import Any

MOST_EXPERTS, MOST_K, GROUPS = 512, 24, 8
STEPS = (0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1)
ROOMS = (1, 1.25, 1.5, 2, 0)  # times the even share; 0 = no end
SCORINGS = ("sigmoid", "softmax", "after")  # after: the softmax of only the chosen logits
UPDATES, LAST_TOKEN, MOST_SKEW = 200, 4095, 2
SIZES = (8, 16, 32, 64, 128, 256, 512)


def find(slug: str, data: dict) -> dict:
    """The model's row by its columns; {} where there is none."""
    found = next((row for row in data["models"] if row[0] == slug), None)
    return dict(zip(data["columns"], found, strict=True)) if found else {}


def is_integer(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def one_of(value: Any, values: tuple | list) -> bool:
    return not isinstance(value, bool) and value in values


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if not find(state["model"], data):
        return f"No mixture of experts here is called “{state['model']}”; choose one from the list."
    if not one_of(state["experts"], data["experts"]):
        return f"There are {', '.join(map(str, data['experts']))} experts to choose from."
    if not is_integer(state["k"], 1, MOST_K):
        return f"A token is sent to 1 to {MOST_K} experts."
    if not is_integer(state["kept"], 1, GROUPS):
        return f"Of {GROUPS} groups, 1 to {GROUPS} are kept."
    if state["k"] > state["experts"] // GROUPS * state["kept"]:
        return "The groups that are kept have fewer experts than a token is sent to; keep more, or choose fewer."
    skew = state["skew"]
    if isinstance(skew, bool) or not isinstance(skew, int | float) or not 0 <= skew <= MOST_SKEW:
        return f"A skew is a number from 0 to {MOST_SKEW}."
    if not one_of(state["step"], STEPS):
        return f"A step is one of {', '.join(map(str, STEPS))}."
    if not is_integer(state["updates"], 0, UPDATES):
        return f"There are 0 to {UPDATES} updates."
    if not one_of(state["room"], ROOMS):
        return "Capacity is 1, 1.25, 1.5 or 2 times the average load; 0 means no limit."
    if not is_integer(state["token"], 0, LAST_TOKEN):
        return f"A token is one of 0 to {LAST_TOKEN:,}."
    if state["scoring"] not in SCORINGS:
        return "Scores come from sigmoid, softmax, or softmax after choosing."
    return "" if isinstance(state["bias"], bool) else "The bias is on or off."
