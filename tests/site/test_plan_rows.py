"""The planner's small functions in the browser, over whole grids: schedules, shares, stages, entries equal Python's."""

from __future__ import annotations

from dataclasses import fields
from itertools import product

import pytest

from cutaway.gallery.operations import Reads
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import JOBS, Layout
from cutaway.gallery.planning.layout_from_args import USUAL_BATCH
from cutaway.gallery.planning.legal_axes import nearest_legal
from cutaway.gallery.planning.schedules import SCHEDULES, bubble, in_flight
from cutaway.gallery.planning.sharding.arithmetic import part_of, ratio
from cutaway.gallery.planning.stages import (
    chunks,
    count_on_stage,
    crossings,
    deal_layers,
    expand_layout,
    first_stages,
    last_stages,
    mtp_stages,
)
from tests.gallery.sheets import sheet_of
from tests.site.plan_modules import TWIN, loaded
from tests.tally import Tally

GEMMA, FLASH, V3 = "google/gemma-3n-E4B", "stepfun-ai/Step-3.5-Flash", "deepseek-ai/DeepSeek-V3"


@pytest.fixture
def told(page):
    """told(function, rows): what the page's own arithmetic says of each row."""
    loaded(page, *TWIN)
    return lambda function, rows: page.evaluate(f"(rows) => rows.map((row) => ({function})(...row))", rows)


def laid(**more) -> dict:
    """A layout's fields, as the page has them."""
    return {"device": DEVICES["h100_sxm"]._asdict(), "nodes": 8, "per_node": 8, "job": "train", "batch": 512, **more}


def layout(fields: dict) -> Layout:
    """The same in Python."""
    return Layout(**{**fields, "device": DEVICES["h100_sxm"]})


def test_schedules_are_the_same_in_the_browser(told, verified):
    """Bubble, micro-batches in flight, multiples and least counts of every schedule, for few micro-batches and many."""
    grid = [
        (name, p, v, m, r)
        for name, p, m in product(SCHEDULES, range(1, 10), (*range(1, 12), 17, 18, 19))
        for v in range(SCHEDULES[name].chunks[0], min(SCHEDULES[name].chunks[1], 3) + 1)
        for r in {0, 1 % p, p // 2, p - 1}
    ]  # fmt: skip
    theirs = told(
        "(name, p, v, m, r) => [schedules.bubble(name, p, v, m), schedules.in_flight(name, p, v, m, r), "
        "schedules.ROWS[name].multiple(p), schedules.ROWS[name].least(p)]", grid)  # fmt: skip
    tally = Tally()
    for (name, p, v, m, r), found in zip(grid, theirs, strict=True):
        row = SCHEDULES[name]
        mine = [bubble(name, p, v, m), in_flight(name, p, v, m, r), row.multiple(p), row.least(p)]
        for place, (one, other) in enumerate(zip(found, mine, strict=True)):
            tally.same(one, other, name, p, m, place)
    said = ("label", "told", "chunks", "placement", "rule", "copies")
    names = told("(name, said) => said.map((word) => schedules.ROWS[name][word])", [[name, said] for name in SCHEDULES])
    assert names == [[list(own) if isinstance(own := getattr(row, word), tuple) else own for word in said]
                     for row in SCHEDULES.values()]  # fmt: skip
    verified("planner in the browser: pipeline schedules", tally, against="gallery.planning.schedules")


def test_defaults_are_the_same_in_the_browser(told):
    """Every field of a layout is left at the same value in both languages."""
    (defaults,) = told("() => layout.DEFAULTS", [[]])
    wanted = {one.name: one.default for one in fields(Layout) if one.name not in ("device", "nodes", "per_node")}
    assert defaults == wanted
    assert told("() => [layout.USUAL_BATCH, layout.JOBS]", [[]]) == [[USUAL_BATCH, list(JOBS)]]


def test_shares_are_the_same_in_the_browser(told):
    """Every rule under every number of ranks, and what a rank holds of a sum."""
    rules = [["whole"], ["tp"], ["heads", 2], ["heads", 8], ["groups", 64, 2, 8], ["groups", 4_096, 256, 16],
             ["experts", 256, 1], ["experts", 256, 0]]  # fmt: skip
    axes = [{"tp": tp, "ep": ep, "etp": etp, "redundant": more}
            for tp, ep, etp, more in product((1, 2, 8, 32), (1, 4), (1, 2), (0, 32))]  # fmt: skip
    rows = [[rule, laid(**one), dcp] for rule, one, dcp in product(rules, axes, (1, 2)) if one["tp"] % dcp == 0]
    theirs = told("(rule, fields, dcp) => arithmetic.ratio(rule, layout.make(fields), dcp)", rows)
    assert theirs == [list(ratio(rule, layout(fields), dcp)) for rule, fields, dcp in rows]
    parts = [[total, share, per] for total, share, per in product((0, 1, 7, 10**12), ([1, 3], [3, 8], [1, 1]), (1, 8))]
    assert told("arithmetic.part_of", parts) == [part_of(total, tuple(share), per) for total, share, per in parts]


def test_stages_are_the_same_in_the_browser(told):
    """Layers of every chunk, where chunks stand, which stages begin, end and look further ahead."""
    dealt = [[layers, parts] for layers, parts in product(range(1, 14), range(1, 16)) if parts <= layers + 2]
    theirs = told("(layers, parts) => stages.chunks(layers, parts)", dealt)
    assert [[list(range(a, b)) for a, b in own] for own in theirs] == [list(map(list, chunks(*row))) for row in dealt]
    made = [laid(pp=pp, chunks=v, schedule=name, split=split)
            for name, (pp, v), split in product(("", "zb-v", "dualpipe", "v-min"), ((1, 1), (2, 1), (4, 2), (4, 1)),
                                                ("", "Et*3|(t|)*2,m|t*7L"))]  # fmt: skip
    theirs = told("(fields) => { const one = layout.make(fields); return [stages.of(12, { ...one, split: '' }), "
                  "stages.first_stages(one), stages.last_stages(one), stages.mtp_stages(one), "
                  "one.copies, one.visits, one.placement]; }", [[fields] for fields in made])  # fmt: skip
    for one_of, found in zip(made, theirs, strict=True):
        one = layout(one_of)
        own = deal_layers(12, one.pp, one.chunks, one.placement, "")
        ends = [list(each(one)) for each in (first_stages, last_stages, mtp_stages)]
        assert found == [own, *ends, one.copies, one.visits, one.placement], one_of
    texts = [["Et*2|(t|)*2L"], ["E(tt|)*3,m|L"], ["EtL"], ["E|((t|)*2)*2L"], [""]]
    assert told("stages.expand_layout", texts) == [expand_layout(*text) for text in texts]


def test_what_stages_share_is_the_same_in_the_browser(told):
    """What layers use of another stage's, and the kinds on a stage with those that look further ahead."""
    rows = [[sheet_of(slug), laid(pp=pp, schedule=name, mtp=mtp)]
            for slug, pp, name, mtp in product((GEMMA, FLASH, V3), (1, 2, 4), ("", "dualpipe"), (0, 1))]  # fmt: skip
    theirs = told("(sheet, fields) => { const one = layout.make(fields); "
                  "return [[...stages.crossings(sheet, one)].sort(), "
                  "[...stages.count_on_stage(sheet, one, one.pp - 1, [0, 1])]]; }", rows)  # fmt: skip
    for (sheet, asked), found in zip(rows, theirs, strict=True):
        one = layout(asked)
        own = [list(pair) for pair in count_on_stage(sheet, one, one.pp - 1, [0, 1]).items()]
        assert found == [sorted(crossings(sheet, one)), own], asked
    assert any(found[0] for found in theirs)


def test_entries_and_nearest_values_are_the_same_in_the_browser(told):
    """Past entries that one token reads and all together, at every end of a window; legal values on both sides."""
    rows = [
        [tokens, every, cap] for tokens, every, cap in product((0, 1, 2, 7, 8, 9, 100), (1, 4), (None, 0, 1, 2, 50))
    ]
    theirs = told("(tokens, every, cap) => [work.at(tokens, every, cap), work.over(tokens, every, cap)]", rows)
    for (tokens, every, cap), found in zip(rows, theirs, strict=True):
        one = Reads("", 1, every, cap)
        assert found == [one.for_token(tokens), one.over(tokens)], (tokens, every, cap)
    sides = [[value, step, most] for value, step, most in product((1, 3, 8, 20), (2, 5, 30), (10, 20))]
    theirs = told("(value, step, most) => legalAxes.nearest_legal(value, (n) => n % step === 0, most)", sides)
    assert theirs == [list(nearest_legal(value, lambda n, s=step: n % s == 0, most)) for value, step, most in sides]
