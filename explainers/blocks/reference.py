"""One block of numbers and a scheme -> scale, codes, what comes back, the bytes; and so under every scale rule."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cutaway.explainers import fmt
from cutaway.explainers.blocks import codec, excerpts, legal, lines, plain_rows, rows, words
from cutaway.explainers.blocks.packing import pack_elements, scale_bytes, settle_packing
from cutaway.explainers.blocks.results import floats, levels, plainly, results, tile
from cutaway.explainers.blocks.samples import TILE, sample
from cutaway.explainers.blocks.survey import survey

check, LIMIT, OWN = legal.check, legal.LIMIT, legal.OWN
lab_data, beat_data = excerpts.lab_data, excerpts.beat_data

SIZE = {name: row.n for name, row in rows.PLAYED.items()}
SHOWN = {name: row.shown for name, row in rows.PLAYED.items()}
OUTLIER_AT = 5  # which element the outlier slider multiplies

STATE = {
    "scheme": "mxfp4",
    "rule": "floor",
    "sample": "bell",
    "seed": 16,
    "outlier": 1.0,
    "edits": {},  # element index (as text) -> value, or "-0", or "NaN"
    "picked": 5,
    "tensor_amax": 8.0,
    "packing": "stream",
    "own": [],  # pasted numbers, which fill the block again and again
}


# ---------------------------------------------------------------- numbers to quantize


def values(state: dict) -> np.ndarray:
    """The block as float32: the sample, the outlier, then what the reader changed."""
    x = given(state, SIZE[state["scheme"]])
    x[OUTLIER_AT] *= state["outlier"]
    for key, value in state["edits"].items():
        if int(key) < SHOWN[state["scheme"]]:
            x[int(key)] = float(value)
    return x.astype(np.float32)


def given(state: dict, n: int) -> np.ndarray:
    """n numbers before the outlier and the changes, float64."""
    if state["sample"] == "own":
        return np.resize(np.array(state["own"], float), n)
    return sample(state["sample"], int(state["seed"]), n)


# ---------------------------------------------------------------- the page's contract


@cache
def data() -> dict:
    """Everything the widget must not invent: schemes, rules, ledger, the codebook, and how often blocks clip."""
    return {
        "schemes": plain_rows.played_schemes(),
        "rules": [{key: rule[key] for key in ("name", "formula", "who")} for rule in rows.RULES],
        "samples": list(rows.SAMPLES),
        "packings": rows.PACKINGS,
        "ledger": plain_rows.ledger(),
        "halves": rows.HALVES,
        "wide": list(rows.WIDE),
        "books": {name: book for name, book in rows.BOOKS.items() if name != "dynamic8"},  # made by the browser itself
        "survey": survey(),
        "limit": LIMIT,
        "own": OWN,
        "outlier_at": OUTLIER_AT,
    }


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints about the block."""
    scheme, x = state["scheme"], values(state)
    row = next(r for r in data["schemes"] if r["name"] == scheme)
    shown, picked = SHOWN[scheme], min(int(state["picked"]), SHOWN[scheme] - 1)
    made, tensor_amax = quantize_block(state, x, state["rule"])
    subs = made.scale.shape[1]
    sub = picked * subs // len(x)
    out = {
        "n": len(x),
        "shown": shown,
        "values": floats(x[:shown]),
        "amax": plainly(float(np.abs(x).max())),
        "peak": int(np.abs(x).argmax()),
        "low": plainly(x.min()),
        "high": plainly(x.max()),
        "subs": subs,
        "sub": sub,
        "scale": plainly(made.scale[0, sub]),
        "scale_code": int(made.scale_code[0, sub]),
        "zero": None if made.zero is None else int(made.zero[0, sub]),
        "second": [] if made.second is None else floats(made.second[0]),
        "tensor_amax": tensor_amax,
        "tensor_scale": tensor_scale(scheme, tensor_amax),
        **results(x, made, shown),
        "before": before_scaling(state, x, shown),
        "levels": levels(scheme, made, sub),
        **pack_elements(scheme, state["packing"], made.codes[0, :shown].tolist()),
        "scale_bytes": scale_bytes(scheme, made, sub),
        "lab": labs(state, x, data) if scheme in codec.MX else [],
        "tile": tile(x) if row["kind"] == "fp8" and len(x) == TILE * TILE else [],
        "picked": picked,
    }
    return out | words.told(state, out, row, data)


def tensor_scale(scheme: str, tensor_amax: float) -> float:
    """The FP32 scale of the tensor, where a scheme has one; else 0."""
    facts = rows.PLAYED[scheme].facts
    return float(codec.nvfp4_tensor_scale(np.array(tensor_amax, np.float32), facts)) if "reach" in facts else 0.0


def quantize_block(state: dict, x: np.ndarray, rule: str) -> tuple[codec.Blocks, float]:
    """The block under the state's scheme, and the tensor's largest value where that matters."""
    of_tensor = "reach" in rows.PLAYED[state["scheme"]].facts
    tensor_amax = max(float(np.float32(state["tensor_amax"])), float(np.abs(x).max())) if of_tensor else 0.0
    gguf = settle_packing(state["scheme"], state["packing"]) == "halves"
    return codec.quantize(state["scheme"], x[None], rule, tensor_amax, gguf), tensor_amax


def before_scaling(state: dict, x: np.ndarray, shown: int) -> dict:
    """What came back before anything was multiplied or changed; no numbers where nothing was."""
    plain = given(state, len(x)).astype(np.float32)
    found = results(plain, quantize_block(state, plain, state["rule"])[0], shown)
    same = np.array_equal(plain, x)
    return {"dequantized": [] if same else found["dequantized"], "zeros": found["zeros"], "off": found["off"]}


def labs(state: dict, x: np.ndarray, data: dict) -> list[dict]:
    """The same block under each scale rule, and which of them errs least."""
    made = [lab(state, x, rule, data) for rule in codec.RULES]
    known = [row["mse"] for row in made if row["mse"] != words.NAN]
    for row in made:
        like = [other["rule"] for other in made if other["mse"] == row["mse"] and other is not row]
        if known and row["mse"] == min(known):
            row["best"] = f"least, like {', '.join(like)}" if like else "least error"
    return made


def lab(state: dict, x: np.ndarray, rule: str, data: dict) -> dict:
    """The same block under one scale rule."""
    made = quantize_block(state, x, rule)[0]
    found = results(x, made, SHOWN[state["scheme"]])
    scale, code = plainly(made.scale[0, 0]), int(made.scale_code[0, 0])
    many = data["survey"][state["scheme"]].get(state["sample"], {}).get(rule)
    # of an error the third digit is the sample's, not the rule's
    clip = f"{fmt.percent(many[0], 0)} clip; the mean squared error is {fmt.num(many[1], 2)}" if many else ""
    head = {"rule": rule, "scale": scale, "scale_code": code, "kept": f"{words.power(scale)} · {lines.hexed(code, 8)}"}
    kept = ("dequantized", "clipped", "clipped_count", "mse", "worst")
    return head | {key: found[key] for key in kept} | {"often": clip and f"Of 2,048 such blocks, {clip}.", "best": ""}


def bad_cases() -> list[dict]:
    """A NaN where it is not known what it does, and changes that are none."""
    edits = ({"3": "nan"}, {"200": 1}, {"1": 1e9}, {"01": 1})
    own: tuple[list, ...] = ([], [1.0] * 257, ["NaN"], [1e9])
    refused = [{"scheme": name, "edits": {"3": "NaN"}} for name in ("nvfp4", "q4_k")]
    return [*refused, *({"edits": one} for one in edits), *({"sample": "own", "own": one} for one in own)]


def cases() -> list[dict]:
    """States for reference and widget alike: every scheme, rule and packing, and the awkward ones."""
    made: list[dict[str, Any]] = [
        {"scheme": name, "sample": kind} for name in SIZE for kind in ("bell", "heavy", "ramp")
    ]
    made += [
        {"scheme": name, "rule": rule, "seed": seed} for name in codec.MX for rule in codec.RULES for seed in (1, 2)
    ]
    made += [{"scheme": name, "outlier": times} for name in SIZE for times in (3.0, 1024.0)]
    made += [{"scheme": name, "edits": {str(i): 0.0 for i in range(128)}, "outlier": 1.0} for name in SIZE]
    made += [{"scheme": name, "edits": {"0": 0.25, "1": -0.75, "2": 6.5, "3": 1e-30, "4": -10000.0}} for name in SIZE]
    made += [{"scheme": name, "edits": {"7": "-0"}} for name in SIZE]
    made += [{"scheme": "nvfp4", "tensor_amax": amax} for amax in (0.0001, 3.0, 100.0, 1e6)]
    made += [{"scheme": name, "sample": "own", "own": [0.5, -1.25, 3.0, 0.0, 0.01], "picked": 60} for name in SIZE]
    made += [{"scheme": "nvfp4_46", "seed": seed, "tensor_amax": amax} for seed in range(1, 4) for amax in (3.0, 4.0)]
    made += [{"scheme": name, "packing": "halves"} for name in ("mxfp4", "nvfp4", "nf4", "int4_awq")]
    made += [{"packing": "halves", "seed": seed, "rule": rule} for seed in (3, 4) for rule in codec.RULES]
    made += [{"scheme": name, "edits": {"3": "NaN", "5": 2.0}, "picked": 3} for name in codec.MX]
    made += [{"scheme": name, "picked": 11, "edits": {"11": 1e-9, "12": 0.5}} for name in SIZE]
    return [{**STATE, **case} for case in made]
