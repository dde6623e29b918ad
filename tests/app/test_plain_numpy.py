"""The browser's numpy in plain Python beside numpy itself: every function on arrays of odd shapes."""

from __future__ import annotations

import numpy
import pytest

from cutaway.app.your_model import plain_numpy
from tests.tally import Tally

RNG = numpy.random.default_rng(26)
CUBE, MATRIX, ROW = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(3, 4)), RNG.normal(size=4)
COLUMN, WHOLE = RNG.normal(size=(3, 1)), numpy.array([[3, 1, 2], [0, 5, 4]])
ODD = numpy.array([0.0, -1.0, 4.0, numpy.inf, -numpy.inf, numpy.nan, 800.0])
PLACES, WIDE = numpy.array([[2, 0], [1, 1]]), numpy.array([[0, 3], [2, 2], [1, 0]])


def put(np, x, places, value):
    """put_along_axis on a copy of the array."""
    made = x.copy()
    np.put_along_axis(made, places, value, axis=-1)
    return made


def written(x, key, value):
    """An assignment to a part of a copy."""
    made = x.copy()
    made[key] = value
    return made


CASES = {
    "made": lambda np, c, m, r, k, w, o, p, q: (
        np.full((2, 3), 7), np.full(2, 1.5), np.zeros((2, 2)), np.ones(3), np.zeros_like(m),
        np.zeros_like(w, shape=(1, 2)), np.arange(5), np.arange(2, 9, 3), np.broadcast_to(r, (2, 3, 4)),
        np.broadcast_to(k, (3, 4)), np.array([[1, 2], [3, 4]]), np.array([1, 2.5]), np.array(w, dtype=float),
        np.asarray(m)),
    "number by number": lambda np, c, m, r, k, w, o, p, q: (
        np.exp(o), np.expm1(m), np.log(o), np.log2(o), np.sqrt(o), np.tanh(o), np.sin(c), np.cos(c), np.floor(m),
        np.sign(m), np.isfinite(o), np.abs(m), abs(m), -m, np.maximum(m, 0.1), np.maximum(m, r), np.minimum(k, r),
        np.clip(m, -0.5, 0.5), np.logaddexp(m, r), np.logaddexp(r, r), np.where(m > 0, m, 0.0), np.where(k > 0, m, r)),
    "arithmetic": lambda np, c, m, r, k, w, o, p, q: (
        m + r, r - m, m * k, 2 * m, 1 - m, m / r, 1 / m, w // 2, w % 3, m**2, 2.0**m, c + m, c * k,
        (m > 0) & (r > 0), (m > 0) | (r > 0), (m > 0) ^ (k > 0), w == 1, w != 1, w < 3, w <= 3, w > 3, w >= 3,
        m @ r, m @ m.T, c @ m.T),
    "along an axis": lambda np, c, m, r, k, w, o, p, q: tuple(
        getattr(x, what)(axis=axis, keepdims=keep)
        for x, axes in ((c, (0, 1, 2, -1)), (w, (0, -1)))
        for what in ("sum", "mean", "max", "min", "std") for axis in axes for keep in (False, True)),
    "all of it": lambda np, c, m, r, k, w, o, p, q: (
        c.sum(), c.mean(), m.max(), m.min(), r.std(), w.sum(), len(c), c.ndim, c.size, np.ndim(m), np.ndim(3.0)),
    "side by side": lambda np, c, m, r, k, w, o, p, q: (
        np.concatenate([m]), np.concatenate([m, m], axis=-1), np.concatenate([c, c[:, :1]], axis=1),
        np.concatenate([w, w]), np.stack([m, m + 1]), np.stack([m, m + 1], axis=-1), np.stack([r]),
        np.repeat(m, 2, axis=0), np.repeat(m, 3, axis=-1), np.repeat(m, np.array([2, 0, 1]), axis=0),
        np.tile(m, (2, 1)), np.tile(m, (1, 3))),
    "in another order": lambda np, c, m, r, k, w, o, p, q: (
        m.T, c.T, c.transpose((1, 0, 2)), c.swapaxes(0, 2), np.swapaxes(c, 1, 2), np.moveaxis(c, 0, -1),
        np.moveaxis(c, -1, 0), c.reshape(6, 4), c.reshape((2, -1)), c.reshape(-1), m.copy(), w.astype(float)),
    "parts": lambda np, c, m, r, k, w, o, p, q: (
        c[1], c[-1], c[0, 2], c[1, 2, 3], c[:, 1], c[..., 0], c[..., -2:], c[:, None], c[None, ..., 1], m[1:],
        m[:2, 1:], m[::2], m[:, ::-1], m[w[0] % 3], c[:, p], c[p % 2, p], m[5:], m[:-1], r[p]),
    "written": lambda np, c, m, r, k, w, o, p, q: (
        written(m, 1, r), written(m, (slice(None), 0), 2.0), written(m, slice(1, 3), 0.5), written(c, (0, 1), r),
        written(m, (..., 1), np.array([1.0, 2.0, 3.0])), written(w, (0, 1), 9)),
    "sorted": lambda np, c, m, r, k, w, o, p, q: (
        np.sort(m, axis=-1), np.sort(w, axis=-1), np.argsort(c, axis=-1, kind="stable"),
        np.take_along_axis(w, p, axis=-1), np.take_along_axis(m, q, axis=-1), put(np, m, q, 8.0), put(np, w, p, 7),
        put(np, m, q[:, :1], np.array([[1.5], [2.5], [3.5]]))),
    "einsum": lambda np, c, m, r, k, w, o, p, q: (
        np.einsum("ij,kj->ik", m, m), np.einsum("ij,kj->ki", m, m + 1), np.einsum("bij,ij->bi", c, m),
        np.einsum("bij,bkj->bik", c, c), np.einsum("bij,bkj->kib", c, c + 1), np.einsum("ij,j->i", m, r),
        np.einsum("i,j->ij", r, r)),
}  # fmt: skip


def plain(x):
    """An array's numbers as one of plain Python's arrays."""
    kind = {"i": int, "f": float, "b": bool}[x.dtype.kind]
    return plain_numpy.ndarray(x.ravel().tolist(), x.shape, kind)


def shape_of(x) -> tuple[int, ...]:
    return tuple(getattr(x, "shape", ()))


def lists(x):
    return x.tolist() if hasattr(x, "tolist") else x


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_function_gives_what_numpy_gives(name, verified):
    """Shapes, kinds and numbers of each answer, infinities and NaN included."""
    given = (CUBE, MATRIX, ROW, COLUMN, WHOLE, ODD, PLACES, WIDE)
    theirs, ours = CASES[name](numpy, *given), CASES[name](plain_numpy, *map(plain, given))
    tally = Tally()
    for at, (one, other) in enumerate(zip(theirs, ours, strict=True)):
        tally.same(shape_of(other), shape_of(one), at, "shape")
        wanted = numpy.asarray(one)
        found = numpy.asarray(lists(other))
        tally.same(found.dtype.kind, wanted.dtype.kind, at, "kind")
        tally.holds(found.reshape(wanted.shape) == pytest.approx(wanted, rel=1e-12, nan_ok=True), at)
    verified("functions of the browser's numpy", tally, against="numpy")


@pytest.mark.parametrize("key", [3, -4, (0, 4), (slice(None), numpy.array([0, 4]))])
def test_a_place_outside_is_refused_as_numpy_refuses_it(key):
    """An IndexError, in a list of places too."""
    own = tuple(plain(one) if isinstance(one, numpy.ndarray) else one for one in key) if isinstance(key, tuple) else key
    for x, place in ((MATRIX, key), (plain(MATRIX), own)):
        with pytest.raises(IndexError, match="is out of bounds for axis"):
            x[place]


@pytest.mark.parametrize("do", [lambda x: x.reshape(5, 2), lambda x: x @ x, lambda x: x + x[:, :3]])
def test_shapes_that_do_not_fit_are_refused_as_numpy_refuses_them(do):
    """A ValueError."""
    for x in (MATRIX, plain(MATRIX)):
        with pytest.raises(ValueError):
            do(x)
