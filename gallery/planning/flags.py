"""A layout -> the flags that start it: Megatron-LM for training, vLLM and SGLang for serving. A row for each flag.

A flag that the engine would take by itself is left out. What an engine cannot be told is said beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal_axes import experts_of
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.stages import chunks

MEGATRON_SOURCE = "NVIDIA/Megatron-LM, megatron/training/arguments.py; docs, Custom Pipeline Model Parallel Layout"
VLLM_SOURCE = "vllm-project/vllm, `vllm serve --help`: ParallelConfig, CacheConfig, SchedulerConfig"
SGLANG_SOURCE = "sgl-project/sglang, docs/advanced_features/server_arguments and docs/advanced_features/dcp"


class Flag(NamedTuple):
    """One flag: its value for a layout, "" where it is left out, None where it stands alone."""

    name: str
    value: Callable[[Layout], str | None]


def flag_over(field: str, least: int = 1) -> Callable[[Layout], str]:
    """A number, where it is more than `least`."""
    return lambda layout: str(getattr(layout, field)) if getattr(layout, field) > least else ""


def flag_if(test: Callable[[Layout], bool]) -> Callable[[Layout], str | None]:
    """A flag without a value."""
    return lambda layout: None if test(layout) else ""


def nodes_per_copy(layout: Layout) -> bool:
    """Copies stand on several nodes, as many on each."""
    return layout.nodes > 1 and layout.dp > 1 and layout.dp % layout.nodes == 0


def requests(layout: Layout) -> int:
    """SGLang: of all parts that attend on their own together, of each copy where whole copies serve."""
    return layout.batch if shares_attention_ranks(layout) else -(-layout.batch // layout.dp)


def cache_flag(engine: str) -> Callable[[Layout], str]:
    """A cache's format, where it is not the model's own."""
    return lambda layout: "" if layout.cache_dtype == "bfloat16" else CACHES[engine].get(
        layout.cache_dtype, layout.cache_dtype)  # fmt: skip


def shares_attention_ranks(layout: Layout) -> bool:
    """Experts are dealt over more GPUs than a copy's: SGLang's data parallelism of attention alone."""
    return layout.ep * layout.etp > layout.tp


COMM = {"all-gather": "allgather", "ring": "p2p", "ulysses": "a2a"}
SHARDING = {0: "no_shard", 1: "optim", 2: "optim_grads", 3: "optim_grads_params"}
SAVED = {"none": "", "full": "full"}
REDONE = {"none": "", "full": "", "parts": "layernorm moe_act"}  # the rest is Megatron-LM's own words
KERNELS = {"prefill": "deepep_high_throughput", "decode": "deepep_low_latency"}  # DeepEP's, as vLLM calls them
CACHES = {  # formats of a cache as an engine spells them, where it does so otherwise
    "vLLM": {"float8_e4m3fn": "fp8_e4m3", "float8_e5m2": "fp8_e5m2", "float4_e2m1fn": ""},
    "SGLang": {"float8_e4m3fn": "fp8_e4m3", "float8_e5m2": "fp8_e5m2", "float4_e2m1fn": "fp4_e2m1"},
}

MEGATRON = (
    Flag("--tensor-model-parallel-size", lambda layout: str(layout.tp)),
    Flag("--sequence-parallel", flag_if(lambda layout: layout.tp > 1)),
    Flag("--pipeline-model-parallel-size", lambda layout: str(layout.pp)),
    Flag("--num-virtual-stages-per-pipeline-rank",
         lambda layout: str(layout.chunks) if layout.chunks > 1 and not layout.split else ""),
    Flag("--pipeline-model-parallel-layout", lambda layout: layout.split),
    Flag("--mtp-num-layers", flag_over("mtp", 0)),
    Flag("--context-parallel-size", flag_over("cp")),
    Flag("--cp-comm-type", lambda layout: COMM[layout.cp_kind] if layout.cp > 1 else ""),
    Flag("--expert-model-parallel-size", flag_over("ep")),
    Flag("--moe-token-dispatcher-type", lambda layout: "flex" if layout.ep > 1 else ""),
    Flag("--moe-enable-deepep", flag_if(lambda layout: layout.ep > 1)),
    Flag("--expert-tensor-parallel-size", lambda layout: str(layout.etp) if layout.etp != layout.tp else ""),
    Flag("--use-distributed-optimizer", flag_if(lambda layout: layout.zero > 0)),
    Flag("--use-megatron-fsdp", flag_if(lambda layout: layout.zero > 1)),
    Flag("--ckpt-format", lambda layout: "fsdp_dtensor" if layout.zero > 1 else ""),
    Flag("--data-parallel-sharding-strategy", lambda layout: SHARDING[layout.zero] if layout.zero > 1 else ""),
    Flag("--num-distributed-optimizer-instances", flag_over("replicas")),
    Flag("--use-tp-pp-dp-mapping", flag_if(lambda layout: layout.order == "tp-cp-ep-pp-dp")),
    Flag("--micro-batch-size", lambda layout: str(layout.micro_batch)),
    Flag("--global-batch-size", lambda layout: str(layout.batch)),
    Flag("--seq-length", lambda layout: str(layout.sequence)),
    Flag("--recompute-granularity", lambda layout: SAVED.get(layout.recompute, "selective")),
    Flag("--recompute-method", lambda layout: "uniform" if layout.recompute == "full" else ""),
    Flag("--recompute-num-layers", lambda layout: "1" if layout.recompute == "full" else ""),
    Flag("--recompute-modules", lambda layout: REDONE.get(layout.recompute, layout.recompute.replace(",", " "))),
    Flag("--fine-grained-activation-offloading", flag_if(lambda layout: layout.offload == "experts")),
    Flag("--offload-modules", lambda layout: "expert_fc1" if layout.offload == "experts" else ""),
    Flag("--bf16", flag_if(lambda layout: True)),
    Flag("--fp8-format", lambda layout: "hybrid" if layout.compute_dtype == "fp8" else ""),
    Flag("--fp4-format", lambda layout: "e2m1" if layout.compute_dtype == "fp4" else ""),
    Flag("--fp8-param-gather", flag_if(lambda layout: layout.weight_bytes == 1)),
    Flag("--accumulate-allreduce-grads-in-fp32", flag_if(lambda layout: layout.gradient_bytes == 4)),
    Flag("--grad-reduce-in-bf16", flag_if(lambda layout: layout.gradient_bytes == 2)),
)  # fmt: skip

VLLM = (
    Flag("--tensor-parallel-size", flag_over("tp")),
    Flag("--pipeline-parallel-size", flag_over("pp")),
    Flag("--data-parallel-size", flag_over("dp")),
    Flag("--data-parallel-size-local", lambda layout: str(layout.dp // layout.nodes) if nodes_per_copy(layout) else ""),
    Flag("--enable-expert-parallel", flag_if(lambda layout: layout.ep > 1)),
    Flag("--all2all-backend", lambda layout: KERNELS[layout.job] if layout.ep > 1 and layout.dp > 1 else ""),
    Flag("--decode-context-parallel-size", flag_over("dcp")),
    Flag("--max-model-len", lambda layout: str(layout.context if layout.job == "decode" else layout.sequence)),
    Flag("--max-num-seqs", lambda layout: str(-(-layout.batch // layout.dp)) if layout.batch else ""),
    Flag("--kv-cache-dtype", cache_flag("vLLM")),
    Flag("--gpu-memory-utilization", lambda layout: f"{layout.used:g}"),
    Flag("--enable-eplb", flag_if(lambda layout: layout.redundant > 0)),
    Flag("--eplb-config",
         lambda layout: f"'{{\"num_redundant_experts\":{layout.redundant}}}'" if layout.redundant else ""),
)  # fmt: skip

SGLANG = (
    Flag("--tp-size", lambda layout: str(layout.tp * (layout.dp if shares_attention_ranks(layout) else 1))),
    Flag("--pp-size", flag_over("pp")),
    Flag("--dp-size", flag_over("dp")),
    Flag("--enable-dp-attention", flag_if(lambda layout: layout.dp > 1 and shares_attention_ranks(layout))),
    Flag("--ep-size", flag_over("ep")),
    Flag("--moe-a2a-backend", lambda layout: "deepep" if layout.ep > 1 else ""),
    Flag("--dcp-size", flag_over("dcp")),
    Flag("--nnodes", flag_over("nodes")),
    Flag("--context-length", lambda layout: str(layout.context if layout.job == "decode" else layout.sequence)),
    Flag("--max-running-requests", lambda layout: str(requests(layout)) if layout.batch else ""),
    Flag("--kv-cache-dtype", cache_flag("SGLang")),
    Flag("--mem-fraction-static", lambda layout: f"{layout.used:g}"),
    Flag("--ep-num-redundant-experts", flag_over("redundant", 0)),
)  # fmt: skip

ENGINES = {"Megatron-LM": (MEGATRON, MEGATRON_SOURCE), "vLLM": (VLLM, VLLM_SOURCE), "SGLang": (SGLANG, SGLANG_SOURCE)}


def engines(layout: Layout) -> tuple[str, ...]:
    """Which engines do this job."""
    return ("Megatron-LM",) if layout.job == "train" else ("vLLM", "SGLang")


def redone(model: PlannerModel) -> str:
    """The modules that are computed anew, of those that the model has: Megatron-LM refuses others."""
    latent = any(not row["kv_heads"] for kind in model["kinds"] for row in kind["context"])
    found = {"layernorm": True, "moe_act": bool(experts_of(model)), "mla_up_proj": latent}
    return " ".join(name for name, has in found.items() if has)


def megatron_flags(layout: Layout, model: PlannerModel) -> Layout:
    """With a layout string where stages are uneven, which Megatron-LM takes no other way, and what is computed anew by
    its own words; a model without experts has none to cut over several copies."""
    made, layers, parts = layout, len(model["layers"]), layout.pp * layout.chunks
    if layout.recompute == "parts":
        made = replace(made, recompute=redone(model))
    if not experts_of(model):
        made = replace(made, etp=layout.tp)
    if layout.split or layers % parts == 0:
        return made
    shares = ["t" * len(own) for own in chunks(layers, parts)]
    return replace(made, split=f"E{'|'.join(shares)}{'m' * layout.mtp}L")


def flags(layout: Layout, engine: str, model: PlannerModel | None = None) -> str:
    """One line of flags, for a model if it is known."""
    whole = megatron_flags(layout, model) if model else layout
    found = [(flag.name, flag.value(whole)) for flag in ENGINES[engine][0]]
    quoted = [(name, f'"{value}"' if value and set(value) & set("|*(") else value) for name, value in found]
    return " ".join(name if value is None else f"{name} {value}" for name, value in quoted if value != "")


def untold(layout: Layout, engine: str) -> list[str]:
    """What of the layout the engine's flags do not say."""
    ranks = layout.tp * (layout.dp if engine == "vLLM" or shares_attention_ranks(layout) else 1)
    usual = ranks if layout.ep > 1 else 1
    schedules, orders = ("1f1b", "interleaved"), ("tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp")
    rows = (
        (layout.job != "train" and layout.ep != usual, f"ep {layout.ep}: {engine} deals experts over all {ranks} GPUs"),
        (layout.job != "train" and layout.ep > 1 and layout.etp > 1, f"etp {layout.etp} beside ep {layout.ep}"),
        (layout.job == "train" and layout.runs not in schedules, f"the schedule {layout.runs}"),
        (layout.job == "train" and layout.optimizer_bytes != 12, f"{layout.optimizer_bytes} bytes of optimizer"),
        (layout.lora_rank > 0, f"LoRA: a recipe of Megatron-Bridge has it, peft.dim = {layout.lora_rank}"),
        (
            layout.job == "train" and layout.offload.isdecimal(),
            f"activations of {layout.offload} layers on the host",
        ),
        (layout.job == "train" and layout.order not in orders, f"order {layout.order}"),
        (layout.job == "train" and layout.ep > 1 and layout.dispatches_fp8, "tokens on their way to experts in FP8"),
        (CACHES.get(engine, {}).get(layout.cache_dtype) == "", f"a cache in {layout.cache_dtype}"),
        (
            layout.job != "train" and layout.weights_dtype != "",
            f"weights in {layout.weights_dtype}: a checkpoint in it",
        ),
    )
    return [words for true, words in rows if true]
