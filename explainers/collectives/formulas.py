"""A collective and an algorithm -> how many steps and chunks it takes, as a formula and as a number."""

from __future__ import annotations

from typing import Any

# n ranks on k nodes of l. A run in closed form: its steps, the chunks that the busiest rank sends, and the chunks that
# go one after the other (the largest message of each step). c = n chunks = S; L = ceil(log2 n); B = Bruck's exchange.
FORMULAS: dict[tuple[str, str], dict[str, str]] = {
    ("all-reduce", "ring"): {"steps": "2(n − 1)", "busiest": "2(n − 1)/n · S", "serial": "2(n − 1)/n · S"},
    ("all-reduce", "tree"): {"steps": "2⌈log₂ n⌉", "busiest": "⌈log₂ n⌉ · S", "serial": "2⌈log₂ n⌉ · S"},
    ("all-reduce", "direct"): {"steps": "n − 1", "busiest": "(n − 1) · S", "serial": "(n − 1) · S"},
    ("all-gather", "ring"): {"steps": "n − 1", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("all-gather", "tree"): {"steps": "⌈log₂ n⌉", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("all-gather", "direct"): {"steps": "n − 1", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("reduce-scatter", "ring"): {"steps": "n − 1", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("reduce-scatter", "tree"): {"steps": "⌈log₂ n⌉", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("reduce-scatter", "direct"): {"steps": "n − 1", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("all-to-all", "ring"): {"steps": "n − 1", "busiest": "(n − 1)/2 · S", "serial": "(n − 1)/2 · S"},
    ("all-to-all", "tree"): {"steps": "⌈log₂ n⌉", "busiest": "ones/n · S", "serial": "ones/n · S"},
    ("all-to-all", "direct"): {"steps": "n − 1", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("broadcast", "ring"): {"steps": "2(n − 1)", "busiest": "S", "serial": "2(n − 1)/n · S"},
    ("broadcast", "tree"): {"steps": "⌈log₂ n⌉", "busiest": "⌈log₂ n⌉ · S", "serial": "⌈log₂ n⌉ · S"},
    ("broadcast", "direct"): {"steps": "n − 1", "busiest": "(n − 1) · S", "serial": "(n − 1) · S"},
    ("all-reduce", "hierarchical"): {
        "steps": "2(l + k − 2)", "busiest": "2(n − 1)/n · S", "serial": "2(n − 1)/n · S",
    },
    ("all-gather", "hierarchical"): {"steps": "l + k − 2", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("reduce-scatter", "hierarchical"): {"steps": "l + k − 2", "busiest": "(n − 1)/n · S", "serial": "(n − 1)/n · S"},
    ("all-to-all", "hierarchical"): {
        "steps": "l + k − 2", "busiest": "(2n − l − k)/n · S", "serial": "(2n − l − k)/n · S",
    },
    ("broadcast", "hierarchical"): {
        "steps": "⌈log₂ k⌉ + ⌈log₂ l⌉", "busiest": "(⌈log₂ k⌉ + ⌈log₂ l⌉) · S", "serial": "(⌈log₂ k⌉ + ⌈log₂ l⌉) · S",
    },
}  # fmt: skip
# What of it the busiest rank sends to other nodes, of which there are k with l ranks each; the tree's is counted only.
BETWEEN = {
    ("all-reduce", "direct"): "(n − l) · S",
    ("all-gather", "direct"): "(n − l)/n · S",
    ("reduce-scatter", "direct"): "(n − l)/n · S",
    ("all-to-all", "direct"): "(n − l)/n · S",
    ("broadcast", "direct"): "(n − l) · S",
    ("all-reduce", "hierarchical"): "2(k − 1)/n · S",
    ("all-gather", "hierarchical"): "(k − 1)/n · S",
    ("reduce-scatter", "hierarchical"): "(k − 1)/n · S",
    ("all-to-all", "hierarchical"): "(n − l)/n · S",
    ("broadcast", "hierarchical"): "⌈log₂ k⌉ · S",
}
BUS = {"all-reduce": 2, "all-gather": 1, "reduce-scatter": 1, "all-to-all": 1}  # times (n - 1)/n; nccl-tests


def between_nodes(op: str, algorithm: str, n: int, local: int) -> str:
    """What the busiest rank sends to other nodes, as a formula; "" where it is only counted."""
    if algorithm == "ring":  # the last rank of a node sends all that it sends to the next node
        return FORMULAS[op, "ring"]["busiest"]
    return BETWEEN.get((op, algorithm), "") if n % local == 0 else ""


def evaluate(formula: str, n: int, local: int = 0) -> Any:
    """A formula's value in chunks of S / n (or in steps); without `local` all ranks share a node."""
    l, log = local or n, (n - 1).bit_length()  # noqa: E741
    k = -(-n // l)
    both = (k - 1).bit_length() + (l - 1).bit_length()
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
        "l + k − 2": l + k - 2,
        "2(l + k − 2)": 2 * (l + k - 2),
        "(2n − l − k)/n · S": 2 * n - l - k,
        "⌈log₂ k⌉ + ⌈log₂ l⌉": both,
        "(⌈log₂ k⌉ + ⌈log₂ l⌉) · S": both * n,
        "(n − l) · S": (n - l) * n,
        "(n − l)/n · S": n - l,
        "2(k − 1)/n · S": 2 * (k - 1),
        "(k − 1)/n · S": k - 1,
        "⌈log₂ k⌉ · S": (k - 1).bit_length() * n,
        "": "",
    }[formula]
