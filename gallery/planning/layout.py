"""What was typed -> a layout: devices, the axes tp pp chunks cp ep etp dp, ZeRO, and the job with its sizes.

GPUs = tp x pp x cp x dp. Experts fold the same GPUs of a stage otherwise: tp x cp x dp = ep x etp x edp.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import gcd

from cutaway.gallery.formats.bits import stored_bits
from cutaway.gallery.planning.devices import DEVICES, Device
from cutaway.gallery.planning.schedules import SCHEDULES, Schedule

JOBS = ("train", "prefill", "decode")
MOST = 1_000_000  # GPUs, or parts of an axis, that a layout may name
# What Megatron-LM's selective recompute computes anew, by its own words, and "parts", several of them.
REDONE = ("layernorm", "moe_act", "mla_up_proj", "moe")
PARTS = ("layernorm", "moe_act", "mla_up_proj")
USED = 0.92  # share of a GPU's memory that may be taken


class LayoutError(ValueError):
    """A layout that cannot be: one sentence that says why and what is legal nearest."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to lay a model over devices. Sizes that the job does not use are left at their defaults."""

    device: Device
    nodes: int
    per_node: int
    tp: int = 1
    pp: int = 1
    chunks: int = 1  # of layers on each pipeline stage, interleaved
    cp: int = 1
    ep: int = 1
    etp: int = 1
    zero: int = 1
    job: str = "decode"
    sequence: int = 4_096  # train and prefill: tokens of one sequence
    batch: int = 0  # train: sequences of one step; prefill and decode: sequences at once, 0 = as many as fit
    micro_batch: int = 1
    context: int = 32_768  # decode: tokens that each sequence has kept
    recompute: str = "none"  # train: "none" | "parts" | "full" | modules of REDONE, as "layernorm,moe_act"
    redundant: int = 0  # experts that stand twice
    gradient_bytes: int = 4  # of one gradient; 2 as in the ZeRO paper
    weights_dtype: str = ""  # serving: format of every matrix; "" = as the checkpoint stores it
    cache_dtype: str = "bfloat16"
    compute_dtype: str = ""  # of products, a name in the device's peaks; "" = training bfloat16, else products.py
    used: float = USED
    schedule: str = ""  # a row of SCHEDULES; "" = 1F1B, interleaved where a stage has several chunks
    split: str = ""  # Megatron-LM's layout string, "Et*3|(tt|)*29,m|L"; "" = evenly
    cp_kind: str = "all-gather"  # how context ranks see each other's keys: "all-gather" | "ring" | "ulysses"
    dp_shard: int = 0  # ranks of dp that ZeRO deals over, the others hold copies (HSDP); 0 = all
    order: str = "tp-cp-ep-dp-pp"  # of the ranks, innermost first, as Megatron-LM names it
    weight_bytes: int = 2  # training: of one weight
    optimizer_bytes: int = 12  # training: of one parameter: FP32 master, m and v; 0: all of it in host memory
    dispatch_dtype: str = ""  # of tokens on their way to experts: "bfloat16" | "fp8"; "" = FP8 in serving
    dcp: int = 1  # decode: tensor ranks that share the tokens of a cache
    imbalance: float = 1.0  # work of the busiest expert rank over the mean
    mtp: int = 0  # train: further tokens that are predicted too, each by layers of its own behind the model's
    framework_bytes: int | None = None  # of one GPU, beside weights, activations, cache; None: serving as in engine.py
    lora_rank: int = 0  # train: of LoRA's adapters beside frozen weights (lora.py); 0: all weights are trained
    offload: str = ""  # train: activations in host memory: "experts" (what their first matrices give), or of N layers

    @property
    def cache_bits(self) -> int:
        """Of one number of a cache."""
        return stored_bits(self.cache_dtype)

    @property
    def redone(self) -> tuple[str, ...]:
        """The modules that are computed anew, where not all of a layer is."""
        return PARTS if self.recompute == "parts" else tuple(name for name in REDONE if name in self.modules)

    @property
    def modules(self) -> list[str]:
        """The words of `recompute`."""
        return self.recompute.split(",")

    def kept_share(self, layers: int) -> float:
        """Of the layers of a stage, the share whose activations stay on the GPU."""
        away = min(int(self.offload), layers) if self.offload.isdecimal() else 0
        return (layers - away) / layers if layers else 1.0

    @property
    def gpus(self) -> int:
        return self.nodes * self.per_node

    @property
    def outside_bytes(self) -> int:
        """To a GPU of another node, a second: between racks, where there are several and a node is more than a tray."""
        racks = self.gpus > self.device.domain and self.per_node > self.device.gpus_per_node
        return self.device.beyond_bytes if racks else self.device.outside_bytes

    @property
    def dp(self) -> int:
        """Copies of the model; in serving, parts that attend on their own."""
        return self.gpus // (self.tp * self.pp * self.cp)

    @property
    def edp(self) -> int:
        """Copies of each expert."""
        return self.tp * self.cp * self.dp // (self.ep * self.etp)

    @property
    def runs(self) -> str:
        """The schedule by name."""
        return self.schedule or ("interleaved" if self.chunks > 1 and self.pp > 1 else "1f1b")

    @property
    def scheduled(self) -> Schedule | None:
        """The row of the schedule, where a pipeline trains by one."""
        return SCHEDULES.get(self.runs) if self.job == "train" and self.pp > 1 else None

    @property
    def placement(self) -> str:
        """How chunks stand on stages: "loop" | "v" | "both"."""
        return self.scheduled.placement if self.scheduled else "loop"

    @property
    def copies(self) -> int:
        """Ranks of a pipeline that hold the same stage of the model (DualPipe: two)."""
        return self.scheduled.copies if self.scheduled else 1

    @property
    def replicas(self) -> int:
        """Copies of what ZeRO deals out."""
        return max(self.dp // self.dp_shard, 1) if self.dp_shard else 1

    @property
    def shard(self) -> int:
        """Ranks that ZeRO deals all but routed experts over."""
        return self.dp * self.cp // self.replicas

    @property
    def expert_shard(self) -> int:
        """Ranks that it deals routed experts over."""
        return self.edp // gcd(self.edp, self.replicas)

    @property
    def usual_etp(self) -> int:
        """Where nobody says otherwise: training cuts experts as all else or not at all, serving over the rest."""
        ranks = self.tp * self.cp * self.dp // self.ep
        return (1 if self.ep > 1 else self.tp) if self.job == "train" else max(ranks, 1)

    @property
    def cut_as_dense(self) -> bool:
        """Whether experts are cut over the tensor ranks, as any MLP is."""
        return self.ep == 1 and self.etp == self.tp

    @property
    def saves_fp8(self) -> bool:
        """Whether what matrices read is saved in FP8 for the way back: where products run in it."""
        return self.job == "train" and self.compute_dtype in ("fp8", "fp4")

    @property
    def dispatches_fp8(self) -> bool:
        return self.dispatch_dtype == "fp8" if self.dispatch_dtype else self.job != "train"

    @property
    def micro_batches(self) -> int:
        """How many each pipeline works through in one step."""
        return max(self.batch // (self.dp * self.micro_batch), 1)

    @property
    def visits(self) -> int:
        """How many of them each layer of a rank meets: copies share them."""
        return self.micro_batches // self.copies


def devices(text: str) -> tuple[Device, int, int]:
    """ "h200_sxm:2x8" -> the device, 2 nodes, 8 GPUs in each; a name alone is one node of it."""
    name, _, shape = text.partition(":")
    device = DEVICES.get(name.lower().replace("-", "_"))
    if device is None:
        raise LayoutError(f"No device is called {name[:40]!r}; known are {', '.join(DEVICES)}.")
    nodes, per_node = pair(shape, "--on", "nodes x GPUs, as in h200_sxm:2x8") if shape else (1, device.gpus_per_node)
    if nodes * per_node == 0:
        raise LayoutError(f"{nodes} nodes of {per_node} GPUs are 0 GPUs; the nearest that can hold a model is 1x1.")
    if per_node > device.domain:
        raise LayoutError(
            f"A node of {device.name} joins at most {device.domain} GPUs, not {per_node}: "
            f"give {-(-nodes * per_node // device.domain)}x{device.domain}."
        )
    return device, nodes, per_node


def pair(text: str, option: str, words: str) -> tuple[int, int]:
    """ "4x8" -> (4, 8)."""
    match = re.fullmatch(r"(\d{1,7})x(\d{1,7})", text.strip().lower())
    if not match or max(int(match[1]), int(match[2])) > MOST:
        raise LayoutError(f"{option} takes {words}, not {text[:40]!r}.")
    return int(match[1]), int(match[2])


def stages(text: str) -> tuple[int, int]:
    """ "4" -> (4, 1) and "4x2" -> (4, 2): pipeline stages, and chunks of layers on each."""
    plain = re.fullmatch(r"\d{1,7}", text.strip())
    return pair(f"{text.strip()}x1" if plain else text, "--pp", "stages, or stages x chunks as in 4x2")
