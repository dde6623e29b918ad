"""Logits on all ranks -> the cross entropy of every next token, summed: each rank has its share of the vocabulary.

Three meetings of one number per token: the largest logit, the sum of the exponentials, the logit of the next token.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.gallery.mesh import conversions
from cutaway.gallery.mesh.sharded import Sharded
from cutaway.gallery.mesh.tape import data_of
from cutaway.gallery.mesh.value import Value

Array = np.ndarray


def token_loss(logits: Any, rows: Array, tokens: Array) -> Any:
    """The whole's: Σ log Σ exp(logits) − the next token's, over rows that have a next token."""
    last = rows + 1 < len(tokens)
    following = tokens[np.minimum(rows + 1, len(tokens) - 1)]
    top = data_of(logits).max(-1)
    total = np.log(np.exp(logits - top[:, None]).sum(-1)) + top
    return ((total - logits[np.arange(len(rows)), following]) * last).sum()


def rank_loss(run: Sharded, logits: Value) -> dict[int, Any]:
    """Every rank's: the same along the tensor axis, of its own tokens along the others."""
    conversions.settle(run, logits)
    if logits.lanes is None:
        parts = conversions.in_rows(run, logits, False)
        return {rank: token_loss(parts[rank], run.own(rank, False), run.sequence(rank)) for rank in parts}
    parts, lanes = logits.parts or {}, logits.lanes
    local = {rank: data_of(part).max(-1) for rank, part in parts.items()}
    top = {
        rank: np.max(found, axis=0) for rank, found in run.net.all_gather_parts(local, "tp", "largest logit").items()
    }
    sums = run.wire.meet(
        {r: np.exp(part - top[r][:, None]).sum(-1) for r, part in parts.items()}, "sum of exponentials"
    )
    picked = run.wire.meet({r: own_logit(run, r, part, lanes) for r, part in parts.items()}, "logit of the next token")
    out = {}
    for rank in parts:
        rows = run.own(rank, False)
        total = np.log(sums[rank]) + top[rank] - picked[rank]
        out[rank] = (total * (rows + 1 < len(run.sequence(rank)))).sum()
    return out


def own_logit(run: Sharded, rank: int, part: Any, lanes: tuple[Array, ...]) -> Any:
    """The logit of each row's next token where it is this rank's, else zero."""
    rows, tokens, own = run.own(rank, False), run.sequence(rank), lanes[run.place(rank)]
    following = tokens[np.minimum(rows + 1, len(tokens) - 1)]
    at = np.clip(np.searchsorted(own, following), 0, len(own) - 1)
    return part[np.arange(len(rows)), at] * (own[at] == following)
