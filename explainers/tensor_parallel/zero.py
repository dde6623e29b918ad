"""One step of Adam on D ranks, sharded as ZeRO 0 to 3 shard it: what each rank holds, what is sent, the same weights.

The run has 2 D parameters, so that every rank can own two. Numbers are counted here; bytes come from CONVENTIONS.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cutaway.explainers.tensor_parallel.arithmetic import numbers
from cutaway.explainers.tensor_parallel.words import tiny
from cutaway.gallery.mesh import Mesh, Network


class Kept(NamedTuple):
    """One thing kept for every parameter, and from which ZeRO stage on each rank keeps only its share."""

    what: str
    bytes: int
    stage: int


_ADAM = (Kept("master weight, fp32", 4, 1), Kept("momentum, fp32", 4, 1), Kept("variance, fp32", 4, 1))
CONVENTIONS: dict[str, dict[str, Any]] = {
    "16": {
        "label": "16: ZeRO paper",
        "kept": (Kept("weight, bf16", 2, 3), Kept("gradient, bf16", 2, 2), *_ADAM),
        "travels": 2,  # bytes of a gradient on the wire
        "source": "Rajbhandari et al. 1910.02054: gradients in 16 bits",
    },
    "18": {
        "label": "18: Megatron",
        "kept": (Kept("weight, bf16", 2, 3), Kept("gradient, fp32", 4, 2), *_ADAM),
        "travels": 4,
        "source": "Megatron-LM: gradients kept and reduced in fp32; 6 + 12/D with its distributed optimizer",
    },
    "20": {
        "label": "20: with fp32 sums",
        "kept": (
            Kept("weight, bf16", 2, 3),
            Kept("gradient, bf16", 2, 2),
            Kept("accumulated gradient, fp32", 4, 2),
            *_ADAM,
        ),
        "travels": 2,
        "source": "bf16 gradients added up in fp32; here they travel in bf16",
    },
}


def adam(w: np.ndarray, g: np.ndarray, m: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The new weights after a first step: learning rate 1/8, decays 0.9 and 0.999."""
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * (g * g)
    return w - 0.125 * (m / 0.1) / (np.sqrt(v / 0.001) + 1e-8)


def step(stage: int, d: int) -> dict[str, Any]:
    """One training step; the gradient of a rank depends on the weights it has, so a wrong gather would show."""
    n = 2 * d
    w, data = numbers(11, 1, n)[0], numbers(12, d, n)
    net, own = Network(Mesh({"dp": d}, d)), [slice(2 * r, 2 * r + 2) for r in range(d)]

    def gather(what: str, shares: list[np.ndarray]) -> list[np.ndarray]:
        return list(net.all_gather(dict(enumerate(shares)), "dp", what).values())

    if stage == 3:
        forward = gather("weights", [w[o] for o in own])
        backward = gather("weights", [w[o] for o in own])
    else:
        forward = backward = [w.copy() for _ in range(d)]
    grads = {r: forward[r] * data[r] + backward[r] * 0.5 for r in range(d)}
    summed = net.reduce_scatter(grads, "dp", "gradients")
    if stage == 0:
        full = gather("gradients", list(summed.values()))
        after = [adam(w, full[r] / d, np.zeros(n), np.zeros(n)) for r in range(d)]
    else:
        shares = [adam(w[o], summed[r] / d, np.zeros(2), np.zeros(2)) for r, o in enumerate(own)]
        after = shares if stage == 3 else gather("weights", shares)
    answer = adam(w, sum((w * data[r] + w * 0.5 for r in range(1, d)), w * data[0] + w * 0.5) / d, 0 * w, 0 * w)
    places = [answer[o] if stage == 3 else answer for o in own]
    away = max(float(np.abs(a - b).max()) for a, b in zip(after, places, strict=True))
    sent = {what: [0] * d for what in ("weights", "gradients")}
    for move in net.log:
        sent[move.tensor][move.source] += move.bytes // 8  # a number has 8 bytes
    # numbers sent by each rank, per parameter of the model
    return {"away": away, "sent": {what: counts[0] / n for what, counts in sent.items()}, "all": sent}


def parameter_shares(stage: int, d: int, convention: str) -> list[list]:
    """[what, bytes of a parameter, share of the parameters a rank keeps]."""
    return [[k.what, k.bytes, 1 / d if stage >= k.stage else 1.0] for k in CONVENTIONS[convention]["kept"]]


def bytes_per_parameter(stage: int, d: int, convention: str) -> float:
    """What one rank holds, per parameter of the model: 16, 4 + 12/D, 2 + 14/D, 16/D."""
    whole = sum(k.bytes for k in CONVENTIONS[convention]["kept"] if stage < k.stage)
    shared = sum(k.bytes for k in CONVENTIONS[convention]["kept"] if stage >= k.stage)
    return whole + shared / d


def describe_step(stage: int, d: int, convention: str, parameters: int) -> dict[str, Any]:
    """One executed step on d ranks, as it is printed: what a rank holds and sends for each parameter of the model."""
    ran, per, row = step(stage, d), bytes_per_parameter(stage, d, convention), CONVENTIONS[convention]
    once, travels = (d - 1) / d, row["travels"]
    sent = {"weights": 2 * ran["sent"]["weights"], "gradients": travels * ran["sent"]["gradients"]}
    rows = [
        {
            "per": bytes_per_parameter(z, d, convention),
            "bytes": bytes_per_parameter(z, d, convention) * parameters,
            "gradients": travels * (1 if z else 2) * once,
            "weights": 2 * (0, 1, 1, 2)[z] * once,
        }
        for z in range(4)
    ]
    away = f"differ from the unsharded step's by at most {tiny(ran['away'])}"
    return {
        "away": ran["away"],
        "differ": away if ran["away"] else "equal the unsharded step's to the last bit",
        "label": row["label"],
        "source": row["source"],
        "rows": rows,
        "held": parameter_shares(stage, d, convention),
        "per_parameter": per,
        "stages": [one["per"] for one in rows],
        "parameters": parameters,
        "rank_bytes": per * parameters,
        "sent": sent,
        "formula_sent": {key: rows[stage][key] for key in ("weights", "gradients")},
        "sent_bytes": (sent["weights"] + sent["gradients"]) * parameters,
    }
