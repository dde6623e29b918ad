"""Layers -> pipeline stages: the embedding on the first, the head on the last, chunks dealt round.

Where the layers do not divide evenly into chunks, embedding and head count as a layer each (Megatron-LM's
account_for_embedding_in_pipeline_split and account_for_loss_in_pipeline_split), and the first chunks get one more.
"""

from __future__ import annotations

from gallery.planning.layout import Layout
from gallery.planning.sheet import Sheet


def chunks(layers: int, parts: int) -> list[range]:
    """Consecutive layers of each chunk, in the order in which a token meets them."""
    ends = 0 if layers % parts == 0 else 1
    each, more = divmod(layers + 2 * ends, parts)
    out, start = [], -ends
    for part in range(parts):
        stop = start + each + (part < more)
        out.append(range(max(start, 0), min(stop, layers)))
        start = stop
    return out


def stages(layers: int, layout: Layout) -> list[list[int]]:
    """The layers of each stage; chunk j stands on stage j modulo pp."""
    found = chunks(layers, layout.pp * layout.chunks)
    return [[layer for part in found[stage :: layout.pp] for layer in part] for stage in range(layout.pp)]


def crossings(sheet: Sheet, layout: Layout) -> set[str]:
    """What layers use of a layer on another stage: its weights ("weights_of"), its keys and values ("kv_source")."""
    at = {layer: stage for stage, own in enumerate(stages(len(sheet["layers"]), layout)) for layer in own}
    return {name for name, layer, of in sheet["crossings"] if at[of] != at[layer]}


def in_flight(stage: int, layout: Layout) -> float:
    """Micro-batches whose activations a stage holds at its fullest: 1F1B's p - r, interleaved p + (p - 1)/v on rank 0.

    Megatron-LM's warm-up, 2104.04473 section 2.2; measured schedules agree (tests/oracle/pp_schedules_measured.txt).
    """
    p, v = layout.pp, layout.chunks
    held = (p - stage) if v == 1 else 2 * (p - stage - 1) + (v - 1) * p + 1
    return min(held, layout.micro_batches * v) / v
