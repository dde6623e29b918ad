"""Four tokens, two heads, a latent of three numbers -> latent attention twice, number by number.

Expanded: every latent is unpacked into a key and a value for the head, then softmax attention as ever. Absorbed: the
key matrix is carried to the query and the value matrix waits behind the sum, so that latents are read as they lie.
Columns are tokens. Beside the latent each token keeps a small key of its own for its place; a pair of numbers turns by
one radian a token. `turn` says what is turned: "none", "apart" (the small key, as in MLA), or "every" key.
"""

from __future__ import annotations

from functools import cache

import numpy as np

TOKENS, HEADS, RANK, NOPE, ROPE, VALUE = 4, 2, 3, 2, 2, 2
DIVIDE = 2  # √(NOPE + ROPE)
LATENTS = ((1, 0, 2), (0, 1, -1), (2, -1, 0), (1, 1, 1))  # one row a token
PLACES = ((1, 0), (0, 1), (1, 1), (-1, 1))  # each token's small key, before it is turned
KEY_UP = (((1, 0, 1), (0, 1, -1)), ((1, 1, 0), (-1, 0, 1)))  # of each head: latent -> key
VALUE_UP = (((1, -1, 0), (0, 1, 2)), ((0, 1, 1), (2, 0, -1)))  # latent -> value
QUERIES, QUERY_PLACES = ((1, -1), (2, 1)), ((1, 0), (0, 1))  # the newest token's, of each head
TURNS = ("none", "apart", "every")
SEEN, SPAN = 32, 1024  # distances that are drawn, and that are counted


def rotation(places: float) -> np.ndarray:
    """A pair turned by as many radians."""
    return np.array([[np.cos(places), -np.sin(places)], [np.sin(places), np.cos(places)]])


def rotate_columns(columns: np.ndarray, on: bool, places: list[int]) -> np.ndarray:
    """Each column turned by its token's place."""
    return np.stack([rotation(at if on else 0) @ column for at, column in zip(places, columns.T, strict=True)], axis=1)


def softmax(scores: np.ndarray) -> np.ndarray:
    grown = np.exp(scores - scores.max())
    return grown / grown.sum()


def plain_rows(array: np.ndarray) -> list:
    """JSON-plain rows, without negative zeros."""
    return (np.atleast_2d(array) + 0.0).tolist()


def expand_keys(q: np.ndarray, k: np.ndarray, v: np.ndarray, beside: np.ndarray, divide: float) -> dict:
    """Unpacked keys and values: scores, weights, output. `beside` is what the small keys add to each score."""
    scores = (q @ k + beside) / divide
    weights = softmax(scores)
    return {"scores": scores, "weights": weights, "out": v @ weights}


def absorb_query(carried: np.ndarray, c: np.ndarray, up: np.ndarray, beside: np.ndarray, divide: float) -> dict:
    """Latents read as they lie: scores from the carried query, one weighed latent, unpacked once."""
    scores = (carried @ c + beside) / divide
    weights = softmax(scores)
    mixed = c @ weights
    return {"scores": scores, "weights": weights, "mixed": mixed, "out": up @ mixed}


@cache
def circuits(turn: str, head: int) -> dict:
    """Both ways of the newest token's attention in one head, and how far apart they end."""
    c, places = np.array(LATENTS, float).T, list(range(TOKENS))
    wk, wv, q = (np.array(of[head - 1], float) for of in (KEY_UP, VALUE_UP, QUERIES))
    kr = rotate_columns(np.array(PLACES, float).T, turn != "none", places)
    qr = rotate_columns(np.array(QUERY_PLACES[head - 1], float)[:, None], turn != "none", [TOKENS - 1])[:, 0]
    k = rotate_columns(wk @ c, turn == "every", places)
    asked = rotate_columns(q[:, None], turn == "every", [TOKENS - 1])[:, 0]
    v, beside = wv @ c, qr @ kr
    one, other = expand_keys(asked, k, v, beside, DIVIDE), absorb_query(wk.T @ q, c, wv, beside, DIVIDE)
    apart = float(np.abs(one["scores"] - other["scores"]).max())
    named = {"c": c, "kr": kr, "qr": qr, "wk": wk, "wv": wv, "q": asked, "k": k, "v": v, "carried": wk.T @ q}
    rows = {name: plain_rows(array) for name, array in named.items()}
    ends = {"expanded": one, "absorbed": other}
    return {
        **rows,
        **{name: {key: plain_rows(array) for key, array in made.items()} for name, made in ends.items()},
        "apart": apart,
        "equal": apart < 1e-9,
        "divide": DIVIDE,
        "head": head,
    }


COUNTED = {  # multiply-adds of each step, in the order told
    "expanded": (TOKENS * NOPE * RANK, TOKENS * (NOPE + ROPE), 0, TOKENS * VALUE * RANK, TOKENS * VALUE),
    "absorbed": (NOPE * RANK, TOKENS * (RANK + ROPE), 0, TOKENS * RANK, VALUE * RANK),
}
MADE = {  # numbers written down on the way: keys and values of every token, or one query and one latent
    "expanded": (TOKENS * NOPE, 0, 0, TOKENS * VALUE, 0),
    "absorbed": (RANK, 0, 0, RANK, 0),
}


def count_flops(step: int) -> dict:
    """FLOPs so far, and how many numbers were unpacked or carried on the way."""
    ways = {
        way: {"flops": 2 * sum(COUNTED[way][:step]), "made": sum(MADE[way][:step])} for way in ("expanded", "absorbed")
    }
    return {"step": step, "reads": TOKENS * (RANK + ROPE), **ways}


def unpack_latent(token: int) -> dict:
    """What one token keeps, and what its latent holds for every head."""
    c, place = np.array(LATENTS[token], float), np.array(PLACES[token], float)
    heads = []
    for wk, wv in zip(np.array(KEY_UP, float), np.array(VALUE_UP, float), strict=True):
        key = np.concatenate([wk @ c, place])
        heads.append({"wk": plain_rows(wk), "wv": plain_rows(wv), "key": plain_rows(key), "value": plain_rows(wv @ c)})
    numbers = HEADS * (NOPE + ROPE + VALUE)
    return {
        "token": token,
        "c": plain_rows(c),
        "kr": plain_rows(place),
        "heads": heads,
        "kept": RANK + ROPE,
        "numbers": numbers,
    }


@cache
def carry(turn: str, head: int) -> dict:
    """The query that a key at each distance would need carried to it, and how many different ones there are."""
    wk, q = np.array(KEY_UP[head - 1], float), np.array(QUERIES[head - 1], float)
    far = np.arange(SPAN) if turn == "every" else np.zeros(SPAN)
    cos, sin = np.cos(far), np.sin(far)
    pairs = np.stack([q[0] * cos - q[1] * sin, q[1] * cos + q[0] * sin])
    each = wk.T @ pairs
    different = len({tuple(column) for column in np.floor(each.T * 1e6 + 0.5).astype(int).tolist()})
    needed = each[:, TOKENS - 1 :: -1]
    return {"waves": plain_rows(each[:, :SEEN]), "different": different, "span": SPAN, "needed": plain_rows(needed)}


def turn_at_distance(turn: str, head: int, distance: int) -> dict:
    """One distance: the turn between query and key, the query as that key sees it, and what is carried."""
    angle = distance if turn == "every" else 0
    seen = rotation(angle) @ np.array(QUERIES[head - 1], float)
    carried = np.array(KEY_UP[head - 1], float).T @ seen
    rows = {"q": QUERIES[head - 1], "turning": rotation(angle), "seen": seen, "carried": carried}
    return {"distance": distance, **{name: plain_rows(np.array(row, float)) for name, row in rows.items()}}
