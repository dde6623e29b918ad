"""The sheet of what can be edited: sums found from a few points give what the edited spec counts."""

from __future__ import annotations

import json

import pytest

from cutaway.gallery import catalog, edit, parameters
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.editing import sums
from cutaway.gallery.editing.form import form
from cutaway.gallery.editing.sheet import sheet
from tests.gallery.test_editing import GEMMA, LLAMA, NEXT, V3, V4


def test_sheets_are_small_and_stay_below_two_to_the_53():
    """A sheet is at most 3 KB, and no edit that is allowed leaves the whole numbers that scripts are exact on."""
    for slug in (LLAMA, V3, V4, "thinkingmachines/Inkling", "stepfun-ai/Step-3.5-Flash", "xai-org/grok-2"):
        spec = catalog.spec(slug)
        told = sheet(spec)
        assert len(json.dumps(told, separators=(",", ":"))) < 3_000
        wide = {one.id: one.most for one in form(spec).fields if one.id in ("layers", "experts")}
        assert parameters(edit(spec, wide)).total < 2**53


def test_sums_are_found_from_a_few_points():
    """A count of two fields, one of which may be 0, is found whole; one that is no such sum is refused."""
    axes = [sums.Axis("a", 3, False), sums.Axis("b", 0, True)]
    found = sums.fit_sums(axes, lambda v: [5 + 2 * v["a"] + 7 * v["a"] * v["b"] + (0 if v["b"] else 11 * v["a"])])[0]
    for a, b in ((1, 0), (4, 9), (10, 1)):
        assert sums.evaluate_sums(found, {"a": a, "b": b}) == 5 + 2 * a + 7 * a * b + (0 if b else 11 * a)
    with pytest.raises(ArithmeticError):
        sums.Axis("a", 2, False).along([1, 2])


def worked_out(told: dict, changes: dict[str, int]) -> tuple[int, int, int]:
    """(parameters, active, bits that one token or state takes in 16 bits) as a script takes them from a sheet."""
    values = [changes.get(row[0], row[4]) for row in told["fields"]]

    def term(one: list[int]) -> int:
        factor = one[0]
        for place in one[1:]:
            factor *= values[place] if place >= 0 else not values[-1 - place]
        return factor

    first, period, last = told["layers"]
    many = dict(zip([row[0] for row in told["fields"]], values, strict=True)).get("layers", len(first))
    last = last if many > len(first) + len(last) else []
    between = many - len(first) - len(last)
    stack = [*first[:many], *(period[place % len(period)] for place in range(between)), *last]
    total = told["outside"]
    active = total - told["looked_up"]
    kept = 0
    for beside, _, mixer, mlp, around, looked_up in (told["kinds"][place] for place in stack):
        parts = [told["parts"][place] for place in (*mixer, *mlp)]
        size = beside + sum(term(one) for part in parts for one in part["total"])
        experts = next((part for part in parts if "each" in part), None)
        resting = experts["each"] * (term(experts["k"][0]) - term(experts["k"][1])) if experts else 0
        total, active = total + size, active + size - resting - looked_up
        rows = [row for part in parts for row in part.get("kept", ())] + around
        kept += sum(term(one) * (row[2] or 16) for row in rows for one in row[1])
    return total, active, kept


SHEETS = (
    (LLAMA, {"layers": 7, "heads": 32, "kv": 2}), (V3, {"layers": 5, "q_rank": 0, "experts": 32, "active": 3}),
    (V3, {"heads": 24, "kv_rank": 100}), (V4, {"layers": 90, "heads": 8, "q_rank": 99}),
    ("thinkingmachines/Inkling", {"layers": 9, "kv@16": 2}), (GEMMA, {"kv": 32, "layers": 1}),
    (NEXT, {"key_heads": 4, "value_heads": 4, "layers": 13}), ("stepfun-ai/Step-3.5-Flash", {"heads@96": 8, "kv": 4}),
    ("nvidia/Nemotron-H-56B-Base-8K", {"layers": 200, "state_heads": 8}), ("Zyphra/Zamba2-1.2B", {"kv": 16}),
    ("moonshotai/Kimi-Linear-48B-A3B-Instruct", {"layers": 40, "state_heads": 5, "heads": 3, "experts": 9}),
)  # fmt: skip


@pytest.mark.parametrize(("slug", "changes"), SHEETS)
def test_a_sheet_gives_what_the_edited_spec_counts(slug, changes):
    """Parameters, active ones and what is kept, from the sheet of the model as it is."""
    spec = edit(catalog.spec(slug), changes)
    rows = cache_growth.growth_sheet(spec)["kinds"]
    bits = sum(
        count * (16 * row[cache_growth.NUMBERS] + row[cache_growth.BITS]) for count, kept in rows for row in kept
    )
    told = parameters(spec)
    assert worked_out(sheet(catalog.spec(slug)), changes) == (told.total, told.active, bits)
