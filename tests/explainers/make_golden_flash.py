"""Torch -> golden_flash.json: attention whole, by two kernels that never write the square, on the page's example too.

    python tests/explainers/make_golden_flash.py    (needs torch; tests themselves do not)

Rows are torch.nn.functional.scaled_dot_product_attention in float64 under causal masks and windows; the backends are
torch's own: "math" writes the square, "flash" is its tiled kernel for the processor.
"""

import json
from pathlib import Path

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as attend

torch.set_default_dtype(torch.float64)
QUERIES = [[2, 0], [-1, 2], [1, -1], [0, 2], [1, 1], [-1, 1], [1, 0], [0, 1]]
KEYS = [[0.5, 1], [2.5, 0.5], [0, 2], [1, 0], [1.5, 1.5], [0, 4], [1, 0.5], [0.5, 1]]
VALUES = [2, -1, 1, 3, 0, 5, -2, 1]


def example(fifth: float, reach: int) -> list[float]:
    keys = torch.tensor(KEYS)
    keys[5, 1] = fifth
    at = torch.arange(8)
    mask = (at[:, None] >= at) & (at[:, None] - at < reach)
    values = torch.tensor(VALUES).double()[:, None].expand(8, 2)
    q, k, v = (x.double()[None, None] for x in (torch.tensor(QUERIES), keys, values))
    return attend(q, k, v, attn_mask=mask, scale=1.0)[0, 0, :, 0].tolist()


def kernels() -> dict:
    torch.manual_seed(24)
    q, k, v = (torch.randn(1, 1, 12, 4) for _ in range(3))
    found = {"q": q[0, 0].tolist(), "k": k[0, 0].tolist(), "v": v[0, 0].tolist()}
    for name, kind in {"math": SDPBackend.MATH, "flash": SDPBackend.FLASH_ATTENTION}.items():
        with sdpa_kernel(kind):
            found[name] = attend(q, k, v, is_causal=True)[0, 0].tolist()
    return found


if __name__ == "__main__":
    rows = {f"{fifth} {reach}": example(fifth, reach) for fifth in (1, 4, 8) for reach in (8, 4, 2)}
    made = {"torch": torch.__version__, "example": rows, "kernels": kernels()}
    Path(__file__).with_name("golden_flash.json").write_text(json.dumps(made) + "\n", "utf-8")
