"""What may be chosen for a batch of tokens, and the sentence about what may not."""

from __future__ import annotations

from cutaway.explainers.expert_parallel import folding, models, routing

NODES = (1, 2, 4, 8)
LIMITS = models.LIMITS
CAPACITIES = (0, 1, 1.25, 1.5, 2, 3, 4, 8)
DISPATCHES = ("fp8", "bf16")
SIZES = {"tp": (1, 2, 4, 8), "cp": (1, 2, 4), "etp": (1, 2, 4, 8), "spare": (0, 1, 2)}
STEPS = ("scores", "groups", "choice", "network", "inside", "sums", "back")
TOKENS, PER_NODE, WORLD = routing.TOKENS, models.PER_NODE, folding.WORLD


def find(slug: str, data: dict) -> dict:
    """The model's row by name; {} where there is none."""
    return next((dict(zip(data["columns"], row, strict=True)) for row in data["models"] if row[0] == slug), {})


def one_of(value: object, allowed: tuple) -> bool:
    return value in allowed and not isinstance(value, bool)


def is_integer(value: object, below: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def legal_nodes(row: dict) -> list[int]:
    """On how many nodes each GPU has equally many experts."""
    return [nodes for nodes in NODES if row["experts"] % (nodes * PER_NODE) == 0]


def words(values: tuple | list) -> str:
    """1, 2 or 4."""
    *first, last = [str(value) for value in values]
    return f"{', '.join(first)} or {last}" if first else last


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    row = find(state["model"], data)
    if not row:
        return f"No mixture of experts here is called “{state['model']}”; choose one from the list."
    return chosen(state) or find_misfits(state, row)


def chosen(state: dict) -> str:
    """Values that no list has."""
    lists = {"nodes": NODES, "limit": LIMITS, "capacity": CAPACITIES, "dispatch": DISPATCHES, "kind": routing.KINDS}
    for key, allowed in {**lists, **SIZES}.items():
        if not one_of(state[key], allowed):
            return f"{key}: one of {words(allowed)}."
    skew = state["skew"]
    if isinstance(skew, bool) or not isinstance(skew, int | float) or not 0 <= skew <= 1:
        return "skew: a number from 0 to 1."
    for key, below in (("token", TOKENS), ("step", len(STEPS)), ("gpu", WORLD)):
        if not is_integer(state[key], below):
            return f"{key}: a whole number from 0 to {below - 1:,}."
    return ""


def find_misfits(state: dict, row: dict) -> str:
    """Sizes that do not fit together."""
    experts, gpus = row["experts"], state["nodes"] * PER_NODE
    if state["nodes"] not in legal_nodes(row):
        fits = words([nodes * PER_NODE for nodes in legal_nodes(row)])
        return f"{experts} experts do not divide evenly over {gpus} GPUs; they do over {fits}."
    groups = row["groups"] if row["groups"] > 1 else routing.GROUPS
    if state["limit"] and state["limit"] * experts < row["k"] * groups:
        least = next(n for n in LIMITS[1:] if n * experts >= row["k"] * groups)
        return f"{row['k']} experts do not fit into {state['limit']} of {groups} groups; take {least} or more."
    if gpus * state["etp"] > WORLD:
        return f"EP {gpus} × ETP {state['etp']} are more than the {WORLD} GPUs; take ETP {WORLD // gpus} or less."
    return ""
