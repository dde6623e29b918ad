"""The grammar of the `cutaway` command: what may be typed, and the help that says so."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from cutaway.gallery.command import streams
from cutaway.gallery.command.values import contexts, factor, number, port, positive, share, tokens

DESCRIPTION = """\
See inside an open-weight language model: draw it, count it, and know what it keeps in memory.

WHAT is a Hub repo id (openai/gpt-oss-20b, openai/gpt-oss-20b@main), any Hub URL, a config.json or a
folder that holds one, or - for standard input."""

EPILOG = """\
examples:
  cutaway draw deepseek-ai/DeepSeek-V3 -o v3.svg        the whole model as one SVG
  cutaway draw ./config.json --dark > mine.svg          a config of your own; nothing is uploaded
  cutaway draw Qwen/Qwen3-8B --edit heads=64,layers=40  what if it had 64 heads and 40 layers
  cutaway facts openai/gpt-oss-20b                      the fact sheet
  cutaway facts Qwen/Qwen3-8B --json | jq .parameters   the same for programs
  cutaway weights Qwen/Qwen3-8B --layer 0               every tensor of one layer
  cutaway memory google/gemma-3-27b-it --context 8k,128k --cache-dtype float8_e4m3fn
  curl -s $URL | cutaway facts -                        from standard input
  cutaway plan deepseek-ai/DeepSeek-V3 --on h200_sxm:1x8 --tp 8 --context 128k      what fits, what each GPU holds
  cutaway snapshot mistralai/Mixtral-8x7B-v0.1          add a model to the catalogue
  cutaway serve                                         the site and the live app on this machine

exit codes:
  0 done   1 a fault of ours   2 wrong arguments   3 the config cannot be read
  4 the Hub does not give it   5 a file cannot be read or written   130 interrupted

environment:
  HF_TOKEN for gated repos, HF_ENDPOINT for another Hub, HF_HUB_OFFLINE=1 to use cache and snapshots only,
  CUTAWAY_USE_TOKEN=1 for serve --use-token, CUTAWAY_COLD=1 for one that works nothing out before it is asked for"""


EDIT = """what if it had ...: layers=40,heads=64; also kv, window, chunk, q_rank, kv_rank, key_heads, value_heads,
state_heads, experts, active, as far as the model has them; may be given again"""


class UsageError(Exception):
    """Arguments that fit the grammar but not the model or the machine: one sentence."""


class _Parser(argparse.ArgumentParser):
    """argparse would pass over a full disk in silence: help and complaints take the way of everything else."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            streams.write(message) if file is sys.stdout else streams.say(message.rstrip("\n"))


def _model_command(
    commands: Any, name: str, words: str, json_too: bool = True, edit: bool = True
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
    parser.add_argument("what", metavar="WHAT", help="repo id, Hub URL, path, or -")
    parser.add_argument("--revision", help="branch, tag or commit on the Hub")
    parser.add_argument("--offline", action="store_true", help="use the catalogue's snapshot, ask nobody")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to standard output")
    if edit:
        parser.add_argument("--edit", metavar="FIELD=N", action="append", default=[], help=EDIT)
    if json_too:
        parser.add_argument("--json", action="store_true", help="JSON for programs")
    return parser


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


def _plan_command(commands: Any) -> None:
    """`cutaway plan`: its arguments are rows of AXES and three choices."""
    planned = _model_command(commands, "plan", "say what each GPU of a layout holds, and whether it fits")
    planned.epilog = PLAN % {"manual": Path(__file__).with_name("plan_json.md")}
    planned.formatter_class = argparse.RawDescriptionHelpFormatter
    planned.add_argument("--on", required=True, metavar="DEVICE:NxG", help="N nodes of G GPUs: h200_sxm:1x8")
    planned.add_argument("--job", choices=("train", "prefill", "decode"), default="decode")
    planned.add_argument(
        "--recompute",
        default="none",
        metavar="X",
        help="training: none, parts, full, or modules: layernorm,moe_act,mla_up_proj,moe",
    )
    planned.add_argument("--offload", default="", metavar="X",
                         help="training: activations in host memory: of N layers, or experts")  # fmt: skip
    planned.add_argument("--layouts", action="store_true", help="the ten best of all legal layouts as well")
    planned.add_argument("--sort", choices=("seconds", "unhidden"), default="seconds",
                         help="layouts by the least time, or by that without overlap")  # fmt: skip
    planned.add_argument("--gradient-dtype", choices=("float32", "bfloat16"), default="float32")
    for name, kind, default, words in AXES:
        planned.add_argument(name, type=kind, default=default, metavar="N" if kind is not str else "X", help=words)


def _draw_command(commands: Any) -> None:
    draw = _model_command(commands, "draw", "draw a model as a standalone SVG", json_too=False)
    draw.add_argument("--dark", action="store_true", help="the dark theme")
    draw.add_argument("--narrow", action="store_true", help="the three parts stacked, for narrow pages")
    draw.add_argument("--title", help="the heading; default: the model's name")


def _memory_command(commands: Any) -> None:
    from cutaway.gallery.counting.kv_cache import CONVENTIONS, STORAGES

    kept = _model_command(commands, "memory", "print what decoding keeps: KV cache and states, in bytes")
    kept.add_argument(
        "--context", type=contexts, default="8k,128k,1M", metavar="N", help="tokens: 8192, 8k (8,192), or 8k,128k,1M"
    )
    packed = ", ".join(STORAGES)
    kept.add_argument(
        "--cache-dtype", default="bfloat16", metavar="D", help=f"a format such as fp8, float4_e2m1fn, or {packed}"
    )
    kept.add_argument("--batch", type=positive, default=1, metavar="N", help="sequences at once (default 1)")
    kept.add_argument(
        "--convention", choices=list(CONVENTIONS), default="window", help="what a window keeps between steps"
    )
    kept.add_argument("--layers", action="store_true", help="layer by layer too")


def _serve_command(commands: Any) -> None:
    serve = commands.add_parser("serve", help="serve the site and the live app on this machine")
    serve.add_argument("--port", type=port, default=5006)
    serve.add_argument("--address", default="127.0.0.1")
    serve.add_argument(
        "--allow-websocket-origin",
        action="append",
        default=[],
        metavar="HOST",
        help="another name it goes by, such as cutaway.example.org; may be given again",
    )
    serve.add_argument(
        "--use-token", action="store_true", help="lend the Hub token of this machine to visitors from elsewhere too"
    )


def _build_command(commands: Any) -> None:
    build = commands.add_parser("build", help="write the static site")
    build.add_argument("--out", metavar="DIR", help="default: _site")
    build.add_argument("--base", metavar="URL", help="where it will be hosted: sitemap, feed, the 404 page")


def _snapshot_command(commands: Any) -> None:
    snap = _model_command(commands, "snapshot", "write a model's facts for the catalogue", json_too=False, edit=False)
    snap.add_argument("--reconstructed", action="store_true", help="the file is not the Hub's own")
    snap.add_argument("--slug", help="owner/name of a row of the catalogue; default: the repo id or the file's name")


def parser() -> argparse.ArgumentParser:
    """The command line's grammar; help lists the commands in this order."""
    raw = argparse.RawDescriptionHelpFormatter
    top = _Parser("cutaway", description=DESCRIPTION, epilog=EPILOG, formatter_class=raw)
    top.add_argument("--version", action="version", version=f"cutaway {_version()}")
    commands = top.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    _draw_command(commands)
    _model_command(commands, "facts", "print layers, parameters, memory, and what was not read")
    listed = _model_command(commands, "weights", "list every weight tensor: checkpoint name, shape, part")
    listed.add_argument("--layer", type=int, metavar="N", help="only this layer")
    _memory_command(commands)
    _plan_command(commands)
    _serve_command(commands)
    _build_command(commands)
    _snapshot_command(commands)
    return top


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("cutaway")
    except PackageNotFoundError:
        return "(not installed)"
