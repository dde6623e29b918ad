"""What the beats of mla-numbers ask, say and draw: answers, captions, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no, sig
from cutaway.explainers.mla_numbers import drawn, reference

SAME = 1e-9


def at(state: dict, data: dict) -> dict:
    return {**state, **reference.compute(state, data)}


def compared(state: dict, data: dict) -> int:
    """How the scores of both circuits compare: 0 they differ, 1 nearly equal, 2 equal but for rounding."""
    apart = at(state, data)["toy"]["apart"]
    return 2 if apart < SAME else 1 if apart < 0.01 else 0


answers = {"compared": compared}


def placed(state: dict, data: dict) -> str:
    """How many queries would have to be carried, and what the circuits make of one."""
    now = at(state, data)
    count, span = fmt.integer(now["carry"]["different"]), fmt.integer(now["carry"]["span"])
    if state["turn"] == "every":
        wrong = f"Carried only once, scores come out up to {fmt.fixed(now['toy']['apart'], 2)} wrong."
        return f"**{count} different products for {span} distances.** {wrong}"
    what = "the small key alone turns, outside the matrix" if state["turn"] == "apart" else "nothing turns"
    return f"**One product for all {span} distances**: {what}."


def tera(flops: float) -> str:
    return f"{sig(flops / 1e12, 3)} TFLOP"


def grown(state: dict, data: dict) -> str:
    """Both costs at so many new tokens, and where they meet."""
    one = at(state, data)["grow"]
    new = state["fresh"]
    costs = f"absorbed {tera(one['now']['absorbed'])}, unpacked {tera(one['now']['unpacked'])} in each layer"
    here = f"With {new} new token{'s' if new > 1 else ''}: {costs}."
    if not one["crossing"]:
        return f"**Absorbed costs fewer FLOP, however many tokens are new.** {here}"
    return f"**From {fmt.integer(one['crossing'])} new tokens on unpacking costs fewer FLOP.** {here}"


def dealt(state: dict, data: dict) -> str:
    """What each GPU keeps, and how many keep the same."""
    now = at(state, data)
    one, title = now["gpus"], now["size"]["title"]
    each = f"**{title}: {fmt.in_bytes(one['each'], 'KB')} of a token on each of {state['ranks']}"
    if state["split"] == "sequences":
        return f"{each}, on average.** No token is kept twice, and sequences must be many enough to share out."
    if state["ranks"] == 1:
        return f"{each}.** There is nothing to share out yet."
    more = one["each"] / one["other"]["each"]
    heads, even = now["size"]["heads"], now["size"]["heads"] % state["ranks"] == 0
    odd = "" if even else f" {heads} heads do not share out evenly, which changes nothing here."
    return f"{each}, the same on all.** {one['other']['title']} keeps {fmt.fixed(more, 1)} times less there.{odd}"


captions = {"placed": placed, "grown": grown, "dealt": dealt}


# ---------------------------------------------------------------- goals


def broken(state: dict, data: dict) -> dict:
    """Circuits whose scores differ."""
    toy = at(state, data)["toy"]
    if toy["equal"]:
        turns = "nothing turns" if state["turn"] == "none" else "only the small key turns"
        return no(f"While {turns}, both circuits agree to the last bits. What may not stand before the matrix?")
    far = f"Reached: with every key turned, scores are up to {fmt.fixed(toy['apart'], 2)} apart."
    return {"reached": True, "says": f"{far} Latents would have to be unpacked again."}


def no_gain(state: dict, data: dict) -> dict:
    """A latent and its key that are more numbers than eight pairs of 128."""
    one = at(state, data)["kept"]
    found, limit = fmt.integer(one["numbers"]), fmt.integer(one["grouped_numbers"])
    if one["numbers"] < one["grouped_numbers"]:
        return no(f"{found} numbers of {limit}. Heads do not count: what does?")
    if one["numbers"] == one["grouped_numbers"]:
        return no(f"{found} numbers, exactly as many. A little more?")
    grown = fmt.integer(one["unpacked_numbers"])
    return {"reached": True, "says": f"Reached: {found} numbers against {limit}. Unpacked they are {grown}."}


goals = {"broken": broken, "no_gain": no_gain}
reach = {"broken": [{"turn": "every"}], "no_gain": [{"rank": 2048}, {"rank": 2560, "rope": 0}]}


# ---------------------------------------------------------------- figures


def figure(draw):
    """A figure of the page; `bet` says whether the answer has to be kept back."""

    def made(state: dict, data: dict, bet: str = "") -> str:
        return draw(at(state, data), bet == "open")

    return made


figures = {
    "unpack": figure(drawn.unpack),
    "circuits": figure(drawn.circuits),
    "ways": figure(drawn.charts.ways),
    "carry": figure(drawn.carry),
    "grow": figure(drawn.charts.grow),
    "gpus": figure(drawn.charts.gpus),
}
