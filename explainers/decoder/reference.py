"""A mixer and a stream -> what a tiny trained decoder answers, where it looks, what it keeps. Twin of compute.js.

A stream is written "e12.a7.e.!", as streams.py says.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import numpy as np

from cutaway.explainers.decoder import answering, running, streams

HERE = Path(__file__).parent
mixers, task, measured = running.mixers, running.task, streams.measured
stream, live = streams.stream, answering.live
held_out = json.loads((HERE / "held_out.json").read_text("utf-8"))
measures = json.loads((HERE / "measured.json").read_text("utf-8"))
retrained = json.loads((HERE / "retrained.json").read_text("utf-8"))

STATE = {
    "m": "full",  # the mixer
    "x": "g19.e12.a7.k8.e2.a.p30.g.k.m5.a.g17.p.e",  # the stream
    "u": 13,  # the unit under the cursor
    "h": 0,  # the head that is drawn large
    "temp": 1.0,
    "top": 1.0,  # top-p: the smallest set of tokens with at least this share is drawn from
    "draw": 0,  # 0: the likeliest is taken; else which draw it is
    "feed": "decode",  # or "prefill"
}
ROUNDED = 1e-7  # sums in another order
ROLES = {"window": "window", "mla": "latent", "linear": "linear", "decay": "ssm", "delta": "linear", "gated": "linear"}
BYTES = 2  # of a kept number
MANY = 1000  # tokens after which mixers are compared
BACKS = range(2, 72, 3)  # tokens back at which right answers are drawn: a value is said every third one


def decode_cache(kind) -> dict:
    """What decoding keeps, as the gallery reads it off the graph: numbers a token, numbers at any length in a state
    and, apart from what is compared here, in convolutions."""
    found = [keep for node in mixers.layer(kind).nodes for keep in node.keeps]
    return {
        "row": sum(keep.numbers for keep in found if keep.kind == "kv"),
        "fixed": sum(keep.numbers for keep in found if keep.kind == "state"),
        "conv": sum(keep.numbers for keep in found if keep.kind == "conv"),
    }


def row(kind) -> dict:
    """A mixer as the page knows it."""
    shapes = mixers.shapes(kind)
    packed = running.file(kind.name)
    found = dict(measures[kind.name])
    found |= {f"long_{key}": pair for key, pair in found.pop("long", {}).items()}
    return {
        **{key: value for key, value in kind._asdict().items() if key != "steps_trained"},
        "role": ROLES.get(kind.name.rstrip("8-x"), "full"),
        "shapes": [[name, list(shape)] for name, shape in shapes.items()],
        "keeps": decode_cache(kind),
        "numbers": int(sum(np.prod(shape) for shape in shapes.values())),
        "bytes": len(packed),
        "digest": hashlib.sha256(packed).hexdigest()[:7],
        "right": {
            key: round(pair[0] / pair[1], 5) for key, pair in found.items() if key not in ("cells", "said", "sample")
        },
        "others": [round(rows[kind.name]["all"][0] / rows[kind.name]["all"][1], 5) for rows in held_out.values()],
        "stays": [round(share, 4) for share in running.stays(kind.name)] if kind.resets else [],
        "trained": kind.steps_trained * task.BATCH,
        "cells": found["cells"],
        "said": [round(right / asked, 3) for right, asked in map(found["said"].get, map(str, BACKS))]
        if not kind.resets
        else [],
    }


def data() -> dict:
    """Mixers, what was measured of them, what they say of the first stream; `apart`: weights, a file each."""
    rows = [row(kind) for kind in mixers.KINDS.values()]
    first = {key: value for key, value in STATE.items() if key in ("x", "u", "temp", "top", "draw")}
    known = {"mixers": rows, "far": measured.FAR, "live": measured.LIVE, "first": first}
    names = [one["name"] for one in rows if not one["resets"]]
    told = {name: answering.brief(live({**STATE, "m": name}), name) for name in names}
    apart = {one["name"]: base64.b64encode(running.file(one["name"])).decode() for one in rows}
    return {**known, "told": told, "thrice": thrice(), "apart": apart}


def thrice() -> dict[str, list[float]]:
    """How often decoders of three trainings are right at what the bets ask of them, the shipped one first."""
    pairs = {
        name: [measures[name][measured.RETRAINED[name]], *(row["quoted"] for row in rows.values())]
        for name, rows in retrained.items()
    }
    return {name: [round(right / asked, 5) for right, asked in row] for name, row in pairs.items()}


def separate_files() -> list[str]:
    """The names of the files apart."""
    return list(mixers.KINDS)


def beat_data(data: dict, beat) -> dict:
    """What a file of one beat needs: answers of the mixers that its words name, and nothing that weights ask for."""
    named = f"{beat.text} {dict(beat.state)} {beat.controls}"
    told = {name: told for name, told in data["told"].items() if name == STATE["m"] or name in named}
    left = {"shapes", "digest"} | ({"said"} if beat.figure != "chart" else set())
    rows = [{key: value for key, value in row.items() if key not in left} for row in data["mixers"]]
    return {**data, "told": told, "mixers": rows}


# ---------------------------------------------------------------- the stream


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if state["m"] not in mixers.KINDS:
        return f"No mixer here is called “{state['m']}”; choose one from the list."
    parts = state["x"].split(".")
    held: set[str] = set()
    for part in parts:
        unit = streams.as_unit(part)
        if not unit:
            words = f"a write is a key and a value up to {task.VALUES}, like e12; a read is a key, like e"
            return f"“{part}” is not an operation: {words}, or a key and the answer fed after it, like e~9."
        if part == "!" and not mixers.KINDS[state["m"]].resets:
            return "“!” clears every key: only the mixers trained with resets support it."
        if part == "!":
            continue
        if not unit.value and unit.key not in held:
            return f"{unit.key} is read before it is written."
        held.add(unit.key)
    if len(parts) > task.UNITS:
        return f"A stream has at most {task.UNITS} operations."
    numbers = [("u", "The cursor must be", len(parts) - 1), ("h", "A head must be", 3), ("draw", "A draw must be", 999)]
    for key, words, most in numbers:
        if not (isinstance(state[key], int) and not isinstance(state[key], bool) and 0 <= state[key] <= most):
            return f"{words} a whole number from 0 to {most}."
    if not 0.1 <= state["temp"] <= 3:
        return "The temperature must be between 0.1 and 3."
    if not 0.05 <= state["top"] <= 1:
        return "Top-p must be between 0.05 and 1."
    return "" if state["feed"] in ("decode", "prefill") else "Tokens are fed by decode or prefill."


def settle(state: dict, given: list[str], data: dict) -> dict:
    """A stream without a cursor is read at its end."""
    return {**state, "u": len(state["x"].split(".")) - 1} if "x" in given and "u" not in given else state


def cache_after(one: dict, tokens: int) -> dict:
    """What is kept after so many tokens, convolutions aside: every mixer has these."""
    rows = min(tokens, one["window"] or tokens) if one["keeps"]["row"] else 0
    numbers = one["keeps"]["row"] * rows + one["keeps"]["fixed"]
    return {"rows": rows, "numbers": numbers, "bytes": BYTES * numbers}


def equal_cache(one: dict, data: dict) -> dict:
    """A cache and a state whose heads are as wide as this mixer's: what a token adds, what is kept at any length."""
    alike = [one, *(row for row in data["mixers"] if row["d"] == one["d"])]
    cache, state = (next(row for row in alike if row["keeps"][key]) for key in ("row", "fixed"))
    row, fixed = cache["keeps"]["row"], state["keeps"]["fixed"]
    return {"cache": cache["title"], "row": row, "fixed": fixed, "after": -(-fixed // row), "many": MANY}


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    made = stream(state["x"])
    one = next(row for row in data["mixers"] if row["name"] == state["m"])
    place = streams.read_at_cursor(made["tokens"], state["u"])
    tokens = place["token"] + 1
    cell = one["cells"][place["crowd"]][place["far"]] if min(place["crowd"], place["far"]) >= 0 else [0, 0]
    full = data["mixers"][0]
    heat = [[100 * right / asked if asked else -1 for right, asked in row] for row in one["cells"]]
    return {
        "stream": made,
        "tokens": tokens,
        "here": {**place, "right": cell[0], "asked": cell[1], "share": cell[0] / max(cell[1], 1)},
        "model": {
            **{key: one[key] for key in ("title", "numbers", "stays", "others", "trained")},
            "file": one["bytes"],
            **one["right"],
        },
        "kept": {**cache_after(one, tokens), **one["keeps"]},
        "full": cache_after(full, tokens),
        "meets": equal_cache(one, data),
        "fed": {
            "steps": 1 if state["feed"] == "prefill" else tokens,
            "rows": tokens if state["feed"] == "prefill" else 1,
        },
        "heat": heat,
        "every": [
            {"title": row["title"], "all": row["right"]["all"], "bytes": cache_after(row, MANY)["bytes"]}
            for row in data["mixers"]
            if row["resets"] == one["resets"]
        ],
        "thrice": {name: {"low": min(row), "high": max(row)} for name, row in data["thrice"].items()},
        "live": live(state),
    }


def cases(seed: int = 5) -> list[dict]:
    """Every mixer over random streams of many lengths; some are illegal."""
    rng = np.random.default_rng(seed)
    found: list[dict] = [{"m": "none"}, {"x": "e12.e33"}, {"x": "e"}, {"x": "e5.Q"}, {"u": 14}, {"temp": 0.0}]
    found += [{"x": ".".join(["a1"] * 41)}, {"feed": "both"}, {"h": 4}, {"top": 0.0}, {"x": "a1", "u": 0}]
    found += [{"x": "e~3"}, {"x": "e1.e~33"}, {"x": "e1.~3"}, {"x": "e1.e~1.e.e~2.e", "u": 4}, {"x": "e1.e~2", "u": 1}]
    found += [{"x": "a1.!.a"}, {"m": "gated-x", "x": "!.a", "u": 1}, {"m": "gated-x", "x": "a1.!", "u": 1}]
    for name, kind in mixers.KINDS.items():
        for one in range(5):
            count = int(rng.integers(1, task.UNITS + 1))
            text = streams.write_tokens((task.with_resets if kind.resets else task.stream)(rng)[: 3 * count])
            found.append(
                {
                    "m": name,
                    "x": mislead(rng, text) if one == 4 else text,
                    "u": int(rng.integers(count)),
                    "h": int(rng.integers(4)),
                    "temp": float(rng.choice([0.3, 1.0, 2.5])),
                    "top": float(rng.choice([0.5, 0.9, 1.0])),
                    "draw": int(rng.integers(5)),
                    "feed": str(rng.choice(["decode", "prefill"])),
                }
            )
    return found + edits(rng)


def mislead(rng: np.random.Generator, text: str) -> str:
    """The same stream, in which every second read or so is fed any value."""
    reads = (len(part) == 1 and part != "!" and rng.random() < 0.5 for part in text.split("."))
    return ".".join(
        f"{part}~{rng.integers(1, task.VALUES + 1)}" if lies else part
        for part, lies in zip(text.split("."), reads, strict=True)
    )


def edits(rng: np.random.Generator) -> list[dict]:
    """Streams that differ in one unit from the one before: what a decoder remembers of its last must still hold."""
    found = []
    for name in ("full", "window", "mla", "delta", "gated-x"):
        parts = streams.write_tokens((task.with_resets if mixers.KINDS[name].resets else task.stream)(rng)).split(".")[
            :-1
        ]
        made = (
            parts,
            [*parts[:20], "e5", *parts[21:]],
            [*parts[:9], "e7", *parts[9:]],
            [*parts[:30], "e9", *parts[31:]],
        )
        found += [{"m": name, "x": ".".join(units), "u": u} for units, u in zip(made, (38, 38, 39, 25), strict=True)]
    return found
