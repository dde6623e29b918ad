"""What the beats of the masks page ask and draw: answers, goals and figures by name. Twin of beats.js.

The numbers are reference.compute's; here stand only what a single state does not tell, and the drawings.
"""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.masks import picture, reference

stacks, words = reference.stacks, reference.words
CONTEXT, QUERY, DEPTH = 131_072, 40, 3  # of the goals


def at(state: dict, data: dict, **changes) -> dict:
    return reference.compute({**state, **changes}, data)


def deep(state: dict, data: dict) -> int | str:
    """How many layers a token passes until it can know token 0; in words where not even the last one can."""
    first = at(state, data)["stack"]["first"]
    return first.index(0) + 1 if 0 in first else f"none of its {len(first)}"


def below(state: dict, data: dict) -> int:
    """How many tokens the layer before that one knows about, or the last where none is that one."""
    first = at(state, data)["stack"]["first"]
    before = [state["context"] - 1, *first][first.index(0) if 0 in first else -1]
    return state["context"] - before


def gain(state: dict, data: dict) -> int:
    """What the layers below add to what one layer sees: 0 a multiple, 1 something, 2 nothing."""
    mask = at(state, data)["mask"]
    return 2 if mask["known"] == mask["keys"] else 0 if mask["known"] >= 3 * mask["keys"] else 1


answers = {"deep": deep, "below": below, "gain": gain}


# ---------------------------------------------------------------- captions


def known(state: dict, data: dict) -> str:
    """What the query sees, and what it can know through the layers."""
    mask = at(state, data)["mask"]
    depth, tokens = words.plural(state["depth"], "layer"), words.plural(mask["known"], "token")
    return f"Through {depth} it can know about **{tokens}**: {words.spans(mask['known_ranges'])}. {mask['row']}"


def kept(state: dict, data: dict) -> str:
    """What the stack keeps, against every layer keeping every token."""
    now = at(state, data)["stack"]
    told = f"**{now['title']}**, {now['mix']}: {now['tokens_hold']} **{fmt.in_bytes(now['bytes'])}**"
    less = f", {fmt.fixed(now['ratio'], 2)} times less than {fmt.in_bytes(now['bytes_full'])}."
    return told + (less if now["bytes_full"] > now["bytes"] else ": every token in every layer.")


captions = {"known": known, "kept": kept}


# ---------------------------------------------------------------- goals


def not_yet(says: str) -> dict:
    return {"reached": False, "says": says}


def key_0(state: dict, data: dict) -> dict:
    """Query 40 knows key 0 through three windows, and no smaller window does it."""
    if (state["kind"], state["query"], state["depth"], state["first"]) != ("window", QUERY, DEPTH, 0):
        return not_yet(f"Stand on query {QUERY}, with {DEPTH} layers of a sliding window and no first tokens kept.")
    span = state["span"]
    oldest, smaller = (oldest_known(state, one) for one in (span, max(1, span - 1)))
    if oldest:
        return not_yet(f"With a window of {span} it stops at key {oldest}.")
    if not smaller:
        return not_yet(f"A window of {span} reaches it. A smaller one does too.")
    hint = f"One layer with a window of {span} would do if the first token were kept."
    return {
        "reached": True,
        "says": f"Reached with a window of {span}; {span - 1} stops at key {smaller}. {hint}",
    }


def oldest_known(state: dict, span: int) -> int:
    return reference.describe_mask({**state, "span": span})["known_ranges"][0][0]


def missed(model: dict, context: int) -> int:
    """How many tokens the last layer lacks to know token 0."""
    return stacks.first_known(model, context - 1)[-1]


def saving(model: dict, context: int) -> float:
    held = stacks.in_all(model, context)
    return stacks.in_all(model, context, True) / held if held else 1.0


def saves_most(state: dict, data: dict) -> dict:
    """At 128k tokens the stack that saves most of those that still know token 0."""
    context = state["context"]
    if context != CONTEXT:
        return not_yet("This goal is about 128k tokens.")
    model = reference.find(state["model"], data)
    now = saving(model, context)
    told = f"{model['title']} saves {words.saves(now)}"
    if far := missed(model, context):
        return not_yet(f"{told}, but token 0 is {words.plural(far, 'token')} out of reach.")
    more = [one for row in data["models"] if saving(one := reference.find(row[0], data), context) > now]
    if any(not missed(one, context) for one in more):
        return not_yet(f"{told} and knows token 0. Another stack here saves more, and knows it too.")
    near = "".join(f" {one['title']} saves more, and misses it." for one in more[:1])
    return {"reached": True, "says": f"Reached: {told}, and knows token 0.{near}"}


goals = {"key_0": key_0, "saves_most": saves_most}
reach = {
    "key_0": [{"span": 15, "depth": 3}],
    "saves_most": [{"model": "google/gemma-4-12B-it"}],
}


# ---------------------------------------------------------------- figures


def mask(state: dict, data: dict) -> str:
    """Who sees whom, and who knows of whom."""
    return picture.mask_svg(at(state, data)["mask"], state)


def stack(state: dict, data: dict, bet: str = "") -> str:
    """The layers of a model; while the bet is open, only what each sees itself."""
    return picture.stack_svg(at(state, data)["stack"], state, bet == "open")


def curve(state: dict, data: dict, bet: str = "") -> str:
    """The cache against context; while the bet is open, only if every layer kept every token."""
    return picture.curve_svg(at(state, data)["stack"], bet == "open")


figures = {"mask": mask, "stack": stack, "curve": curve}
