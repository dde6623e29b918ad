"""ModelSpec -> every weight beside the rule of transformers' own plan that cuts it, and beside the share that is ours.

Rows stand under the names of transformers' modelling code, which its rules are written in. Ours is Megatron's cut
(sharding/rules.py) over the same ranks; a tensor that holds several of our own counts each by its size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import prod
from typing import NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.counting.naming import Tensor, rename, trace_names
from cutaway.gallery.counting.weights import by_kind, model_tensors, split_rules
from cutaway.gallery.planning.declared import STYLES, Plan, declared_plan, generic, is_inside, rule, share
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal_axes import unsupported_cuts
from cutaway.gallery.planning.planner_model import list_divisible, list_shared_heads
from cutaway.gallery.planning.sharding.arithmetic import ratio
from cutaway.gallery.planning.sharding.rules import parts_of, rule_of

RANKS = (2, 4, 8, 16)


class Row(NamedTuple):
    """A tensor of the modelling code, in all the places that have it alike; shares of the fullest rank for RANKS."""

    name: str
    shape: tuple[int, ...]
    part: str
    times: int  # how many tensors this row stands for
    glob: str  # the rule that means it; "" = none
    style: str
    ep_style: str  # the same of the expert-parallel plan
    theirs: tuple[Fraction, ...]
    dealt: tuple[Fraction, ...]  # theirs where the same ranks are expert-parallel too
    ours: tuple[Fraction, ...]
    kv_heads: int = 0  # of a key or value projection

    @property
    def size(self) -> int:
        """How many numbers it holds in all its places together."""
        return prod(self.shape) * self.times


class TpPlanDiff(NamedTuple):
    """One model's: its plan, its rows, and for each of RANKS why our planner would not cut it so ("" = it would)."""

    plan: Plan
    rows: tuple[Row, ...]
    refused: tuple[str, ...]

    def rank_size(self, at: int, whose: str) -> int:
        """How many numbers the fullest rank holds at RANKS[at]: "theirs", "dealt" or "ours"."""
        return round(sum(row.size * getattr(row, whose)[at] for row in self.rows))

    @property
    def size(self) -> int:
        return sum(row.size for row in self.rows)

    def undealt(self, at: int) -> int:
        """How many experts RANKS[at] do not divide, which transformers refuses to deal; 0 if all can be dealt."""
        stacks = (row.shape[0] for row in self.rows if row.ep_style == "grouped_gemm")
        return next((experts for experts in stacks if experts % RANKS[at]), 0)

    def differing(self, at: int) -> list[Row]:
        """The rows whose shares are not alike."""
        return [row for row in self.rows if row.theirs[at] != row.ours[at]]


def diff_tp_plan(spec: s.ModelSpec) -> TpPlanDiff | None:
    """None where transformers declares no plan for the model's type."""
    plan = declared_plan(spec.model_type)
    if plan is None:
        return None
    known: dict[tuple[int, str], list[Row]] = {}  # layers that share their tensors are worked out once
    times: Counter[tuple[int, str]] = Counter()
    for group in groups(spec, plan):
        key = (id(group.own), group.stack)
        if key not in known:
            known[key] = list(rows_of(group, plan))
        times[key] += 1
    found = ((row, times[key]) for key, rows in known.items() for row in rows)
    facts = {"cuts": list_divisible(spec), "shared": list(list_shared_heads(spec))}
    return TpPlanDiff(plan, tuple(fold_rows(found)), tuple(unsupported_cuts(facts, ranks) for ranks in RANKS))


class Group(NamedTuple):
    """Tensors under our own names, the rules to the modelling code's, and what stands before those there."""

    own: list[Tensor]
    rules: tuple[tuple[str, ...], ...]
    stack: str = ""
    layer: s.Layer | None = None


def groups(spec: s.ModelSpec, plan: Plan) -> Iterator[Group]:
    """What stands before the layers, each layer, and what follows them, as the modelling code has it."""
    inner, _, stack = split_rules(spec)
    before, after = model_tensors(spec)
    outer = (("model.embed_tokens", plan.embedding), ("model", ""))
    yield Group(before, outer)
    rules = (*inner, *spec.state_names)
    for layer, own in zip(spec.layers, by_kind(spec, spec.layers), strict=True):
        place = spec.places[layer.index].removeprefix("model.") if spec.places else stack.rpartition(".")[2] + ".0"
        yield Group(own, rules, f"{generic(place)}.", layer)
    yield Group(after, outer)


def rows_of(group: Group, plan: Plan) -> Iterator[Row]:
    """One row for each tensor of the modelling code."""
    leads = trace_names([name for name, _, _ in group.own], group.rules)
    made: dict[str, list[Tensor]] = {}
    for tensor in group.own:
        made.setdefault(leads[tensor[0]], []).append(tensor)
    for name, shape, part in rename(list(group.own), group.rules):
        full = generic(group.stack + name.removeprefix("."))
        ours = tuple(own_share(made[name], group.layer, n) for n in RANKS)
        glob = rule(full, plan.tp)
        style, ep_style = plan.tp.get(glob, ""), plan.ep.get(rule(full, plan.ep), "")
        theirs = shares_by_style(style, full, shape)
        dealt = shares_by_style(ep_style, full, shape) if is_inside(full, plan.ep) else theirs
        yield Row(full, shape, part, 1, glob, style, ep_style, theirs, dealt, ours, kv_heads(full, group.layer))


def shares_by_style(style: str, name: str, shape: tuple[int, ...]) -> tuple[Fraction, ...]:
    """What the fullest rank holds under a style; all of it under none."""
    return tuple(share(STYLES[style], name, shape, n) if style else Fraction(1) for n in RANKS)


def own_share(tensors: list[Tensor], layer: s.Layer | None, ranks: int) -> Fraction:
    """Our share of a tensor that is made of these, experts cut like the rest."""
    layout = Layout(DEVICES["h200_sxm"], 1, ranks, tp=ranks, etp=ranks)
    whole = sum(prod(shape) for _, shape, _ in tensors)
    held = (prod(one[1]) * Fraction(*ratio(rule_of(*one, layer), layout)) for one in tensors)
    return sum(held, Fraction(0)) / whole


def kv_heads(name: str, layer: s.Layer | None) -> int:
    """How many heads a key or value projection makes; 0 for any other tensor."""
    if layer is None or not {"k_proj", "v_proj", "qkv_proj"} & set(name.split(".")):
        return 0
    found = [part for part in parts_of(layer.mixer) if isinstance(part, s.Attention)]
    return found[0].num_key_value_heads if found else 0


def fold_rows(rows: Iterable[tuple[Row, int]]) -> Iterator[Row]:
    """Rows that are alike, as one: each with how often it stands there."""
    counts: Counter[Row] = Counter()
    for row, times in rows:
        counts[row] += times
    for row, times in counts.items():
        yield row._replace(times=times)
