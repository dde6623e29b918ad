"""A plan -> the rows of text that /plan/'s tables should print, written from gallery/planning alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutaway.explainers import fmt
from cutaway.gallery.command.plan_words import PARTS, gigabytes
from cutaway.gallery.drawing.words import runs, size
from cutaway.gallery.planning.communication import list_collectives, neighbour_stages
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.ranks import first_rank, group
from cutaway.gallery.planning.search import Row, Table
from cutaway.gallery.planning.seconds import bind_step
from cutaway.gallery.planning.sharding.tensors import list_owners
from cutaway.gallery.planning.stage_weights import table_stages
from cutaway.gallery.planning.work import training_flops
from tests.site.plan_said import at_most, duration, rate, short


def boxes(found: Plan) -> list[tuple[int, int]]:
    """(first, last) of stages that are drawn as one: neighbours alike, where there are more than eight."""
    alone = {0, found.layout.pp - 1, found.fullest.stage, found.emptiest.stage}
    out: list[tuple[int, int]] = []
    for rank in found.ranks:
        before = out and found.ranks[out[-1][0]]
        like = before and (before.weights_bytes, before.experts_bytes) == (rank.weights_bytes, rank.experts_bytes)
        if len(found.ranks) > 8 and like and not {rank.stage, out[-1][1]} & alone:
            out[-1] = out[-1][0], rank.stage
        else:
            out.append((rank.stage, rank.stage))
    return out


def holds_of(found: Plan) -> Iterator[list[str]]:
    """The rows of Memory per GPU."""
    layout, drawn = found.layout, boxes(found)
    ranks = [found.ranks[first] for first, _ in drawn]
    one = "each GPU" if layout.gpus > 1 else "the GPU"
    yield ["", *(one if layout.pp == 1 else f"stage {a}" if a == b else f"stages {a}–{b}" for a, b in drawn)]
    for name, word in reversed(PARTS):
        if any(getattr(rank, name) for rank in found.ranks):
            own = [gigabytes(getattr(rank, name)) if getattr(rank, name) else "–" for rank in ranks]
            yield ["activations, peak" if word == "activations" else word, *own]
    yield [f"of {gigabytes(found.room_bytes)}", *(gigabytes(rank.total_bytes) for rank in ranks)]
    if found.sequences:
        yield ["sequences, all GPUs", f"{found.sequences:,}", *[""] * (len(ranks) - 1)]


def costs_of(model, found: Plan) -> Iterator[list[str]]:
    """The rows of Time per step, and the facts below."""
    least, layout = bind_step(model, found), found.layout
    train = layout.job == "train"
    yield ["", "", "time"]
    names = ("products", "reading memory", "links in a node", "links between nodes")
    yield from ([word, "", duration(time)] for word, time in zip(names, least[:4], strict=True) if time)
    if least.bubble:
        yield ["pipeline idle", "", duration(least.idle)]
    yield ["at least", "", duration(least.seconds)]
    yield ["without overlap", "", duration(least.unhidden)]
    if at_most(found, least):
        yield [f"tokens per second{' and GPU' if train else ''}, at most", rate(at_most(found, least))]
    if least.bubble:
        yield ["idle, of the whole step", fmt.percent(least.of_total, 2)]
        yield ["idle, of the ideal step", fmt.percent(least.bubble, 2)]
    if train:
        flops = training_flops(model, layout.sequence, lora_rank=layout.lora_rank) / 1e9
        yield ["FLOP per token, forward and backward", f"{flops:,.{max(0, 3 - len(str(int(flops))))}f} GFLOP"]
    else:
        yield ["longest context of one sequence", f"{found.longest_context:,}"]


def who_of(ranks: list[int]) -> str:
    """0–7; 0, 4, 8; 0, 4, … 252."""
    if ranks == list(range(ranks[0], ranks[-1] + 1)):
        return f"{ranks[0]}–{ranks[-1]}" if len(ranks) > 1 else f"{ranks[0]}"
    return ", ".join(map(str, ranks)) if len(ranks) <= 4 else f"{ranks[0]}, {ranks[1]}, … {ranks[-1]}"


def talks_of(model, found: Plan) -> Iterator[list[str]]:
    """The rows of Communication between GPUs, seen from the first GPU of the fullest stage."""
    layout, stage = found.layout, found.fullest.stage
    yield ["axis", "operation", "ranks", "bytes", "link", "busy", ""]
    met = [talk for talk in list_collectives(model, found, stage) if talk.bytes]
    for talk in met:
        ranks = group(layout, talk.axis, first_rank(layout, stage))
        if talk.axis == "pp":
            others = [layout.pp - 1 - stage] if "both copies" in talk.operation else neighbour_stages(layout, stage)
            if "of the embedding" in talk.operation:
                others = [one for one in table_stages(model, layout) if one != stage]
            ranks = sorted(first_rank(layout, one) for one in (stage, *others))
        stay = talk.bytes - talk.leaving_bytes
        busy = stay / layout.device.inside_bytes + talk.leaving_bytes / layout.outside_bytes
        left = f"{size(talk.leaving_bytes)} leave the node" if talk.leaving_bytes else "stays inside the node"
        yield [talk.axis, talk.operation, f"{talk.ranks}: {who_of(ranks)}", size(talk.bytes), left, duration(busy), ""]
    axes = {talk.axis.partition("_")[0] for talk in met}
    silent = ", ".join(axis for axis in ("tp", "pp", "cp", "dp", "edp") if axis not in axes)
    serves = "nothing to send: 1 rank each, or each rank has its own sequences"
    yield [silent, "1 rank each, or nothing to send" if layout.job == "train" else serves]


# ---------------------------------------------------------------- owners


def owned_as_told(table: list[list[str]], model, found: Plan) -> None:
    """Each tensor's layers, cut, copies and owners are those of a row; no tensor is left out, none is there twice."""
    layout, every = found.layout, list_owners(model, found.layout)
    heads, *rows = table
    assert heads == ["tensor", "layers", "shape", "cut by", "copies", "owners"]
    many = [re.search(r"\((\d+)\)$", row[0]) for row in rows]
    assert sum(int(one[1]) if one else 1 for one in many) == len({one.name for one in every})
    told = {(layers, cut, copies, who) for _, layers, _, cut, copies, who in rows}
    for one in every:
        alike = [other for other in every if (other.name, other.rule) == (one.name, one.rule)]
        own = sorted({layer for other in alike for layer in other.layers})
        layers = " ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in runs(own)) or "–"
        assert (layers, cut_words(one, layout), f"{one.copies:,}", who_words(one, layout)) in told, one.name


def cut_words(one, layout) -> str:
    """How a tensor is cut."""
    word = one.rule[0]
    if word == "experts":
        spare = one.rule[1] + layout.redundant
        parts = [f"ep: {short(spare / layout.ep)} of {spare}"] if layout.ep > 1 else []
        return ", ".join(parts + ([f"etp {layout.etp}"] if one.rule[2] and layout.etp > 1 else [])) or "–"
    if word == "whole" or layout.tp == 1:
        return "–"
    return f"tp: {max(one.rule[1] // layout.tp, 1)} of {one.rule[1]} heads" if word == "heads" else f"tp {layout.tp}"


def who_words(one, layout) -> str:
    """Who holds a tensor."""
    if one.rule[0] == "experts" and layout.ep > 1 and layout.etp == 1:
        return "ep rank of the expert"
    alone = layout.edp * layout.etp if one.rule[0] == "experts" else layout.gpus // layout.pp
    many = layout.copies if one.layers else len(one.stages)
    if layout.pp == 1 or alone * many == 1:
        return "one GPU" if alone * many == 1 else "all"
    if one.layers:
        return "its two stages" if many > 1 else "its stage"
    return f"stage{'s' * (many > 1)} {' and '.join(map(str, one.stages))}"


def layouts_of(table: Table, made: Layout) -> Iterator[list[str]]:
    """The rows of Ten layouts, this one's own last where it is none of them."""
    train = made.job == "train"
    axes = ["tp", "pp × chunks", "cp", "dp"] if train else ["tp", "pp", "dp"]
    facts = ["idle", "at least", "without overlap"] if train else ["sequences", "tokens/s, at most", "without overlap"]
    yield ["#", *axes, "ep", "etp", "fullest GB", *facts, "time", "bound by"]
    found = [one.layout for one in table.rows]
    for place, one in enumerate(table.rows, 1):
        yield [f"{place} yours" if one.layout == made else str(place), *layout_of(one, train)]
    if table.own and table.own.plan.fits and made not in found:
        yield [f"{table.place} yours", *layout_of(table.own, train)]


def layout_of(one: Row, train: bool) -> list[str]:
    """One of them."""
    layout, most = one.layout, one.plan.sequences
    pp = f"{layout.pp} × {layout.chunks}" if train else str(layout.pp)
    axes = [str(layout.tp), pp, *([str(layout.cp)] if train else []), str(layout.dp), str(layout.ep), str(layout.etp)]
    times = (
        [duration(one.seconds), duration(one.unhidden)] if train else [rate(1 / one.seconds), rate(1 / one.unhidden)]
    )
    first = fmt.percent(one.bound.of_total) if train else f"{most:,}"
    return [*axes, gigabytes(one.plan.fullest.total_bytes), first, *times, "", one.bound.binds]
