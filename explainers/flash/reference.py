"""A head, a tile and a chip -> bytes, FLOP and room; eight tokens -> softmax in tiles, number by number."""

from __future__ import annotations

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers.flash import models, small, traffic

STATE = {
    "model": "meta-llama/Llama-3.1-8B",
    "head": 0,  # numbers of a query, a key and a value; 0 = the model's own
    "tokens": 8192,
    "window": 0,  # 0 = as the model sees, -1 = later tokens too, else that many tokens
    "rows": 128,  # queries of a tile
    "keys": 128,
    "chip": "h100_sxm",
    "tile": "2x4",  # of the small example: queries x keys
    "reach": 8,  # how many tokens a query of the small example sees
    "fifth": 4,  # score of key 5 in row 7
    "step": 3,  # which tile of the small example is on the chip
}
CONTEXT = "tokens"  # the key that says how many tokens there are
ROUNDED = 1e-9  # exponentials of two languages differ by the last bits
HEADS = (0, 32, 64, 96, 128, 192, 256, 512)
TOKENS = tuple(2**i for i in range(10, 18))
WINDOWS = (0, -1, 128, 512, 1024, 4096)
SMALLEST, LARGEST, STEP = 16, 512, 16
TILES = ("2x2", "2x4", "4x2", "4x4", "8x8")
REACHES, FIFTHS = (8, 4, 2), (1, 4, 8)
STEPS = 10


def data() -> dict:
    """The models, the chips, and what may be chosen."""
    return {"models": models.rows(), "chips": models.chips(), "heads": list(HEADS), "windows": list(WINDOWS)}


def find(slug: str, data: dict) -> dict:
    """The model's row; {} where there is none."""
    one: list = next((row for row in data["models"] if row[0] == slug), [])
    return dict(zip(models.COLUMNS, one, strict=False))


def is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if not find(state["model"], data):
        return f"No model here is called “{state['model']}”; choose one from the list."
    if state["chip"] not in [one["key"] for one in data["chips"]]:
        return f"A chip is one of {', '.join(one['key'] for one in data['chips'])}."
    for key, legal in (("head", HEADS), ("tokens", TOKENS), ("window", WINDOWS), ("reach", REACHES), ("fifth", FIFTHS)):
        if not is_integer(state[key]) or state[key] not in legal:
            return f"{key} is one of {', '.join(map(str, legal))}."
    for key in ("rows", "keys"):
        if not is_integer(state[key]) or not SMALLEST <= state[key] <= LARGEST or state[key] % STEP:
            return f"A tile has {SMALLEST} to {LARGEST} {key}, in steps of {STEP}."
    if state["tile"] not in TILES:
        return f"A small tile is one of {', '.join(TILES)}."
    if not is_integer(state["step"]) or not 1 <= state["step"] <= STEPS:
        return f"A step is a whole number from 1 to {STEPS}."
    return ""


def head_of(state: dict, row: dict) -> dict:
    """The head that is asked about."""
    sizes = {"qk": state["head"] or row["qk"], "v": state["head"] or row["v"]}
    return {**row, **sizes, "window": state["window"] or row["window"]}


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    head = head_of(state, find(state["model"], data))
    chip = next(one for one in data["chips"] if one["key"] == state["chip"])
    sizes, tile = (head["qk"], head["v"]), (state["rows"], state["keys"])
    now = traffic.traffic(state["tokens"], sizes, *tile, head["window"])
    masked, tiled = now["masked"], now["tiled"]
    parts = traffic.sram_bytes(sizes, *tile)
    total, count = sum(part["bytes"] for part in parts), head["heads"] * head["layers"]
    square = small.cut_tiles(state["tile"], state["reach"])
    return {
        **now,
        "head": head,
        "chip": chip,
        "masked": masked | traffic.time_bounds(masked, masked["bytes"], chip),
        "tiled": tiled | traffic.time_bounds(tiled, tiled["bytes"], chip),
        "kept": {"fits": now["kv"] <= chip["l2"], **traffic.time_bounds(tiled, now["ends"], chip)},
        "sram": {"parts": parts, "total": total, "fits": total <= chip["sram"]},
        "all": {"heads": count, "plain": count * masked["bytes"], "tiled": count * tiled["bytes"]},
        "small": square,
        "row": small.row(state["fifth"]),
        "walk": small.walk(square, state["step"], state["reach"], state["fifth"]),
    }


def cases(seed: int = 6) -> list[dict]:
    """Random states; a few are illegal."""
    rng = np.random.default_rng(seed)
    pick = lambda options: options[int(rng.integers(len(options)))]  # noqa: E731
    found: list[dict] = [{"model": "no/such"}, {"chip": "abacus"}, {"rows": 24}, {"keys": 0}, {"tile": "3x3"}]
    found += [{"step": 0}, {"fifth": 3}, {"window": 7}, {"tokens": 1000}]
    slugs, chips = ([row[0] for row in cached("flash")["models"]], list(models.CHIPS))
    for _ in range(260):
        found.append(
            {
                "model": pick(slugs),
                "head": pick((0, *HEADS)),
                "tokens": pick(TOKENS),
                "window": pick(WINDOWS),
                "rows": STEP * int(rng.integers(1, 33)),
                "keys": STEP * int(rng.integers(1, 33)),
                "chip": pick(chips),
                "tile": pick(TILES),
                "reach": pick(REACHES),
                "fifth": pick(FIFTHS),
                "step": int(rng.integers(1, STEPS + 1)),
            }
        )
    return found
