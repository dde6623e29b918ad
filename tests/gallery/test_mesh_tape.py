"""The tape: gradients of the running code as it stands, against differences of what it computes."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from cutaway.gallery import read
from cutaway.gallery.mesh.tape import Tape, Taped
from cutaway.gallery.running.interpreter import Run, check_tokens, forward
from cutaway.gallery.running.state import State

ORACLE = Path(__file__).parents[1] / "oracle"
sys.path.insert(0, str(ORACLE))

from forward import CASES, weights  # noqa: E402

NOT_PROVED = json.loads((ORACLE / "forward_exceptions.json").read_text())["forward"]
FEW = ("gemma2", "qwen3_next", "nemotron_h__nano", "gpt_oss", "rwkv")
FUNCTIONS = {
    "matmul": lambda a, b: a @ b.T, "vector": lambda a, b: a @ b[0], "divide": lambda a, b: a / (2 + b * b),
    "exp": lambda a, b: np.exp(a) + np.expm1(b), "log": lambda a, b: np.log(3 + a * a), "tanh": lambda a, b: np.tanh(a),
    "sqrt": lambda a, b: np.sqrt(1 + a * a), "power": lambda a, b: a**3, "abs": lambda a, b: abs(a),
    "logaddexp": lambda a, b: np.logaddexp(a, b), "maximum": lambda a, b: np.maximum(a, b) - np.minimum(a, 0.1),
    "cos": lambda a, b: np.cos(a) * np.sin(b), "square": lambda a, b: np.square(a),
    "concatenate": lambda a, b: np.concatenate((a, 2 * b), axis=-1), "stack": lambda a, b: np.stack((a, a * b), 1),
    "where": lambda a, b: np.where(a.data > b.data, a, b * b), "repeat": lambda a, b: np.repeat(a, 3, axis=1) * 2,
    "tile": lambda a, b: np.tile(a, (2, 3)), "einsum": lambda a, b: np.einsum("ij,kj->ik", a, b),
    "einsum_alone": lambda a, b: np.einsum("ij,k->ik", a, b[:, 0]), "clip": lambda a, b: np.clip(a, -0.3, 0.4),
    "take": lambda a, b: np.take_along_axis(a, np.array([[0, 2], [1, 1], [2, 0]]), axis=1),
    "broadcast": lambda a, b: np.broadcast_to(a[:, :1], (3, 4)) * b, "moveaxis": lambda a, b: np.moveaxis(a, 0, 1),
    "sum": lambda a, b: a.sum(1) + b.sum(), "mean": lambda a, b: a.mean(0, keepdims=True) * b,
    "max": lambda a, b: a.max(1) * b[:, 0], "std": lambda a, b: a.std(-1, keepdims=True), "item": lambda a, b: a[1:, 0],
    "again": lambda a, b: a[np.array([0, 0, 2])] * b, "turned": lambda a, b: a.T.reshape(2, 6).swapaxes(0, 1),
}  # fmt: skip


def slope(f, values: list[np.ndarray], along: list[np.ndarray], by: float = 1e-6) -> float:
    """The difference of f in a direction, over its length."""
    ahead, behind = (f([v + sign * by * d for v, d in zip(values, along, strict=True)]) for sign in (1, -1))
    return (ahead - behind) / (2 * by)


def derived(f, values: list[np.ndarray], along: list[np.ndarray]) -> float:
    """The same from the tape."""
    tape = Tape()
    leaves = [tape.leaf(value) for value in values]
    out = f(leaves)
    found = tape.backward([(out, np.ones(out.shape))])
    pairs = zip(leaves, along, strict=True)
    return sum(float((found[leaf.number] * d).sum()) for leaf, d in pairs if leaf.number in found)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_its_gradient(name):
    """The slope in a random direction is what the tape says, for every function that has a way back."""
    rng = np.random.default_rng(1)
    values, along = ([rng.standard_normal((3, 4)) for _ in range(2)] for _ in range(2))
    share = rng.standard_normal((12, 12))

    def number(pair):
        tape = Tape()
        a, b = pair if isinstance(pair[0], Taped) else [tape.leaf(x) for x in pair]
        out = FUNCTIONS[name](a, b)
        out = (out.reshape(-1) * share.ravel()[: out.size]).sum()
        return out if isinstance(pair[0], Taped) else float(out.data)

    assert derived(number, values, along) == pytest.approx(slope(number, values, along), rel=1e-6, abs=1e-8)


def test_parts_are_assigned_as_in_numpy():
    """Old numbers lose their gradient where new ones stand, and a copy keeps its own."""
    tape = Tape()
    x, y = tape.leaf(np.arange(4.0)), tape.leaf(np.array([5.0, 6.0]))
    out, before = np.zeros_like(x) + x, x.copy()
    kept = out.copy()
    out[1:3] = y
    np.put_along_axis(before, np.array([0]), 9.0, axis=0)
    assert out.data.tolist() == [0, 5, 6, 3] and kept.data.tolist() == [0, 1, 2, 3]
    assert before.data.tolist() == [9, 1, 2, 3] and x.data.tolist() == [0, 1, 2, 3]
    found = tape.backward([(out, np.array([1.0, 2, 3, 4])), (before, np.ones(4))])
    assert found[x.number].tolist() == [1, 1, 1, 5] and found[y.number].tolist() == [2, 3]


def test_what_has_no_way_back_is_said():
    """A function without a rule, a reduction of a ufunc, or a plain copy would lose gradients: each is refused."""
    x = Tape().leaf(np.ones(3))
    for call in (lambda: np.arctan(x), lambda: np.add.reduce(x), lambda: np.cumsum(x), lambda: np.asarray(x)):
        with pytest.raises(TypeError, match=r"way back|plain array"):
            call()


class Taping(State):
    """Tensors as leaves of a tape, moved by a step in a direction of their own."""

    def __init__(self, spec, tensors, tape, step=0.0):
        super().__init__(spec, tensors)
        self.tape, self.step, self.leaves, self.along = tape, step, {}, {}
        self.rng = np.random.default_rng(0)

    def get(self, name, layer):
        if (layer, name) not in self.leaves:
            array = super().get(name, layer)
            if array.dtype.kind != "f":
                return array
            self.along[layer, name] = self.rng.standard_normal(array.shape) / 10
            moved = array + self.step * self.along[layer, name]
            self.leaves[layer, name] = self.tape.leaf(moved) if self.tape else moved
        return self.leaves[layer, name]


def checked_slope(name: str) -> tuple[float, float]:
    """(what differences say, what the tape says) of one random sum of a case's logits, along one random direction."""
    case = json.loads((CASES / f"{name}.json").read_text())
    spec, made, tokens = read(case["config"], as_class=True), weights(case), case["tokens"][:8]

    def logits(tape, step):
        state = Taping(spec, made, tape, step)
        return forward(Run(spec, state, check_tokens(spec, tokens))), state

    tape = Tape()
    out, state = logits(tape, 0.0)
    share = np.random.default_rng(5).standard_normal(out.shape)
    found = tape.backward([(out, share)])
    told = sum((found[x.number] * state.along[key]).sum() for key, x in state.leaves.items() if x.number in found)
    ahead, behind = ((logits(None, step)[0] * share).sum() for step in (1e-7, -1e-7))
    return (ahead - behind) / 2e-7, told


@pytest.mark.parametrize("name", FEW)
def test_a_models_gradient_is_its_slope(name):
    """Every weight of a tiny model moved at once: the logits change as the tape says."""
    difference, told = checked_slope(name)
    assert told == pytest.approx(difference, rel=1e-5, abs=1e-5)


@pytest.mark.whole
def test_every_ninth_models_gradient_is_its_slope(verified):
    """The same for every ninth of the models that are proved against transformers."""
    names = [path.stem for path in sorted(CASES.glob("*.json")) if path.stem not in NOT_PROVED][::9]
    pairs = [checked_slope(name) for name in names]
    wrong = [n for n, (a, b) in zip(names, pairs, strict=True) if abs(a - b) > 1e-5 * max(abs(a), abs(b), 1)]
    verified(
        "mesh: gradients of the code that runs the models",
        len(names),
        len(wrong),
        "finite differences of the logits in float64",
    )
    assert wrong == []
