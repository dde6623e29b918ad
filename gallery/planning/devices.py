"""A device's name -> what it holds and how fast it computes, reads and sends: one row each, dense peaks, no sparsity.

Memory in bytes; bandwidths in bytes a second, links per GPU and direction; peaks in FLOP/s by format.
"""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.counting.products import ORDER

SOURCE = "ai-dynamo/aiconfigurator (Apache-2.0) at 095f58a, aic-core/src/aiconfigurator_core/systems/*.yaml"
GIB = 1024**3
TERA = 10**12
GIGA = 10**9


class Device(NamedTuple):
    """One GPU, and how many of them one node joins with its faster link."""

    name: str
    memory_bytes: int
    bandwidth_bytes: int  # of its memory, a second
    gpus_per_node: int
    inside_bytes: int  # to another GPU of its domain (node, or rack), a second
    outside_bytes: int  # to a GPU of another node, a second
    peaks: dict[str, int]  # format -> FLOP/s
    domain: int  # GPUs that the faster link joins: a node's, or a rack's (NVL72)
    beyond_bytes: int  # to a GPU of another such domain, a second; where a node is none, as outside_bytes


def _row(
    name: str, memory: int, bandwidth: float, links: tuple[float, float], peaks: dict[str, float], node: int = 8,
    rack: int = 0, beyond: float = 0.0,
) -> Device:  # fmt: skip
    """GiB, GB/s, (GB/s, GB/s) and TFLOP/s as the source states them; `beyond`: GB/s between racks, NVIDIA's data sheets
    (GB200 NVL72: ConnectX-7, 400 Gb/s a GPU; GB300 NVL72: ConnectX-8, 800 Gb/s)."""
    inside, outside = (round(one * GIGA) for one in links)
    flops = {name: round(peak * TERA) for name, peak in peaks.items()}
    far = round(beyond * GIGA) or outside
    return Device(name, memory, round(bandwidth * GIGA), node, inside, outside, flops, rack or node, far)


def _nvidia(bfloat16: float, fp8: bool = False, fp4: float = 0.0) -> dict[str, float]:
    """Peaks by format: FP8 at twice the speed of BF16 where the device has it."""
    peaks = {"bfloat16": bfloat16}
    if fp8:
        peaks["fp8"] = 2 * bfloat16
    return {**peaks, "fp4": fp4} if fp4 else peaks


def product_format(device: Device, form: str) -> str:
    """The format in whose peak products of a format run: its own, or the fastest of the wider ones that there are."""
    return max(ORDER[: ORDER.index(form) + 1], key=lambda name: device.peaks.get(name, 0))


def fastest(device: Device, form: str) -> int:
    """FLOP/s of products in a format (products.py says in which a model's run)."""
    return device.peaks[product_format(device, form)]


DEVICES = {
    row.name: row
    for row in (
        _row("a100_pcie", 80 * GIB, 1935, (32, 25), _nvidia(312)),
        _row("a100_sxm", 80 * GIB, 2039, (300, 25), _nvidia(312)),
        _row("a30", 24 * GIB, 933, (32, 25), _nvidia(165)),
        _row("b200_sxm", 180 * GIB, 7700, (900, 100), _nvidia(2250, True, 9000)),
        _row("b300_sxm", 288_400_343_040, 7750, (900, 100), _nvidia(2250, True, 14_000)),
        _row("b60", 24 * GIB, 456, (28.4, 50), {"bfloat16": 98.304, "fp8": 98.304}),
        _row("gb200", 198_674_743_296, 8000, (900, 900), _nvidia(2500, True, 10_000), node=4, rack=72, beyond=50),
        _row("gb300", 298_013_687_808, 8000, (900, 900), _nvidia(2500, True, 15_000), node=4, rack=72, beyond=100),
        _row("h100_pcie", 80 * GIB, 2000, (64, 50), _nvidia(756.5, True)),
        _row("h100_sxm", 80 * GIB, 3350, (450, 50), _nvidia(989, True)),
        _row("h200_sxm", 141 * GIB, 4800, (450, 50), _nvidia(989, True)),
        _row("l4", 24 * GIB, 300, (32, 25), _nvidia(121, True)),
        _row("l40s", 48_305_799_168, 864, (32, 50), _nvidia(362.05, True)),
        _row("rtx_pro_6000_server", 102_641_958_912, 1792, (64, 50),
             {"bfloat16": 467.800534963698, "fp8": 935.601069927397, "fp4": 1871.202139854795}),
    )
}  # fmt: skip
