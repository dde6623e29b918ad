"""A model, a device and a load -> least time of each block of a step, what bounds it, and where that turns.

FLOPs and bytes are gallery.counting's, devices the planner's.
"""

from __future__ import annotations

import base64
import json
from functools import lru_cache

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers.roofline import models, says, steps
from cutaway.gallery.counting import blocks
from cutaway.gallery.counting.products import ORDER, PLAIN
from cutaway.gallery.planning.devices import DEVICES, fastest, product_format

STATE = {
    "model": "meta-llama/Llama-3.1-8B",
    "gpu": "h100_sxm",
    "gpus": 1,  # that share each block evenly and talk for nothing
    "job": "decode",  # or "prefill": whole prompts
    "context": 8192,  # tokens that a sequence has, the new one among them; of a prompt its length
    "batch": 1,
    "kv": "bf16",
}
CONTEXT = "context"  # the key that says how many tokens there are
FORMS = {PLAIN: "16 bits", "fp8": "FP8", "fp4": "FP4"}
ROUNDED = 1e-9
GPUS = (1, 2, 4, 8, 16, 32, 64)
MOST_CONTEXT, MOST_BATCH = 1 << 20, 1 << 14
DRAWN = 0.003  # share of a step that a block is drawn from


def data() -> dict:
    """The models, the devices, and the share of memory that may be filled."""
    return {**models.everyone(), "devices": models.devices(), "used": models.used()}


def separate_files() -> list[str]:
    """The names of the files apart."""
    return models.separate_models()


def beat_data(data: dict, beat: object) -> dict:
    """What a file of one beat can show: the models that it brings along, since it can fetch no other."""
    return {**data, "names": [[slug, title] for slug, title in data["names"] if slug in data["models"]]}


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if state["model"] not in [slug for slug, _ in data["names"]]:
        return f"No model here is called “{state['model']}”; choose one from the list."
    if state["gpu"] not in [one["key"] for one in data["devices"]]:
        return f"A device is one of {', '.join(one['key'] for one in data['devices'])}."
    for key, legal in (("gpus", GPUS), ("job", ("decode", "prefill")), ("kv", tuple(steps.DTYPES))):
        if isinstance(state[key], bool) or state[key] not in legal:
            return f"{key} is one of {', '.join(map(str, legal))}."
    for key, most in (("context", MOST_CONTEXT), ("batch", MOST_BATCH)):
        if not isinstance(state[key], int) or isinstance(state[key], bool) or not 1 <= state[key] <= most:
            return f"{key} is a whole number from 1 to {most:,}."
    return ""


@lru_cache(256)
def _load_separate(text: str) -> list:
    return json.loads(base64.b64decode(text))


def sheet_of(slug: str, data: dict) -> blocks.Sheet:
    """The sheet of a model, from the page's own or from its file."""
    return models.unpack_model(data["models"].get(slug) or _load_separate(data["apart"][slug]))


def device_of(state: dict, forms: list[str], data: dict) -> dict:
    """The chosen device: its peaks in the fastest of the formats that products run in, and in 16 bits, in which the
    past is worked on; and where these roofs have their ridges."""
    one = next(one for one in data["devices"] if one["key"] == state["gpu"])
    peak, plain = fastest(DEVICES[state["gpu"]], blocks.quickest(forms)), one["peaks"][PLAIN]
    return {
        "title": one["title"],
        "bandwidth": one["bandwidth"],
        "tb": one["bandwidth"] / 1e12,
        "peak": peak,
        "plain": plain,
        "ridge": peak / one["bandwidth"],
        "plain_ridge": plain / one["bandwidth"],
        "tflops": peak / 1e12,
        "room": state["gpus"] * int(one["memory"] * data["used"]),
    }


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    told = sheet_of(state["model"], data)
    device, gpus = device_of(state, [one["runs"] for one in told["blocks"] if one["token"]], data), state["gpus"]
    peaks = {form: gpus * fastest(DEVICES[state["gpu"]], form) for form in ORDER}
    rates = {**peaks, "bytes": gpus * device["bandwidth"]}
    rows = [steps.row(told, one, state, rates) for one in told["blocks"]]
    for one, block in zip(rows, told["blocks"], strict=True):
        one["form"] = FORMS[product_format(DEVICES[state["gpu"]], block["runs"])]
    total = total_of(rows, state, rates["bytes"])
    for one in rows:
        one["share"] = one["ms"] / total["ms"] if total["ms"] else 0.0
    halves = {name: steps.half(rows, name, gpus, rates) for name in steps.HALVES}
    for name in ("mixer", "mlp"):
        halves[name]["waits"] = steps.waits(told, name, rates)
    kept = float(sum(steps.moved(told, one, state, False)[1] for one in told["blocks"]))
    found = {
        "title": told["title"],
        "device": device,
        "rows": rows,
        "drawn": [i for i, one in enumerate(rows) if one["share"] >= DRAWN],
        "total": total,
        **halves,
        "past_share": halves["past"]["ms"] / total["ms"] if total["ms"] else 0.0,
        "most": rows.index(max(rows, key=lambda one: one["ms"])) if rows else 0,
        "rule": steps.crossings(told, state),
        "room": {
            "weights": told["held"],
            "cache": kept,
            "held": told["held"] + kept,
            "room": device["room"],
            "fits": told["held"] + kept <= device["room"],
        },
    }
    return found | says.sentences(state, found, told["alone"], tuple(FORMS.values()))


def total_of(rows: list[dict], state: dict, speed: float) -> dict:
    """The whole step."""
    sums = {key: float(sum(one[key] for one in rows)) for key in ("flops", "weights", "cache", "bytes", "ms")}
    for key in ("flops_ms", "bytes_ms"):
        sums[key] = float(sum(one[key] for one in rows))
    made = state["batch"] * (state["context"] if state["job"] == "prefill" else 1)
    return {
        **sums,
        "work": steps.spelt(sums["flops"], steps.WORK),
        "time": steps.spelt(sums["ms"], steps.TIMES),
        "weights_ms": 1e3 * sums["weights"] / speed,
        "rate": 1e3 * made / sums["ms"] if sums["ms"] else 0.0,
    }


def cases(seed: int = 7) -> list[dict]:
    """Random states of the page's own models; a few are illegal. A test goes over all the others."""
    rng = np.random.default_rng(seed)
    pick = lambda options: options[int(rng.integers(len(options)))]  # noqa: E731
    found: list[dict] = [{"model": "no/such"}, {"gpu": "abacus"}, {"gpus": 3}, {"kv": "fp4"}, {"job": "train"}]
    found += [{"context": 0}, {"batch": MOST_BATCH + 1}, {"context": MOST_CONTEXT}, {"batch": MOST_BATCH}]
    keys = [one["key"] for one in cached("roofline")["devices"]]
    for i in range(150):
        found.append({
            "model": models.LISTED[i % len(models.LISTED)], "gpu": pick(keys), "gpus": pick(GPUS),
            "job": pick(("decode", "decode", "prefill")), "kv": pick(tuple(steps.DTYPES)),
            "context": int(2 ** rng.uniform(0, 20)), "batch": int(2 ** rng.uniform(0, 14)),
        })  # fmt: skip
    return found
