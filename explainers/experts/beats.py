"""What the beats of experts ask, say and draw: answers, captions, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from math import exp, isclose

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.experts import charts, drawn, reference

LEVEL, SKEW, AWAY, HELPED = 1.2, 0.8, 3, 5  # the goals; the expert of the eight that its bias brings in


def at(state: dict, data: dict) -> dict:
    """All that can be printed of a state, its own keys included."""
    return {**state, **reference.compute(state, data)}


def weighed_by(state: dict, data: dict) -> int:
    """What the weight of expert 5 is made of: 0 its score and bias, 1 its score alone, 2 it has none."""
    eight = reference.compute(state, data)["eight"]
    weight, scores = eight["weights"][HELPED], eight["scores"]
    scores = [exp(s) for s in scores] if state["scoring"] == "after" else scores
    alone = scores[HELPED] / sum(scores[i] for i in eight["chosen"]) * eight["scale"]
    return 2 if not weight else 1 if isclose(weight, alone) else 0


answers = {"weighed_by": weighed_by}


# ---------------------------------------------------------------- captions


def listed(experts: list[int]) -> str:
    return ("expert " if len(experts) == 1 else "experts ") + " and ".join(map(str, experts))


def decided(state: dict, data: dict) -> str:
    """Who enters thanks to the bias, who stays out, and how weights are made."""
    eight = reference.compute(state, data)["eight"]
    made = (
        "the softmax of the chosen logits alone"
        if state["scoring"] == "after"
        else "a score, divided by the sum of the chosen ones’"
    )
    rule = f"A weight is {made}, times {fmt.fixed(eight['scale'], 1)}."
    if not eight["entered"]:
        return f"**The three best scores are chosen.** {rule}"
    new, old = listed(eight["entered"]), listed(eight["left"])
    return (
        f"**Thanks to the bias {new} {'enters' if len(eight['entered']) == 1 else 'enter'} in place of {old}.** {rule}"
    )


def limited(state: dict, data: dict) -> str:
    """How many of the best survive, and where they stand."""
    now = reference.compute(state, data)
    here, mean = now["here"], now["mean"]
    met = f"**Token {state['token']} meets {here['survive']} of its {state['k']} best**"
    own = f"{met} and is sent to {here['nodes']} node{'' if here['nodes'] == 1 else 's'}."
    all_tokens = f"Over {fmt.integer(now['tokens'])} tokens {fmt.fixed(mean['survive'], 1)} survive"
    nodes = f"{fmt.fixed(mean['nodes_free'], 1)} nodes become {fmt.fixed(mean['nodes'], 1)}"
    send = f"A send is {fmt.integer(now['of']['send'])} bytes, one for each node, layer and token."
    return f"{own} {all_tokens}, and {nodes}. {send}"


def crowd(state: dict, data: dict) -> str:
    """Who is full, and what is lost."""
    load = reference.compute(state, data)["load"]
    gets = f"{fmt.integer(load['busiest'])} of {fmt.integer(load['choices'])} choices"
    full = f"**The busiest of {state['experts']} gets {gets}.**"
    if not load["room"]:
        return f"{full} Nothing is dropped, and all wait for it."
    lost = f"{fmt.integer(load['lost'])} choices find no room, {fmt.percent(load['lost_share'])}"
    return f"{full} {lost}; {load['idle']} experts stay under half their share."


def level(state: dict, data: dict) -> str:
    """How level the load is, and how far the biases went."""
    now = reference.compute(state, data)
    went = f"The biases went from {fmt.signed(now['low'], 3)} to {fmt.signed(now['high'], 3)}"
    ratio = fmt.fixed(now["load"]["ratio"], 2)
    return (
        f"**After {state['updates']} updates of {state['step']} the busiest gets {ratio} times its share.** {went}. "
        f"Each update sees 512 fresh tokens, so nothing is ever quite level."
    )


def met(state: dict, data: dict) -> str:
    """How much of a model one token meets."""
    of = reference.compute(state, data)["of"]
    count = fmt.count
    whole = f"**{of['title']}: a token meets {count(of['active'])} of {count(of['total'])} parameters.**"
    experts = f"{fmt.integer(of['met'])} of {fmt.integer(of['all'])} experts"
    shared = f", {of['shared']} shared in each of {of['layers']} layers" if of["shared"] else ""
    dense = f"the MLP{'' if of['dense'] == 1 else 's'} of {of['dense']} dense layer{'' if of['dense'] == 1 else 's'}, "
    rest = f"attention or its like, {dense if of['dense'] else ''}norms, routers, embedding, head"
    return f"{whole} These are {experts}{shared}, and all that is not routed: {rest}."


captions = {"met": met, "decided": decided, "limited": limited, "crowd": crowd, "level": level}


# ---------------------------------------------------------------- goals


def even(state: dict, data: dict) -> dict:
    """64 experts as skewed as here, none over 1.2 even shares, nothing dropped."""
    if state["experts"] != 64 or state["k"] != 6 or state["skew"] < SKEW:
        return no("This goal is about 6 of 64 experts and a skew of 0.8 or more.")
    load = reference.compute(state, data)["load"]
    ratio = f"{fmt.fixed(load['ratio'], 3)} times the even share"
    if load["ratio"] > LEVEL:
        return no(f"The busiest gets {ratio}.")
    if load["lost"]:
        return no(f"The busiest gets {ratio}, but {load['lost']} choices are dropped.")
    how = f"step {state['step']} after {state['updates']} updates: {ratio}"
    hint = "A step of 0.003 is faster." if state["step"] < 0.003 else "A slower step does it too, and larger ones hunt."
    return {"reached": True, "says": f"Reached with {how}. {hint}"}


def near(state: dict, data: dict) -> dict:
    """The same, and no token on more than three nodes."""
    first = even(state, data)
    most = reference.compute(state, data)["mean"]["most"]
    if not first["reached"]:
        return no(first["says"])
    if most > AWAY:
        return no(f"Level, but a token is sent to up to {most} nodes.")
    return {"reached": True, "says": f"Reached: {most} nodes at most. The limit took more updates to level."}


goals = {"even": even, "near": near}
reach = {
    "even": [{"updates": 60}, {"step": 0.001, "updates": 150}],
    "near": [{"updates": 60, "kept": 3}, {"step": 0.001, "updates": 200, "kept": 3}],
}


# ---------------------------------------------------------------- figures


def wall(state: dict, data: dict) -> str:
    """All experts of a model, those of one token lit."""
    return drawn.wall(at(state, data))


def eight(state: dict, data: dict, bet: str = "") -> str:
    """Eight experts in cells; while the bet is open, without weights."""
    return drawn.eight(at(state, data), hide=bet == "open")


def groups(state: dict, data: dict, bet: str = "") -> str:
    """One token's scores in groups; while the bet is open, before any group is out."""
    return charts.groups(at(state, data), hide=bet == "open")


def loads(state: dict, data: dict, bet: str = "") -> str:
    """What comes to each expert, sorted; while the bet is open, nothing is dropped yet."""
    return charts.loads(at(state, data), "crowd", hide=bet == "open")


def levelling(state: dict, data: dict) -> str:
    """The same under a bias, and the biases."""
    return charts.loads(at(state, data), "level")


def route(state: dict, data: dict) -> str:
    """What a rollout sends for one token."""
    return drawn.route(at(state, data))


figures = {"wall": wall, "eight": eight, "groups": groups, "loads": loads, "levelling": levelling, "route": route}
