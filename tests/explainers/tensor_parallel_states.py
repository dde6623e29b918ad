"""The data of tensor-parallel, and its first state with changes."""

from __future__ import annotations

from functools import partial

from cutaway import explainers
from cutaway.explainers.tensor_parallel import reference

DATA = partial(explainers.data, "tensor-parallel")


def state(**more):
    return {**reference.STATE, **more}
