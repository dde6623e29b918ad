"""Weighing a cache: what the page's scripts count and say equals Python, over random states and roofs."""

from __future__ import annotations

import json
import random
import re

import pytest

from cutaway.app.roofline import section as roofline
from cutaway.app.roofline import words as roofline_words
from cutaway.app.site import Site
from cutaway.app.weigh import figures as weigh_figures
from cutaway.app.weigh import section as weigh
from cutaway.app.weigh import words as weigh_words
from cutaway.app.weigh.words import State
from cutaway.gallery import catalog
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.planning.devices import DEVICES
from tests import bundled

V3 = "deepseek-ai/DeepSeek-V3"
EACH, MORE = 6, 60  # states of each model


def some(dice: random.Random, told: dict) -> State:
    """Any state that a reader can reach."""
    longest = told["longest"] or 4096
    ctx = dice.choice(
        (dice.choice(cache_growth.CONTEXTS), dice.randint(1, 2**20), min(longest + dice.randint(-1, 1), 2**20))
    )
    return State(
        max(ctx, 1), dice.choice((1, 2, 8, dice.randint(1, weigh_words.MOST_BATCH))),
        dice.choice(weigh_words.offered(told)).word, dice.choice(list(DEVICES)),
        dice.choice((1, 8, dice.randint(1, 4096))),
    )  # fmt: skip


TWIN = """async ([files, sheets, rows, devices]) => {
  const urls = {};
  for (const [name, text] of files) urls[name] = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const kept = await import(urls.kept), curve = await import(urls.curve);
  return rows.map(([slug, other, weights, state]) => {
    const [sheet, beside] = [sheets[slug], sheets[other]], dtype = kept.DTYPES[state.kv];
    const line = (title, one) => ({ title, bytes: curve.POWERS.map((power) => kept.keptBytes(one, 2 ** power, dtype, state.batch)) });
    const lines = [line(slug, sheet), line(other, beside)];
    return {
      bytes: kept.keptBytes(sheet, state.ctx, dtype, state.batch), kinds: kept.byKind(sheet, state.ctx, dtype, state.batch),
      layers: sheet.kinds.map((_, kind) => kept.layerBytes(sheet, kind, state.ctx, dtype)), usual: kept.usualBytes(sheet, state.ctx, dtype, state.batch),
      told: kept.toldAll(sheet, { weights, devices }, state), crossings: kept.crossings(beside, sheet, dtype),
      beside: [...kept.beside(sheet, beside, state), kept.crossing(sheet, beside, state)], ceiling: kept.ceiling(kept.keptBytes(sheet, state.ctx, dtype) + 1),
      curve: curve.inner([380, 280, 104], lines),
    };
  });
}"""  # noqa: E501


def told(sheet: dict, other: dict, names: tuple[str, str], weights: int, state: State) -> dict:
    """What Python says of a state."""
    ctx, dtype, batch = state.choice
    lines = [weigh_figures.line(name, one, state) for name, one in zip(names, (sheet, other), strict=True)]
    return {
        "bytes": cache_growth.cache_bytes(sheet, ctx, dtype, batch), "kinds": cache_growth.by_kind(sheet, ctx, dtype,
        batch),
        "layers": [list(cache_growth.layer_bytes(sheet, kind, ctx, dtype)) for kind in range(len(sheet["kinds"]))],
        "usual": cache_growth.usual_bytes(sheet, ctx, dtype, batch), "told": weigh_words.told_all(sheet, weights,
        state),
        "crossings": cache_growth.crossings(other, sheet, dtype), "beside": list(weigh_words.beside(sheet, other,
        state)),
        "ceiling": weigh_words.ceiling(cache_growth.cache_bytes(sheet, ctx, dtype) + 1),
        "curve": weigh_figures.inner(weigh_figures.FRAMES[0], lines),
    }  # fmt: skip


def apart(ours: str, theirs: str) -> bool:
    """Whether two drawings differ by more than a tenth in a place."""
    number = re.compile(r"(?<![\w#])-?\d+\.\d(?![\d ]*[KMGTP]?B)")
    near = [abs(float(a) - float(b)) < 0.11 for a, b in zip(number.findall(ours), number.findall(theirs), strict=True)]
    return number.sub("#", ours) != number.sub("#", theirs) or not all(near)


@pytest.mark.parametrize("each", [pytest.param(EACH), pytest.param(MORE, marks=pytest.mark.patient)])
def test_the_browser_counts_what_python_counts(page, weighed, verified, each):
    """Bytes, kinds, layers, words, crossings and curves of every catalogued model are the same in both languages."""
    site, dice = Site(), random.Random(each)
    sheets = json.loads(weigh.everyone(site))
    sheets = {slug: one for slug, (_, one) in sheets.items()}
    rows, ours = [], []
    for slug, sheet in sheets.items():
        for _ in range(each):
            state, other, weights = some(dice, sheet), dice.choice(list(sheets)), dice.randint(1, 10**13)
            rows.append([slug, other, weights, state._asdict()])
            ours.append(told(sheet, sheets[other], (slug, other), weights, state))
    catalogued = len(sheets)
    for name, other, weights, state in edges(sheets):
        rows.append([name, other, weights, state._asdict()])
        ours.append(told(sheets[name], sheets[other], (name, other), weights, state))
    page.goto(f"{weighed}/assets/icon.svg")
    files = [
        (name, bundled.bundled(f'export * from "./{file}";', "static/js"))
        for name, file in (("kept", "cache-bytes.js"), ("curve", "weigh-curve.js"))
    ]
    devices = {name: [row.memory_bytes, row.gpus_per_node] for name, row in DEVICES.items()}
    theirs = page.evaluate(TWIN, [files, sheets, rows, devices])
    wrong, checked = [], 0
    for row, mine, found in zip(rows, ours, theirs, strict=True):
        checked += len(mine) - 1 + len(mine["told"]) + len(mine["kinds"]) + 2 * len(mine["layers"])
        if apart(mine.pop("curve"), found.pop("curve")) or mine != found:
            wrong.append((row[0], row[3], {key: (mine[key], found[key]) for key in mine if mine[key] != found[key]}))
    assert wrong == [] and catalogued > 170 and len(rows) > catalogued * each
    verified("weighing a cache in the browser", checked, len(wrong), "gallery.counting.cache_growth and gallery.memory")


def edges(sheets: dict):
    """States that dice do not find: odd bits, two lines that are one, GPUs that are full to the byte."""
    odd = {"loops": 1, "longest": 5, "usual": [3, 1, 3], "kinds": [[3, [["kv", 3, 0, 2, None, 0, {}]]],
           [2, [["state", 0, 13, 1, None, 1, {}], ["index", 5, 1, 1, 7, 0, {}]]]]}  # fmt: skip
    sheets["odd"] = odd
    strange = ("WWWWWW WWWWWW", "illlllllllllllllllllllllllllll", "模型模型模型模型", "Odd 7B - - - Instruct")
    sheets |= dict.fromkeys(strange, odd)
    for ctx in (1, 5, 6, 7, 8, 2049):
        for name in ("odd", *strange):
            yield name, V3, 7, State(ctx, 2, "fp4")
    xlstm = "NX-AI/xLSTM-7b"
    yield xlstm, xlstm, 5, State()
    state = State(4096, 1, "fp8", "l4", 1)
    left = DEVICES["l4"].memory_bytes - cache_growth.cache_bytes(sheets[V3], *state.choice)
    for weights in (left, left + 1, left - 1):
        yield V3, "odd", weights, state


ROOF = """async ([files, rows]) => {
  const urls = {};
  for (const [name, text] of files) urls[name] = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const roof = await import(urls.roof);
  return rows.map(([data, state]) => {
    const found = roof.rows(data, state), total = roof.totalOf(found);
    return { numbers: found.map((one) => [one.flops, one.weights, one.cache, one.seconds]), cells: found.map((one) => roof.cells(one, total)),
      verdict: roof.verdict(found, state), figure: roof.inner(data.frames[0], found, data, state) };
  });
}"""  # noqa: E501


@pytest.mark.parametrize("every", [pytest.param(9), pytest.param(1, marks=pytest.mark.patient)])
def test_the_roofline_is_the_same_in_both_languages(page, weighed, verified, every):
    """Work, bytes, least times, words and dots of models at random states, of prompts and of single tokens."""
    site, dice, rows, ours = Site(), random.Random(every), [], []
    for slug in [row.slug for row in catalog.MODELS if row.snapshot][::every]:
        told = roofline.sheet(site.view(slug))
        for prefill in (False, True):
            state = some(dice, cache_growth.growth_sheet(site.view(slug).spec))
            found = roofline_words.rows(told, state, prefill)
            total = sum(one.seconds for one in found)
            rows.append(
                [json.loads(roofline.data(told)), {**state._asdict(), "job": "prefill" if prefill else "decode"}]
            )
            ours.append({
                "numbers": [[one.flops, one.weight_bytes, one.cache_bytes, one.seconds] for one in found],
                "cells": [roofline_words.cells(one, total) for one in found],
                "verdict": roofline_words.verdict(found, state, prefill),
                "figure": roofline_words.inner(roofline_words.FRAMES[0], found, state),
            })  # fmt: skip
    page.goto(f"{weighed}/assets/icon.svg")
    files = [
        (name, bundled.bundled(f'export * from "./{file}";', "static/js"))
        for name, file in (("kept", "cache-bytes.js"), ("roof", "roofline.js"))
    ]
    wrong, checked = [], 0
    for row, mine, found in zip(rows, ours, page.evaluate(ROOF, [files, rows]), strict=True):
        checked += 11 * len(mine["cells"]) + 2
        near = all(
            a == pytest.approx(b, rel=1e-12) for a, b in zip(mine.pop("numbers"), found.pop("numbers"), strict=True)
        )
        if not near or apart(mine.pop("figure"), found.pop("figure")) or mine != found:
            wrong.append((row[1], mine, found))
    assert wrong == []
    verified("the roofline in the browser", checked, len(wrong), "gallery.counting.blocks")
