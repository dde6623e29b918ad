"""What a serving engine holds of a GPU beside weights and cache, as measured with vLLM, and the pages of hybrids.

vLLM tries one step before it deals out the cache, with as many sequences as it takes at once: eight measured peaks on
H100 follow the vocabulary (38.5 to 38.9 bytes a logit, the copies that sampling sorts; Mistral's 17), whatever the
model's size. Hybrids: the cache is dealt in pages of one size, so attention's hold as many tokens as a state is large,
and layers share pages in groups of one size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.sharding.arithmetic import part_of, ratio

PAGES_SOURCE = "vllm-project/vllm, vllm/model_executor/models/config.py, vllm/v1/core/kv_cache_utils.py"
SOURCE = "llm-d-incubation/llm-d-planner (Apache-2.0) at e50305a, docs/empirical-vllm-memory-results.md"
LOGIT_BYTES = 39  # of each logit of the sequences of a step
ALONE_BYTES = 930_000_000  # process, and what CUDA itself keeps of 80 GiB: 0.13 and 0.74 GiB
TOGETHER_BYTES = 1_380_000_000  # the same where tensor ranks communicate: 0.55 and 0.74 GiB
LARGE = 70 << 30  # bytes of a GPU from which vLLM takes 1,024 sequences at once, but on A100; else 256 (arg_utils.py)
MEASURED = ("h100_sxm",)
BLOCK = 16  # tokens: a page holds a multiple of them


def at_once(layout: Layout) -> int:
    """Sequences for which vLLM sizes a step, unless it is told."""
    large = layout.device.memory_bytes >= LARGE and "a100" not in layout.device.name
    return 1_024 if large else 256


def fixed_bytes(layout: Layout) -> int:
    """What is whole on every GPU: the process, and communicators where ranks have any."""
    return ALONE_BYTES if layout.tp * layout.pp * layout.ep == 1 else TOGETHER_BYTES


def engine_bytes(sheet: PlannerModel, layout: Layout, last: bool) -> int:
    """Of one GPU, where nobody typed a number; `last`: of a stage that ends with the head. Training has no engine."""
    if layout.framework_bytes is not None or layout.job == "train":
        return layout.framework_bytes or 0
    logits = LOGIT_BYTES * at_once(layout) * sheet["vocab_size"] if last and sheet["has_head"] else 0
    return logits + fixed_bytes(layout)


def is_measured(layout: Layout) -> bool:
    """Whether the overhead was typed, or measured on such GPUs laid out so: H100, tp 1 or 2, whole copies."""
    alike = layout.device.name in MEASURED and layout.tp <= 2 and layout.pp == layout.ep == layout.dcp == 1
    return layout.framework_bytes is not None or layout.job == "train" or alike


class Pages(NamedTuple):
    """What one sequence takes of a rank in pages."""

    tokens: int  # of attention that a page holds
    page_bytes: int
    layers: int  # that share a page's place: a group
    bytes: int


def kernel(pieces: list[list[Any]]) -> int:
    """Width of a layer's convolution, of which vLLM keeps one column less than a whole window."""
    return next((shape[-1] for name, shape, *_ in pieces if "conv" in name and len(shape) == 3), 1 << 53)


def pages(sheet: PlannerModel, layout: Layout, kinds: Mapping[int, int], context: int) -> Pages | None:
    """None where nothing is padded: attention alone, states alone, or entries that vLLM deals out otherwise."""
    tokens: dict[int | None, int] = {}  # a window, or None for all of the context -> layers
    each: set[int] = set()
    states: Counter[int] = Counter()
    for kind, many in kinds.items():
        grown: dict[int | None, int] = {}
        for name, numbers, bits, packed, every, cap, fixed, rule, _ in sheet["kinds"][kind]["keeps"]:
            size = packed.get(layout.cache_dtype, bits + numbers * layout.cache_bits)
            size -= size // kernel(sheet["kinds"][kind]["pieces"]) if name == "conv" else 0
            held = part_of(size, ratio(sheet["rules"][rule], layout, 1 if fixed else layout.dcp), 8)
            if fixed:
                states[kind] += held
            elif every > 1:
                return None
            else:
                grown[cap] = grown.get(cap, 0) + held
        for cap, held in grown.items():
            tokens[cap] = tokens.get(cap, 0) + many
            each.add(held)
    if not states or len(each) != 1:
        return None
    token = each.pop()
    block = BLOCK * -(-max(states.values()) // (BLOCK * token))
    counts = [*tokens.values(), sum(kinds[kind] for kind in states)]
    group = max(counts) if 4 * max(counts) < 5 * min(counts) else min(counts)
    blocks = [
        -(-context // block) if cap is None else min(-(-cap // block) + 1, -(-context // block)) for cap in tokens
    ]
    held_groups = sum(-(-many // group) * times for many, times in zip(counts, [*blocks, 1], strict=True))
    return Pages(block, block * token, group, block * token * group * held_groups * sheet["loops"])
