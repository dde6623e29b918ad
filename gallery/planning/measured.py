"""A model's repo and a training layout -> what a GPU did in a published run of the same layout, if there is one."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from cutaway.gallery.planning.layout import Layout

SOURCE = "NVIDIA-NeMo/Megatron-Bridge (Apache-2.0) at 067f987, docs/performance-summary*.md"
SAME = ("gpus", "batch", "micro_batch", "sequence", "tp", "pp", "chunks", "cp", "ep", "zero")

NUMBERS = ("dp_shard", "gradient_bytes", "optimizer_bytes", "lora_rank")


class Run(NamedTuple):
    """One published run."""

    release: str
    precision: str
    tokens: float  # a second and GPU
    tflops: float  # a second and GPU, as Megatron-LM counts them
    options: dict[str, Any]  # fields of Layout that its recipe sets otherwise


@cache
def runs() -> list[dict[str, str]]:
    """The rows of measured.csv."""
    lines = (Path(__file__).parent / "measured.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def options(row: dict[str, str]) -> dict[str, Any]:
    """What the recipe of a run says of its memory."""
    return {name: int(row[name]) for name in NUMBERS} | {name: row[name] for name in ("recompute", "offload")}


def matching_runs(repo: str, layout: Layout) -> list[Run]:
    """The runs of this layout, the fastest first; a layout that names no format of products has them in all. With LoRA
    those that had it, of any rank."""
    if layout.job != "train":
        return []
    found = [
        Run(row["release"], row["precision"], float(row["tokens"]), float(row["tflops"]), options(row))
        for row in runs()
        if row["model"] == repo
        and row["device"] == layout.device.name
        and layout.compute_dtype in ("", row["compute_dtype"])
        and bool(layout.lora_rank) == (row["lora_rank"] != "0")
        and all(int(row[name]) == getattr(layout, name) for name in SAME)
    ]
    return sorted(found, key=lambda run: -run.tokens)
