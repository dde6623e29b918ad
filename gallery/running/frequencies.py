"""A Rope -> the inverse frequency of each pair and the factor on cos and sin, as transformers 5.23.0 computes them."""

from __future__ import annotations

import math

import numpy as np

from cutaway.gallery.records import Rope
from cutaway.gallery.rope_growth import growth, stretched_context


def plain_frequencies(rope: Rope, theta: float | None = None) -> np.ndarray:
    """theta ** (-2i / dims)."""
    return 1.0 / (theta or rope.theta) ** (np.arange(0, rope.dims, 2) / rope.dims)


def linear(rope: Rope, said: dict, tokens: int):
    """Every frequency divided alike."""
    return plain_frequencies(rope) / said["factor"], 1.0


def dynamic(rope: Rope, said: dict, tokens: int):
    """NTK: a larger base once the text is longer than the model was made for; or, by alpha, always (Hunyuan)."""
    if rope.alpha:
        return plain_frequencies(rope, rope.base), 1.0
    longest, factor = rope.context or said["original_max_position_embeddings"], said["factor"]
    length = max(tokens, longest)
    power = rope.dims / (rope.dims - 2)
    return plain_frequencies(rope, rope.theta * (factor * length / longest - (factor - 1)) ** power), 1.0


def llama3(rope: Rope, said: dict, tokens: int):
    """Long waves stretched, short ones left, a ramp between; one limit for both (Llama 4 Scout) leaves no ramp."""
    base, old = plain_frequencies(rope), said["original_max_position_embeddings"]
    low, high, factor = said["low_freq_factor"], said["high_freq_factor"], said["factor"]
    turns = old / (2 * math.pi / base)
    ramp = np.clip((turns - low) / (high - low), 0, 1) if high > low else (turns >= low).astype(float)
    return (1 - ramp) * base / factor + ramp * base, 1.0


def yarn(rope: Rope, said: dict, tokens: int):
    """Slow pairs interpolated, fast ones left, a ramp between; cos and sin grow a little."""
    old, factor = stretched_context(rope, said)
    base = plain_frequencies(rope)

    def pair(turns: float) -> float:
        return rope.dims * math.log(old / (turns * 2 * math.pi)) / (2 * math.log(rope.theta))

    low, high = pair(said.get("beta_fast") or 32), pair(said.get("beta_slow") or 1)
    if said.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, rope.dims - 1)
    ramp = np.clip((np.arange(rope.dims // 2) - low) / ((high - low) or 0.001), 0, 1)
    return base / factor * ramp + base * (1 - ramp), growth(rope, tokens)


def longrope(rope: Rope, said: dict, tokens: int):
    """A factor per pair: one list for short texts, another for long ones."""
    old, _ = stretched_context(rope, said)
    each = np.array(said["long_factor"] if tokens > old else said["short_factor"])
    return plain_frequencies(rope) / each, growth(rope, tokens)


def proportional(rope: Rope, said: dict, tokens: int):
    """The first pairs of the whole head turn, the others stand still."""
    base = plain_frequencies(rope) / said["factor"]
    return np.where(np.arange(rope.dims // 2) < said["rotated"] // 2, base, 0.0), 1.0


KINDS = {
    "proportional": proportional,
    "linear": linear,
    "dynamic": dynamic,
    "llama3": llama3,
    "yarn": yarn,
    "longrope": longrope,
}


def frequencies(rope: Rope, tokens: int) -> tuple[np.ndarray, float]:
    """([dims / 2] inverse frequencies, factor on cos and sin) for a text of `tokens` tokens."""
    if rope.kind not in KINDS:
        return plain_frequencies(rope), 1.0
    try:
        return KINDS[rope.kind](rope, dict(rope.scaling), tokens)
    except KeyError as key:
        raise ValueError(f"Rotation of kind {rope.kind} needs {key.args[0]}, which the config does not say.") from None
