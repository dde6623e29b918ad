"""Sizes of quantized copies as others print them, a row each: bytes of files or tensors, or how many numbers they hold.

`PUBLISHED` are bytes. `NUMBERS` are what the Hub counts in the safetensors files of copies whose codes take a byte
each, so that a code is a number and a scale is one more.
"""

from __future__ import annotations

from typing import NamedTuple

TENSORS, FILES = "all tensors", "the files, including headers"


class Size(NamedTuple):
    """What one copy takes."""

    bytes: int
    of: str
    source: str


TREE = "the Hub's file list at {}, from a public table of model sizes"
PUBLISHED = {
    "deepseek-ai/DeepSeek-V3": Size(688_586_727_753, FILES, TREE.format("afb92e1fa402")),
    "deepseek-ai/DeepSeek-R1": Size(688_586_727_753, FILES, TREE.format("56d4cbbb4d29")),
    "openai/gpt-oss-20b": Size(13_761_264_768, TENSORS, "total_size of its model.safetensors.index.json"),
    "openai/gpt-oss-120b": Size(65_248_815_744, TENSORS, "a public inventory of its safetensors headers"),
}

HUB = "the Hub's count of elements in its safetensors files, as recorded in llmfit 1.1.17"
NUMBERS = {
    "MiniMaxAI/MiniMax-M2.5": 228_703_644_928,
    "Qwen/Qwen3-235B-A22B-FP8": 235_107_904_512,
    "Qwen/Qwen3-30B-A3B-FP8": 30_533_947_392,
    "Qwen/Qwen3-32B-FP8": 32_764_027_904,
    "Qwen/Qwen3.5-122B-A10B-FP8": 125_094_006_512,
    "deepseek-ai/DeepSeek-V3": 684_531_386_000,
    "deepseek-ai/DeepSeek-V3.1": 684_531_386_000,
    "deepseek-ai/DeepSeek-V3.2-Exp": 685_396_921_376,
    "ibm-granite/granite-3.3-8b-instruct-FP8": 8_172_462_080,
    "meta-llama/Llama-3.1-405B-Instruct-FP8": 405_868_625_920,
    "zai-org/GLM-5-FP8": 753_910_024_032,
}
