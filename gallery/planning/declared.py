"""A model_type -> how transformers itself would split the model, as its configuration classes declare it.

declared.json is read off those classes by tests/oracle/make_plans.py. A rule is {glob: style}; a glob names a module
or a parameter of the base model with * for numbers. A style says which dimension of a tensor is sharded, and what is
communicated: transformers 5.23.0, distributed/tensor_parallel.py and expert_parallel.py, register(...) of each name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "declared.json"
VERSION = "transformers 5.23.0"
_NUMBER = re.compile(r"\.(\d+|\{\w+\})(?=\.|$)")


class Plan(NamedTuple):
    """One model_type's: {glob: style} for tensor and expert parallelism, and the modules that stages are made of."""

    tp: Mapping[str, str]
    ep: Mapping[str, str]
    pp: tuple[str, ...]
    embedding: str = "embed_tokens"  # its module's name in the base model


class Style(NamedTuple):
    """What a style does to a tensor: `cut` is "" (whole), "outputs", "inputs", "rows", "columns" or "experts"."""

    cut: str
    words: str
    packed: bool = False  # two matrices in one: each is cut
    biased: bool = True  # the bias is cut too


STYLES = {
    "colwise": Style("outputs", "each rank holds a slice of the outputs, which stay sharded"),
    "colwise_gather_output": Style("outputs", "each rank holds a slice of the outputs; an all-gather follows"),
    "packed_colwise": Style("outputs", "two matrices in one: each rank holds a slice of the outputs of both",
    packed=True),
    "rowwise": Style("inputs", "each rank holds a slice of the inputs; the partial sums are all-reduced", biased=False),
    "rowwise_split_input": Style("inputs", "each rank takes a slice of the full input; the sums are all-reduced",
                                 biased=False),
    "packed_rowwise": Style("inputs", "two matrices in one along the last dimension: each rank holds a slice of both",
    packed=True,
                            biased=False),
    "embedding_rowwise": Style("rows", "each rank holds a slice of the vocabulary; the lookups are all-reduced"),
    "embedding_colwise": Style("columns", "each rank holds a slice of every vector; the slices are all-gathered"),
    "replicated_with_grad_allreduce": Style("", "replicated; in training, its gradients are all-reduced"),
    "mla_kv_a_proj": Style("", "replicated; in training, the gradient of the RoPE part is all-reduced"),
    "replicate": Style("", "replicated"),
    "moe_tp_experts": Style("", "replicated; the experts' outputs are all-reduced"),
    "all_reduce": Style("", "replicated; its outputs are all-reduced"),
    "moe_identity_expert": Style("", "no weights; its input is divided by the number of ranks before the all-reduce"),
    "local_params": Style("", "replicated, except parameters with a rule of their own"),
    "grouped_gemm": Style("experts", "whole experts are distributed over the ranks"),
    "ep_dispatch_experts": Style("", "an all-to-all sends tokens to the ranks of their experts and back"),
}  # fmt: skip


@cache
def _plans() -> dict[str, Plan]:
    found = {}
    for row in json.loads(FILE.read_text(encoding="utf-8"))["plans"]:
        first = next((name for name in (*row["pp"], *row["tp"]) if name.startswith("embed")), "embed_tokens")
        # DistributedMixin.init_parallel_plans: a module of just this name is cut by the vocabulary
        added = {"embed_tokens": "embedding_rowwise"} if row["tp"] and first == "embed_tokens" else {}
        tp = {**added, **row["tp"], **({"lm_head": row["head"]} if row["head"] else {})}
        found.update(dict.fromkeys(row["types"], Plan(tp, row["ep"], tuple(row["pp"]), first)))
    return found


def declared_plan(model_type: str) -> Plan | None:
    """What the class of this model_type declares for its layers; None where it declares nothing, or is not known."""
    return _plans().get(model_type)


def generic(name: str) -> str:
    """A name with * for its numbers."""
    return _NUMBER.sub(".*", name)


def rule(name: str, globs: Mapping[str, str]) -> str:
    """The one glob that a parameter is meant by: its own name, or else its module's; "" if none is."""
    parent = name.rpartition(".")[0]
    return name if name in globs else parent if parent in globs else ""


def is_inside(name: str, globs: Mapping[str, str]) -> bool:
    """Whether a parameter lies anywhere in what a glob names."""
    return any(name == glob or name.startswith(glob + ".") for glob in globs)


def dimension(style: Style, name: str, shape: tuple[int, ...]) -> int | None:
    """Which dimension of a tensor is cut; None where every rank holds it whole."""
    last, flat = len(shape) - 1, len(shape) == 1
    match style.cut:
        case "rows" | "experts":
            return 0
        case "columns":
            return 1
        case "outputs":
            return 0 if flat else last - 1
        case "inputs":
            whole = flat and (style.packed or name.endswith(".bias"))
            return None if whole else last
    return None


def share(style: Style, name: str, shape: tuple[int, ...], ranks: int) -> Fraction:
    """What the fullest rank holds of one tensor; where its length does not divide, the first ranks hold more."""
    at = dimension(style, name, shape)
    if at is None:
        return Fraction(1)
    parts = 2 if style.packed and len(shape) > 1 else 1
    return Fraction(parts * -(-shape[at] // parts // ranks), shape[at])


def stages(layers: int, ranks: int) -> list[int]:
    """How many layers each pipeline stage gets: alike, and the last what is left (PipelineStage)."""
    each = layers // ranks
    return [each] * (ranks - 1) + [layers - each * (ranks - 1)]
