"""A work sheet, what is chosen and a device -> rows, verdict and the figure of a roofline; static/js/roofline.js too.

Every block takes at least as long as its arithmetic and as its bytes, and blocks follow one another: a bound below
which no step can be on so many GPUs that share the work evenly and talk for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10

from cutaway.app.weigh.curve import Frame
from cutaway.app.weigh.words import DTYPES, State, device_words
from cutaway.explainers import fmt
from cutaway.gallery.counting import blocks
from cutaway.gallery.counting.blocks import Block, Sheet
from cutaway.gallery.counting.products import ORDER, PLAIN
from cutaway.gallery.drawing.svg import escape
from cutaway.gallery.planning.devices import DEVICES, fastest

FRAMES = (Frame("narrow", 288, 380, 300, 20), Frame("middle", 560, 700, 360, 24))
LEFT, TOP, BOTTOM = 60, 14, 44
LOW, HIGH = -1, 5  # powers of ten of FLOP a byte
DEEP = 6  # decades of FLOP/s shown
NEAR, TOUCH = 21, 20.9  # pixels between the middles of two dots that stand apart, and from which on they do
EDGE = 11  # from the middle of a dot to an axis
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


BINDS = {"arithmetic": "arithmetic", "weights": "reading weights", "cache": "its cache", "": "nothing"}


def cells(one: Row, total: float) -> list[str]:
    """What a row of the table says behind its name."""
    share = fmt.percent(one.seconds / total if total else 0.0, 1)
    return [scaled(one.flops, FLOPS), fmt.in_bytes(one.weight_bytes), fmt.in_bytes(one.cache_bytes),
            fmt.fixed(one.intensity, 1), scaled(one.seconds, TIMES), share, BINDS[one.binds]]  # fmt: skip


def verdict(found: list[Row], state: State, prefill: bool) -> str:
    """Which block bounds the step, and how long it takes at least."""
    total = sum(one.seconds for one in found)
    most = max(found, key=lambda one: one.seconds)
    what = "prompts" if prefill and state.batch > 1 else "prompt" if prefill else "step"
    made = state.batch * (state.ctx if prefill else 1)
    many = f"{state.gpus:,} × {device_words(state.gpu)}"
    if not total:
        return f"Nothing is done on {many}."
    where = f" in {most.count:,} layers" if most.half != blocks.HEAD else ""
    return (
        f"On {many} {'the ' if prefill else 'a '}{what} take{'' if what == 'prompts' else 's'} at least "
        f"{scaled(total, TIMES)}, {fmt.integer(round(made / total))} tokens a second. "
        f"{fmt.percent(most.seconds / total, 0)} of it is {most.name}{where}, bound by {BINDS[most.binds]}."
    )


FORMS = {PLAIN: "16 bits", "fp8": "FP8", "fp4": "FP4"}


def forms_say(told: Sheet) -> str:
    """In which formats products with weights run, where they are quantised, and why a plan may differ."""
    if told["alone"]:
        more = f" The fastest engines make {FORMS[told['fastest']]} of them, which a plan takes."
        return f"Products run in 16 bits: weights alone are {told['alone']}." + more * (told["fastest"] != PLAIN)
    found: dict[str, list[str]] = {}
    for one in told["blocks"]:
        if one["token"]:
            found.setdefault(one["runs"], []).append(one["name"])
    if set(found) <= {PLAIN}:
        return ""
    parts = [FORMS[form] + (f" ({', '.join(dict.fromkeys(found[form]))})" if len(found) > 1 else "")
             for form in reversed(ORDER) if form in found]  # fmt: skip
    return f"Products with weights run in {', '.join(parts)}, where a GPU has it."


# ---------------------------------------------------------------- the figure


def place_x(frame: Frame, intensity: float) -> float:
    power = min(max(log10(intensity) if intensity > 0 else LOW, LOW), HIGH)
    return LEFT + (frame.width - LEFT - frame.right) * (power - LOW) / (HIGH - LOW)


def place_y(frame: Frame, rate: float, high: int) -> float:
    power = max(log10(rate) if rate > 0 else 0.0, high - DEEP)
    return TOP + (frame.height - TOP - BOTTOM) * (high - power) / DEEP


def inner(frame: Frame, found: list[Row], state: State) -> str:
    """Grid, roofs, and a numbered dot for each block, those that would lie on one another side by side."""
    speed, peaks = float(state.gpus * DEVICES[state.gpu].bandwidth_bytes), peaks_of(found)
    high = ceil(log10(peaks[0]))
    out = grid(frame, high)
    for rate in peaks:
        low = [(10.0**LOW, 10.0**LOW * speed)] if rate == peaks[0] else []
        corners = (*low, (rate / speed, rate), (10.0**HIGH, rate))
        line = "L".join(f"{place_x(frame, x):.1f} {place_y(frame, y, high):.1f}" for x, y in corners)
        out.append(f'<path class="r-roof{"" if low else " w-line2"}" d="M{line}"/>')
    placed: list[tuple[float, float]] = []
    for number, one in enumerate(found, 1):
        if not one.flops or not one.seconds:
            continue
        x, y = place_x(frame, one.intensity), place_y(frame, min(one.peak, one.intensity * speed), high)
        x, y = free(frame, x, y, placed)
        placed.append((x, y))
        out.append(f'<circle class="r-dot r-{one.half}" cx="{x:.1f}" cy="{y:.1f}" r="9"/>')
        out.append(f'<text class="r-number f-mid" x="{x:.1f}" y="{y + 4:.1f}">{number}</text>')
    return "".join(out)


# Steps to the next room for a dot, the nearest first: down and to the right, where no roof is; to the left at last.
STEPS = sorted(
    ((right, down) for right in range(-12, 13) for down in range(13)),
    key=lambda one: (one[0] < 0, one[0] ** 2 + one[1] ** 2, one[0]),
)


def free(frame: Frame, x: float, y: float, placed: list[tuple[float, float]]) -> tuple[float, float]:
    """The place for a dot that is nearest to its own: on no other, and on no axis."""
    right, foot = frame.width - frame.right, frame.height - BOTTOM - EDGE
    x, y = max(x, LEFT + EDGE), min(y, foot)
    for across, down in STEPS:
        a, b = x + across * NEAR, y + down * NEAR
        inside = LEFT + EDGE <= a <= right and b <= foot
        if inside and not any(abs(a - one) < TOUCH and abs(b - two) < TOUCH for one, two in placed):
            return a, b
    return x, y


def grid(frame: Frame, high: int) -> list[str]:
    right, foot = frame.width - frame.right, frame.height - BOTTOM
    out = []
    for power in range(high - DEEP, high + 1):
        y = place_y(frame, 10.0**power, high)
        words = scaled(10.0**power, FLOPS).replace(".0", "")
        out.append(f'<path class="f-rule" d="M{LEFT} {y:.1f}H{right}"/>')
        out.append(f'<text class="f-dim f-end" x="{LEFT - 6}" y="{y + 4:.1f}">{words.replace("FLOP", "")}</text>')
    for power in range(LOW, HIGH + 1):
        x = place_x(frame, 10.0**power)
        words = "0.1" if power < 0 else f"{10**power}" if power < 4 else f"{10 ** (power - 3)}k"
        out.append(f'<text class="f-dim f-mid" x="{x:.1f}" y="{foot + 18}">{words}</text>')
    out.append(f'<text class="f-label f-mid" x="{(LEFT + right) / 2:.1f}" y="{foot + 38}">FLOP a byte</text>')
    out.append(f'<text class="f-label" x="{LEFT + 6}" y="{TOP + 12}">FLOP/s</text>')
    return out


def peaks_of(found: list[Row]) -> list[float]:
    """Where roofs are flat, the highest first: one, and a dashed one for each slower format of products."""
    return sorted({one.peak for one in found if one.flops}, reverse=True) or [max(one.peak for one in found)]


def svg(frame: Frame, found: list[Row], state: State, label: str) -> str:
    return (
        f'<svg class="cf cf-{frame.kind}" viewBox="0 0 {frame.width} {frame.height}" role="img" '
        f'aria-label="{escape(label)}"><g data-roof>{inner(frame, found, state)}</g></svg>'
    )
