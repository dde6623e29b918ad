"""Four cached tokens and one query, small enough to print: why absorbing needs RoPE kept apart.

`NUMBERS` are made up. Expanded: rebuild each key from its latent and multiply. Absorbed: fold W_uk into the query once,
then multiply with the latents. With RoPE apart both agree; with RoPE inside the key no single folded query can.
"""

from __future__ import annotations

import numpy as np

NUMBERS = {
    "latents": [[0.5, -1.0, 0.8], [1.2, 0.3, -0.4], [-0.7, 0.9, 0.6], [0.2, 1.1, -0.9]],
    "w_uk": [[0.6, -0.3, 0.9], [-0.5, 0.8, 0.4]],  # key width x rank
    "q": [0.7, -0.6],
    "q_rope": [0.5, 0.9],
    "k_rope": [[1.0, 0.2], [0.4, -0.8], [-0.6, 0.5], [0.9, 0.7]],
}


def turn(pair: np.ndarray, position: int) -> np.ndarray:
    """RoPE on one pair, one radian per position."""
    cos, sin = np.cos(position), np.sin(position)
    return np.array([pair[0] * cos - pair[1] * sin, pair[1] * cos + pair[0] * sin])


def compute(where: str, numbers: dict) -> dict:
    """The score of the last token with each cached one, both ways, and what differs."""
    latents, w_uk = np.array(numbers["latents"]), np.array(numbers["w_uk"])
    q, last = np.array(numbers["q"]), len(latents) - 1
    apart = [
        float(turn(np.array(numbers["q_rope"]), last) @ turn(np.array(k), j)) for j, k in enumerate(numbers["k_rope"])
    ]
    if where == "apart":
        expanded = [float(q @ (w_uk @ c)) + apart[j] for j, c in enumerate(latents)]
    else:
        expanded = [float(turn(q, last) @ turn(w_uk @ c, j)) for j, c in enumerate(latents)]
    folded = w_uk.T @ q
    absorbed = [float(folded @ c) + (apart[j] if where == "apart" else 0.0) for j, c in enumerate(latents)]
    error = [a - b for a, b in zip(absorbed, expanded, strict=True)]
    needed = [w_uk.T @ turn(q, last - j if where == "inside" else 0) for j in range(last + 1)]
    return {
        "expanded": expanded,
        "absorbed": absorbed,
        "error": error,
        "needed": [[float(x) for x in row] for row in needed],  # the folded query that token j would need
        "agree": max(abs(e) for e in error) < 1e-9,
    }
