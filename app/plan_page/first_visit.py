"""What a first visit to /plan/ sees planned; planner/first.js draws it at build."""

from __future__ import annotations

from typing import Any

FIRST = "Qwen/Qwen3-235B-A22B"
# What is chosen where the address says nothing; null: what follows from the rest.
CHOSEN: dict[str, Any] = {
    "m": FIRST, "device": "h100_sxm", "nodes": 1, "per_node": 8, "tp": 1, "pp": 1, "chunks": 1, "cp": 1, "ep": 1,
    "etp": None, "zero": 1, "job": "decode", "sequence": 4_096, "batch": None, "n": None, "micro_batch": 1,
    "context": 32_768, "recompute": "none", "offload": "", "lora_rank": 0, "redundant": 0, "gradient_dtype": "float32",
    "weights_dtype": "", "cache_dtype": "bfloat16", "compute_dtype": "", "used": 0.92, "schedule": "",
    "split": "", "cp_kind": "all-gather", "dp_shard": 0, "order": "tp-cp-ep-dp-pp", "optimizer_bytes": 12,
    "dispatch_dtype": "", "dcp": 1, "imbalance": 1, "mtp": None, "framework_bytes": None, "pick": "", "pin": "",
    "t": "", "sort": "least",
}  # fmt: skip
VISIT = {"tp": 4}  # and a first visit: the fastest layout of FIRST that fits
