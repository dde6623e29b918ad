"""A node of a recurrent mixer or of parallel streams -> its formula: states, scans, decays, weights of streams."""

from __future__ import annotations

from math import prod

from cutaway.gallery.drawing.formula_terms import inputs, number, own_lines
from cutaway.gallery.graph import Node


def state(node: Node) -> str:
    """What happens to the state, and how large it is."""
    facts = node.facts
    return f"{own_lines(node)}; {facts['heads']:,} states of {facts['d']:,} × {facts['dv']:,}"


def scan(node: Node) -> str:
    """The same of a state space."""
    facts = node.facts
    if facts["per_state"]:  # Mamba 1 has no heads
        channels = f"{prod(node.tensors['A_log'].shape[:-1]):,} channels"
        heads = f" in {facts['heads']:,} heads" if facts["heads"] > 1 else ""
        return f"{own_lines(node)}; {channels}{heads}, {facts['state_size']:,} numbers each"
    return f"{own_lines(node)}; {facts['heads']:,} heads, {facts['state_size']:,} numbers a channel"


def recurrence(node: Node) -> str:
    """The lines of the RG-LRU, and how wide it is."""
    return f"{own_lines(node)}; the first token h = i × x; {node.tensors['rate'].shape[0]:,} channels, one number each"


def fading_mean(node: Node) -> str:
    """RWKV-4's weights: those of the token itself, and those of a token with n others between."""
    channels = node.tensors["time_decay"].shape[0]
    each = sum(keep.numbers for keep in node.keeps) // channels
    weights = "exp(k + time_first) for the token itself, exp(k − n · e^time_decay) for one with n tokens between"
    return f"Σ weight · v / Σ weight: {weights}; {channels:,} channels, {each} numbers each"


def decay(node: Node) -> str:
    """How much of the state stays."""
    lower = node.facts.get("lower", 0.0)
    return f"exp({number(lower)} · σ(e^A · (a + dt)))" if lower else "exp(−e^A · softplus(a + dt))"


def gated_sum(node: Node) -> str:
    """√(1 − β²) · stream + β · out, β = σ(gate / 0.3), 1 − β² at least 0.001."""
    stream, out = inputs(node)
    by, least = number(node.facts["temperature"]), number(node.facts["eps"])
    return f"√(1 − β²) · {stream} + β · {out}, β = σ(gate / {by}), 1 − β² at least {least}"


def stream_weights(node: Node) -> str:
    """How much of each stream is read or written."""
    facts = node.facts
    eps = f" + {number(facts['eps'])}" if facts["eps"] else ""
    return f"{number(facts['times'])} · σ(scale · raw + base){eps}, one number for each of {facts['streams']} streams"


def sinkhorn(node: Node) -> str:
    """Rows and columns made to sum to one, in turn."""
    facts = node.facts
    size, times = facts["streams"], facts["iters"]
    return f"a {size} × {size} matrix, rows and columns divided by their sums {times} times"


def xielu(node: Node) -> str:
    """The two branches of xIELU."""
    beta = number(node.facts["beta"])
    return f"α⁺x² + {beta} x above zero, α⁻(eˣ − 1 − x) + {beta} x below"
