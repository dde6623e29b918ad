"""How a block is wired -> a small stack of such blocks, run on real numbers: how large its stream is, layer by layer.

Six tokens, 16 numbers each, two heads of 8, a SwiGLU of 32; no position, no learned gains. Weights come from seeded
draws, the same in both languages. After each layer the stream is rounded to 2⁻²⁰, so that the last bits of two
languages' exponentials cannot grow with depth. Twin of stack.js.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cutaway.explainers.experts.draw import normal
from cutaway.explainers.norms import mixing

TOKENS, WIDTH, HEADS, SIZE, INNER, OWN = 6, 16, 2, 8, 32, 4
EPS = 1e-6
PER_LAYER, EMBEDDING = 64, 1  # draws are numbered: 64 rows a layer after the seed, row 1 for the tokens
SEED = 5_340_000  # of 120, one whose stack ends near the middle
Q, K, V, OUT, GATE, HEADWISE, MLP_GATE, UP, DOWN, OWN_GATE, OWN_OUT, OWN_TABLE = range(2, 14)
ALPHA = 3.5566  # how much of its normalised self a normed stream keeps at each sum (MiniMax-M1)


@lru_cache(maxsize=4096)
def matrix(layer: int, which: int, rows: int, columns: int) -> np.ndarray:
    """A layer's matrix: draws that leave the size of what they read."""
    drawn = normal(np.array([SEED + PER_LAYER * layer + which]), rows * columns)[0]
    return drawn.reshape(rows, columns) / np.sqrt(columns)


def norm(x: np.ndarray) -> np.ndarray:
    """Over its root mean square."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS)


def size(x: np.ndarray) -> float:
    """The root mean square of all its numbers."""
    return float(np.sqrt((x * x).mean()))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softcap(x: np.ndarray, cap: float) -> np.ndarray:
    return cap * np.tanh(x / cap) if cap else x


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def heads(x: np.ndarray) -> np.ndarray:
    """[heads, tokens, size]."""
    return x.reshape(TOKENS, HEADS, SIZE).transpose(1, 0, 2)


def keys(state: dict, layer: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a layer's tokens leave for later ones: keys, as they are compared, and values."""
    k = heads(x @ (matrix(layer, K, WIDTH, WIDTH) * state["grown"]).T)
    return (norm(k) if state["qk"] else k), heads(x @ matrix(layer, V, WIDTH, WIDTH).T)


def mixer(state: dict, layer: int, x: np.ndarray, kept: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, float]:
    """(what attention gives, its largest score)."""
    q = heads(x @ (matrix(layer, Q, WIDTH, WIDTH) * state["grown"]).T)
    q, (k, v) = norm(q) if state["qk"] else q, kept
    scores = softcap(np.einsum("hqd,hkd->hqk", q, k) / np.sqrt(SIZE), state["cap"])
    seen = np.tril(np.ones((TOKENS, TOKENS), bool))
    out = np.einsum("hqk,hkd->hqd", softmax(np.where(seen, scores, -np.inf)), v)
    if state["gate"] == "heads":
        out = out * sigmoid(x @ matrix(layer, HEADWISE, HEADS, WIDTH).T).T[..., None]
    elif state["gate"] == "numbers":
        out = out * heads(sigmoid(x @ matrix(layer, GATE, WIDTH, WIDTH).T))
    out = out.transpose(1, 0, 2).reshape(TOKENS, WIDTH)
    return out @ matrix(layer, OUT, WIDTH, WIDTH).T, float(np.abs(scores[:, seen]).max())


def mlp(layer: int, x: np.ndarray) -> np.ndarray:
    """SwiGLU."""
    gate, up = x @ matrix(layer, MLP_GATE, INNER, WIDTH).T, x @ matrix(layer, UP, INNER, WIDTH).T
    return (gate * sigmoid(gate) * up) @ matrix(layer, DOWN, WIDTH, INNER).T


def layer_embedding(layer: int, x: np.ndarray) -> np.ndarray:
    """The layer's own embedding of each token, gated by the stream."""
    table = matrix(layer, OWN_TABLE, TOKENS, OWN) * np.sqrt(OWN)
    return norm((gelu(x @ matrix(layer, OWN_GATE, OWN, WIDTH).T) * table) @ matrix(layer, OWN_OUT, WIDTH, OWN).T)


# ---------------------------------------------------------------- around the halves


class Stream:
    """[streams, tokens, width], and how much of the embedding still goes straight through: [streams, tokens]."""

    def __init__(self, state: dict):
        self.state, n = state, state["streams"]
        first = norm(normal(np.array([SEED + EMBEDDING]), TOKENS * WIDTH)[0].reshape(TOKENS, WIDTH))
        self.x, self.straight = np.repeat(first[None], n, 0), np.ones((n, TOKENS))

    def read(self, place: int) -> np.ndarray:
        """What a half is given."""
        x = np.einsum("n,nth->th", self.shares(place)[0], self.x)
        return norm(x) if self.state["norm"] in ("pre", "sandwich", "normed") else x

    def shares(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        """How much of each stream a half reads, and how much of its answer each gets."""
        one = np.ones(1)
        return (one, one) if self.state["streams"] == 1 else mixing.shares(place)

    def add(self, place: int, answers: list[np.ndarray]) -> list[float]:
        """The streams mixed, the halves' answers on top; returns how large each answer was."""
        kind = self.state["norm"]
        answers = [norm(one) if kind in BEHIND else one for one in answers]
        answers = [one * self.state["scale"] for one in answers]
        if kind == "normed":
            self.straight = self.straight * self.over(self.x) * ALPHA
            self.x = norm(self.x) * ALPHA
        if self.state["streams"] > 1:
            mix = mixing.mix(place, self.state["rounds"])
            self.x = np.einsum("jk,jth->kth", mix, self.x)
            self.straight = np.einsum("jk,jt->kt", mix, self.straight)
        self.x = self.x + self.shares(place)[1][:, None, None] * sum(answers, np.zeros_like(answers[0]))[None]
        if kind == "post":
            self.straight = self.straight * self.over(self.x)
            self.x = norm(self.x)
        return [size(one) for one in answers]

    @staticmethod
    def over(x: np.ndarray) -> np.ndarray:
        """What a norm multiplies each token by."""
        return 1 / np.sqrt((x * x).mean(-1) + EPS)

    def heard(self) -> float:
        """The embedding's share in what the last norm makes of the mean of the streams, averaged over tokens."""
        return float((np.abs(self.straight.mean(0)) * self.over(self.x.mean(0))).mean())


BEHIND = ("sandwich", "behind")  # a half's answer is normalised before it is added
RUNS_BY = (
    "norm",
    "scale",
    "layers",
    "qk",
    "grown",
    "cap",
    "gate",
    "parallel",
    "loops",
    "borrow",
    "own",
    "streams",
    "rounds",
)


@lru_cache(maxsize=256)
def run_layers(values: tuple) -> dict:
    """All layers, all loops: sizes after each, the largest score, what happened in each layer."""
    state = dict(zip(RUNS_BY, values, strict=True))
    stream, layers = Stream(state), state["layers"]
    sizes, rows = [size(stream.x)], []
    for at in range(layers * state["loops"]):
        layer = at % layers
        if layer == 0:
            cache: list[tuple[np.ndarray, np.ndarray]] = []
        found, score = one_layer(state, stream, layer, at, cache)
        stream.x = np.floor(stream.x * 2**20 + 0.5) / 2**20
        sizes.append(size(stream.x))
        rows.append({"at": at, "layer": layer, "enter": sizes[-2], **found, "leave": sizes[-1], "top": score})
    top = max(row["top"] for row in rows)
    return {"sizes": sizes, "size": sizes[-1], "heard": stream.heard(), "top": top, "rows": rows}


def run_stack(state: dict) -> dict:
    """The stack run, and the numbers of the layer that is looked into."""
    made = run_layers(tuple(state[key] for key in RUNS_BY))
    rows = made["rows"]
    here = rows[min(state["layer"], len(rows) - 1)]
    return {**{key: value for key, value in made.items() if key != "rows"}, "here": here}


def one_layer(state: dict, stream: Stream, layer: int, at: int, cache: list) -> tuple[dict, float]:
    """Two halves one after the other, or side by side; then the layer's own embedding."""
    x = stream.read(2 * at)
    borrows = layer >= state["layers"] - state["borrow"]
    cache.append(cache[-1] if borrows else keys(state, layer, x))
    mixed, score = mixer(state, layer, x, cache[-1])
    if state["parallel"]:
        middle = size(stream.x)
        first, second = stream.add(2 * at, [mixed, mlp(layer, x)])
    else:
        (first,) = stream.add(2 * at, [mixed])
        middle = size(stream.x)
        (second,) = stream.add(2 * at + 1, [mlp(layer, stream.read(2 * at + 1))])
    third = 0.0
    if state["own"]:
        added = layer_embedding(layer, stream.x.mean(0)) * state["scale"]
        stream.x, third = stream.x + added[None], size(added)
    return {"mixer": first, "middle": middle, "mlp": second, "own": third}, score


# ---------------------------------------------------------------- what it costs


def share_one_reduce(state: dict) -> bool:
    """Whether one sum over ranks serves both halves: side by side, with nothing between an answer and the stream but
    sums and factors. A norm behind a half needs that half's whole answer first (gallery/planning/planner_model.py:
    meets)."""
    return state["parallel"] and state["norm"] not in BEHIND


def cost(state: dict) -> dict:
    """Numbers stored as weights, numbers kept of each token, meetings of tensor-parallel ranks for each token."""
    layers, passes = state["layers"], state["layers"] * state["loops"]
    square, gates = WIDTH * WIDTH, {"none": 0, "heads": HEADS * WIDTH, "numbers": WIDTH * WIDTH}
    each = 4 * square + gates[state["gate"]] + 3 * WIDTH * INNER + state["own"] * 2 * WIDTH * OWN
    return {
        "passes": passes,
        "weights": layers * each - state["borrow"] * 2 * square,
        "kept": (layers - state["borrow"]) * state["loops"] * 2 * WIDTH,
        "meetings": passes * (1 if share_one_reduce(state) else 2),
        "table": state["own"] * layers * OWN,
    }
