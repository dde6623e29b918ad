"""One model's layers and a context -> how far back each layer knows, and what the cache holds; plain arithmetic.

A model is a row of models.COLUMNS by names. Each layer's range of known tokens has no holes, and a later position never
starts further back than an earlier one does: so its end alone tells all (`first_known`).
"""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.masks import models, words

BACK = (1, 16, 256, 4_096, 65_536, 1_048_576)  # ticks of the stack's picture: tokens back
CURVE = [2**n for n in range(8, 21)]  # contexts of the curve: 256 to 1 M


def count_kinds(model: dict) -> list[tuple[int, list]]:
    """(how many layers, kind) of each kind."""
    return [(model["stack"].count(models.LETTERS[i]), kind) for i, kind in enumerate(model["kinds"])]


def kind_of(model: dict, layer: int) -> list:
    return model["kinds"][models.LETTERS.index(model["stack"][layer])]


# ---------------------------------------------------------------- who can know about whom


def reach_start(letter: str, span: int, token: int) -> int:
    """The first token that one layer brings to position `token`."""
    if letter in "WK":
        return max(0, token - span + 1)
    return token // span * span if letter == "C" else token if letter == "N" else 0


def first_known(model: dict, token: int) -> list[int]:
    """After each layer: the oldest token that can have left a trace at `token`."""
    found = []
    for depth in range(len(model["stack"])):
        at = token
        for layer in range(depth, -1, -1):
            letter, span, *_ = kind_of(model, layer)
            at = reach_start(letter, span, at)
        found.append(at)
    return found


# ---------------------------------------------------------------- bytes


def all_kept(model: dict, kind: list) -> list:
    """What such a layer would keep if it kept every token: no window or chunk, no fixed state, nothing compressed."""
    if kind[0] == "L":
        return next((one[-1] for one in model["kinds"] if one[0] == "F" and one[-1]), kind[-1])
    return [[size, every, 0, fixed] for size, every, cap, fixed in kind[-1] if cap] or kind[-1]


def kept_bytes(kept: list, context: int) -> int:
    """Bytes that one layer keeps of a context."""
    total = 0
    for size, every, cap, fixed in kept:
        entries = context // every
        total += size if fixed else size * (min(entries, cap) if cap else entries)
    return total


def in_all(model: dict, context: int, everything: bool = False) -> int:
    """Bytes of the whole stack; `everything`: as if every layer kept every token."""
    layers = ((n, all_kept(model, kind) if everything else kind[-1]) for n, kind in count_kinds(model))
    return sum(n * kept_bytes(kept, context) for n, kept in layers) * model["loops"]


def growth_bytes(model: dict, everything: bool = False) -> float:
    """Bytes that each further token adds once every window is full."""
    total = 0.0
    for n, kind in count_kinds(model):
        for size, every, cap, fixed in all_kept(model, kind) if everything else kind[-1]:
            if not fixed and not cap:
                total += n * size / every
    return total * model["loops"]


# ---------------------------------------------------------------- words


def name(letter: str, span: int, nope: int) -> str:
    """window of 1,024; or: full without RoPE."""
    what = f"{models.SPANS[letter]} {fmt.integer(span)}" if letter in models.SPANS else models.MARKS[letter]
    return what + (" without RoPE" if nope else "")


def mix(model: dict) -> str:
    """52 × window of 1,024, 10 × full."""
    counts: dict[tuple, int] = {}
    for n, (letter, span, _, nope, _) in count_kinds(model):
        counts[(letter, span, nope)] = counts.get((letter, span, nope), 0) + n
    ordered = sorted(counts.items(), key=lambda item: ("CWKLSHFN".index(item[0][0]), *item[0][1:]))
    return ", ".join(f"{n} × {name(*kind)}" for kind, n in ordered)


def verdict(model: dict, first: list[int]) -> str:
    """Where the whole past comes in, if it does."""
    everywhere = next((i for i, at in enumerate(first) if at == 0), -1)
    if everywhere < 0:
        return f"No layer of {model['title']} can know about token 0 from here: the stack is not deep enough."
    letter, span, _, nope, _ = kind_of(model, everywhere)
    return f"From layer {everywhere} ({name(letter, span, nope)}) on, every layer can know about token 0."


def compare_full(model: dict) -> str:
    """What the comparison with a stack that keeps every token supposes."""
    states = sum(n for n, kind in count_kinds(model) if kind[0] == "L" and all_kept(model, kind) != kind[-1])
    return words.compared(states, any(every > 1 for kind in model["kinds"] for _, every, _, _ in kind[-1]))


def compute(model: dict, layer: int, context: int) -> dict:
    """What the page says of one stack."""
    token = context - 1
    first = first_known(model, token)
    kinds = [kind_of(model, i) for i in range(len(model["stack"]))]
    real, full = in_all(model, context), in_all(model, context, True)
    letter, span, _, nope, _ = kinds[layer]
    return {
        "title": model["title"],
        "marks": "".join(kind[0] for kind in kinds),
        "mix": mix(model),
        "sinks": words.sinks(sum(kind[2] for kind in kinds)),
        "compared": compare_full(model),
        "back": [t for t in BACK if t <= context],
        "sees": [reach_start(kind[0], kind[1], token) for kind in kinds],
        "first": first,
        "knows": words.knows(layer, name(letter, span, nope), token, first[layer]),
        "verdict": verdict(model, first),
        "tokens_hold": words.tokens_hold(context),
        "bytes": real,
        "bytes_full": full,
        "ratio": full / real if real else 1.0,
        "growing": growth_bytes(model),
        "growing_full": growth_bytes(model, True),
        "curve": [in_all(model, t) for t in CURVE],
        "curve_full": [in_all(model, t, True) for t in CURVE],
    }


def row(model: dict, context: int) -> dict:
    """A line of the table that sets stacks side by side."""
    real, full = in_all(model, context), in_all(model, context, True)
    marks = "".join(kind_of(model, i)[0] for i in range(len(model["stack"])))
    return {
        "slug": model["slug"],
        "title": model["title"],
        "marks": marks,
        "mix": mix(model),
        "growing": growth_bytes(model),
        "bytes": real,
        "saves": words.saves(full / real if real else 1.0),
    }
