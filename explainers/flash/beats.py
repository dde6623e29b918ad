"""What the beats of flash ask, say and draw: answers, captions, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.flash import drawn, reference

LIMIT, H100, HEAD, TOKENS = 80_000_000, "h100_sxm", 128, 8192


def at(state: dict, data: dict) -> dict:
    return {**state, **reference.compute(state, data)}


def mended(state: dict, data: dict) -> int:
    """What becomes of the first tile's sum and output: 1 both are multiplied by one number, 2 nothing."""
    return 1 if at(state, data)["row"]["factor"] < 1 else 2


answers = {"mended": mended}


def moved(state: dict, data: dict) -> str:
    """FLOP per byte, and what the L2 cache could do."""
    now = at(state, data)
    got = fmt.integer(now["tiled"]["intensity"])
    close = f"FLOP per byte come close to the rows of a tile: {got} of {state['rows']}."
    past = f"Past the ridge, {fmt.integer(now['chip']['ridge'])}, a kernel is limited by arithmetic."
    kv, l2 = fmt.in_bytes(now["kv"]), fmt.in_bytes(now["chip"]["l2"], "MB", 0)
    if now["kept"]["fits"]:
        ends = fmt.in_bytes(now["ends"])
        cache = f"K and V of this head are {kv} and may stay in the L2 cache of {l2}: then {ends} is all."
    else:
        cache = f"K and V of this head, {kv}, are too much for the L2 cache of {l2}."
    return f"**{close}** {past} {cache}"


captions = {"moved": moved}


# ---------------------------------------------------------------- goals


def cut(state: dict) -> str:
    return f"{state['rows']} × {state['keys']}"


def filled(now: dict) -> str:
    """What a tile takes of what there is."""
    return f"{fmt.in_bytes(now['sram']['total'], 'KB')} of {fmt.in_bytes(now['chip']['sram'], 'KB')}"


def past_ridge(state: dict, data: dict) -> dict:
    """A tile that fits on an H100 and makes more FLOP of a byte than its ridge asks for."""
    if state["chip"] != H100:
        return no("This goal is about an H100.")
    now = at(state, data)
    got, ridge = fmt.integer(now["tiled"]["intensity"]), fmt.integer(now["chip"]["ridge"])
    if not now["sram"]["fits"]:
        return no(f"Tiles of {cut(state)} do not fit: {filled(now)}.")
    if now["tiled"]["intensity"] <= now["chip"]["ridge"]:
        return no(f"Tiles of {cut(state)} reach {got} of {ridge}, and fill {filled(now)}. What takes the room?")
    head = f"head size {now['head']['qk']} and tiles of {cut(state)}"
    return {"reached": True, "says": f"Reached with {head}: {got}. At head size 128 nothing that fits gets there."}


def under_80(state: dict, data: dict) -> dict:
    """Less than 80 MB for a head of 128 that sees all before it, by a tile that fits."""
    now = at(state, data)
    head = now["head"]
    if state["chip"] != H100 or (head["qk"], head["v"], head["window"], state["tokens"]) != (HEAD, HEAD, 0, TOKENS):
        return no("This goal is about an H100, 8,192 tokens and a head of 128 that sees all before it.")
    if not now["sram"]["fits"]:
        return no(f"Tiles of {cut(state)} do not fit: {filled(now)}.")
    moved = fmt.in_bytes(now["tiled"]["bytes"])
    if now["tiled"]["bytes"] >= LIMIT:
        return no(f"Tiles of {cut(state)} move {moved} and fill {filled(now)}. What could be smaller?")
    return {"reached": True, "says": f"Reached with {cut(state)}: {moved}. No other tile that fits does it."}


goals = {"past_ridge": past_ridge, "under_80": under_80}
reach = {
    "past_ridge": [{"head": 64, "rows": 384, "keys": 32}, {"head": 64, "rows": 320, "keys": 32}],
    "under_80": [{"rows": 256, "keys": 16}],
}


# ---------------------------------------------------------------- figures


def square(state: dict, data: dict, bet: str = "") -> str:
    """Plain attention; while the bet is open its passes carry no bytes."""
    return drawn.square(at(state, data), bet == "open")


def pieces(state: dict, data: dict, bet: str = "") -> str:
    """A row in two tiles; while the bet is open, nothing after the second."""
    return drawn.pieces(at(state, data), bet == "open")


def tiles(state: dict, data: dict, bet: str = "") -> str:
    """The square; while the bet is open, without the tiles."""
    return drawn.tiles(at(state, data), bet == "open")


def walk(state: dict, data: dict) -> str:
    """One tile on the chip."""
    return drawn.chip.walk(at(state, data))


def roof(state: dict, data: dict, bet: str = "") -> str:
    """What the chip can reach; while the bet is open, plain attention alone."""
    return drawn.bars.roof(at(state, data), bet == "open")


figures = {"square": square, "pieces": pieces, "tiles": tiles, "walk": walk, "roof": roof}
