"""A latent, its heads and a chip -> bytes, FLOPs and GPUs; four tokens -> latent attention as two circuits."""

from __future__ import annotations

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers.mla_numbers import costs, models, toy

STATE = {
    "model": "deepseek-ai/DeepSeek-V3",
    "rank": 0,  # numbers of the latent; 0 = the model's own
    "rope": -1,  # numbers of the position key; -1 = the model's own
    "heads": 0,  # 0 = the model's own
    "context": 131_072,  # tokens cached
    "fresh": 1,  # new tokens that read them in one step
    "chip": "h100_sxm",
    "ranks": 8,  # GPUs
    "split": "heads",  # or "sequences"
    "turn": "apart",  # of the small example: what RoPE turns
    "head": 1,
    "token": 0,  # whose latent is unpacked
    "distance": 3,  # from the query to a key
    "step": 5,  # how far both circuits have run
}
CONTEXT = "context"  # the key that says how many tokens there are
ROUNDED = 1e-9  # cosines and exponentials of two languages differ by the last bits
RANKS_OF = (0, 64, 128, 256, 512, 1024, 1536, 2048, 2560)
ROPES, HEADS = (-1, 0, 32, 64, 128), (0, 16, 32, 64, 128)
CONTEXTS = tuple(2**i for i in range(10, 21))
FRESH, GPUS, STEPS, FAR = 512, (1, 2, 4, 8, 16), 5, toy.SEEN - 1
SPLITS = ("heads", "sequences")


def data() -> dict:
    """The models, the chips, and the model with grouped heads."""
    return {"models": models.rows(), "chips": models.chips(), "other": models.grouped_model()}


def find(slug: str, data: dict) -> dict:
    """The model's row; {} where there is none."""
    one: list = next((row for row in data["models"] if row[0] == slug), [])
    return dict(zip(models.COLUMNS, one, strict=False))


def is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


LISTED = {
    "rank": RANKS_OF, "rope": ROPES, "heads": HEADS, "context": CONTEXTS, "ranks": GPUS, "split": SPLITS,
    "turn": toy.TURNS, "head": (1, 2), "token": (0, 1, 2, 3),
}  # fmt: skip
COUNTS = {"fresh": (1, FRESH), "distance": (0, FAR), "step": (0, STEPS)}


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if not find(state["model"], data):
        return f"No model here is called “{state['model']}”; choose one from the list."
    if state["chip"] not in [one["key"] for one in data["chips"]]:
        return f"A chip is one of {', '.join(one['key'] for one in data['chips'])}."
    for key, legal in LISTED.items():
        if isinstance(state[key], bool) or state[key] not in legal:
            return f"{key} is one of {', '.join(map(str, legal))}."
    for key, (low, high) in COUNTS.items():
        if not is_integer(state[key]) or not low <= state[key] <= high:
            return f"{key} is a whole number from {low} to {high}."
    return ""


def size_of(state: dict, row: dict) -> dict:
    """The model's sizes, with what the reader changed."""
    own = {key: state[key] for key in ("rank", "heads") if state[key]}
    own |= {"rope": state["rope"]} if state["rope"] >= 0 else {}
    return {**row, **own}


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    size = size_of(state, find(state["model"], data))
    chip = next(one for one in data["chips"] if one["key"] == state["chip"])
    turn, head = state["turn"], state["head"]
    return {
        "size": size,
        "on": chip,
        "kept": costs.token_bytes(size),
        "ways": costs.ways(size, chip),
        "grow": costs.grow(size, state["context"], state["fresh"]),
        "gpus": costs.gpus(size, data["other"], state["ranks"], state["split"]),
        "unpack": toy.unpack_latent(state["token"]),
        "toy": toy.circuits(turn, head),
        "so_far": toy.count_flops(state["step"]),
        "carry": {**toy.carry(turn, head), **toy.turn_at_distance(turn, head, state["distance"])},
    }


def cases(seed: int = 11) -> list[dict]:
    """Random states; a few are illegal."""
    rng = np.random.default_rng(seed)
    pick = lambda options: options[int(rng.integers(len(options)))]  # noqa: E731
    found: list[dict] = [{"model": "no/such"}, {"chip": "abacus"}, {"rank": 100}, {"rope": -2}, {"heads": 3}]
    found += [{"fresh": 0}, {"step": 6}, {"distance": FAR + 1}, {"turn": "twice"}, {"split": "tokens"}, {"head": 0}]
    slugs, chips = [row[0] for row in cached("mla-numbers")["models"]], list(models.CHIPS)
    for _ in range(240):
        one = {key: pick(legal) for key, legal in LISTED.items()}
        one |= {key: int(rng.integers(low, high + 1)) for key, (low, high) in COUNTS.items()}
        found.append({**one, "model": pick(slugs), "chip": pick(chips)})
    return found
