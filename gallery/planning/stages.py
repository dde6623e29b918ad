"""Layers -> pipeline stages: the embedding on the first, the head after the last chunk, chunks dealt round.

Where the layers do not divide evenly into chunks, embedding and head count as a layer each (Megatron-LM's
account_for_embedding_in_pipeline_split and account_for_loss_in_pipeline_split), and the first chunks get one more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.schedules import in_flight as held_of


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


REPEATED = re.compile(r"\(([^()]*)\)(?:\*(\d{1,4}))?|([EtmL|])\*(\d{1,4})")
MOST_LETTERS = 10_000  # of a layout string once it is written out


def expand_layout(text: str) -> list[str]:
    """Megatron-LM's layout string -> what each chunk is made of: "Et*2|(t|)*2L" -> Ett, t, t, L."""
    plain = re.sub(r"[,\s]", "", text)
    while len(plain) <= MOST_LETTERS and (found := REPEATED.search(plain)):
        many = (found[1] or found[3] or "") * int(found[2] or found[4] or 1)
        plain = plain[: found.start()] + many + plain[found.end() :]
    return plain.split("|")


def layers_of_layout(text: str) -> list[range]:
    """The layers of each chunk of a layout string."""
    out, start = [], 0
    for letters in expand_layout(text):
        out.append(range(start, start + letters.count("t")))
        start = out[-1].stop
    return out


def places(chunk: int, layout: Layout) -> tuple[int, ...]:
    """The stages a chunk stands on: round and round, down and back up, or one for each end that micro-batches enter."""
    return place_ends(chunk, layout.pp, layout.placement)


def place_ends(chunk: int, pp: int, placement: str) -> tuple[int, ...]:
    turn, stage = divmod(chunk, pp)
    back = pp - 1 - stage
    if placement == "both":
        return stage, back
    return (back if placement == "v" and turn % 2 else stage,)


def first_stages(layout: Layout) -> tuple[int, ...]:
    """The stages that begin with the embedding."""
    return places(0, layout)


def last_stages(layout: Layout) -> tuple[int, ...]:
    """The stages that end with the head."""
    return places(layout.pp * layout.chunks - 1, layout)


def stages(layers: int, layout: Layout) -> list[list[int]]:
    """The layers of each stage, in the order in which a token meets them."""
    return deal_layers(layers, layout.pp, layout.chunks, layout.placement, layout.split)


@lru_cache(maxsize=512)
def deal_layers(layers: int, pp: int, parts: int, placement: str, split: str) -> list[list[int]]:
    """The same, for everybody who asks: nobody writes into it. A search asks again and again."""
    out: list[list[int]] = [[] for _ in range(pp)]
    for chunk, own in enumerate(layers_of_layout(split) if split else chunks(layers, pp * parts)):
        for stage in place_ends(chunk, pp, placement):
            out[stage] += own
    return out


def count_kinds(sheet: PlannerModel, layers: Iterable[int]) -> dict[int, int]:
    """How many of each kind of layer, in the order in which they come."""
    out: dict[int, int] = {}
    for layer in layers:
        kind = sheet["layers"][layer]
        out[kind] = out.get(kind, 0) + 1
    return out


def homes(layers: int, layout: Layout) -> dict[int, tuple[int, ...]]:
    """The stages of each layer."""
    out: dict[int, tuple[int, ...]] = {}
    for stage, own in enumerate(stages(layers, layout)):
        out |= {layer: (*out.get(layer, ()), stage) for layer in own}
    return out


def mtp_kinds(sheet: PlannerModel, layout: Layout, stored: bool = False) -> list[int]:
    """The kinds of the layers that are trained to predict further tokens; `stored`: each that has weights, once."""
    each = len(sheet["mtp"]) // max(sheet["further"], 1)
    many = layout.mtp * each
    return sheet["mtp"][: min(many, sheet["mtp_stored"]) if stored else many]


def mtp_stages(layout: Layout) -> tuple[int, ...]:
    """Where these stand: at the first m of a layout string, else on the last chunk."""
    chunk = next((chunk for chunk, letters in enumerate(expand_layout(layout.split)) if "m" in letters), -1)
    return last_stages(layout) if chunk < 0 else places(chunk, layout)


def count_on_stage(
    sheet: PlannerModel, layout: Layout, stage: int, layers: Iterable[int], stored: bool = False
) -> dict[int, int]:
    """How many of each kind of layer a stage goes through, those that predict further tokens among them; `stored`: of
    how many it holds weights."""
    out = count_kinds(sheet, layers)
    if layout.mtp and stage in mtp_stages(layout):
        for kind in mtp_kinds(sheet, layout, stored):
            out[kind] = out.get(kind, 0) + 1
    return out


def crossings(sheet: PlannerModel, layout: Layout) -> set[str]:
    """What layers use of a layer on another stage: its weights ("weights_of"), its keys and values ("kv_source")."""
    at = homes(len(sheet["layers"]), layout)
    return {name for name, layer, of in sheet["crossings"] if at[of] != at[layer]}


def in_flight(stage: int, layout: Layout) -> float:
    """Micro-batches whose activations a stage holds at its fullest."""
    return held_of(layout.runs, layout.pp, layout.chunks, layout.micro_batches, stage)
