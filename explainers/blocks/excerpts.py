"""The page's data -> what the embedded lab and what a beat need of them, so that a file of one stays small."""

from __future__ import annotations

from typing import Any

# Kinds that searched.js adds: an embedded lab is one file of 30 KB, and leaves them to the page.
SEARCHED = ("four_over_six", "hqq", "mlx", "nf4_nested", "q8_0", "q4_k", "q6_k", "iq4_nl", "ue4m3")


def lab_data(data: dict) -> dict:
    """What the embedded lab plays, and the prices of that."""
    schemes = [row for row in data["schemes"] if row["kind"] not in SEARCHED]
    kept = {row["name"] for row in schemes}
    packings = {name for row in schemes for name in row["packings"]}
    return data | {
        "schemes": schemes,
        "ledger": [row for row in data["ledger"] if row["name"] in kept],
        "packings": {name: words for name, words in data["packings"].items() if name in packings},
        "books": {"nf4": data["books"]["nf4"]},
    }


# What the beats play: their choices of a scheme in page.md.
IN_BEATS = ("mxfp4", "nvfp4")
PRICED = (*IN_BEATS, "int4_gptq", "nf4", "mxfp6_e3m2", "fp8_128x128")


def beat_data(data: dict, beat: Any) -> dict:
    """A beat needs the schemes that it plays and their prices; it prints no note, no packing and no source. Who uses a
    rule and how often blocks clip stands in the beat on rules alone."""
    priced = beat.figure == "cost"
    names = PRICED if priced else IN_BEATS
    found = data | {
        "schemes": [{**row, "note": ""} for row in data["schemes"] if row["name"] in names],
        "ledger": [{**row, "source": ""} for row in data["ledger"] if row["name"] in names],
        "packings": dict.fromkeys(data["packings"], ""),
        "books": {"nf4": data["books"]["nf4"]} if priced else {},
    }
    if beat.figure == "rules":
        return found
    rules = [{**row, "formula": "", "who": ""} for row in data["rules"]]
    unlabelled = [{**row, "label": ""} for row in data["samples"]]
    surveys: dict[str, dict] = {name: {} for name in data["survey"] if name in names}
    return found | {"rules": rules, "survey": surveys, "samples": unlabelled}
