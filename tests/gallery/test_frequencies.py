"""Stretched rotations, pair by pair in plain Python: what numpy computes must be what the formulas say."""

import math

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.records import Rope
from cutaway.gallery.running.frequencies import KINDS, frequencies

DIMS, BASE, OLD = 8, 10_000.0, 100
PLAIN = [BASE ** (-2 * i / DIMS) for i in range(DIMS // 2)]


def found(kind: str, tokens: int = 50, context: int = 0, **scaling) -> tuple[list[float], float]:
    rope = Rope(dims=DIMS, theta=BASE, kind=kind, scaling=tuple(sorted(scaling.items())), context=context)
    values, stretch = frequencies(rope, tokens)
    return [float(value) for value in values], stretch


def larger(times: float) -> list[float]:
    """The plain frequencies of a base so many times as large."""
    return [(BASE * times) ** (-2 * i / DIMS) for i in range(DIMS // 2)]


def llama3(value: float) -> float:
    """Waves shorter than 100 / 4 tokens stay, those longer than 100 / 1 are stretched by 8, a line between."""
    turns = OLD / (2 * math.pi / value)
    share = min(max((turns - 1) / (4 - 1), 0), 1)
    return share * value + (1 - share) * value / 8


def yarn(fast: float, slow: float, factor: float, whole: bool = True) -> list[float]:
    """Pairs that turn more than `fast` times in 100 tokens stay, those with fewer than `slow` turns are stretched."""
    low, high = (DIMS * math.log(OLD / (2 * math.pi * turns)) / (2 * math.log(BASE)) for turns in (fast, slow))
    if whole:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, DIMS - 1)
    slowed = [min(max((i - low) / (high - low), 0), 1) for i in range(DIMS // 2)]
    return [value / factor * share + value * (1 - share) for value, share in zip(PLAIN, slowed, strict=True)]


GROWN = 0.1 * math.log(4) + 1
YARN = {"factor": 4.0, "original_max_position_embeddings": OLD}
LONG = {"long_factor": (2.0, 3.0, 4.0, 5.0), "short_factor": (1.0, 1.5, 2.0, 2.5),
        "original_max_position_embeddings": OLD}  # fmt: skip
BY_LONG = [value / by for value, by in zip(PLAIN, LONG["long_factor"], strict=True)]
BY_SHORT = [value / by for value, by in zip(PLAIN, LONG["short_factor"], strict=True)]
ROOT = math.sqrt(1 + math.log(4) / math.log(OLD))
ROWS = [  # (kind, what is said, frequencies, factor on cos and sin)
    ("default", {}, PLAIN, 1.0),
    ("linear", {"factor": 4.0}, [value / 4 for value in PLAIN], 1.0),
    ("dynamic", {"factor": 4.0, "context": OLD}, PLAIN, 1.0),
    ("dynamic", {"factor": 4.0, "context": OLD, "tokens": 300}, larger((4 * 3 - 3) ** (8 / 6)), 1.0),
    ("dynamic", {**YARN, "context": 999, "tokens": 300}, PLAIN, 1.0),  # the class asks for no other length
    ("dynamic", {"factor": 1.0, "alpha": 50.0}, larger(50 ** (8 / 6)), 1.0),
    ("llama3", {**YARN, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
     [llama3(value) for value in PLAIN], 1.0),
    ("llama3", {**YARN, "factor": 16.0, "low_freq_factor": 1.0, "high_freq_factor": 1.0},  # Llama 4 Scout: no ramp
     [value if OLD * value / (2 * math.pi) > 1 else value / 16 for value in PLAIN], 1.0),
    ("yarn", YARN, yarn(32, 1, 4), GROWN),
    ("yarn", {**YARN, "beta_fast": 4, "beta_slow": 0.1}, yarn(4, 0.1, 4), GROWN),
    ("yarn", {**YARN, "truncate": False, "beta_fast": 4}, yarn(4, 1, 4, whole=False), GROWN),
    ("yarn", {"original_max_position_embeddings": OLD, "context": 400}, yarn(32, 1, 4), GROWN),
    ("yarn", {"factor": 4.0, "context": OLD}, yarn(32, 1, 4), GROWN),
    ("yarn", {**YARN, "attention_factor": 1.5}, yarn(32, 1, 4), 1.5),
    ("yarn", {**YARN, "mscale": 2.0, "mscale_all_dim": 0.5}, yarn(32, 1, 4),
     (0.2 * math.log(4) + 1) / (0.05 * math.log(4) + 1)),
    ("yarn", {**YARN, "mscale": 2.0}, yarn(32, 1, 4), GROWN),
    ("yarn", {**YARN, "factor": 1.0}, PLAIN, 1.0),
    ("yarn", {**YARN, "factor": 1.5}, yarn(32, 1, 1.5), 0.1 * math.log(1.5) + 1),
    ("longrope", {**LONG, "context": 400}, BY_SHORT, ROOT),
    ("longrope", {**LONG, "context": 400, "tokens": OLD}, BY_SHORT, ROOT),
    ("longrope", {**LONG, "context": 400, "tokens": OLD + 1}, BY_LONG, ROOT),
    ("longrope", {**LONG, "factor": 4.0}, BY_SHORT, ROOT),
    ("longrope", {**LONG, "factor": 1.0}, BY_SHORT, 1.0),
    ("longrope", {**LONG, "factor": 1.5}, BY_SHORT, math.sqrt(1 + math.log(1.5) / math.log(OLD))),
    ("longrope", {**LONG, "context": 400, "attention_factor": 1.2}, BY_SHORT, 1.2),
    ("longrope", {**LONG, "context": 400, "long_mscale": 1.3, "short_mscale": 1.1}, BY_SHORT, 1.1),
    ("longrope", {**LONG, "context": 400, "long_mscale": 1.3, "short_mscale": 1.1, "tokens": 200}, BY_LONG, 1.3),
    ("proportional", {"factor": 2.0, "rotated": 4}, [PLAIN[0] / 2, PLAIN[1] / 2, 0.0, 0.0], 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "said", "values", "stretch"), ROWS, ids=[row[0] for row in ROWS])
def test_a_stretched_rotation_is_its_formula(kind, said, values, stretch):
    """With every number said, and with the ones that have defaults left out."""
    assert (pytest.approx(values, rel=1e-12), pytest.approx(stretch, rel=1e-12)) == found(kind, **said)


def test_every_kind_of_stretching_has_a_row():
    """A new kind needs one here."""
    assert set(KINDS) == {row[0] for row in ROWS} - {"default"}


def test_an_alpha_grows_the_base_at_all_lengths():
    """Hunyuan A13B: 10,000 · 1,000^(128 / 126), however short the text; the page and the graph say this base."""
    rope = catalog.spec("tencent/Hunyuan-A13B-Instruct").layers[0].mixer.rope
    assert round(rope.base) == round(10_000 * 1_000 ** (128 / 126)) == 11_158_840
    for tokens in (8, 100_000):
        assert frequencies(rope, tokens)[0][1] == pytest.approx(11_158_840 ** (-2 / 128))
