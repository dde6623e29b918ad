"""What the beats of the blocks page ask, say and draw: answers, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

import numpy as np

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import bound, no
from cutaway.explainers.blocks import picture, reference, words
from cutaway.explainers.blocks.results import results
from cutaway.explainers.blocks.samples import sample

ASKED_RULES = (0, 2, 3)  # of the four: floor, rceil, even
OUTLIER, MOST_ZEROS, MOST_BITS = 32, 3, 7


def at(state: dict, data: dict, **changes) -> dict:
    return reference.compute({**state, **changes}, data)


def row_of(state: dict, data: dict) -> dict:
    return next(row for row in data["schemes"] if row["name"] == state["scheme"])


def following(state: dict, data: dict) -> dict:
    """The sixteen numbers after the first sixteen, under NVFP4 and the same tensor's scale."""
    x = sample(state["sample"], int(state["seed"]), 32)[16:].astype(np.float32)
    most = max(state["tensor_amax"], picture.plain(at(state, data)["amax"]))
    made = reference.quantize_block({**state, "scheme": "nvfp4", "tensor_amax": most}, x, "floor")[0]
    return {"values": x.tolist(), "scale": float(made.scale[0, 0]), **results(x, made, 16)}


def least(state: dict, data: dict) -> float:
    """The smallest number above zero that a code can say."""
    return min((v for v in at(state, data)["levels"] if v > 0), default=0.0)


def least_rule(state: dict, data: dict) -> int:
    """Which of floor, rceil and even errs least under MXFP4."""
    lab = at(state, data, scheme="mxfp4")["lab"]
    errors = [picture.plain(lab[k]["mse"]) for k in ASKED_RULES]
    return errors.index(min(errors))


def chosen(state: dict, data: dict) -> dict:
    """The rule's own row of the four, and what stands there under a scheme that has no rules."""
    lab = at(state, data)["lab"]
    none = {"kept": "", "clipped_count": 0, "mse": 0.0, "often": ""}
    return next((row for row in lab if row["rule"] == state["rule"]), none)


def beside_bits(state: dict, data: dict) -> float:
    """What is stored with one block's codes, in bits."""
    row = row_of(state, data)
    priced = next(one for one in data["ledger"] if one["name"] == row["name"])
    return sum(bits * row["n"] / per for _, bits, per in priced["costs"][1:])


answers = {
    "label": lambda state, data: row_of(state, data)["label"],
    "least": least,
    "half": lambda state, data: least(state, data) / 2,
    "next_zeros": lambda state, data: following(state, data)["zeros"],
    "next_scale": lambda state, data: following(state, data)["scale"],
    "least_rule": least_rule,
    "rule_kept": lambda state, data: chosen(state, data)["kept"],
    "rule_clips": lambda state, data: chosen(state, data)["clipped_count"],
    "rule_mse": lambda state, data: chosen(state, data)["mse"],
    "rule_often": lambda state, data: chosen(state, data)["often"],
    "rule_who": lambda state, data: next(row["who"] for row in data["rules"] if row["name"] == state["rule"]),
    "many_floor": lambda state, data: data["survey"]["mxfp4"]["bell"]["floor"][1],
    "many_rceil": lambda state, data: data["survey"]["mxfp4"]["bell"]["rceil"][1],
    "many_even": lambda state, data: data["survey"]["mxfp4"]["bell"]["even"][1],
    "element_bits": lambda state, data: row_of(state, data)["bits"],
    "beside_bits": beside_bits,
    "terms": lambda state, data: "; ".join(at(state, data)["cost"]["terms"]),
}


# ---------------------------------------------------------------- goals


def stop_clipping(state: dict, data: dict) -> dict:
    """One number of the first block changed, not element 5, and floor clips nothing."""
    first = reference.STATE
    if any(state[key] != first[key] for key in ("scheme", "rule", "sample", "seed", "outlier")):
        return no("This goal is about the first block, under MXFP4 and floor, without an outlier.")
    now = at(state, data)
    changed = [key for key in state["edits"] if int(key) < now["shown"]]
    if not changed:
        far = fmt.num(6 * now["scale"])
        return no(f"Element {now['clipped'][0]} lies beyond {far}, as far as this scale reaches.")
    if changed == ["5"] or len(changed) > 1:
        return no("Change one number only, and leave element 5 alone.")
    if now["scale"] == words.NAN:
        return no("A NaN clips nothing, and leaves nothing.")
    value, scale = fmt.num(now["values"][int(changed[0])]), fmt.num(now["scale"])
    if now["clipped_count"]:
        return no(f"With element {changed[0]} at {value} the scale is {scale}, and it still clips.")
    other = "smaller" if now["amax"] > at(state, data, edits={})["amax"] else "larger"
    says = f"Reached with element {changed[0]} at {value}: the scale is {scale}. A {other} number can do it too."
    return {"reached": True, "says": says}


def under_seven(state: dict, data: dict) -> dict:
    """An outlier of × 32 in 32 numbers, at most three of them zero, under seven bits a weight."""
    now, bits = at(state, data), fmt.num(row_cost(state, data))
    if state["outlier"] < OUTLIER or state["edits"] or now["n"] != 32:
        return no("Pull the outlier to × 32 in a block of 32 numbers, and change nothing else.")
    told = f"{row_of(state, data)['label']}: {now['zeros']} of 32 zero, {bits} bits a weight."
    if now["zeros"] > MOST_ZEROS or row_cost(state, data) >= MOST_BITS:
        return no(told)
    other = at(state, data, scheme="mxfp6_e2m3")["zeros"]
    return {"reached": True, "says": f"Reached with {told} Its exponent bits do it: E2M3, as many bits, has {other}."}


def row_cost(state: dict, data: dict) -> float:
    return next(one["bits"] for one in data["ledger"] if one["name"] == state["scheme"])


goals = {"stop_clipping": stop_clipping, "under_seven": under_seven}
reach = {
    "stop_clipping": [{"edits": {"24": -3.0}}, {"edits": {"24": 4.0}}, {"edits": {"0": 5.0}}],
    "under_seven": [{"scheme": "mxfp6_e3m2", "outlier": 32.0}],
}


# ---------------------------------------------------------------- figures


def block(state: dict, data: dict) -> str:
    """The columns; what comes back is hidden while the bet is open."""
    return picture.columns(at(state, data), later=True)


def outlier(state: dict, data: dict) -> str:
    """The columns as they stand."""
    return picture.columns(at(state, data), labels=False)


def sides(state: dict, data: dict) -> str:
    """32 columns: one block, or under NVFP4 two with a scale each."""
    now = at(state, data)
    said = "{} numbers, scale {}: {} come back as zero".format(
        bound(now["n"], "n", "int", "span"),
        bound(now["scale"], "scale", "num 4", "span"),
        bound(now["zeros"], "zeros", "int", "span"),
    )
    if state["scheme"] != "nvfp4":
        alone = picture.columns({**now, "levels": []})
        return f'<p class="cw-blocks-sides"><span>{said}</span></p>{alone}'
    near = following(state, data)
    other = "the next block, scale {}: {}".format(
        bound(near["scale"], "next_scale", "num 4", "span"), bound(near["zeros"], "next_zeros", "int", "span")
    )
    both = {key: now[key] + near[key] for key in ("values", "dequantized", "relative")}
    was = now["before"]["dequantized"]
    before = {"dequantized": was and was + near["dequantized"]}
    merged = {**now, **both, "before": before, "levels": [], "zeros": now["zeros"] + near["zeros"]}
    head = f'<p class="cw-blocks-sides two"><span>{said}</span><span>{other}</span></p>'
    return head + picture.columns(merged, border=True)


def rules(state: dict, data: dict) -> str:
    """The four rules as cards: what is drawn, without a number."""
    return picture.cards(data, at(state, data))


def cost(state: dict, data: dict) -> str:
    """One block's bits, drawn to scale."""
    return picture.bits(at(state, data), row_of(state, data)["bits"], beside_bits(state, data))


figures = {"block": block, "outlier": outlier, "sides": sides, "rules": rules, "cost": cost}
