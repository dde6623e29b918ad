"""What the beats of long-context say and draw: captions, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.long_context import charts, drawn, reference

counting = reference.counting
V32, K3, MILLION, ROOM = reference.V32, reference.K3, 2**20, 10_000_000_000


def at(state: dict, data: dict) -> dict:
    """All that can be printed of a state, its own keys included."""
    return {**state, **reference.compute(state, data)}


def length(state: dict) -> str:
    """How many tokens there are, in words."""
    return f"{fmt.integer(state['tokens'])} token{'' if state['tokens'] == 1 else 's'}"


answers: dict = {}


# ---------------------------------------------------------------- captions


def looked(state: dict, data: dict) -> str:
    """What looking and reading cost, and how the picks are drawn."""
    now = at(state, data)
    one, top = now["indexer"], next(row for row in now["ruler"] if row["key"] == "dsa")["bars"][0]
    look, read, whole = (fmt.fixed(one[f"{key}_gflop"], 1) for key in ("look", "read", "all"))
    own = (
        f"**In each of {one['layers']} layers the indexer takes {look} GFLOP, reading {read}**; reading all would take"
    )
    kept = f"{own} {whole}. Every entry is kept, and {one['keys']} more numbers for the indexer."
    if not top["ticks"]:
        return kept
    wide = f"{fmt.integer(top['wide'])} times too wide" if top["wide"] > 1 else "as wide as it is"
    seed = f"Which are picked is drawn from a seed: of {fmt.integer(now['spans'][0])}, one in {top['one_in']} is shown"
    return f"{kept} {seed}, {wide}."


def served(state: dict, data: dict) -> str:
    """Bytes and arithmetic of both."""
    pair = at(state, data)["pair"]
    old, new = pair["old"], pair["new"]
    slopes = " or ".join(fmt.num(n, 4) for n in reversed(new["slopes"]))
    first = f"**{fmt.in_bytes(new['bytes'])} against {fmt.in_bytes(old['bytes'])}.**"
    each = f"V3.2 keeps {fmt.integer(old['slopes'][0])} bytes for each token and layer, V4-Pro {slopes}."
    work = f"{fmt.integer(new['gflop'])} of {fmt.integer(old['gflop'])} GFLOP"
    share = fmt.percent(pair["flop_share"])
    return f"{first} {each} Its arithmetic is {share}: {work} (published for a million tokens: 27 %, in FLOP of FP8)."


captions = {"looked": looked, "served": served}


# ---------------------------------------------------------------- goals


def ten_gb(state: dict, data: dict) -> dict:
    """A million tokens in 10 GB, every layer reading back to the first."""
    now = at(state, data)
    of, kept = now["of"], fmt.in_bytes(now["of"]["kept"])
    if state["tokens"] < MILLION:
        return no(f"{length(state)} of 1,048,576.")
    if of["kept"] > ROOM:
        return no(f"{of['title']} keeps {kept}.")
    away = sum(kind["count"] for kind in now["kinds"] if not kind["reach"])
    if away:
        return no(f"{kept}, but in {away} of {of['layers']} layers no token is read that far back.")
    how = f"{of['title']}{counting.SHORT[state['storage']]}: {kept}"
    return {"reached": True, "says": f"Reached with {how}. Hybrids get there too, with attention in a few layers only."}


def short(state: dict, data: dict) -> dict:
    """A length at which a hybrid keeps more than a model without states."""
    if state["model"] != K3 or state["storage"] != "bf16":
        return no("Choose Kimi K3, in BF16.")
    both = (counting.cache_bytes(reference.find(slug, data), data, state["tokens"], "bf16") for slug in (K3, V32))
    mine, other = both
    tokens = length(state)
    sizes = f"{fmt.in_bytes(mine)} against {fmt.in_bytes(other)}"
    if mine <= other:
        return no(f"At {tokens} it keeps {sizes}. Look at the other end.")
    why = "A short text pays for states that are there from the first token on."
    return {"reached": True, "says": f"Reached at {tokens}: {sizes}. {why}"}


goals = {"ten_gb": ten_gb, "short": short}
reach = {
    "ten_gb": [{"model": reference.PRO, "storage": "mixed"}, {"model": reference.PRO, "storage": "packed"}],
    "short": [{"model": K3, "tokens": 7168}, {"model": K3, "tokens": 1024}],
}


# ---------------------------------------------------------------- figures

KEPT = ("kept", "kept")


def past(state: dict, data: dict) -> str:
    """One full layer on the ruler; arithmetic against length."""
    now, named = at(state, data), [("full", "read by the newest token"), KEPT]
    return drawn.ruler(now, ("gqa",)) + drawn.legend(named) + charts.chart(now, "work")


def windows(state: dict, data: dict) -> str:
    """A full layer, a chunk and a window."""
    named = [("full", "read"), ("window", "read, in a chunk or a window"), KEPT]
    return drawn.ruler(at(state, data), ("gqa", "chunk", "window")) + drawn.legend(named)


def hybrid(state: dict, data: dict) -> str:
    """Layers of a hybrid, and what they keep against length."""
    now = at(state, data)
    return drawn.mixed(now) + charts.chart(now, "bytes")


def indexer(state: dict, data: dict) -> str:
    """A layer with an indexer."""
    named = [("scored", "scored by the indexer"), ("sparse", "read"), KEPT]
    return drawn.ruler(at(state, data), ("dsa",)) + drawn.legend(named)


def entries(state: dict, data: dict) -> str:
    """V4's layers; below, the arithmetic of a token."""
    now = at(state, data)
    named = [("scored", "an entry, scored"), ("sparse", "an entry, read"), ("window", "tokens, read as they are"), KEPT]
    ruled = drawn.ruler(now, ("csa", "hca", "raw"))
    return ruled + drawn.legend(named) + charts.work(now)


figures = {"past": past, "windows": windows, "hybrid": hybrid, "indexer": indexer, "entries": entries}
