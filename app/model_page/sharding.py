"""A model's view -> the sharding x-ray of its page: transformers' plan by weight, beside Cutaway's. No markup."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from cutaway.app.model.view import SpecView
from cutaway.gallery.drawing.words import shape_words
from cutaway.gallery.planning import declared
from cutaway.gallery.planning.stages import chunks
from cutaway.gallery.planning.tp_plan_diff import RANKS, Row, TpPlanDiff, diff_tp_plan
from cutaway.gallery.planning.tp_plan_reasons import judge_row

SHOWN = 8  # of RANKS, before a reader chooses


class Line(NamedTuple):
    """One weight: how it is sharded, and for each of RANKS both shares and why they differ ("" = they do not)."""

    name: str
    shape: str
    times: int
    cut: str  # how the picture shows it: "rows", "columns", "two-rows", "two-columns" or ""
    style: str
    words: str
    theirs: list[str]
    ours: list[str]
    why: list[str]


class Told(NamedTuple):
    """What differs from one number of ranks to the next."""

    ranks: int
    theirs: int
    dealt: int  # theirs where the same ranks are expert-parallel too
    undealt: int  # experts that cannot be distributed over so many; 0 where they can
    ours: int
    differing: int
    refused: str
    stages: tuple[str, str]  # theirs and ours; "" where layers are fewer than stages


class Sharding(NamedTuple):
    """The section; `lines` is empty where there is no plan."""

    version: str
    model_type: str
    known: bool
    size: int
    rules: int
    expert_rules: int
    pipeline: bool
    told: list[Told]
    lines: list[Line]  # weights that a rule names, or that Cutaway shards
    left: list[Line]  # whole in both, for lack of a rule
    shown: int = SHOWN

    @property
    def experts(self) -> bool:
        """Whether expert parallelism over the same ranks changes what one of them holds."""
        return any(one.undealt or one.dealt != one.theirs for one in self.told)


def sharding(view: SpecView) -> Sharding:
    """Everything the section says."""
    spec, found = view.spec, diff_tp_plan(view.spec)
    if found is None:
        return Sharding(declared.VERSION, spec.model_type, False, 0, 0, 0, False, [], [], [])
    told = [of_ranks(found, at, len(spec.layers)) for at in range(len(RANKS))]
    rows = [(line(spec.model_type, row), row) for row in found.rows]
    lines = [one for one, row in rows if not left(row)]
    return Sharding(
        declared.VERSION, spec.model_type, True, found.size, len(found.plan.tp), len(found.plan.ep),
        bool(found.plan.pp), told, lines, [one for one, row in rows if left(row)],
    )  # fmt: skip


def of_ranks(found: TpPlanDiff, at: int, layers: int) -> Told:
    """The sums at RANKS[at]."""
    ranks = RANKS[at]
    stages = (runs(declared.stages(layers, ranks)), runs([len(part) for part in chunks(layers, ranks)]))
    sums = found.rank_size(at, "theirs"), found.rank_size(at, "dealt"), found.undealt(at), found.rank_size(at, "ours")
    return Told(
        ranks, *sums, len(found.differing(at)), refusal(found.refused[at]), stages if layers >= ranks else ("", "")
    )


def refusal(why: str) -> str:
    """Why our planner does not shard the model over so many ranks, as a clause; "" if it does."""
    what = why.partition(", whose sharding is not supported")[0]
    return (
        ""
        if not why
        else f"they do not divide {why}"
        if what == why
        else f"sharding {what.replace('1 heads', 'one head')} is not supported"
    )


def runs(numbers: list[int]) -> str:
    """[15, 15, 15, 16] -> "3 × 15, 1 × 16"."""
    return ", ".join(f"{len(list(same))} × {value}" for value, same in groupby(numbers))


def left(row: Row) -> bool:
    """Whether no rule names a weight and both replicate it."""
    return not (row.style or row.ep_style) and set(row.ours) == {Fraction(1)}


def line(model_type: str, row: Row) -> Line:
    """One weight in words."""
    why = [judge_row(model_type, row, at).words for at in range(len(RANKS))]
    return Line(
        row.name, shape_words(row.shape), row.times, picture(row), row.style or row.ep_style, words(row),
        [fraction(one) for one in row.theirs], [fraction(one) for one in row.ours], why,
    )  # fmt: skip


def picture(row: Row) -> str:
    """Along which side the stored matrix is cut, as its last two dimensions are drawn."""
    style = declared.STYLES.get(row.style)
    at = declared.dimension(style, row.name, row.shape) if style else None
    if style is None or at is None:
        return ""
    side = "columns" if at == len(row.shape) - 1 and len(row.shape) > 1 else "rows"
    return f"two-{side}" if style.packed else side


def words(row: Row) -> str:
    """What transformers does to the weight."""
    experts = declared.STYLES[row.ep_style].words if row.ep_style else ""
    if not row.style:
        return f"replicated; with expert parallelism: {experts}" if experts else "replicated, because no rule names it"
    style = declared.STYLES[row.style]
    at = declared.dimension(style, row.name, row.shape)
    plain = style.words if at is not None or not style.cut else "replicated: a bias is added once, after the all-reduce"
    if experts == plain:
        return f"{plain}, also with expert parallelism"
    return f"{plain}; with expert parallelism: {experts}" if experts else plain


def fraction(share: Fraction) -> str:
    """1/8 as it is, 1 as "whole", and an uneven share in percent."""
    if share == 1:
        return "whole"
    return str(share) if share.numerator < 10 and share.denominator < 100 else f"{float(share):.2%}".replace("%", " %")
