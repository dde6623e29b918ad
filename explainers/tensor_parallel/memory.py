"""A model's row and t ranks -> which t are legal, what of each tensor a rank keeps, the bytes it holds."""

from __future__ import annotations

from typing import Any

from cutaway.explainers.tensor_parallel import words

BF16 = 2


def legal(model: dict[str, Any]) -> list[int]:
    """How many ranks can share heads and MLPs of all layers; KV heads are dealt out evenly, or copied evenly."""

    def fits(t: int) -> bool:
        even = all(number % t == 0 for number in (model["heads"], model["mlp"], *model["also"]))
        return even and not any(kv % t and t % kv for kv in kv_heads(model))

    return [t for t in range(1, 17) if fits(t)]


def kv_heads(model: dict[str, Any]) -> list[int]:
    """How many heads of keys and values there are: first in the layer that is drawn, then in others."""
    return [model["kv_heads"], *(heads for _, heads in model["kv"])]


def parameters(model: dict[str, Any]) -> int:
    """All of them."""
    return model["cut"] + sum(numbers for numbers, _ in model["kv"]) + model["whole"]


def ladder(model: dict[str, Any], sp: bool, s: int) -> list[dict[str, float]]:
    """What a rank holds, for every number of ranks that is legal."""
    rows = [(t, memory_of(model, t, sp, s)) for t in legal(model) if not sp or s % t == 0]
    return [{"t": t, **m, "total": words.total(m)} for t, m in rows]


def memory_of(model: dict[str, Any], t: int, sp: bool, s: int) -> dict[str, float]:
    """Bytes on one rank: weights in bf16 by how they are cut, KV cache of s tokens, one layer's residual stream."""

    def share(heads: int) -> float:
        """Of keys and values of so many heads; all of them where a latent stands for the heads."""
        return max(1, t // heads) / t if heads else 1

    return {
        "cut": BF16 * model["cut"] / t,
        "kv": sum(BF16 * numbers * share(heads) for numbers, heads in model["kv"]),
        "whole": BF16 * model["whole"],
        "cache": sum(size * min(s, cap or s) * share(heads) for size, cap, heads in model["grows"]),
        "stream": BF16 * s * model["hidden"] / (t if sp else 1),
    }
