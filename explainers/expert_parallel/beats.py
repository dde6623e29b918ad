"""What the beats of expert parallelism ask, say and draw: answers, captions, goals and figures. Twin of beats.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.expert_parallel import drawn, reference

LIGHT_BYTES, LEVEL, SKEW = 2.5e6, 1.5, 0.2


def kb(n: float) -> str:
    return fmt.in_bytes(n, "KB")


def more_gpus(state: dict, data: dict) -> int:
    """How many GPUs the experts need beside those of attention: 0 as many again, 1 some, 2 none."""
    now = reference.compute(state, data)["fold"]
    more = now["edp"] * now["ep"] * now["etp"] - now["dp"] * now["cp"] * now["tp"]
    return 2 if more <= 0 else 0 if more >= now["gpus"] else 1


answers = {"more_gpus": more_gpus}


# ---------------------------------------------------------------- captions


def groups(now: dict, row: dict) -> str:
    """Which experts may be picked."""
    if not now["here"]["marks"]:
        return "There are no groups: every expert may be picked"
    counted = "best score is highest" if row["group_score"] == "max" else "two best scores are highest together"
    return f"{now['kept']} of {now['groups']} groups stay, those whose {counted}"


def out_network(now: dict) -> str:
    away = now["here"]["visits"]["away"]
    if not away:
        return "All its experts are on its own node: nothing crosses the network"
    nodes = "the other node" if away == 1 else f"each of {away} other nodes"
    return f"One copy goes to {nodes}, {kb(away * now['copy']['out'])} over the network"


def moment(state: dict, data: dict) -> str:
    """What happens in the step that is drawn."""
    now, row = reference.compute(state, data), reference.find(state["model"], data)
    visits, copy = now["here"]["visits"], now["copy"]
    gpus = "one GPU" if visits["gpus"] == 1 else f"{visits['gpus']} GPUs"
    nodes = "one node" if visits["nodes"] == 1 else f"{visits['nodes']} nodes"
    inside, back = visits["inside"], visits["away"]
    says = (
        f"Each of {now['experts']} experts has a score, drawn as a bar",
        groups(now, row),
        f"Its {now['chosen']} experts stand on {gpus} of {nodes}",
        out_network(now),
        f"From the GPU where it came in, {inside} copies go on inside nodes, {kb(inside * copy['out'])}",
        f"Each GPU adds up what its experts made; {inside} sums go back inside nodes, {kb(inside * copy['back'])}",
        f"{back} sums cross the network, {kb(back * copy['back'])}, and are added up where the token stands",
    )
    return f"**Step {now['at']['number']} of {now['at']['steps']}: {now['at']['name']}.** {says[state['step']]}."


def crowd(state: dict, data: dict) -> str:
    """How full the fullest GPU is, and who found no room."""
    now = reference.compute(state, data)
    load, drop = now["load"], now["drop"]
    full = f"**The fullest of {now['gpus']} GPUs gets {fmt.fixed(load['ratio'], 2)} times the mean.**"
    share = f"The most loved expert is picked {fmt.fixed(load['expert_ratio'], 2)} times as often as the average."
    lost = f"{fmt.percent(drop['share'])} of choices find no room, in {fmt.integer(drop['tokens'])} tokens."
    copied = f" {now['copied']} experts stand in more than one slot." if now["copied"] else ""
    return f"{full} {share} {lost if drop['choices'] else 'Nothing is dropped.'}{copied}"


def folded(state: dict, data: dict) -> str:
    """What one GPU holds, in both readings."""
    now = reference.compute(state, data)
    fold, gpu = now["fold"], state["gpu"]
    attention = "all of attention" if fold["tp"] == 1 else f"part {fold['here']['tp']} of {fold['tp']} of attention"
    each = now["experts"] // fold["ep"]
    experts = "an expert" if each == 1 else f"{each} experts"
    cut = "" if fold["etp"] == 1 else f", cut by {fold['etp']}"
    copies = "nowhere else" if fold["edp"] == 1 else f"on {fold['edp']} GPUs in all"
    has = f"**GPU {gpu}** has {attention} and {experts} of a layer{cut}"
    return f"{has}, which are {copies}. One colour: the same weights."


captions = {"moment": moment, "crowd": crowd, "folded": folded}


# ---------------------------------------------------------------- goals


def light(state: dict, data: dict) -> dict:
    """Less than 2.5 MB a token over the network, through all layers, with nothing dropped."""
    if state["model"] != reference.STATE["model"]:
        return no("This goal is about DeepSeek V3.")
    now = reference.compute(state, data)
    costs = f"{fmt.in_bytes(now['layer']['model_bytes'], 'MB', 2)} a token"
    if now["drop"]["choices"]:
        return no(f"It costs {costs}, but {fmt.percent(now['drop']['share'])} of choices are dropped.")
    if now["layer"]["model_bytes"] >= LIGHT_BYTES:
        return no(f"It costs {costs}, to {fmt.fixed(now['layer']['away'], 2)} other nodes on average.")
    fewer = state["nodes"] < 8
    hint = "Fewer groups on all 8 nodes do it too." if fewer else "Fewer nodes do it too."
    return {"reached": True, "says": f"Reached: {costs}, to {fmt.fixed(now['layer']['away'], 2)} other nodes. {hint}"}


def level(state: dict, data: dict) -> dict:
    """Skewed experts on 64 GPUs, the fullest under 1.5 times the mean, nothing dropped."""
    if state["model"] != reference.STATE["model"] or state["nodes"] != 8 or state["skew"] < SKEW:
        return no("This goal is about DeepSeek V3 on 64 GPUs and a skew of 0.2 or more.")
    now = reference.compute(state, data)
    ratio = f"{fmt.fixed(now['load']['ratio'], 2)} times the mean"
    if now["drop"]["choices"]:
        return no(f"The fullest computes {ratio}, but {fmt.percent(now['drop']['share'])} of choices are dropped.")
    if now["load"]["ratio"] >= LEVEL:
        return no(f"The fullest gets {ratio}.")
    hint = "One on each GPU would do." if state["spare"] == 2 else "Each costs the memory of an expert."
    return {"reached": True, "says": f"Reached with spare slots: {ratio}. {hint}"}


goals = {"light": light, "level": level}
reach = {
    "light": [{"limit": 2}, {"nodes": 2}, {"nodes": 4, "limit": 3}],
    "level": [{"skew": 0.2, "spare": 1}, {"skew": 0.2, "spare": 2}, {"skew": 0.3, "kind": "one", "spare": 1}],
}


# ---------------------------------------------------------------- figures


def token_map(state: dict, data: dict) -> str:
    """One token's way."""
    return drawn.token_map(reference.compute(state, data), state)


def spread(state: dict, data: dict) -> str:
    """Tokens by the number of other nodes."""
    return drawn.spread(reference.compute(state, data), state)


def loads(state: dict, data: dict) -> str:
    """What comes to each GPU."""
    return drawn.loads(reference.compute(state, data), state)


def fold(state: dict, data: dict, bet: str = "") -> str:
    """Both readings of the GPUs; while the bet is open, one."""
    return drawn.fold(reference.compute(state, data), state, half=bet == "open")


figures = {"map": token_map, "spread": spread, "loads": loads, "fold": fold}
