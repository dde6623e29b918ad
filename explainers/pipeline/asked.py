"""A schedule that ran -> words: what a rank does at a moment, why it waits, what an op sends and gets."""

from __future__ import annotations

from typing import Any

from cutaway.explainers import fmt
from cutaway.explainers.pipeline import simulate

NAMES = {"F": "forward", "B": "backward", "I": "input gradient", "W": "weight gradient"}
SENT = {"F": "activations", "B": "gradients"}


def number(x: float) -> str:
    """At most five significant digits: 4, 4.5, 13.333."""
    return fmt.sig(x, 5)


def op_name(op: tuple) -> str:
    """("B", 0, 0) -> "backward of micro-batch 1 on stage 0"."""
    if op[0] == "X":
        return f"forward of micro-batch {op[2] + 1} with backward of micro-batch {op[4] + 1}"
    return f"{NAMES[op[0]]} of micro-batch {op[2] + 1} on stage {op[1]}"


def doing(lists: list, times: list, rank: int, at: float, v: int) -> str:
    """What a rank does at a moment."""
    for index, (start, end) in enumerate(times[rank]):
        if at < start and (source := simulate.awaited_op(lists, times, rank, index, v)):
            return f"waits for the {op_name(lists[source['rank']][source['index']])}"
        if at < end:
            return op_name(lists[rank][index])
    return "done"


def why(lists: list, times: list, rank: int, index: int, v: int, hop: float) -> dict[str, Any] | None:
    """The wait before an op: from, to, whose result ends it, and the sentence. Past the last op: done."""
    if not 0 <= rank < len(lists) or not 0 <= index <= len(lists[rank]):
        return None
    if index == len(lists[rank]):
        end = times[rank][-1][1]
        return {"from": end, "to": end, "rank": -1, "index": -1, "sentence": f"Rank {rank} is done at {number(end)}."}
    source = simulate.awaited_op(lists, times, rank, index, v)
    op = op_name(lists[rank][index])
    if source is None:
        return None
    there = lists[source["rank"]][source["index"]]
    sentence = (
        f"Rank {rank} is idle from {number(source['from'])} to {number(source['to'])}. Its next operation is the {op}. "
        f"This needs the {op_name(there)}, which rank {source['rank']} finishes at {number(source['end'])}"
        + (f"; the result then travels for {number(hop)}." if hop else ".")
    )
    return {key: source[key] for key in ("from", "to", "rank", "index")} | {"sentence": sentence}


def asked(lists: list, times: list, sent: list[tuple], rank: int, index: int) -> dict[str, Any] | None:
    """One op: the sentence, and its messages in and out; None where there is no such op."""
    if not 0 <= rank < len(lists) or not 0 <= index < len(lists[rank]):
        return None
    start, end = times[rank][index]
    links = [m for m in sent if m[3:5] == (rank, index)] + [m for m in sent if m[1:3] == (rank, index)]
    words = [f"Rank {rank} runs the {op_name(lists[rank][index])} from {number(start)} to {number(end)}."]
    words += [_link(m, m[3:5] == (rank, index)) for m in links]
    return {"sentence": " ".join(words), "links": [list(m) for m in links]}


def _link(message: tuple, gets: bool) -> str:
    kind, source, _, destination, _, sent, there = message
    way = f"gets {SENT[kind]} from rank {source}" if gets else f"sends {SENT[kind]} to rank {destination}"
    return f"It {way}, sent at {number(sent)}" + (f" and received at {number(there)}." if there > sent else ".")
