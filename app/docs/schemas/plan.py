"""The schema of `cutaway plan --json`: kinds of value here, words from gallery/command/plan_json.md."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import cutaway.gallery.command
from cutaway.app.docs.schemas.printed import printed
from cutaway.app.docs.schemas.shapes import (
    Schema,
    anything,
    flag,
    many,
    number,
    one_of,
    or_null,
    record,
    table,
    text,
    whole,
    with_words,
)

GUIDE = Path(str(cutaway.gallery.command.__file__)).with_name("plan_json.md")
LABELS = ("computed", "bounded", "measured", "extrapolated")
LABEL = {"label": one_of(LABELS, "how the numbers came to be")}


@cache
def guide() -> dict[str, dict[str, str]]:
    """Heading of plan_json.md -> key -> what it says of it; "" is the table at the top."""
    found: dict[str, dict[str, str]] = {"": {}}
    heading = ""
    for line in GUIDE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:].strip()
            found[heading] = {}
        if row := re.fullmatch(r"\| (`.+`) \| (.+) \|", line):
            says = re.sub(r": \[below\]\(#\w+\)", "", row[2])
            found[heading] |= dict.fromkeys(re.findall(r"`([^`]+)`", row[1]), says)
    return found


def described(heading: str, keys: dict[str, Schema]) -> dict[str, Schema]:
    """Keys with the words of the guide, in the guide's own heading or in that of layouts."""
    words = guide()["plan"] | guide()["layouts"] | guide()[heading]
    return {key: with_words(schema, words.get(key, "")) for key, schema in keys.items()}


def _all(schema: Schema, names: str) -> dict[str, Schema]:
    return dict.fromkeys(names.split(), schema)


AXES = _all(whole(), "nodes tp pp chunks cp dp ep etp")
PLAN = record(described("plan", {
    **AXES, **_all(text(), "device schedule job recompute offload weights_dtype cache_dtype compute_dtype split "
                           "cp_kind order dispatch_dtype"),
    **_all(whole(), "per_node gpus edp zero sequence context batch micro_batch lora_rank redundant dp_shard dcp mtp"),
    **_all(number(), "gradient_bytes used weight_bytes optimizer_bytes imbalance"),
    "framework_bytes": or_null(whole()),
}))  # fmt: skip
ROW = {**AXES, "seconds": or_null(number()), "unhidden_seconds": or_null(number()), "binds": text(),
       "bytes": whole(), "sequences": or_null(whole()), "address": or_null(text())}  # fmt: skip
FITS = record(LABEL | described("fits", {
    "fits": flag(), "says": text(), **_all(whole(), "memory_bytes room_bytes fullest emptiest"),
    "sequences": or_null(whole()), "longest_context": or_null(whole()),
    "fixes": many(record({"changes": many(many(anything()))} | described("layouts", ROW))),
    "wastes": many(record({"field": text(), "says": text(), "bytes": whole()})),
}))  # fmt: skip
RANK = record(LABEL | described("ranks", {
    **_all(whole(), "stage alike first weights_bytes experts_bytes gradients_bytes optimizer_bytes activations_bytes "
                    "cache_bytes framework_bytes sequence_cache_bytes sequence_fixed_bytes sequence_read_bytes "
                    "sequence_padding_bytes total_bytes"),
    "layers": many(whole()),
}))  # fmt: skip
COMMUNICATOR = record(LABEL | described("communicators", {
    **_all(whole(), "stage ranks near"), **_all(number(), "calls bytes leaving_bytes"),
    **_all(text(), "axis operation"), "members": many(whole()),
}))  # fmt: skip
RUN = record(LABEL | _all(text(), "source"), also=_all(anything(), "release precision tokens tflops"))
RUN["additionalProperties"] = True  # what a published run says of its layout
TIMES = _all(number(), "unhidden_seconds tokens products_seconds memory_seconds inside_seconds outside_seconds "
                       "flow_seconds idle_seconds bubble bubble_of_all")  # fmt: skip
STEP = record(
    LABEL | described("step", {"says": text(), "seconds": or_null(number())}),
    also=described("step", TIMES | {"binds": text(), "training_flops_per_token": or_null(whole()),
                                    "measured": many(RUN)}),
)  # fmt: skip
LAYOUTS = record(LABEL | described("layouts", {
    "sort": text(), "legal": whole(), "fitting": whole(), "place": or_null(whole()),
    "rows": many(record(described("layouts", ROW))),
}))  # fmt: skip
OWNER = record(described("owners", {
    **_all(text(), "name part"), **_all(many(whole()), "shape layers stages"), "rule": many(anything()),
    **_all(whole(), "numbers slices copies"),
}))  # fmt: skip
FORMULA = record(described("formulas", {
    "stage": whole(), "result": anything(), **_all(text(), "what formula says source"),
}))  # fmt: skip
SCHEMA = printed(
    "plan",
    described("", {
        "plan": PLAN, "fits": FITS, "ranks": many(RANK), "communicators": many(COMMUNICATOR), "step": STEP,
        "layouts": LAYOUTS, "owners": many(OWNER), "formulas": many(FORMULA),
        "flags": table(record({"flags": text(), "untold": many(text())})),
        "address": or_null(text()), "notes": many(many(text())),
    }),
    "What each GPU of a layout holds and sends, whether it fits, and the least time of a step.",
)  # fmt: skip
