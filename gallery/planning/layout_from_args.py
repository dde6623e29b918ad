"""What was asked for, field by field -> a layout: what is left out follows from the rest.

One place for the command line, for the words of an address and for the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from cutaway.gallery.planning.layout import Layout, LayoutError, devices, stages
from cutaway.gallery.planning.schedules import SCHEDULES
from cutaway.gallery.planning.stages import expand_layout

USUAL_BATCH = 2_048  # sequences of a training step, rounded up to what the layout can deal out
FORMATS = {"fp8": "float8_e4m3fn", "bf16": "bfloat16", "fp16": "float16", "fp4": "float4_e2m1fn"}  # of a cache
WEIGHTS = {"bf16": "bfloat16", "fp16": "float16", "float8_e4m3fn": "fp8"}
GRADIENTS = {"": 4, "float32": 4, "fp32": 4, "bfloat16": 2, "bf16": 2}
OTHERS = {"device", "nodes", "per_node", "pp", "chunks", "etp", "batch", "mtp"}  # not taken as they were asked for
PLAIN = frozenset(one.name for one in fields(Layout)) - OTHERS


def usual_batch(layout: Layout) -> int:
    """Training: 2,048 sequences; prefill: one for each part; decode: as many as fit."""
    if layout.job != "train":
        return max(layout.dp, 1) if layout.job == "prefill" else 0
    row = SCHEDULES.get(layout.runs, SCHEDULES["1f1b"])
    each = max(layout.dp * layout.micro_batch, 1)
    step = each * row.multiple(layout.pp)
    return -(-max(USUAL_BATCH, each * row.least(layout.pp)) // step) * step


def usual_mtp(layout: Layout) -> int:
    """As many further tokens as a layout string has an m for."""
    return "".join(expand_layout(layout.split)).count("m") if layout.job == "train" else 0


def cache_format(name: str) -> str:
    """The format of a cache by its own name, or by a short one."""
    return FORMATS.get(name, name)


def dtypes(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Formats by their short names -> what the layout calls them."""
    gradients, weights = asked.get("gradient_dtype", ""), asked.get("weights_dtype", "")
    if gradients not in GRADIENTS:
        raise LayoutError(f"Gradients are float32 or bfloat16, not {gradients[:40]!r}.")
    weights = WEIGHTS.get(weights, weights)
    cache, dispatch = asked.get("cache_dtype", "bfloat16"), asked.get("dispatch_dtype", "")
    compute = asked.get("compute_dtype", "")
    return {
        "gradient_bytes": GRADIENTS[gradients], "weights_dtype": weights, "weight_bytes": 1 if weights == "fp8" else 2,
        "cache_dtype": cache_format(cache), "dispatch_dtype": WEIGHTS.get(dispatch, dispatch),
        "compute_dtype": WEIGHTS.get(compute, compute),
    }  # fmt: skip


def layout_from_args(asked: Mapping[str, Any]) -> Layout:
    """The layout: `on` and `pp` as they are written, formats by their names, every other field by its own."""
    device, nodes, per_node = devices(asked["on"])
    pp, chunks = stages(str(asked.get("pp", "1")))
    if asked.get("split") and chunks == 1:
        chunks = max(len(expand_layout(asked["split"])) // max(pp, 1), 1)
    named = {name: asked[name] for name in PLAIN & set(asked)}
    made = Layout(device, nodes, per_node, pp=pp, chunks=chunks, **{**named, **dtypes(asked)})
    if min(made.tp, made.pp, made.cp, made.ep) < 1:
        return made
    if asked.get("dp") not in (None, made.dp):
        model = made.tp * made.pp * made.cp
        words = f"dp is GPUs / (tp x pp x cp) = {made.gpus} / {model}"
        raise LayoutError(f"{words}: leave dp {asked['dp']} out.")
    etp, batch, mtp = asked.get("etp"), asked.get("batch"), asked.get("mtp")
    made = replace(made, mtp=usual_mtp(made) if mtp is None else mtp)
    made = replace(made, etp=max(made.usual_etp, 1) if etp is None else etp)
    return replace(made, batch=usual_batch(made) if batch is None else batch)
