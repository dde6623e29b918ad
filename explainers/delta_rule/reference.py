"""A list of writes (key, value) -> the state under five rules, what each key reads back, and how far off it is."""

from __future__ import annotations

import math

import numpy as np

from cutaway.explainers.delta_rule import rules, tapes
from cutaway.explainers.legal_numbers import is_between, is_integer

D = 8
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWX"  # eight keys at the same angle, or 24 random ones
MOST = 32  # writes
SHARP = 16  # softmax attention's scores are this times the cosine
SEEDS = 999
ROUNDED = 1e-9  # a float may be off by that share in JavaScript: sums in another order
STATE = {
    "writes": [0, 15, 1, 51, 2, 85, 3, 240, 0, 105],  # key, value, key, value, ...: a value's 8 bits are its 8 signs
    "step": 5,
    "seed": 0,  # 0: eight keys, any two at the same angle; else 24 random keys of this seed
    "overlap": 0.0,  # cosine between any two of the eight
    "beta": 1.0,
    "decay": 0.9,  # α at every write
    "gates": [],  # write, α, write, α, ...: writes whose α is another; write 0 is the first
    "channels": [],  # KDA's α of each of the 8 channels; none: all as `decay` says
    "border": 0,  # so many writes belong to an old document: what only they wrote must read nothing; 0: no border
    "wanted": [],  # keys that are scored; none: every key written
    "chunk": 4,
    "query": 0,
    "rule": "linear",  # whose numbers are written out
}
CHUNKS = (1, 2, 4, 8, 16)


def data() -> dict:
    """The rules, the letters, the tapes one can load, and what was measured over 300 of them."""
    from cutaway.explainers.delta_rule import means

    return {
        "rules": list(rules.RULES), "letters": LETTERS, "most": MOST, "chunks": list(CHUNKS), "sharp": SHARP,
        "tapes": tapes.offered_tapes(), "means": means.MEANS,
    }  # fmt: skip


def check(state: dict) -> str:
    """ "" or the sentence that says what is legal."""
    writes = state["writes"]
    last = (tapes.KEYS if is_integer(state["seed"], 1, SEEDS) else D) - 1
    if len(writes) % 2 or len(writes) > 2 * MOST:
        return f"The writes are pairs of a key and a value, at most {MOST} of them."
    if not is_integer(state["seed"], 0, SEEDS):
        return f"The seed is 0 for eight keys, or a whole number up to {SEEDS} for 24 random ones."
    if not all(is_integer(n, 0, last) for n in writes[::2]) or not all(is_integer(n, 0, 255) for n in writes[1::2]):
        return f"A key is a number from 0 (A) to {last} ({LETTERS[last]}), a value one from 0 to 255."
    for name, most in (("step", len(writes) // 2), ("border", len(writes) // 2)):
        if not is_integer(state[name], 0, most):
            return f"The {name} is a whole number from 0 to {most}, the number of writes."
    for name, low, high in (("overlap", 0, 0.9), ("beta", 0, 2), ("decay", 0, 1)):
        if not is_between(state[name], low, high):
            return f"{name} is a number from {low} to {high}."
    return check_gates(state) or check_choices(state, last)


def check_gates(state: dict) -> str:
    """What is wrong with α per write and per channel."""
    gates, channels, most = state["gates"], state["channels"], len(state["writes"]) // 2
    if len(gates) % 2 or not all(is_integer(n, 0, MOST - 1) for n in gates[::2]) or len(gates) > 2 * MOST:
        return f"The gates are pairs of a write, counted from 0, and its α; there are {most} writes."
    if not all(is_between(a, 0, 1) for a in [*gates[1::2], *channels]):
        return "An α is a number from 0 (forget all) to 1 (keep all)."
    return "" if len(channels) in (0, D) else f"KDA has {D} channels: give an α for each, or none."


def check_choices(state: dict, last: int) -> str:
    """What is wrong with what is asked of the state."""
    wanted = state["wanted"]
    if not all(is_integer(n, 0, last) for n in wanted) or len(set(wanted)) < len(wanted):
        return f"The keys wanted are different numbers from 0 (A) to {last} ({LETTERS[last]})."
    if state["chunk"] not in CHUNKS or isinstance(state["chunk"], bool):
        return f"A chunk has {', '.join(map(str, CHUNKS[:-1]))} or {CHUNKS[-1]} writes."
    if state["rule"] not in rules.BY_NAME:
        return f"There is no rule “{state['rule']}”. There are: {', '.join(rules.BY_NAME)}."
    right = is_integer(state["query"], 0, last)
    return "" if right else f"The key to read is a number from 0 (A) to {last} ({LETTERS[last]})."


def keys(overlap: float) -> np.ndarray:
    """Eight unit keys, any two at the same angle: cosine `overlap`. At 0 they are the eight axes."""
    base, lean = math.sqrt(1 - overlap), (math.sqrt(1 + 7 * overlap) - math.sqrt(1 - overlap)) / 8
    return base * np.eye(D) + lean


def value(bits: int) -> np.ndarray:
    """Eight signs: bit 7 - j of the number is +1 or -1 at place j."""
    return np.array([1.0 if int(bits) >> (7 - j) & 1 else -1.0 for j in range(D)])


def gates(state: dict, n: int) -> tuple[list[float], np.ndarray]:
    """(α at each of n writes; KDA's α at each write and channel). A write's own α shuts every channel alike."""
    own = {int(w): a for w, a in zip(state["gates"][::2], state["gates"][1::2], strict=True)}
    channels = state["channels"] or [state["decay"]] * D
    rows = [[own[t]] * D if t in own else channels for t in range(n)]
    return [own.get(t, state["decay"]) for t in range(n)], np.array(rows, dtype=float).reshape(n, D)


def alpha_of(rule: str, scalar: list[float], channels: np.ndarray) -> np.ndarray:
    """The decay of every write and channel under a rule."""
    kind = rules.BY_NAME[rule]["decay"]
    if kind == "channel":
        return channels
    return np.repeat(np.array(scalar if kind == "scalar" else [1.0] * len(scalar), dtype=float)[:, None], D, axis=1)


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints, JSON-plain."""
    pairs = list(zip(state["writes"][::2], state["writes"][1::2], strict=True))
    now = min(int(state["step"]), len(pairs))  # a curve asks for steps that a shorter tape does not have
    all_keys = tapes.random_tape(int(state["seed"]))[0] if state["seed"] else keys(state["overlap"])
    k = np.array([all_keys[int(key)] for key, _ in pairs]).reshape(-1, D)
    v = np.array([value(bits) for _, bits in pairs]).reshape(-1, D)
    targets = [latest(pairs, t, state["border"], len(all_keys)) for t in range(len(pairs) + 1)]
    scalar, channels = gates(state, len(pairs))
    found = {}
    for rule in rules.BY_NAME:
        alpha = alpha_of(rule, scalar, channels)
        states, outputs = rules.recurrent(rule, k, k, v, alpha, state["beta"])
        last, again = rules.run_chunks(rule, k, k, v, alpha, state["beta"], int(state["chunk"]))
        apart = max([0.0, *np.abs(states[-1] - last).ravel(), *np.abs(outputs - again).ravel()])
        found[rule] = {
            **score_reads([all_keys @ s for s in states], targets, state["wanted"], now),
            "state": quiet(states[now]), "last_state": quiet(states[-1]), "chunked_state": quiet(last),
            "apart": float(apart), "agree": "below 10⁻¹²" if apart < 1e-12 else "above 10⁻¹²",
        }  # fmt: skip
    reads = [rules.attend(all_keys, k[:t], v[:t], SHARP) for t in range(len(pairs) + 1)]
    attention = score_reads(reads, targets, state["wanted"], now)
    most = max([1.0, *attention["history"], *(e for one in found.values() for e in one["history"])])
    return {
        "keys": all_keys.tolist(), "gates": scalar, "channels": list(state["channels"] or [state["decay"]] * D),
        "targets": targets[now], "writes": len(pairs), "chunks": math.ceil(len(pairs) / state["chunk"]),
        "left": [math.prod(scalar[i + 1 : now]) for i in range(now)],  # of what write i wrote
        "rules": found, "attention": {**attention, "numbers": 2 * D * now},
        "axis": [0.0, most / 2, most],  # of the errors over time
    }  # fmt: skip


def quiet(numbers: np.ndarray, least: float = 1e-12) -> list:
    """As a list, with rounding noise made 0."""
    return np.where(np.abs(numbers) < least, 0.0, numbers).tolist()


def latest(pairs: list, t: int, border: int, many: int) -> list:
    """For each key what it should read after t writes: its last value, 0 if only an old document wrote it, or None."""
    out: list = [None] * many
    for i, (key, bits) in enumerate(pairs[:t]):
        out[int(key)] = [0.0] * D if i < border < t else value(bits).tolist()
    return out


def score_reads(reads: list, targets: list, wanted: list, now: int) -> dict:
    """What keys read at each step -> their errors now, and the mean over the keys that are wanted at every step."""
    errors = [recall_errors(read, target) for read, target in zip(reads, targets, strict=True)]
    told = [mean([e for key, e in enumerate(row) if not wanted or key in wanted]) for row in errors]
    there = list(zip(errors[now], targets[now], strict=True))
    return {
        "recall": quiet(reads[now], 1e-6), "errors": errors[now], "error": told[now], "history": told,
        "kept": mean([e for e, target in there if target and any(target)]),  # keys that have a value
        "old": mean([e for e, target in there if target and not any(target)]),  # keys that must read nothing
    }  # fmt: skip


def recall_errors(reads: np.ndarray, target: list) -> list:
    """Per key |read - wanted| / |a value|; None for a key never written."""
    pairs = zip(reads, target, strict=True)
    found = [None if t is None else float(np.linalg.norm(read - t)) / math.sqrt(D) for read, t in pairs]
    return [e if e is None or e > 1e-12 else 0.0 for e in found]


def mean(errors: list) -> float:
    """The mean over keys that were written; 0 before any."""
    there = [e for e in errors if e is not None]
    return sum(there) / len(there) if there else 0.0


def cases() -> list[dict]:
    """States for reference and widget alike: see samples.py."""
    from cutaway.explainers.delta_rule import samples

    return samples.cases(STATE, CHUNKS, tapes.offered_tapes())


def bad_cases() -> list[dict]:
    """States that are refused."""
    from cutaway.explainers.delta_rule import samples

    return samples.BAD
