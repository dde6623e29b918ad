"""Torch -> golden_attention.json: RoPE, grouped attention, sliding windows and sink logits, computed once.

    python tests/explainers/make_golden_attention.py    (needs torch; tests themselves do not)

Rotary position is written with torch.polar on halves (i, i + half); attention is
torch.nn.functional.scaled_dot_product_attention in float64; a sink is one more key whose logit is the sink and whose
value is zero, which is what the softmax with a dropped extra column of gpt-oss and MiMo-V2 amounts to.
"""

import json
from pathlib import Path

import torch
from torch.nn.functional import scaled_dot_product_attention as attend

torch.manual_seed(20)
torch.set_default_dtype(torch.float64)


def rope(x: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    angles = torch.outer(torch.arange(x.shape[-2]).double(), 10_000.0 ** (-torch.arange(half) / half))
    turned = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([turned.real, turned.imag], dim=-1)


def listed(**tensors: torch.Tensor) -> dict:
    return {name: [[[round(v, 9) for v in row] for row in head] for head in t.tolist()] for name, t in tensors.items()}


def gqa() -> dict:
    raw_q, k, v = torch.randn(4, 6, 8), rope(torch.randn(2, 6, 8)), torch.randn(2, 6, 4)
    q = rope(raw_q)
    out = attend(q[None], k[None], v[None], is_causal=True, enable_gqa=True)[0]
    return listed(raw_q=raw_q, q=q, k=k, v=v, out=out)


def windows() -> dict:
    found = {}
    q, k, v = torch.randn(2, 12, 8), torch.randn(2, 12, 8), torch.randn(2, 12, 8)
    found |= listed(q=q, k=k, v=v)
    at = torch.arange(12)
    causal = at[:, None] >= at
    for span in (1, 3, 5):
        masks = {"window": at > at[:, None] - span, "chunked": at // span == at[:, None] // span}
        for name, near in masks.items():
            found |= listed(**{f"{name}_{span}": attend(q[None], k[None], v[None], attn_mask=causal & near)[0]})
    return found


def sinks() -> dict:
    q, k, v, logit = torch.randn(2, 7, 8), torch.randn(2, 7, 8), torch.randn(2, 7, 8), torch.tensor([0.7, -1.3])
    bias = torch.zeros(2, 7, 8)
    bias[..., :7].masked_fill_(~torch.ones(7, 7, dtype=torch.bool).tril(), float("-inf"))
    bias[..., 7] = logit[:, None]
    more_k, more_v = (torch.cat([t, torch.zeros(2, 1, 8)], dim=1) for t in (k, v))
    out = attend(q[None], more_k[None], more_v[None], attn_mask=bias[None])[0]
    return {**listed(q=q, k=k, v=v, out=out), "logit": logit.tolist()}


golden = {
    "made_with": f"torch {torch.__version__}, seed 20, float64, rounded to 9 digits",
    "gqa": gqa(),
    "windows": windows(),
    "sinks": sinks(),
}
Path(__file__).with_name("golden_attention.json").write_text(json.dumps(golden) + "\n")
