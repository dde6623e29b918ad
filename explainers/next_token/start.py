"""What the page starts from: the model in numbers, stories that it writes, and what replacing one token changes."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cutaway.explainers.next_token import forward, sampling, stored, tokens
from cutaway.explainers.next_token.run import window

HERE = Path(__file__).parent
EDITED: dict[str, Any] = {"text": "Mr. Darcy looked at Elizabeth, and Elizabeth looked at Mr.", "at": 6, "by": " Emma"}


@cache
def trained() -> dict[str, Any]:
    """What training measured."""
    return json.loads((HERE / "trained.json").read_text("utf-8"))


def facts() -> dict[str, Any]:
    """The model in numbers, counted from its tensors, and what training measured."""
    config, measured = forward.load().config, trained()
    sizes = [stored.rows_of(shape) for shape in stored.shapes(config).values()]
    kept = (
        "bits_per_byte",
        "xz_bits_per_byte",
        "held_out_bytes",
        "trained_bytes",
        "trained_tokens",
        "steps",
        "tokens_a_step",
    )
    return {
        "parameters": sum(rows * columns for rows, columns in sizes),
        "file": len((HERE / "weights.bin").read_bytes()),
        "vocabulary": config["vocab_size"],
        "layers": config["num_hidden_layers"],
        "heads": config["num_attention_heads"],
        "kv_heads": config["num_key_value_heads"],
        "head_dim": config["head_dim"],
        "context": config["max_position_embeddings"],
        **{key: measured[key] for key in kept},
    }


def write_on(text: str, many: int, draw: int, temperature: float = 1.0, top_p: float = 1.0) -> str:
    """A text, and so many tokens more: with the cache, one new token a step."""
    model, held = forward.load(), forward.Cache()
    ids, fresh = [tokens.FIRST, *tokens.encode(text)], None
    for _ in range(many):
        made = forward.run(model, ids[held.length :] if fresh is None else [fresh], held)
        fresh = sampling.choose(made.logits[-1], temperature, 0, top_p, draw, len(ids))
        ids.append(fresh)
    return tokens.decode(ids[1:])


def edited() -> list[bool]:
    """Which keys of which tokens change where one token of a text is replaced: of each token, in any layer."""
    ids, _ = window(EDITED["text"])
    other = [*ids]
    other[EDITED["at"]] = tokens.encode(EDITED["by"])[0]
    both = [forward.run(forward.load(), one) for one in (ids, other)]
    moved = [~np.isclose(a.k, b.k).all((1, 2)) for a, b in zip(both[0].layers, both[1].layers, strict=True)]
    return [bool(one) for one in np.any(moved, 0)]


def pack_logits(logits: np.ndarray) -> dict[str, Any]:
    """Logits in 16 bits, as base64, and how much one step is: under a thousandth of a logit."""
    step = float(abs(logits).max()) / 32767
    return {"step": step, "steps": base64.b64encode(np.rint(logits / step).astype("<i2").tobytes()).decode()}


def rounded(value: Any) -> Any:
    """The same with floats of 8 digits: a page prints at most 3 of them, and half as many are sent."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.8g}") if isinstance(value, float) else value
