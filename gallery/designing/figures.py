"""A spec and a context -> the figures of a design; two of them -> how they differ, and one sentence that says it."""

from __future__ import annotations

from typing import NamedTuple

from cutaway import gallery
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.spec import ModelSpec

DEVICE, DEVICE_WORDS = "h100_sxm", "H100 SXM"
USED = 0.92  # of a device's memory, as planning/layout.py has it
WEIGHT_BYTES = 2
CONTEXT = 131_072


class Figures(NamedTuple):
    """One model at a context."""

    total: int
    active: int
    cache: int  # bytes in BF16
    weight_bytes: int  # read by a decode step, batch 1
    cache_bytes: int
    flops: int

    def seconds(self, gpus: int) -> float:
        """The least time of a decode step: all weights and cache read once, or all products, at the full rate."""
        device = DEVICES[DEVICE]
        reads = (self.weight_bytes + self.cache_bytes) / device.bandwidth_bytes
        return max(reads, self.flops / device.peaks["bfloat16"]) / gpus

    @property
    def binds(self) -> str:
        """What sets that time."""
        device = DEVICES[DEVICE]
        reads = (self.weight_bytes + self.cache_bytes) / device.bandwidth_bytes
        return "memory bandwidth" if reads >= self.flops / device.peaks["bfloat16"] else "compute"


def figures(spec: ModelSpec, context: int) -> Figures:
    """Counted as the model's page counts them."""
    counted, work = gallery.parameters(spec), gallery.flops(spec, context)
    cache = gallery.memory(spec, context).total_bytes
    return Figures(counted.total, counted.active, cache, work.weight_bytes, work.cache_bytes, work.total_flops)


def gpus_for(several: list[Figures]) -> int:
    """The smallest power of two of GPUs that holds the largest of these, with its cache."""
    room = DEVICES[DEVICE].memory_bytes * USED
    most, gpus = max(WEIGHT_BYTES * one.total + one.cache for one in several), 1
    while gpus * room < most:
        gpus *= 2
    return gpus


# ---------------------------------------------------------------- the sentence

SAME = 0.005  # a share under which figures count as equal
HALF, THIRD, DOUBLE = 0.5, 1 / 3, 2.0
NEAR = 0.04
ROUND = ((1 / 4, "a quarter of the"), (1 / 3, "a third of the"), (1 / 2, "half the"), (2, "twice the"),
         (3, "three times the"), (4, "four times the"))  # fmt: skip


def how_much(was: float, now: float, what: str) -> str:
    """ "half the parameters", "12 % less cache", "the same cache"."""
    if not was:
        return f"no {what} before" if now else f"no {what}"
    ratio = now / was
    if abs(ratio - 1) < SAME:
        return f"the same {what}"
    for value, words in ROUND:
        if abs(ratio / value - 1) < NEAR:
            return f"{words} {what}"
    if ratio > 4 or ratio < 0.2:
        return f"{ratio:.1f} times the {what}" if ratio > 4 else f"{100 * ratio:.0f} % of the {what}"
    fewer = "fewer" if what.endswith("s") else "less"
    return f"{abs(100 * (ratio - 1)):.0f} % {'more' if ratio > 1 else fewer} {what}"


def verdict(was: Figures, now: Figures, context: int) -> tuple[str, str]:
    """(in bold: what the changes did to parameters and to decoding; then why): of both the one that reads most."""
    before, after = was.weight_bytes + was.cache_bytes, now.weight_bytes + now.cache_bytes
    faster = was.seconds(1) / now.seconds(1)
    first = how_much(was.total, now.total, "parameters")
    if abs(faster - 1) < SAME:
        speed = "decoding takes as long"
    else:
        share = 100 * abs(now.seconds(1) / was.seconds(1) - 1)
        speed = (
            f"decoding is {share:.0f} % {'faster' if faster > 1 else 'slower'}" if faster <= 1 or share < 99.5 else ""
        )
    joined = "but" if (now.total < was.total) != (faster > 1) and abs(faster - 1) >= SAME else "and"
    bold = f"{first[0].upper()}{first[1:]}, {joined} {speed} at {context:,} tokens."
    weights, cache = now.weight_bytes - was.weight_bytes, now.cache_bytes - was.cache_bytes
    return bold, why(weights, cache, before, after)


def why(weights: int, cache: int, before: int, after: int) -> str:
    """What of the bytes that a step reads changed most."""
    if abs(after - before) < SAME * before and max(abs(weights), abs(cache)) < SAME * before:
        return "A step reads as many bytes as before."
    grows, shrinks = ("weights", weights), ("cache", cache)
    if weights * cache < 0:
        more, less = (grows, shrinks) if weights > 0 else (shrinks, grows)
        outweighs = "more" if more[1] > -less[1] else "less"
        saves = "saves" if less[0] == "cache" else "save"
        return f"Reading the larger {more[0]} costs {outweighs} than the smaller {less[0]} {saves}."
    name, change = max((grows, shrinks), key=lambda one: abs(one[1]))
    return f"A step reads {'more' if change > 0 else 'less'}, mostly of the {name}."
