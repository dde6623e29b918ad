"""A tiny model on a mesh against the whole model: its logits, its loss, the gradient of every weight."""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cutaway.gallery import read
from cutaway.gallery.mesh import Mesh
from cutaway.gallery.mesh.loss import rank_loss, token_loss
from cutaway.gallery.mesh.sharded import Sharded
from cutaway.gallery.mesh.tape import Tape, data_of
from cutaway.gallery.running.interpreter import Run, check_tokens, forward
from cutaway.gallery.running.state import State

ORACLE = Path(__file__).parents[1] / "oracle"
sys.path.insert(0, str(ORACLE))

from forward import CASES, weights  # noqa: E402

TOKENS = 8


class Whole(NamedTuple):
    """What the unsharded run says of some sequences."""

    logits: list[np.ndarray]
    loss: float
    gradients: dict  # (layer, name) -> the gradient, flat


class Taped(State):
    """Every tensor a leaf."""

    def __init__(self, spec, tensors, tape):
        super().__init__(spec, tensors)
        self.tape, self.leaves = tape, {}

    def get(self, name, layer):
        array = super().get(name, layer)
        if array.dtype.kind != "f":
            return array
        if (layer, name) not in self.leaves:
            self.leaves[layer, name] = self.tape.leaf(array)
        return self.leaves[layer, name]


@lru_cache(None)
def case_of(name: str):
    """(spec, its state dict, its tokens) of a case of tests/oracle/forward."""
    case = json.loads((CASES / f"{name}.json").read_text())
    return read(case["config"], as_class=True), weights(case), case["tokens"]


def sequences(name: str, many: int, length: int = TOKENS) -> list[list[int]]:
    """So many different texts."""
    tokens = case_of(name)[2]
    return [[tokens[(3 * one + i) % len(tokens)] for i in range(length)] for one in range(many)]


@lru_cache(None)
def whole(name: str, many: int = 1) -> Whole:
    """The interpreter as it is, on a tape."""
    spec, tensors, _ = case_of(name)
    tape = Tape()
    state, logits, losses = Taped(spec, tensors, tape), [], []
    for text in sequences(name, many):
        tokens = check_tokens(spec, text)
        logits.append(forward(Run(spec, state, tokens)))
        losses.append(token_loss(logits[-1], np.arange(len(tokens)), tokens))
    found = tape.backward([(loss, np.ones(())) for loss in losses])
    gradients = {key: found.get(leaf.number, np.zeros(leaf.shape)).ravel() for key, leaf in state.leaves.items()}
    return Whole([one.data for one in logits], sum(float(loss.data) for loss in losses), gradients)


def zigzag(c: int) -> list[np.ndarray]:
    """Rank r has chunks r and 2c - 1 - r of 2c."""
    chunks = np.split(np.arange(TOKENS), 2 * c)
    return [np.concatenate((chunks[r], chunks[2 * c - 1 - r])) for r in range(c)]


def on_mesh(
    name: str, axes: dict, sequence_parallel: bool = False, experts: dict | None = None, length: int = TOKENS,
    gradients: bool = True,
) -> Sharded:  # fmt: skip
    """A case on a mesh, set up; `length` tokens a text."""
    spec, tensors, _ = case_of(name)
    mesh = Mesh(axes, 8, experts)
    rows = zigzag(mesh.length("cp")) if mesh.length("cp") > 1 else None
    texts = sequences(name, mesh.length("dp"), length)
    return Sharded(spec, tensors, mesh, texts, sequence_parallel, rows, gradients=gradients)


def formula(call) -> int:
    """Bytes that all ranks of a group send together, by the table of nccl-tests; of an all-to-all at most."""
    n = len(call.group)
    return {
        "all-gather": (n - 1) * call.held, "reduce-scatter": (n - 1) * call.held // n,
        "all-reduce": 2 * (n - 1) * call.held // n, "all-to-all": call.held, "broadcast": (n - 1) * call.held,
    }[call.op]  # fmt: skip


def bytes_wrong(run: Sharded) -> int:
    """How many collectives of a run did not send what the formulas say."""
    log, wrong = run.net.log, 0
    for call in run.net.calls:
        sent = sum(move.bytes for move in log[call.start : call.stop])
        wrong += sent > formula(call) if call.op == "all-to-all" else sent != formula(call)
    return wrong


class Compared(NamedTuple):
    """How many numbers of a sharded run were compared with the whole's, and how many differ."""

    checked: int
    wrong: int
    run: Sharded
    gradients: dict


def compared(name: str, axes: dict, sequence_parallel: bool = False, experts: dict | None = None) -> Compared:
    """Logits, losses, and the gradient of every weight on every rank."""
    run = on_mesh(name, axes, sequence_parallel, experts)
    one = whole(name, run.mesh.length("dp"))
    logits = run.logits()
    losses = rank_loss(run, logits)
    pairs = [(part, one_part) for part, one_part in logit_pairs(run, logits, one)]
    total = sum(float(data_of(losses[r])) for r in losses if run.mesh.place(r, "tp") == 0)
    pairs.append((np.array(total), np.array(one.loss)))
    found = run.weights.gradients(run.tape.backward([(loss, np.ones(())) for loss in losses.values()]))
    assert found.keys() == one.gradients.keys(), found.keys() ^ one.gradients.keys()
    for key, by_rank in found.items():
        size = max(np.abs(one.gradients[key]).max(initial=0), 1e-3)
        pairs += [(own / size, one.gradients[key][ids] / size) for ids, own in by_rank.values()]
    wrong = sum(int((~np.isclose(a, b, rtol=1e-8, atol=1e-8)).sum()) for a, b in pairs)
    return Compared(sum(np.size(a) for a, _ in pairs), wrong, run, found)


def logit_pairs(run: Sharded, logits, one: Whole):
    """Each rank's logits, and the same of the whole run."""
    for rank, part in (logits.parts or {}).items():
        text = one.logits[run.mesh.place(rank, "dp")][run.own(rank, logits.own_rows)]
        yield data_of(part), text if logits.lanes is None else text[:, logits.lanes[run.place(rank)]]
