"""The grammar of `cutaway plan`: its arguments are rows of AXES and of CHOICES."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cutaway.gallery.command.examples import ABOUT
from cutaway.gallery.command.grammar import meant, model_command, one_of
from cutaway.gallery.command.values import factor, number, positive, share, tokens

PLAN = """\
JSON: plan (the layout, every axis and size), fits (fits, says, memory_bytes, room_bytes, fullest, emptiest,
sequences, longest_context, fixes that would fit, wastes), ranks (one of each stage: its layers, how many are alike,
weights_bytes, experts_bytes, gradients_bytes, optimizer_bytes, activations_bytes, cache_bytes, framework_bytes,
total_bytes; of one sequence sequence_cache_bytes, of these sequence_fixed_bytes, sequence_read_bytes of a step,
and sequence_padding_bytes, which whole pages add), communicators (axis,
operation, ranks, calls, bytes a rank sends in a step, leaving_bytes: of these to other nodes, members, near: how
many of them share a node), step (seconds at least, unhidden_seconds, tokens, products_, memory_, inside_ and
outside_seconds; training: flow_seconds that micro-batches wait for most and idle_seconds that the pipeline adds to
them, bubble of the work and bubble_of_all; binds, training_flops_per_token, measured runs of the same
layout), layouts (the ten best, how many are legal and fit, the place of this one; their seconds are of a training
step, or of one token of all sequences), owners (every tensor: layers, stages, shape, rule, slices, copies), formulas
(each number of the fullest rank with its values), flags (of Megatron-LM, or of vLLM and SGLang), address (null where
/plan/ has not the model: a file, an edited one), notes. A label says how each came to be: computed, bounded, measured
or extrapolated. Key by key: %(manual)s
exit code 0 also where it does not fit; 2 where no such layout can be."""

AXES: tuple[tuple[str, Any, Any, str], ...] = (
    ("--tp", number, 1, "tensor parallel: heads and MLP widths are cut"),
    ("--pp", str, "1", "pipeline stages, or stages x chunks as in 4x4"),
    ("--cp", number, 1, "context parallel, training"),
    ("--ep", number, 1, "expert parallel: experts are spread over the GPUs"),
    ("--etp", number, None, "tensor parallel of each expert (default: training with ep 1, else the GPUs left over)"),
    ("--dp", number, None, "data parallel; follows from the others"),
    ("--zero", number, 1, "training: what dp shares, 1 optimizer, 2 and gradients, 3 and weights (default 1)"),
    ("--sequence", tokens, 4_096, "train, prefill: tokens of a sequence (default 4096)"),
    ("--batch", number, None, "train: sequences of a step (default 2048); decode: at once (default: what fits)"),
    ("--micro-batch", positive, 1, "train: sequences of one pass (default 1)"),
    ("--context", tokens, 32_768, "decode: tokens kept of each sequence (default 32k)"),
    ("--redundant", number, 0, "redundant experts: extra copies"),
    ("--weights-dtype", str, "", "serving: bf16, fp8, fp4, int4 for every matrix (default: as stored)"),
    ("--cache-dtype", str, "bfloat16", "a format such as fp8, or a packed layout as `cutaway memory` knows them"),
    (
        "--compute-dtype",
        str,
        "",
        "format of products: bfloat16, fp8, fp4 (default: serving as the weights)",
    ),
    (
        "--schedule",
        str,
        "",
        "1f1b, interleaved, gpipe, looped-bfs, zb-h1, interleaved-zb, zb-v, v-half, v-min, dualpipe-v or dualpipe",
    ),
    ("--split", str, "", "layers of each stage as Megatron-LM writes them: 'Et*3|(tt|)*29,m|L'"),
    ("--mtp", number, None, "train: further tokens that are predicted too (default: one for each m of --split)"),
    ("--cp-kind", str, "all-gather", "all-gather, ring or ulysses"),
    ("--dp-shard", number, 0, "HSDP: ranks of dp that ZeRO deals over, the rest are copies (default: all)"),
    ("--order", str, "tp-cp-ep-dp-pp", "of the ranks, innermost first"),
    ("--lora-rank", number, 0, "training: LoRA of this rank, all weights frozen (default 0: all are trained)"),
    ("--optimizer-bytes", number, 12, "training: of one parameter (default 12: FP32 master, m, v; 0: on the host)"),
    ("--dispatch-dtype", str, "", "of tokens sent to experts: bf16 or fp8 (default: training bf16, serving fp8)"),
    ("--dcp", number, 1, "decode: tensor ranks that share the tokens of a cache"),
    ("--imbalance", factor, 1.0, "work of the busiest expert rank over the mean (default 1)"),
    ("--framework-bytes", number, None, "of each GPU, beside all else (default, serving: as measured with vLLM)"),
    ("--used", share, 0.92, "share of a GPU's memory that may be taken (default 0.92)"),
)


# (option, its words, the usual one, help)
CHOICES: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("--job", ("train", "prefill", "decode"), "decode", "what the GPUs do (default decode)"),
    ("--sort", ("seconds", "unhidden"), "seconds", "layouts by the least time, or by that without overlap"),
    ("--gradient-dtype", ("float32", "bfloat16"), "float32", "training: of gradients (default float32)"),
)
WORDS: tuple[tuple[str, str, str], ...] = (
    ("--recompute", "none", "training: none, parts, full, or modules: layernorm,moe_act,mla_up_proj,moe"),
    ("--offload", "", "training: activations in host memory: of N layers, or experts"),
)


def plan_command(commands: Any) -> None:
    """`cutaway plan`: its help says what the JSON holds, and ends with examples."""
    planned = model_command(commands, "plan", ABOUT["plan"])
    told = PLAN % {"manual": Path(__file__).with_name("plan_json.md")}
    planned.epilog = f"{told}\n\n{planned.epilog}"
    planned.add_argument("--on", required=True, metavar="DEVICE:NxG", help="N nodes of G GPUs: h200_sxm:1x8")
    planned.add_argument("--layouts", action="store_true", help="the ten best of all legal layouts as well")
    for name, values, usual, words in CHOICES:
        planned.add_argument(name, default=usual, help=words, **one_of(values))
    for name, usual, words in WORDS:
        planned.add_argument(name, default=usual, metavar="X", help=words)
    for name, kind, default, words in AXES:
        planned.add_argument(name, type=kind, default=default, metavar="N" if kind is not str else "X", help=words)


def layout_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The command's arguments from names and values in Python: micro_batch=2, context="128k".

    TypeError for a name that the planner does not know, ValueError for a value that an option does not take.
    """
    kinds = {name: (kind, usual) for name, kind, usual, _ in AXES}
    kinds |= {name: (one_of(values)["type"], usual) for name, values, usual, _ in CHOICES}
    kinds |= {name: (str, usual) for name, usual, _ in WORDS}
    known = {name[2:].replace("-", "_"): row for name, row in kinds.items()}
    for name in options:
        if name not in known:
            near = meant(name, known) or f" Options are {', '.join(known)}."
            raise TypeError(f"A plan has no option {name!r}.{near}")
    found = {name: usual for name, (_, usual) in known.items()}
    for name, value in options.items():
        try:
            found[name] = known[name][0](str(value))
        except argparse.ArgumentTypeError as problem:
            raise ValueError(f"{name}: {problem}") from None
    return found
