"""A list of writes (key, value) -> the state under five rules, what each key reads back, and how far off it is."""

from __future__ import annotations

import math

import numpy as np

from explainers import load_file

rules = load_file(__file__.replace("reference.py", "rules.py"))

D = 8
LETTERS = "ABCDEFGH"
MOST = 32  # writes
STATE = {
    "writes": [0, 15, 1, 51, 2, 85, 3, 240, 0, 105],  # key, value, key, value, ...: a value's 8 bits are its 8 signs
    "step": 5,
    "overlap": 0.0,  # cosine between any two keys
    "beta": 1.0,
    "decay": 0.9,
    "spread": 0.5,  # how unequal KDA's channels forget
    "chunk": 4,
    "query": 0,
    "rule": "linear",  # whose numbers are written out
}
CHUNKS = (1, 2, 4, 8, 16)


def data() -> dict:
    """The rules and the letters."""
    return {"rules": list(rules.RULES), "letters": LETTERS, "most": MOST, "chunks": list(CHUNKS)}


def check(state: dict) -> str:
    """ "" or the sentence that says what is legal."""
    writes = state["writes"]
    if len(writes) % 2 or len(writes) > 2 * MOST:
        return f"The writes are pairs of a key and a value, at most {MOST} of them."
    if not all(_whole(n, 0, 7) for n in writes[::2]) or not all(_whole(n, 0, 255) for n in writes[1::2]):
        return "A key is a number from 0 (A) to 7 (H), a value one from 0 to 255."
    if not _whole(state["step"], 0, len(writes) // 2):
        return f"The step is a whole number from 0 to {len(writes) // 2}, the number of writes."
    for name, low, high in (("overlap", 0, 0.9), ("beta", 0, 1), ("decay", 0, 1), ("spread", 0, 1)):
        if not _between(state[name], low, high):
            return f"{name} is a number from {low} to {high}."
    if state["chunk"] not in CHUNKS or isinstance(state["chunk"], bool):
        return f"A chunk has {', '.join(map(str, CHUNKS[:-1]))} or {CHUNKS[-1]} writes."
    if state["rule"] not in rules.BY_NAME:
        return f"There is no rule “{state['rule']}”. There are: {', '.join(rules.BY_NAME)}."
    return "" if _whole(state["query"], 0, 7) else "The key to read is a number from 0 (A) to 7 (H)."


def _between(value: object, low: float, high: float) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and low <= value <= high


def _whole(value: object, low: int, high: int) -> bool:
    return _between(value, low, high) and float(value).is_integer()


def keys(overlap: float) -> np.ndarray:
    """Eight unit keys, any two at the same angle: cosine `overlap`. At 0 they are the eight axes."""
    base, lean = math.sqrt(1 - overlap), (math.sqrt(1 + 7 * overlap) - math.sqrt(1 - overlap)) / 8
    return base * np.eye(D) + lean


def value(bits: int) -> np.ndarray:
    """Eight signs: bit 7 - j of the number is +1 or -1 at place j."""
    return np.array([1.0 if int(bits) >> (7 - j) & 1 else -1.0 for j in range(D)])


def channels(decay: float, spread: float) -> np.ndarray:
    """KDA's decay per key channel: channel 0 forgets least, channel 7 most, the middle as the scalar says."""
    return np.array([decay ** (1 + spread * (2 * c / (D - 1) - 1)) for c in range(D)])


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints, JSON-plain."""
    pairs = list(zip(state["writes"][::2], state["writes"][1::2], strict=True))
    all_keys = keys(state["overlap"])
    k = np.array([all_keys[int(key)] for key, _ in pairs]).reshape(-1, D)
    v = np.array([value(bits) for _, bits in pairs]).reshape(-1, D)
    alphas = channels(state["decay"], state["spread"])
    targets = [latest(pairs, t) for t in range(len(pairs) + 1)]
    found = {}
    for rule in rules.BY_NAME:
        alpha = rules.decays(rule, state["decay"], alphas)
        states, outputs = rules.recurrent(rule, k, k, v, alpha, state["beta"])
        last, again = rules.chunked(rule, k, k, v, alpha, state["beta"], int(state["chunk"]))
        errors = [recall_errors(s, all_keys, target) for s, target in zip(states, targets, strict=True)]
        now = int(state["step"])
        apart = max([0.0, *np.abs(states[-1] - last).ravel(), *np.abs(outputs - again).ravel()])
        found[rule] = {
            "state": states[now].tolist(),
            "recall": (all_keys @ states[now]).tolist(),
            "errors": errors[now],
            "error": mean(errors[now]),
            "history": [mean(e) for e in errors],
            "last_state": states[-1].tolist(),
            "chunked_state": last.tolist(),
            "apart": float(apart),
        }
    return {
        "keys": all_keys.tolist(),
        "alphas": alphas.tolist(),
        "targets": [None if bits is None else value(bits).tolist() for bits in targets[int(state["step"])]],
        "writes": len(pairs),
        "chunks": math.ceil(len(pairs) / state["chunk"]),
        "rules": found,
    }


def latest(pairs: list, t: int) -> list:
    """For each key the value last written to it in the first t writes, or None."""
    out: list = [None] * D
    for key, bits in pairs[:t]:
        out[int(key)] = bits
    return out


def recall_errors(state: np.ndarray, all_keys: np.ndarray, target: list) -> list:
    """Per key |read - written| / |written|; None for a key never written."""
    out: list = []
    for key, bits in zip(all_keys, target, strict=True):
        wrong = None if bits is None else np.linalg.norm(state.T @ key - value(bits)) / math.sqrt(D)
        out.append(wrong if wrong is None else float(wrong))
    return out


def mean(errors: list) -> float:
    """The mean over keys that were written; 0 before any."""
    there = [e for e in errors if e is not None]
    return sum(there) / len(there) if there else 0.0


def picture(state: dict, data: dict) -> str:
    """The five states as the page shows them before any script."""
    return load_file(__file__.replace("reference.py", "picture.py")).picture(state, data, compute(state, data))


def cases() -> list[dict]:
    """States for reference and widget alike: overwrites, overlaps, every chunk size, nothing written, full tape."""
    rng = np.random.default_rng(5)
    made = [{}, {"writes": [], "step": 0}, {"step": 0}, {"decay": 0.0}, {"beta": 0.0}, {"decay": 1.0, "spread": 1.0}]
    for n in (1, 2, 3, 7, 16, 31, 32):
        for chunk in CHUNKS:
            writes = [int(x) for _ in range(n) for x in (rng.integers(0, 8), rng.integers(0, 256))]
            settings = {"overlap": 0.9, "beta": 1.0, "decay": 1.0, "spread": 1.0}
            scaled = {name: round(float(rng.uniform(0, most)), 3) for name, most in settings.items()}
            made.append({"writes": writes, "step": int(rng.integers(0, n + 1)), "chunk": chunk, **scaled})
    return [{**STATE, **case} for case in made]
