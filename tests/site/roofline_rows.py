"""A work sheet and what is chosen -> the rows of a roofline, counted in Python, and what a page must say of them."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.app.weigh.words import DTYPES, State, device_words
from cutaway.explainers import fmt
from cutaway.gallery.counting import blocks
from cutaway.gallery.counting.blocks import Block, Sheet
from cutaway.gallery.counting.products import ORDER
from cutaway.gallery.planning.devices import DEVICES, fastest

FLOPS = ((1e18, "EFLOP"), (1e15, "PFLOP"), (1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"), (1, "FLOP"))
TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


@dataclass(frozen=True, slots=True)
class Row:
    """One block of a step."""

    name: str
    half: str
    count: int
    flops: float
    weight_bytes: float
    cache_bytes: float
    seconds: float
    peak: float  # FLOP/s of its products on all GPUs
    binds: str  # "arithmetic" | "weights" | "cache" | ""

    @property
    def bytes(self) -> float:
        return self.weight_bytes + self.cache_bytes

    @property
    def intensity(self) -> float:
        return self.flops / self.bytes if self.bytes else 0.0


def scaled(value: float, steps: tuple[tuple[float, str], ...]) -> str:
    size, unit = next((step for step in steps if value >= step[0]), steps[-1])
    return f"{fmt.fixed(value / size, 1)} {unit}"


def rows(told: Sheet, state: State, prefill: bool) -> list[Row]:
    """Every block's work, bytes and least time."""
    device = DEVICES[state.gpu]
    speed, tokens = state.gpus * device.bandwidth_bytes, state.batch * (state.ctx if prefill else 1)
    peaks = {form: float(state.gpus * fastest(device, form)) for form in ORDER}
    return [row(told, block, state, prefill, tokens, peaks[block["runs"]], speed) for block in told["blocks"]]


def row(told: Sheet, block: Block, state: State, prefill: bool, tokens: int, rate: float, speed: float) -> Row:
    work = float(blocks.flops(told, block, state.ctx, state.batch, prefill))
    weights = float(blocks.weight_bytes(block, tokens))
    kept = float(blocks.cache_bytes(told, block, state.ctx, DTYPES[state.kv], state.batch, prefill))
    counting, moving = work / rate, (weights + kept) / speed
    word = "arithmetic" if counting > moving else "weights" if weights >= kept else "cache"
    return Row(
        block["name"], block["half"], block["count"], work, weights, kept, max(counting, moving), rate,
        word if max(counting, moving) else "",
    )  # fmt: skip


BINDS = {"arithmetic": "arithmetic", "weights": "reading weights", "cache": "reading its cache", "": "nothing"}


def cells(one: Row, total: float) -> list[str]:
    """What a row of the table says behind its name."""
    share = fmt.percent(one.seconds / total if total else 0.0, 1)
    return [scaled(one.flops, FLOPS), fmt.in_bytes(one.weight_bytes), fmt.in_bytes(one.cache_bytes),
            fmt.fixed(one.intensity, 1), scaled(one.seconds, TIMES), share, BINDS[one.binds]]  # fmt: skip


def misses(verdict: str, found: list[Row], state: State, prefill: bool) -> list[str]:
    """What a verdict ought to name, and does not: GPUs, the least time, tokens a second, the block that takes most."""
    total, most = sum(one.seconds for one in found), max(found, key=lambda one: one.seconds)
    made = state.batch * (state.ctx if prefill else 1)
    parts = [f"{state.gpus:,} × {device_words(state.gpu)}"]
    if total:
        parts += [f"at least {scaled(total, TIMES)}", f"{round(made / total):,} tokens a second", most.name,
                  f"{fmt.percent(most.seconds / total, 0)} of that time", f"bound by {BINDS[most.binds]}"]  # fmt: skip
        parts += [f"in {most.count:,} layers"] * (most.half != blocks.HEAD)
    return [part for part in parts if part not in verdict]
