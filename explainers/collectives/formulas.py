"""A collective and an algorithm -> how many steps and chunks it takes, as a formula and as a number."""

from __future__ import annotations

# How a run's chunks are counted in closed form: steps, the busiest rank's chunks, everybody's chunks, and the chunks
# one after the other (the largest message of each step). c = n chunks = S; L = ceil(log2 n); B = Bruck's exchange.
FORMULAS: dict[tuple[str, str], dict[str, str]] = {
    ("all-reduce", "ring"): {"steps": "2(n − 1)", "busiest": "2(n − 1)/n · S", "serial": "2(n − 1)/n · S"},
    ("all-reduce", "tree"): {"steps": "2⌈log₂ n⌉", "busiest": "⌈log₂ n⌉ · S", "serial": "2⌈log₂ n⌉ · S"},
    ("all-reduce", "naive"): {"steps": "n − 1", "busiest": "(n − 1) · S", "serial": "(n − 1) · S"},
    ("all-gather", "ring"): {"steps": "n − 1", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("all-gather", "tree"): {"steps": "⌈log₂ n⌉", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("all-gather", "naive"): {"steps": "n − 1", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("reduce-scatter", "ring"): {"steps": "n − 1", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("reduce-scatter", "tree"): {"steps": "⌈log₂ n⌉", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("reduce-scatter", "naive"): {"steps": "n − 1", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("all-to-all", "ring"): {"steps": "n − 1", "busiest": "(n − 1)/2 · S", "serial": "(n − 1)/2 · S"},
    ("all-to-all", "tree"): {"steps": "⌈log₂ n⌉", "busiest": "ones/n · S", "serial": "ones/n · S"},
    ("all-to-all", "naive"): {"steps": "n − 1", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("broadcast", "ring"): {"steps": "2(n − 1)", "busiest": "S", "serial": "2(n − 1)/n · S"},
    ("broadcast", "tree"): {"steps": "⌈log₂ n⌉", "busiest": "⌈log₂ n⌉ · S", "serial": "⌈log₂ n⌉ · S"},
    ("broadcast", "naive"): {"steps": "n − 1", "busiest": "(n − 1) · S", "serial": "(n − 1) · S"},
}
BUS = {"all-reduce": 2, "all-gather": 1, "reduce-scatter": 1, "all-to-all": 1}  # times (n - 1)/n; nccl-tests


def evaluate(formula: str, n: int) -> int:
    """A formula's value in chunks of S / n (or in steps)."""
    log = (n - 1).bit_length()
    ones = sum(d.bit_count() for d in range(n))  # a chunk travels once per binary one in its distance
    return {
        "2(n − 1)": 2 * (n - 1),
        "n − 1": n - 1,
        "⌈log₂ n⌉": log,
        "2⌈log₂ n⌉": 2 * log,
        "2(n − 1)/n · S": 2 * (n - 1),
        "(n − 1)/n · S": n - 1,
        "(n − 1) · S": (n - 1) * n,
        "(n − 1)/2 · S": (n - 1) * n // 2,
        "ones/n · S": ones,
        "⌈log₂ n⌉ · S": log * n,
        "2⌈log₂ n⌉ · S": 2 * log * n,
        "S": n,
    }[formula]
