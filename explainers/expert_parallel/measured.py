"""DeepEP's published measurements beside what this page's bytes make of them.

Low-latency kernels, 128 tokens a batch, 7,168 numbers, 8 experts a token, FP8 out and BF16 back, on H800 with 400 Gb/s
(docs/legacy.md of the repository). They send a copy for every chosen expert: bytes / time is the bandwidth they print.
"""

from __future__ import annotations

TOKENS, WIDTH, CHOSEN = 128, 7168, 8
WITHIN = 0.025  # they print whole GB/s
ROWS = (  # GPUs, microseconds out, GB/s out, microseconds back, GB/s back
    (8, 77, 98, 114, 127),
    (16, 118, 63, 195, 74),
    (32, 155, 48, 273, 53),
    (64, 173, 43, 314, 46),
    (128, 192, 39, 369, 39),
    (256, 194, 39, 360, 40),
)


def copy(width: int, dispatch: str) -> dict[str, int]:
    """Bytes of one token on its way: FP8 with a 4-byte scale for every 128 numbers, or BF16; back always BF16."""
    scales = -(-width // 128) if dispatch == "fp8" else 0
    return {"numbers": width, "scales": scales, "out": width * (1 if scales else 2) + 4 * scales, "back": 2 * width}


def table() -> dict:
    """Every row: computed and published bandwidth, and whether they agree."""
    one = copy(WIDTH, "fp8")
    out, back = (TOKENS * CHOSEN * one[way] for way in ("out", "back"))
    rows = [
        {
            "gpus": gpus,
            "out": out / us_out / 1e3,
            "out_said": gbs_out,
            "back": back / us_back / 1e3,
            "back_said": gbs_back,
            "agrees": "pass"
            if all(
                abs(bytes_ / us / 1e3 - said) <= WITHIN * said
                for bytes_, us, said in ((out, us_out, gbs_out), (back, us_back, gbs_back))
            )
            else "fail",
        }
        for gpus, us_out, gbs_out, us_back, gbs_back in ROWS
    ]
    agree = sum(row["agrees"] == "pass" for row in rows)
    return {"tokens": TOKENS, "chosen": CHOSEN, "out": out, "back": back, "rows": rows, "agree": agree}
