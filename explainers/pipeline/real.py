"""A catalogued model on a device -> the least time of a stage's forward and backward, bytes and time of a message.

Bounded: every product runs at the device's peak, every byte at the link's; stages are equal, embedding and head are
left out, one GPU is one rank.
"""

from __future__ import annotations

from functools import cache
from typing import Any

MODELS = (
    "meta-llama/Llama-3.1-70B", "meta-llama/Meta-Llama-3.1-405B", "deepseek-ai/DeepSeek-V3", "moonshotai/Kimi-K2.5",
    "Qwen/Qwen3-235B-A22B", "zai-org/GLM-4.5", "MiniMaxAI/MiniMax-M2", "openai/gpt-oss-120b",
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16",
)  # fmt: skip
DEVICES = ("a100_sxm", "h100_sxm", "b200_sxm")
TOKENS = (4096, 8192, 32768)
LINKS = ("inside", "outside")
BF16 = 2


@cache
def models() -> dict[str, dict[str, Any]]:
    """By slug: title, hidden size, layers' FLOPs of a token's products with weights, and of its attention by TOKENS."""
    from cutaway.gallery import catalog
    from cutaway.gallery.counting.flops import flops_by_layer

    titles = {model.slug: model.title for model in catalog.drawable_rows()}
    made = {}
    for slug in MODELS:
        spec = catalog.spec(slug)
        found = [flops_by_layer(spec, tokens, prefill=True)[:-1] for tokens in TOKENS]  # the last is embedding and head
        cores = [sum(layer.core_flops for layer in one) for one in found]
        weights = (sum(layer.flops for layer in found[0]) - cores[0]) // TOKENS[0]
        core = [one // tokens for one, tokens in zip(cores, TOKENS, strict=True)]
        made[slug] = {"title": titles[slug], "hidden": spec.hidden_size, "weights": weights, "core": core}
    return made


@cache
def devices() -> dict[str, dict[str, Any]]:
    """By name: BF16 peak in FLOP/s, and both links in bytes a second and direction."""
    from cutaway.gallery.planning.devices import DEVICES as rows

    return {
        name: {
            "title": name.split("_")[0].upper(),
            "peak": rows[name].peaks["bfloat16"],
            "inside": rows[name].inside_bytes,
            "outside": rows[name].outside_bytes,
        }
        for name in DEVICES
    }


def seconds(state: dict[str, Any]) -> dict[str, float]:
    """Of one whole stage: forward, both gradients; of one message: bytes and time."""
    model, device = models()[state["model"]], devices()[state["device"]]
    tokens = int(state["tokens"])
    weights, core = model["weights"], model["core"][TOKENS.index(tokens)]
    rate = state["pp"] * device["peak"]
    message = tokens * model["hidden"] * BF16
    return {
        "forward": tokens * (weights + core) / rate,
        "input_grad": tokens * (weights + 2 * core) / rate,  # both factors of an attention product are inputs
        "weight_grad": tokens * weights / rate,
        "message_bytes": message,
        "hop": message / device[state["link"]],
    }


def describe_times(real: dict[str, float], span: float, bubble: float, sent: list[int]) -> dict[str, Any]:
    """What a reader is shown: milliseconds, bytes, and what each is."""
    unit = 1000 * real["forward"]
    return {
        "unit_ms": unit,
        "hop_ms": 1000 * real["hop"],
        "message_bytes": real["message_bytes"],
        "step_ms": span * unit,
        "idle_ms": bubble * unit,
        "sent_bytes": max(sent) * real["message_bytes"],
    }
