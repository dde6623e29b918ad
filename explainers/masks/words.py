"""Counts -> the sentences of the masks page: what a query sees and knows, what a stack is made of and compared with."""

from __future__ import annotations

from cutaway.explainers import fmt


def plural(n: int, word: str) -> str:
    """1 token; 5,116 tokens."""
    return f"{fmt.integer(n)} {word}{'' if n == 1 else 's'}"


def spans(ranges: list[list[int]]) -> str:
    """0, 29 to 40."""
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in ranges)


# ---------------------------------------------------------------- one mask


def row(mask: dict, state: dict) -> str:
    """What the chosen query sees."""
    return f"Query {state['query']} sees {plural(mask['keys'], 'key')}: {spans(mask['ranges'])}."


def more(mask: dict, state: dict) -> list[str]:
    """What it knows through the layers below ("" with one layer), what the mask costs, how the softmax shares."""
    tokens = f"{plural(mask['known'], 'token')}: {spans(mask['known_ranges'])}"
    known = f"After {state['depth']} layers with this mask, the query can know about {tokens}."
    each = f"With equal scores, each key gets a weight of {fmt.percent(mask['weight'])}"
    rest = f", and {fmt.percent(mask['lost'])} goes to the sink, which has no key, no value and no cache"
    lost = rest if state["sink"] else ""
    return [
        known if state["depth"] > 1 else "",
        f"This mask computes {fmt.integer(mask['pairs'])} of {fmt.integer(mask['causal'])} causal pairs, "
        f"{fmt.percent(mask['share'])}.",
        f"{each}{lost}.",
    ]


# ---------------------------------------------------------------- a stack


def knows(layer: int, kind: str, token: int, first: int) -> str:
    """Can this layer know about token 0?"""
    far = f"{plural(token - first + 1, 'token')}, none before token {fmt.integer(first)}"
    far = far if first else "every token from the first on"
    return f"Layer {layer} ({kind}): at token {fmt.integer(token)}, it can know about {far}."


def sinks(count: int) -> str:
    if not count:
        return ""
    return f"{count} of its layers {'has' if count == 1 else 'have'} a learned sink in every head."


def compared(states: int, compressed: bool) -> str:
    """What "if every layer kept every token" means for layers that have no window to let go."""
    if states:
        some = f"its {states} layers with a state of fixed size keep"
        which = some if states > 1 else "its layer with a state of fixed size keeps"
        return f"In this comparison {which} what a full layer keeps."
    return "In this comparison nothing is compressed: each layer keeps one vector for each token." if compressed else ""


def tokens_hold(context: int) -> str:
    return f"{plural(context, 'token')} {'takes' if context == 1 else 'take'}"


def saves(ratio: float) -> str:
    return fmt.times(ratio, 1) if ratio > 1 else "nothing"
