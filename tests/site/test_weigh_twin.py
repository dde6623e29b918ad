"""Weighing a cache: what the page's scripts count, say and draw has Python's numbers, over random states."""

from __future__ import annotations

import json
import random
import re
from math import ceil, floor, log10

import pytest

from cutaway.app.roofline import section as roofline
from cutaway.app.site import Site
from cutaway.app.weigh import sheets as weigh_sheets
from cutaway.app.weigh import words as weigh_words
from cutaway.app.weigh.words import DTYPES, State, device_words
from cutaway.explainers import fmt
from cutaway.gallery import catalog
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.counting.kv_cache import STORAGES
from cutaway.gallery.counting.memory import KINDS
from cutaway.gallery.formats.bits import stored_bits
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import devices
from tests import bundled
from tests.site import roofline_rows

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
  const kept = { ...(await import(urls.kept)), ...(await import(urls.words)) }, curve = await import(urls.curve);
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


def counted(sheet: dict, other: dict, state: State) -> dict:
    """What Python counts of a state."""
    ctx, dtype, batch = state.choice
    return {
        "bytes": cache_growth.cache_bytes(sheet, ctx, dtype, batch),
        "kinds": cache_growth.by_kind(sheet, ctx, dtype, batch),
        "layers": [list(cache_growth.layer_bytes(sheet, kind, ctx, dtype)) for kind in range(len(sheet["kinds"]))],
        "usual": cache_growth.usual_bytes(sheet, ctx, dtype, batch),
        "crossings": cache_growth.crossings(other, sheet, dtype),
    }


SIZE = re.compile(r"[\d.,]+ [KMGTP]?B\b")


def misses(mine: dict, found: dict, sheet: dict, other: dict, weights: int, state: State) -> list[str]:
    """Sentences of a state that hold other numbers than Python counts."""
    ctx, dtype, batch = state.choice
    told, ours, longest = found["told"], mine["bytes"], sheet["longest"]
    theirs = cache_growth.cache_bytes(other, ctx, dtype, batch)
    numbers = {key: SIZE.findall(text) for key, text in told.items()}
    kinds = [
        f"{fmt.in_bytes(mine['kinds'][kind])} of {word}" for kind, word in KINDS.items() if mine["kinds"].get(kind)
    ]
    still = batch * sum(count * mine["layers"][kind][1] for kind, (count, _) in enumerate(sheet["kinds"]))
    held = state.gpus * DEVICES[state.gpu].memory_bytes
    each, left = cache_growth.cache_bytes(sheet, ctx, dtype), held - weights - ours
    fit = f"{max(held - weights, 0) // each:,} sequence" if each else ""
    device, nodes, many = devices(told["on"])
    stored = STORAGES.get(dtype)
    at = [f"{one:,}" for one in mine["crossings"]]
    rule = fmt.times(mine["usual"] / ours, 1) if ours and mine["usual"] != ours else ""
    good = {
        "title": f"{ctx:,} token" in told["title"] and (batch == 1) != (f" × {batch:,} sequences" in told["title"]),
        "total": told["total"] == fmt.in_bytes(ours),
        "made": told["made"].split(" + ") == (kinds or [""]),
        "grows": numbers["grows"] == [fmt.in_bytes(one) for one in (slope(sheet, state), still) if one],
        "beyond": told["beyond"].endswith(f" {longest:,} tokens") if longest and ctx > longest else not told["beyond"],
        "usual": not sheet["usual"] or (numbers["usual"] == [fmt.in_bytes(mine["usual"])] and rule in told["usual"]),
        "stored": told["stored"] == (f"{stored.words} ({stored.source})." if stored else ""),
        "room": numbers["room"] == [fmt.in_bytes(one) for one in (held, weights, ours, abs(left))],
        "fit": fit in told["room"] and f"{state.gpus:,} × {device_words(state.gpu)}" in told["room"]
        and (left < 0) == ("too much" in told["room"]),
        "on": (device.name, nodes * many) == (state.gpu, state.gpus) and many <= device.gpus_per_node,
        "beside": found["beside"][:2] == [fmt.in_bytes(theirs), fmt.times(theirs / ours, 2) if ours else ""],
        "crossing": re.findall(r"[\d,]*\d", found["beside"][2]) == [*at[-1:], *at[:-1]],
        "ceiling": is_ceiling(found["ceiling"], each + 1),
    }  # fmt: skip
    return [key for key, fine in good.items() if not fine]


def slope(sheet: dict, state: State) -> float:
    """Bytes that a further token of each sequence adds at last."""
    dtype, total = DTYPES[state.kv], 0.0
    for count, kept in sheet["kinds"]:
        for row in filter(cache_growth.is_growing, kept):
            packed = row[cache_growth.PACKED].get(dtype)
            plain = row[cache_growth.BITS] + row[cache_growth.NUMBERS] * stored_bits(dtype) if packed is None else 0
            total += count * (packed or plain) * sheet["loops"] / row[cache_growth.EVERY]
    return state.batch * total / 8


def is_ceiling(found: int, most: int) -> bool:
    """Whether it is the next of 1, 2, 5, 10, 20, 50 ... that is no less."""
    first = int(str(found)[0])
    return found == first * 10 ** (len(str(found)) - 1) and found * {1: 5, 2: 5, 5: 4}[first] // 10 < most <= found


def misplaced(drawn: str, own: dict, other: dict, state: State) -> bool:
    """Whether a line of the curve in 380 by 280 leads elsewhere than its bytes, which are at 1k to 1M tokens."""
    sizes = [[cache_growth.cache_bytes(one, 2**power, DTYPES[state.kv], state.batch) for power in range(10, 21)]
             for one in (own, other)]  # fmt: skip
    kept = [value for row in sizes for value in row if value]
    low = floor(log10(min(kept, default=1)))
    high = max(ceil(log10(max(kept, default=10))), low + 1)
    for css, row in zip(("c-own", "c-other w-line1"), sizes, strict=True):
        expected = [(64 + 21.2 * at, 12 + 224 * (high - log10(value)) / (high - low))
                    for at, value in enumerate(row) if value]  # fmt: skip
        found = re.search(rf'<path class="{css}" d="M([^"]+)"', drawn)
        points = [[float(one) for one in point.split()] for point in found[1].split("L")] if found else []
        if len(points) != len(expected):
            return True
        if any(abs(a - b) > 0.051 for one, two in zip(points, expected, strict=True) for a, b in zip(one, two)):  # noqa: B905
            return True
    return False


@pytest.mark.parametrize("each", [pytest.param(EACH), pytest.param(MORE, marks=pytest.mark.patient)])
def test_the_browser_counts_what_python_counts(page, weighed, verified, each):
    """Bytes, kinds, layers and crossings of every catalogued model are Python's, and words have them."""
    site, dice = Site(), random.Random(each)
    sheets = json.loads(weigh_sheets.everyone(site))
    sheets = {slug: one for slug, (_, one) in sheets.items()}
    asked = [(slug, dice.choice(list(sheets)), dice.randint(1, 10**13), some(dice, sheet))
             for slug, sheet in sheets.items() for _ in range(each)]  # fmt: skip
    catalogued = len(sheets)
    asked += edges(sheets)
    page.goto(f"{weighed}/assets/icon.svg")
    read = {"kept": "cache-bytes.js", "words": "cache-words.js", "curve": "weigh-curve.js"}
    files = [(name, bundled.of_feature(file)) for name, file in read.items()]
    known = {name: [row.memory_bytes, row.gpus_per_node] for name, row in DEVICES.items()}
    theirs = page.evaluate(TWIN, [files, sheets, [(*one, state._asdict()) for *one, state in asked], known])
    wrong, checked = [], 0
    for (name, beside, weights, state), found in zip(asked, theirs, strict=True):
        sheet, other = sheets[name], sheets[beside]
        mine = counted(sheet, other, state)
        checked += len(mine) + 13 + len(mine["kinds"]) + 2 * len(mine["layers"])
        missed = misses(mine, found, sheet, other, weights, state)
        missed += [key for key in mine if mine[key] != found[key]]
        if missed or misplaced(found["curve"], sheet, other, state):
            wrong.append((name, beside, state, missed, found))
    assert wrong[:2] == [] and catalogued > 170 and len(asked) > catalogued * each
    verified(
        "cache sizes computed in the browser", checked, len(wrong), "gallery.counting.cache_growth and gallery.memory"
    )


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
  const roof = { ...(await import(urls.roof)), ...(await import(urls.figure)) };
  return rows.map(([data, state]) => {
    const found = roof.rows(data, state), total = roof.totalOf(found);
    return { numbers: found.map((one) => [one.flops, one.weights, one.cache, one.seconds]), cells: found.map((one) => roof.cells(one, total)),
      verdict: roof.verdict(found, state), figure: roof.inner([380, 300, 20], found, data, state) };
  });
}"""  # noqa: E501


@pytest.mark.parametrize("every", [pytest.param(9), pytest.param(1, marks=pytest.mark.patient)])
def test_the_browsers_roofline_is_pythons(page, weighed, verified, every):
    """Work, bytes, least times, cells, words and roofs of models at random states, of prompts and of tokens."""
    site, dice, rows, ours = Site(), random.Random(every), [], []
    for slug in [row.slug for row in catalog.MODELS if row.snapshot][::every]:
        told = roofline.sheet(site.view(slug))
        for prefill in (False, True):
            state = some(dice, cache_growth.growth_sheet(site.view(slug).spec))
            rows.append([roofline.numbers(told), {**state._asdict(), "job": "prefill" if prefill else "decode"}])
            ours.append((state, prefill, roofline_rows.rows(told, state, prefill)))
    page.goto(f"{weighed}/assets/icon.svg")
    read = {"roof": "roofline.js", "figure": "roofline-figure.js"}
    files = [(name, bundled.of_feature(file)) for name, file in read.items()]
    wrong, checked = [], 0
    for (state, prefill, mine), found in zip(ours, page.evaluate(ROOF, [files, rows]), strict=True):
        checked += 11 * len(mine) + 2
        total = sum(one.seconds for one in mine)
        numbers = [[one.flops, one.weight_bytes, one.cache_bytes, one.seconds] for one in mine]
        missed = roofline_rows.misses(found["verdict"], mine, state, prefill)
        missed += [one for one in zip(numbers, found["numbers"], strict=True) if one[0] != pytest.approx(one[1], 1e-12)]
        missed += [one for one in zip((roofline_rows.cells(one, total) for one in mine), found["cells"], strict=True)
                   if one[0] != one[1]]  # fmt: skip
        missed += off_the_roof(found["figure"], mine, state)
        if missed:
            wrong.append((state, missed, found))
    assert wrong[:2] == []
    verified("rooflines computed in the browser", checked, len(wrong), "gallery.counting.blocks")


def off_the_roof(drawn: str, mine: list, state: State) -> list[str]:
    """What is wrong with a figure of 380 by 300: its roofs' corners, its dots' number, and the first dot's place."""
    speed = state.gpus * DEVICES[state.gpu].bandwidth_bytes
    shown = [one for one in mine if one.flops and one.seconds]
    peaks = sorted({one.peak for one in mine if one.flops}, reverse=True) or [max(one.peak for one in mine)]
    high = ceil(log10(peaks[0]))

    def at(intensity: float, rate: float) -> tuple[float, float]:
        power = min(max(log10(intensity), -1), 5)
        return 60 + 300 * (power + 1) / 6, 14 + 242 * (high - max(log10(rate), high - 6)) / 6

    wrong = []
    corners = [[at(0.1, 0.1 * speed)] * (peak == peaks[0]) + [at(peak / speed, peak), at(1e5, peak)] for peak in peaks]
    found = [[tuple(map(float, point.split())) for point in line.split("L")]
             for line in re.findall(r'<path class="r-roof[^"]*" d="M([^"]+)"', drawn)]  # fmt: skip
    flat = [[value for line in lines for point in line for value in point] for lines in (found, corners)]
    wrong += [] if flat[0] == pytest.approx(flat[1], abs=0.051) else ["roofs"]
    dots = re.findall(r'<circle class="r-dot r-(\w+)" cx="([\d.-]+)" cy="([\d.-]+)"', drawn)
    wrong += [] if [half for half, _, _ in dots] == [one.half for one in shown] else ["dots"]
    if shown:
        x, y = at(shown[0].intensity, min(shown[0].peak, shown[0].intensity * speed))
        near = (max(x, 71), min(y, 245)) == pytest.approx((float(dots[0][1]), float(dots[0][2])), abs=0.051)
        wrong += [] if near else ["the first dot"]
    return wrong
