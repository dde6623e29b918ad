"""What the beats of decoder ask, say and draw: answers, captions, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.decoder import drawn, reference

OPTIONS = (12, 8, 2, 30)  # of the first bet
FAR_BACK, SHORT = 60, 6  # of the goals


def at(state: dict, data: dict, **changes) -> dict:
    return reference.compute({**state, **changes}, data)


def find(name: str, data: dict) -> dict:
    return next(row for row in data["mixers"] if row["name"] == name)


def held(state: dict, data: dict) -> int:
    """Which option is the value that was written last under the key of the read."""
    truth = at(state, data)["here"]["truth"]
    return next((i for i, option in enumerate(OPTIONS) if str(option) == truth), -1)


def cliff(state: dict, data: dict) -> float:
    """The share that the window of 24 gets right where the value was last said 26 tokens back."""
    return find("window", data)["said"][drawn.BACKS.index(26)]


def overwritten(state: dict, data: dict) -> float:
    """The share of overwritten keys that linear attention answers with their last value."""
    return find("linear", data)["right"]["again"]


def equal_after(state: dict, data: dict) -> int:
    """After how many tokens a full cache is as large as the state."""
    return -(-find("delta", data)["keeps"]["fixed"] // find("full", data)["keeps"]["row"])


def crowded(name: str):
    return lambda state, data: find(name, data)["right"]["crowded"]


def old(name: str):
    """The share that a mixer with resets gets right in long streams, where a key was last mentioned long ago."""
    return lambda state, data: find(name, data)["right"]["long_old"]


def looks_at(which: int):
    """The mean over heads of the look on the first write of the key, or on the last."""

    def share(state: dict, data: dict) -> float:
        now = at(state, data)
        writes = drawn.own_writes(now)
        rows = now["live"]["looks"]
        return sum(row[writes[which]] for row in rows) / len(rows) if writes else 0.0

    return share


def lit(state: dict, data: dict) -> int:
    """0 the first write alone, 1 the last alone, 2 both: a write is looked at with a fifth or more."""
    first, last = (looks_at(which)(state, data) >= 0.2 for which in (0, -1))
    return 2 if first and last else 1 if last else 0


answers = {
    "held": held, "cliff": cliff, "overwritten": overwritten, "equal_after": equal_after, "lit": lit,
    "crowded_full": crowded("full8"), "crowded_delta": crowded("delta8"), "first_look": looks_at(0),
    "old_delta": old("delta-x"), "old_gated": old("gated-x"),
    "last_look": looks_at(-1), "again_delta": lambda state, data: find("delta", data)["right"]["again"],
}  # fmt: skip


def sizes(state: dict, data: dict) -> str:
    """What each keeps after a thousand tokens."""
    one, full = find(state["m"], data), find("full", data)
    mine, other = (fmt.in_bytes(reference.cache_after(row, reference.MANY)["bytes"]) for row in (one, full))
    kept = f"After {reference.MANY:,} tokens **{one['title']}** keeps {mine}, full attention {other}."
    return f"{kept} Not counted: what convolutions keep, here {one['keeps']['conv']} numbers."


def shares(state: dict, data: dict) -> str:
    """Where the heads look on average, and the head that looks elsewhere most."""
    now = at(state, data)
    first, last = (fmt.percent(looks_at(which)(state, data), 0) for which in (0, -1))
    key, units = now["here"]["key"], now["stream"]["units"]
    said = f"On average a head gives {first} to the first write of {key}, **{last}** to the last."
    rows = now["live"]["looks"]
    astray = [(row[i], -h, -i) for h, row in enumerate(rows) for i in range(len(row)) if units[i]["key"] != key]
    share, head, unit = max(astray, default=(0.0, 0, 0))
    if share < 0.2:
        return said
    one = units[-unit]
    name = f"{one['word']} {one['key']} {one['value']}"
    return f"{said} Head {-head} gives {fmt.percent(share, 0)} to {name}, which nobody asked about."


def long(state: dict, data: dict) -> str:
    """How those that know resets fare over streams four times as long as those of their training."""
    one = find(state["m"], data)
    if not one["resets"]:
        return f"**{one['title']}** was trained without resets."
    right, old = (fmt.percent(one["right"][f"long_{key}"], 1) for key in ("all", "old"))
    said = f"Over streams four times as long as those of its training **{one['title']}** is right {right} of the time"
    return f"{said}; where a key was mentioned long ago, {old}."


captions = {"sizes": sizes, "shares": shares, "long": long}


# ---------------------------------------------------------------- goals


def far_right(state: dict, data: dict) -> dict:
    """The window of 24 answers a read rightly whose value was written more than 60 tokens back."""
    if state["m"] != "window":
        return no("Choose the window of 24.")
    now = at(state, data)
    here = now["here"]
    if not here["reads"]:
        return no("Put the cursor on a read.")
    where = f"{here['key']} was written {here['written']} tokens back and last said {here['said']} back"
    if here["written"] <= FAR_BACK:
        return no(f"{where[0].upper()}{where[1:]}: not far enough.")
    if not now["live"]["here"]:
        return no(f"{where[0].upper()}{where[1:]}: the window says {now['live']['answers'][state['u']]}.")
    return {"reached": True, "says": f"Reached: {where}. A read in between said it again."}


def old_value(state: dict, data: dict) -> dict:
    """Linear attention is wrong on a stream of at most six units that the delta rule gets right."""
    if state["m"] not in ("linear", "delta"):
        return no("Choose linear or delta.")
    units = len(state["x"].split("."))
    if units > SHORT:
        return no(f"{units} units are too many.")
    adding, delta = (at(state, data, m=name) for name in ("linear", "delta"))
    here = adding["here"]
    if not here["reads"]:
        return no("Put the cursor on a read.")
    both = [now["live"]["answers"][state["u"]] for now in (adding, delta)]
    said = f"linear says {both[0]}, delta {both[1]}, right is {here['truth']}"
    if adding["live"]["here"] or not delta["live"]["here"]:
        return no(f"{said[0].upper()}{said[1:]}.")
    return {"reached": True, "says": f"Reached: {said}."}


goals = {"far_right": far_right, "old_value": old_value}
REPEATED = "e5.a1.b2.c3.d4.e.f6.g7.h8.i9.e.j1.k2.l3.m4.e.n5.o6.p7.q8.e.r2.s3.t4.e"
reach = {
    "far_right": [{"m": "window", "x": REPEATED, "u": 24}, {"m": "window", "x": "e5" + ".e" * 21, "u": 21}],
    "old_value": [{"m": "linear", "x": "e5.e9.e14.e", "u": 3}, {"m": "delta", "x": "e5.e9.e14.e", "u": 3}],
}


# ---------------------------------------------------------------- figures


def cards(state: dict, data: dict, bet: str = "") -> str:
    """The stream, face down while the bet is open."""
    return drawn.tiles(at(state, data), state["u"], hide=bet == "open")


def looks(state: dict, data: dict, bet: str = "") -> str:
    """The stream, and where each head looks."""
    now = at(state, data)
    hide = bet == "open" or not drawn.own_writes(now)
    return drawn.tiles(now, state["u"], ask=True) + ("" if hide else drawn.heads(now))


def chart(state: dict, data: dict, bet: str = "") -> str:
    """Right answers by distance."""
    return drawn.chart(find(state["m"], data), find("full", data), bet == "open")


def table(state: dict, data: dict, bet: str = "") -> str:
    """A state after the stream, and what is read from it."""
    now = at(state, data)
    beside = "" if bet == "open" else drawn.says(now)
    both = f'<div class="cw-decoder-table">{drawn.state(now, state["h"])}{beside}</div>'
    return drawn.tiles(now, state["u"], ask=True) + both


def price(state: dict, data: dict, bet: str = "") -> str:
    """A state beside the first tokens of a cache, and below it what every mixer keeps after a thousand."""
    now = at(state, data)
    return drawn.ink(now, bet == "open") + ("" if bet == "open" else drawn.sizes(now))


def crowd(state: dict, data: dict, bet: str = "") -> str:
    """Right answers by keys that live; while the bet is open, of few keys alone."""
    return drawn.heat(at(state, data), data, bet == "open")


def gates(state: dict, data: dict, bet: str = "") -> str:
    """A stream with a reset, and what each head's state keeps of what was before."""
    now = at(state, data)
    return drawn.tiles(now, state["u"], ask=True) + ("" if bet == "open" else drawn.gates(now))


figures = {
    "cards": cards, "looks": looks, "chart": chart, "table": table, "price": price, "crowd": crowd, "gates": gates,
}  # fmt: skip
