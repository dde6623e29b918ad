"""A text and a seed -> the last token's queries, and keys, values and index keys of all tokens. Twin of texts.js.

Made texts draw their noise from hash32 and add what a head looks for; the real one is a head of next-token's model.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from cutaway.explainers.hash32 import hash32
from cutaway.explainers.next_token import forward, tokens

TOKENS, DIMS, HEADS, INDEX_DIMS = 128, 32, 4, 8
SHARP = 2.0  # how far scores of noise are spread
NEIGHBOURS = 16  # tokens around a hidden needle that point away


class Text(NamedTuple):
    """What attention starts from; n = TOKENS, the last token asks."""

    q: np.ndarray  # [heads, dims]
    k: np.ndarray  # [n, dims], one KV head for all queries
    v: np.ndarray  # [n, dims]
    index_q: np.ndarray  # [heads, index dims]
    index_k: np.ndarray  # [n, index dims]
    needles: list[int]  # the token that each head looks for; [] where there is none


class Made(NamedTuple):
    """A row of TEXTS: what is put into the noise, in units of a score (q·k over the root of the dims)."""

    name: str
    label: str
    noise: float  # of the keys
    needle: float  # score that is added to the needle
    related: float  # and to six tokens elsewhere
    around: float  # and to the needle's neighbours
    own: bool  # each head has a needle of its own
    blind: bool  # the needle's match lies outside the index dims


TEXTS = (
    Made("needle", "one needle", 1.0, 6.5, 3.0, 0.0, False, False),
    Made("hidden", "a needle among opposites", 1.0, 6.5, 3.0, -1.0, False, False),
    Made("blind", "a needle the indexer misses", 1.0, 6.5, 3.0, 0.0, False, True),
    Made("heads", "a needle for each head", 1.0, 6.5, 0.0, 0.0, True, False),
    Made("spread", "no needle", 0.3, 0.0, 0.0, 0.0, False, False),
)
BY_NAME = {one.name: one for one in TEXTS}
REAL = "real"


def noise(seed: int, kind: int, shape: tuple[int, int]) -> np.ndarray:
    """Numbers from -1 to 1 that are the same in both languages."""
    count = shape[0] * shape[1]
    return (hash32(np.arange(count) + (8 * seed + kind) * 65536) / 2.0**31 - 1).reshape(shape)


def unit(rows: np.ndarray) -> np.ndarray:
    """Rows of length 1."""
    return rows / np.sqrt((rows * rows).sum(-1, keepdims=True))


def directions(seed: int, own: bool) -> tuple[np.ndarray, np.ndarray]:
    """(what all heads look for [dims], what each looks for [heads, dims]), mostly in the index dims."""
    drawn = noise(seed, 0, (HEADS + 1, DIMS))
    drawn[:, :INDEX_DIMS] *= 2
    drawn = unit(drawn)
    return drawn[HEADS], unit(drawn[:HEADS] + (0.0 if own else 3.0) * drawn[HEADS])


def made(one: Made, seed: int, needle: int) -> Text:
    """A made text whose needle is token `needle`; with a needle for each head, the others follow 29 tokens apart."""
    topic, looks = directions(seed, one.own)
    q, k, places = looks * (SHARP * np.sqrt(DIMS)), noise(seed, 1, (TOKENS, DIMS)) * one.noise, np.arange(TOKENS)

    def add(score: np.ndarray, towards: np.ndarray) -> None:
        """Add to each key what a head with query SHARP·√dims·towards scores so high."""
        k[:] += (score / SHARP)[:, None] * towards

    add(2.0 * np.exp((places - TOKENS + 1) / 8.0), topic)
    add(4.0 * (places == 0), topic)
    if one.related:
        add(one.related * np.isin(places, order(noise(seed, 2, (TOKENS, 1))[:, 0])[:6]), topic)
    if one.around:
        add(one.around * (places // NEIGHBOURS == needle // NEIGHBOURS) * (places != needle), topic)
    needles = [(needle + 29 * head * one.own) % TOKENS for head in range(HEADS)] if one.needle else []
    for head, place in enumerate(needles[: HEADS if one.own else 1]):
        towards = (looks[head] if one.own else topic).copy()
        if one.blind:
            k[place, :INDEX_DIMS] = 0
            towards[:INDEX_DIMS] = 0
            towards /= (towards * towards).sum()
        add(one.needle * (places == place), towards)
    return Text(q, k, noise(seed, 3, (TOKENS, DIMS)), q[:, :INDEX_DIMS], k[:, :INDEX_DIMS], needles)


def order(values: np.ndarray) -> np.ndarray:
    """Places of the values, the largest first, of equals the earlier."""
    return np.argsort(-values, kind="stable")


# ---------------------------------------------------------------- a head that runs

PASSAGE = (
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a "
    "wife. However little known the feelings or views of such a man may be on his first entering a neighbourhood, this "
    "truth is so well fixed in the minds of the surrounding families, that he is considered the rightful property of "
    "some one or other of their daughters. “My dear Mr. Bennet,” said his lady to him one day, “have you heard that "
    "Netherfield Park is let at last?” Mr. Bennet replied that he had not."
)
LAYER, KV_HEAD = 2, 1
SIGNS = "".join(
    chr(code) for code in range(35, 127) if chr(code) not in "&<\\"
)  # one stands for a number, safe in JSON
LEVELS = len(SIGNS) // 2


@cache
def exact() -> tuple[np.ndarray, ...]:
    """(last queries, keys, values) of a KV head, its index queries and keys: along the main directions of queries."""
    ids = (tokens.FIRST, *tokens.encode(PASSAGE))[:TOKENS]
    layer = forward.run(forward.load(), ids).layers[LAYER]
    queries = layer.q[:, 2 * KV_HEAD : 2 * KV_HEAD + 2]
    main = np.linalg.svd(queries.reshape(-1, DIMS), full_matrices=False)[2][:INDEX_DIMS]
    q, k = queries[-1], layer.k[:, KV_HEAD]
    return q, k, layer.v[:, KV_HEAD], q @ main.T, k @ main.T


def stored() -> dict[str, Any]:
    """The same in 89 levels: a sign for each number, and what a step is worth in each part."""
    parts = exact()
    steps = [float(abs(part).max() / LEVELS) for part in parts]
    levels = np.concatenate([np.rint(part / step).ravel() for part, step in zip(parts, steps, strict=True)])
    return {"steps": steps, "numbers": "".join(SIGNS[int(level) + LEVELS] for level in levels), "heads": len(parts[0])}


def real(held: dict[str, Any]) -> Text:
    """The text that `stored` made."""
    numbers = np.array([float(SIGNS.index(sign) - LEVELS) for sign in held["numbers"]])
    shapes = [(held["heads"], DIMS), (TOKENS, DIMS), (TOKENS, DIMS), (held["heads"], INDEX_DIMS), (TOKENS, INDEX_DIMS)]
    ends = np.cumsum([rows * columns for rows, columns in shapes])
    q, k, v, index_q, index_k = (
        part.reshape(shape) * step
        for part, shape, step in zip(np.split(numbers, ends[:-1]), shapes, held["steps"], strict=True)
    )
    return Text(q, k, v, index_q, index_k, needles=[])


def text_of(state: dict[str, Any], data: dict[str, Any]) -> Text:
    """The text that a state chooses."""
    if state["text"] == REAL:
        return real(data["stored"])
    return made(BY_NAME[state["text"]], int(state["seed"]), int(state["needle"]))
