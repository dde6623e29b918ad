"""What the beats of context-parallel ask, say and draw: answers, captions, goals, figures. Twin of beats.js."""

from __future__ import annotations

from typing import Any

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.context_parallel import deal, drawn, reference

LLAMA, MILLION, ROOM, NEAR = "meta-llama/Llama-3.1-70B", 1_048_576, 25e9, 1.01
MB = "MB"
State = dict[str, Any]


def at(state: State, data: dict, **changes: Any) -> dict[str, Any]:
    return reference.compute({**state, **changes}, data)


def all_heads(state: State, data: dict) -> int:
    """What the ring would send if every query head brought keys and values of its own."""
    now = at(state, data)
    return now["ways"]["ring"]["sent"] // now["here"]["kv"] * now["here"]["heads"]


def furthest(state: State, data: dict) -> int:
    """How many ranks can share the heads: 0 as many as there are KV heads, 1 as many as query heads, 2 any number."""
    own = at(state, data)["here"]
    most = max(n for n in range(1, 2 * own["heads"] + 1) if reference.run.splits(own["heads"], own["kv"], n))
    return 0 if most <= own["kv"] else 1 if most <= own["heads"] else 2


def less(state: State, data: dict) -> int | str:
    """From how many ranks on Ulysses sends less than the ring."""
    return at(state, data)["curve"]["less"] or "no number of"


def besides(state: State, data: dict) -> int:
    """What a rank sends of each head besides its output: 0 nothing, 1 one number, 2 more."""
    return min(at(state, data)["decode"]["extra"], 2)


answers = {
    "all_heads": all_heads,
    "furthest": furthest,
    "less": less,
    "besides": besides,
    "times": lambda state, data: at(state, data)["here"]["heads"] // at(state, data)["here"]["kv"],
}


# ---------------------------------------------------------------- captions


def swapped(state: State, data: dict) -> str:
    """How Ulysses deals the heads out, and what that sends."""
    now, ranks = at(state, data), state["cp"]
    own, sent = now["here"], now["ways"]["ulysses"]["sent"]
    if not sent:
        fits = f"{now['swap']['fits']} ranks can"
        return f"**Not on {ranks} ranks**: {own['heads']} query heads cannot be shared evenly; {fits}."
    copies = now["swap"]["copies"]
    kept = f"each KV head is copied to {copies} ranks" if copies > 1 else "no KV head is copied"
    return f"On {ranks} ranks **{kept}**; each rank sends {fmt.in_bytes(sent, MB, 0)} in a layer, in four exchanges."


def sends(state: State, data: dict) -> str:
    """What ring and Ulysses send on so many ranks."""
    now, ranks = at(state, data), state["cp"]
    ring, ulysses = (fmt.in_bytes(now["ways"][name]["sent"], MB, 0) for name in ("ring", "ulysses"))
    if not now["ways"]["ulysses"]["sent"]:
        return f"{now['row']['title']} on {ranks} ranks: **{ring}** on the ring. Its heads cannot be shared evenly."
    where = now["curve"]["less"]
    then = f"Ulysses sends less from {where} ranks on." if where else "Up to 64 ranks Ulysses never sends less."
    return f"{now['row']['title']} on {ranks} ranks: **{ring}** on the ring, **{ulysses}** with Ulysses. {then}"


def kept(state: State, data: dict) -> str:
    """How exact the merged answer is, and what each rank keeps."""
    now = at(state, data)
    rank, alone = (fmt.in_bytes(now["cache"][key], "GB", 2) for key in ("rank", "alone"))
    gain = (
        f"Heads alone, over the same {now['gpus']} GPUs, leave {alone}."
        if alone != rank
        else f"Heads alone, over the same {now['gpus']} GPUs, would leave as much."
    )
    return (
        f"Weighed like this the answer is off by **{fmt.num(now['decode']['off'], 2)}**, a plain mean by "
        f"{fmt.fixed(now['decode']['mean_off'], 2)}. Of {now['row']['title']}’s cache **each rank keeps {rank}**. "
        f"{gain}"
    )


captions = {"swapped": swapped, "sends": sends, "kept": kept}


# ---------------------------------------------------------------- goals


def balanced(state: State, data: dict) -> dict:
    """16 ranks, none more than 1 % above the mean."""
    most = at(state, data)["work"]["most"]
    if state["cp"] != 16:
        return no(
            f"On {state['cp']} ranks the slowest does {fmt.fixed(most, 3)} times the mean; this goal is about 16."
        )
    if most > NEAR:
        return no(f"The slowest rank does {fmt.fixed(most, 3)} times the mean: the others wait for it.")
    other = "zig-zag" if state["order"] == "striped" else "striped"
    return {"reached": True, "says": f"Reached: {fmt.fixed(most, 4)} times the mean. The {other} order does it too."}


def million(state: State, data: dict) -> dict:
    """A million tokens of Llama 3.1 70B, less than 25 GB on each rank."""
    if state["model"] != LLAMA or state["sequence"] != MILLION:
        return no("This goal is about 1,048,576 tokens of Llama 3.1 70B.")
    now = at(state, data)
    rank = fmt.in_bytes(now["cache"]["rank"], "GB", 1)
    over = f"{state['cp']} × {state['tp']} GPUs"
    if now["cache"]["rank"] >= ROOM:
        return no(f"On {over} each rank keeps {rank}.")
    hint = "Sharing heads as well does it too." if state["tp"] == 1 else "Tokens over 16 ranks do it without heads."
    return {"reached": True, "says": f"Reached on {over}: {rank} each. {hint}"}


goals = {"balanced": balanced, "million": million}
reach = {
    "balanced": [{"cp": 16, "order": "zigzag"}, {"cp": 16, "order": "striped"}],
    "million": [{"sequence": MILLION, "cp": 16}, {"sequence": MILLION, "cp": 8, "tp": 2}],
}


# ---------------------------------------------------------------- figures


def dealt(state: State, data: dict) -> str:
    """The mask by rank, and each rank's tokens."""
    now = at(state, data)
    return drawn.beside(drawn.mask(now), deal.strips(now["owner"], state["cp"], "tokens of each rank"))


def work(state: State, data: dict, bet: str = "") -> str:
    """The mask and everybody's work; while the bet is open, the mask alone."""
    now = at(state, data)
    return drawn.beside(drawn.mask(now), drawn.bars(now, hide=bet == "open"))


def ring(state: State, data: dict) -> str:
    """The mask and the timetable at a step."""
    now, step = at(state, data), min(state["step"], state["cp"])
    return drawn.beside(drawn.mask(now, step), drawn.ring(now, step))


def swap(state: State, data: dict) -> str:
    """Tokens exchanged for heads."""
    return deal.swap(at(state, data))


def chart(state: State, data: dict, bet: str = "") -> str:
    """Bytes against ranks: only the ends of both lines while the bet is open."""
    return deal.chart(at(state, data), state["cp"], bet == "open") + deal.legend()


def cache(state: State, data: dict, bet: str = "") -> str:
    """The cache, position by position; while the bet is open, no weights."""
    return deal.cache(at(state, data), hide=bet == "open")


figures = {"dealt": dealt, "work": work, "ring": ring, "swap": swap, "chart": chart, "cache": cache}
