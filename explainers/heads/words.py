"""Counts -> the sentences of the heads page: what is legal, how a stop is computed, who holds copies."""

from __future__ import annotations

from typing import Any

from cutaway.explainers import fmt
from cutaway.explainers.heads import counting as c

# ---------------------------------------------------------------- what is legal


def whole_text(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def listed(numbers: list[int]) -> str:
    return ", ".join(str(n) for n in numbers)


def check_model(model: dict, state: dict) -> str:
    if not model:
        return f"No model here is called “{state['model']}”; choose one from the list."
    last = len(model["shapes"]) - 1
    if not whole_text(state["shape"], 0, last):
        return f"{model['title']} has {last + 1} kinds of attention; legal here: 0 to {last}."
    return ""


def check_heads(state: dict, shape: dict) -> str:
    heads, kv = shape["heads"], state["kv"]
    if kv not in (-1, 0, c.built_stop(shape)) and not (whole_text(kv, 1, heads) and heads % kv == 0):
        legal = listed([n for n in range(heads, 0, -1) if heads % n == 0])
        return f"Each key/value head must serve equally many of {heads} query heads; legal here: {legal}, or 0 for MLA."
    if not whole_text(state["head"], 0, heads - 1):
        return f"This model has {heads} query heads: a head from 0 to {heads - 1}."
    if not whole_text(state["context"], 1, 2**24):
        return "The context is a whole number of tokens from 1 to 16,777,216."
    for key, offered in (("path", ("expanded", "absorbed")), ("rope", ("apart", "inside"))):
        if state[key] not in offered:
            return f"{key} is one of {' and '.join(offered)}."
    return ""


def check_ranks(tp: Any, heads: int, kv: int) -> str:
    legal = c.legal_ranks(heads, kv)
    if not whole_text(tp, 1, c.RANKS):
        return f"Tensor parallel takes a whole number of ranks from 1 to {c.RANKS}; legal here: {listed(legal)}."
    if tp in legal:
        return ""
    if heads % tp:
        return f"{tp} ranks cannot share {heads} query heads evenly; legal here: {listed(legal)}."
    both = f"neither split {kv} key/value heads evenly nor hold whole copies of them"
    return f"{tp} ranks can {both}; legal here: {listed(legal)}."


# ---------------------------------------------------------------- what is shown


def formula(shape: dict, kv: int, loops: int) -> str:
    """How the bytes per token come about."""
    tail = f" × {c.BYTES} B × {c.layers(shape)} layers" + (f" × {loops} loops" if loops > 1 else "")
    if kv == 0:
        one = c.latent(shape)
        return f"({one['rank']} + {one['rope']}){tail}"
    heads = f"{kv} heads" if kv > 1 else "1 head"
    if shape["k"] == shape["v"]:
        return f"2 × {heads} × {shape['k']}{tail}"
    return f"{heads} × ({shape['k']} + {shape['v']}){tail}"


def width(shape: dict, kv: int) -> str:
    """How wide a query head is at this stop."""
    one = c.latent(shape)
    return f"{one['nope']} + {one['rope']}" if kv == 0 else str(shape["k"])


def reads(head: int, kv: int, heads: int) -> str:
    return f"head {head} reads {f'group {head * kv // heads}' if kv else 'the latent'}"


def keeps(shape: dict, kv: int) -> str:
    """What every token leaves behind."""
    if kv == 0:
        one = c.latent(shape)
        return f"one latent of {one['rank']} + {one['rope']} numbers"
    return f"{kv} key/value head{'s' if kv > 1 else ''}"


def sentences(model: dict, shape: dict, state: dict, kv: int) -> dict:
    """What is said beside the bars."""
    held = c.bytes_at_context(shape, kv, state["context"], model["loops"])
    total = c.in_all(model, state, kv)
    return {
        "made": made(model["title"], shape, kv),
        "share": share(shape, kv),
        "windows": " ".join(looks_back(one, c.layers(shape)) for one in shape["windows"] if one[1]),
        "rest": rest(model, state, total, held),
    }


def rest(model: dict, state: dict, total: int, held: int) -> str:
    """What is kept besides, told apart by who keeps it."""
    index, beside = model["index_bytes"] * state["context"], model["beside_bytes"]
    parts = [
        ("the indexer’s keys in these layers", index),
        ("the fixed states in these layers", beside),
        ("its other layers", total - held - index - beside),
    ]
    parts = [(who, size) for who, size in parts if size]
    if not parts:
        return ""
    said = [f"{who} {'add ' if i == 0 else ''}{fmt.in_bytes(size)}" for i, (who, size) in enumerate(parts)]
    text = ", ".join(said)
    return f"{text[0].upper()}{text[1:]}: {fmt.in_bytes(total)} in all."


def made(title: str, shape: dict, kv: int) -> str:
    """How this stop's numbers were come by."""
    own, one = c.built_stop(shape), c.latent(shape)
    if kv == own:
        return f"This is how {title} is built."
    if own == 0:
        return (
            f"Hypothetical: {title} caches a latent. Here its heads are plain ones of {one['nope']} + {one['v']} "
            f"numbers (qk_nope_head_dim and v_head_dim): RoPE would rotate the key itself, so the separate "
            f"{one['rope']} are not needed."
        )
    has = f"{title} has {own} key/value head{'s' if own > 1 else ''}."
    if kv == 0:
        return (
            f"Hypothetical: {has} Here one latent of 4 × {one['v']} = {one['rank']} numbers and a RoPE key of "
            f"{one['v']} / 2 = {one['rope']} replace them, in DeepSeek-V2’s proportions."
        )
    return f"Hypothetical: {has} Here it has {kv}, with the same layers, query heads and widths."


def share(shape: dict, kv: int) -> str:
    """Against a key/value head for every query head."""
    heads = shape["heads"]
    if kv == heads:
        return "the maximum: every query head has its own keys and values."
    if kv == 0:
        ratio = c.numbers_kept(shape, heads) / c.numbers_kept(shape, 0)
        return f"{fmt.fixed(ratio, 1)} times less than {heads} plain key/value heads would need."
    return f"1/{heads // kv} of what {heads} key/value heads would need." if heads % kv == 0 else ""


def looks_back(one: list[int], of: int) -> str:
    n, seen, chunk = one
    what = "attend within chunks of" if chunk else "keep only the last"
    which = f"All {n} of these layers" if n == of else f"{n} of these {of} layers"
    return f"{which} {what} {fmt.integer(seen)} tokens."


def spread(query_heads: int, kv: int, tp: int, copies: int) -> str:
    """Who holds what."""
    each = f"{query_heads} query head{'s' if query_heads > 1 else ''}"
    if tp == 1:
        return f"One rank holds all {each} and their whole cache."
    if kv == 0:
        return f"Each rank has {each}, and all of them need the whole latent: {tp} ranks hold {tp} copies of it."
    if copies == 1:
        return f"Each rank has {each} and {kv // tp} of the {kv} key/value heads. Nothing is copied."
    few = f"{kv} key/value head{'s' if kv > 1 else ''} for {tp} ranks"
    return f"{few}: each is stored {copies} times, so {fmt.percent(1 - kv / tp)} of the cache is copies."
