"""explainers/flash: softmax in tiles is softmax, bytes are what a loop over tiles moves, goals and models hold."""

import json
from itertools import product
from math import exp
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.app.model.view import ModelView
from cutaway.app.model_page import explainer_links, reading
from cutaway.gallery import catalog, flops, read
from cutaway.gallery.planning.devices import DEVICES
from tests.tally import Tally

flash, data = explainers.reference("flash"), explainers.data("flash")
small, traffic = flash.small, flash.traffic
GOLDEN = json.loads(Path(__file__).with_name("golden_flash.json").read_text("utf-8"))


def at(**state) -> dict:
    """What the page prints in a state."""
    return flash.compute({**flash.STATE, **state}, data)


# ---------------------------------------------------------------- the small example


def test_tiles_give_what_torch_gives(verified):
    """Every row of the example, in every tile and window, ends where torch's attention does."""
    tally = Tally()
    for tile, reach, fifth in product(flash.TILES, flash.REACHES, flash.FIFTHS):
        steps = [at(tile=tile, reach=reach, fifth=fifth, step=n)["walk"] for n in range(1, flash.STEPS + 1)]
        written = {row["query"]: row["written"] for walk in steps for row in walk["rows"] if row["written"] != "–"}
        tally.near([written[q] for q in range(8)], GOLDEN["example"][f"{fifth} {reach}"], tile, reach, fifth, abs=1e-12)
    verified("flash: attention rows computed in tiles", tally, against=f"torch {GOLDEN['torch']}")


def test_online_softmax_is_torchs_kernels_too():
    """Real vectors: tiles of any width give what torch's plain kernel gives, and what its tiled one does."""
    given = GOLDEN["kernels"]
    q, k, v = (np.array(given[name]) for name in "qkv")
    scores = np.where(np.tril(np.ones((12, 12), bool)), q @ k.T / np.sqrt(4), -np.inf)
    for wide in (1, 3, 6, 12):
        for column in range(4):
            rows = [small.online(row, v[:, column], wide)[-1] for row in scores]
            out = np.array([one["out"] / one["sum"] for one in rows])
            for name in ("math", "flash"):
                assert out == pytest.approx(np.array(given[name])[:, column], abs=1e-12), (wide, name)


def test_nothing_but_three_numbers_is_carried():
    """After each tile, max, sum and output are those of all keys so far; a factor of earlier ones is never above 1."""
    scores, values = small.scores_of(8)[5], np.array(small.VALUES, float)
    for wide in (1, 2, 4):
        for i, one in enumerate(small.online(scores, values, wide)):
            met = slice(0, (i + 1) * wide)
            assert one["max"] == scores[met].max()
            assert one["sum"] == pytest.approx(sum(exp(s - one["max"]) for s in scores[met]))
            assert one["out"] / one["sum"] == pytest.approx(small.plain_attention(scores[met], values[met]))
            assert one["factor"] <= 1


def test_row_seven_by_hand():
    """The numbers of the design: what the first tile keeps, the factor, what the second one makes of it."""
    row = at()["row"]
    assert [row["scores"][i] for i in range(8)] == [1, 0.5, 2, 0, 1.5, 4, 0.5, 1]
    kept = [round(row[which][key], 3) for which in ("first", "second") for key in ("max", "sum", "out")]
    assert kept == [2, 1.726, 1.919, 4, 1.396, 5.249]
    assert row["factor"] == exp(2 - 4)
    assert (round(row["fresh_sum"], 3), round(row["fresh_out"], 3)) == (1.162, 4.989)
    assert row["tiled"] == pytest.approx(3.7609, abs=5e-5)
    assert abs(row["tiled"] - row["plain"]) < 1e-15
    last = at(step=6)["walk"]["rows"]
    assert [(r["query"], r["max"], round(r["sum"], 3), round(r["out"], 3)) for r in last] == [
        (6, 2.5, 2.114, -0.014),
        (7, 4.0, 1.396, 5.249),
    ]


def test_every_score_on_the_chip_is_its_query_times_its_key():
    """Cells are products of the numbers shown beside them, dashes where a query must not see the key."""
    for tile, reach, step in product(flash.TILES, flash.REACHES, range(1, flash.STEPS + 1)):
        walk = at(tile=tile, reach=reach, step=step, fifth=8)["walk"]
        for i, j in product(range(len(walk["queries"])), range(len(walk["keys"]))):
            ago = walk["row"] + i - walk["key"] - j
            expected = sum(a * b for a, b in zip(walk["queries"][i], walk["keys"][j], strict=True))
            assert walk["cells"][i][j] == (expected if 0 <= ago < reach else "–")


def test_a_tile_is_left_out_where_no_score_is_needed():
    """The tiles of the example against the mask itself."""
    cut = at()["small"]
    assert (cut["computed"], cut["left"], cut["needed"], cut["share"]) == (6, 2, 36, 0.75)
    for tile, reach in product(flash.TILES, flash.REACHES):
        cut, (tall, wide) = at(tile=tile, reach=reach)["small"], small.sizes(tile)
        met = {(q // tall * tall, k // wide * wide) for q, k in product(range(8), range(8)) if 0 <= q - k < reach}
        assert {tuple(one) for one in cut["order"]} == met
        assert cut["order"] == sorted(cut["order"])
        assert len(cut["order"]) + len(cut["skipped"]) == cut["tiles"] == 64 // (tall * wide)


# ---------------------------------------------------------------- bytes


def counted(tokens: int, head: tuple[int, int], rows: int, keys: int, window: int) -> tuple[int, int, int]:
    """(bytes, FLOP, tiles) of a loop that counts loads and stores of slices of arrays, tile by tile."""
    q, k, v = (np.zeros((tokens, size), np.float16) for size in (head[0], *head))
    out, moved, work, tiles = np.zeros_like(v), 0, 0, 0
    for r in range(0, tokens, rows):
        block = q[r : r + rows]
        moved += block.nbytes + out[r : r + rows].nbytes
        for c in range(0, tokens, keys):
            ago = np.arange(r, min(r + rows, tokens))[:, None] - np.arange(c, min(c + keys, tokens))
            seen = np.ones_like(ago, bool) if window < 0 else (ago >= 0) & (ago < (window or tokens))
            if seen.any():
                moved += k[c : c + keys].nbytes + v[c : c + keys].nbytes
                work += 2 * rows * keys * sum(head)
                tiles += 1
    return moved, work, tiles


def test_traffic_is_what_a_loop_over_tiles_moves(verified):
    """Bytes, FLOP and tiles of random heads, tiles and windows, counted one slice at a time."""
    rng, tally = np.random.default_rng(5), Tally()
    for _ in range(150):
        tokens, rows, keys = (int(rng.integers(1, high)) for high in (90, 30, 30))
        head, window = (int(rng.integers(1, 9)), int(rng.integers(1, 9))), int(rng.choice([-1, 0, 1, 5, 16, 40]))
        tiled = traffic.traffic(tokens, head, rows, keys, window)["tiled"]
        size = tokens, head, rows, keys, window
        for name, wanted in zip(("bytes", "flops", "computed"), counted(*size), strict=True):
            tally.same(tiled[name], wanted, name, *size)
    verified("flash: bytes and FLOPs of tiles", tally, against="a loop that counts loads and stores of slices")


FIGURES = [  # tokens, head, rows, keys -> bytes and FLOP per byte, as worked out beforehand
    (8192, 128, 128, 128, 140.5, 124), (8192, 128, 64, 64, 274.7, 63), (8192, 128, 256, 16, 73.4, 241),
    (8192, 64, 384, 32, 26.9, 354), (8192, 64, 320, 32, 30.8, 298),
]  # fmt: skip


@pytest.mark.parametrize(("tokens", "head", "rows", "keys", "moved", "intensity"), FIGURES)
def test_published_sizes(tokens, head, rows, keys, moved, intensity):
    """Bytes in MB and FLOP per byte of the tiles that the page names."""
    now = at(tokens=tokens, head=head, rows=rows, keys=keys)
    assert (round(now["tiled"]["bytes"] / 1e6, 1), round(now["tiled"]["intensity"])) == (moved, intensity)
    assert now["sram"]["fits"]


def test_plain_attention_in_closed_form():
    """Four passes over the square of two bytes a score, and once Q, K, V and the output."""
    now = at()
    assert now["ends"] == 8_388_608 == 4 * 8192 * 128 * 2
    assert now["plain"]["bytes"] == 4 * 8192**2 * 2 + now["ends"] == 545_259_520
    assert (now["plain"]["times"], round(now["masked"]["intensity"]), round(now["kept"]["intensity"])) == (65, 62, 2080)
    assert round(now["tiled"]["share"], 4) == 0.5078 == round((64 * 65 / 2) / 64**2, 4)
    beat = explainers.load("flash").beats[0]
    assert beat.bet.marks[0]["at"] == now["ends"]


def test_tiles_are_compared_with_plain_attention_under_the_same_mask():
    """Half the square, 276.9 MB, against 140.5: 2.0 times less, not the 3.9 of the whole square; so for any mask."""
    now = at()
    pairs = 8192 * 8193 // 2
    assert now["masked"]["bytes"] == 4 * 2 * pairs + now["ends"] == 276_856_832
    assert round(now["masked"]["bytes"] / now["tiled"]["bytes"], 1) == round(now["tiled"]["less"], 1) == 2.0
    assert round(now["plain"]["bytes"] / now["tiled"]["bytes"], 1) == 3.9
    assert now["all"]["plain"] == now["all"]["heads"] * now["masked"]["bytes"]
    for tokens, window in product((1, 5, 40), (-1, 0, 1, 5, 41)):
        ago = np.arange(tokens)[:, None] - np.arange(tokens)
        seen = np.ones_like(ago, bool) if window < 0 else (ago >= 0) & (ago < (window or tokens))
        found = traffic.traffic(tokens, (4, 4), 16, 16, window)["masked"]
        assert (found["pairs"], found["flops"]) == (seen.sum(), 2 * seen.sum() * 8)
    bet = explainers.load("flash").beats[4].bet
    assert [one["value"] for one in bet.beside] == ["masked.bytes"]


def test_what_a_tile_takes():
    """Room on an H100: 230.4 of 232.4 KB for 128 × 128 at head size 128, 223.2 for 256 × 16, 207.9 at head size 64."""
    totals = [
        at(head=h, rows=r, keys=k)["sram"]["total"] for h, r, k in ((128, 128, 128), (128, 256, 16), (64, 384, 32))
    ]
    assert totals == [230_400, 223_232, 207_872]
    assert at()["chip"]["sram"] == 227 * 1024
    for one in data["chips"]:
        device = DEVICES[one["key"]]
        assert one["ridge"] == pytest.approx(device.peaks["bfloat16"] / device.bandwidth_bytes)
    times = at(head=64, rows=384, keys=32)
    found = (times["tiled"]["us_bytes"], times["tiled"]["us_flops"], times["masked"]["us_bytes"])
    assert [round(t, 1) for t in found] == [8.0, 9.6, 81.4]


def test_no_tile_of_a_head_of_128_passes_the_ridge():
    """Over every tile that fits: 241 FLOP per byte at best, less than 80 MB with 256 × 16 alone; ridge passed at 64."""
    sizes = range(16, 513, 16)
    fitting = [
        (r, k)
        for r, k in product(sizes, sizes)
        if sum(p["bytes"] for p in traffic.sram_bytes((128, 128), r, k)) <= 227 * 1024
    ]
    tiled = {one: traffic.traffic(8192, (128, 128), *one)["tiled"] for one in fitting}
    assert round(max(t["flops"] / t["bytes"] for t in tiled.values())) == 241
    assert [one for one, t in tiled.items() if t["bytes"] < 80e6] == [(256, 16)]
    assert max(r for r, _ in fitting) == 256  # and FLOP per byte stay below the rows, whatever the tokens
    long = traffic.traffic(131_072, (128, 128), 256, 16)["tiled"]
    assert 241 < long["flops"] / long["bytes"] < 256


MISSED = [
    ("past_ridge", {"chip": "a100_sxm"}, "needs an H100"),
    ("past_ridge", {"head": 64, "rows": 512, "keys": 128}, "do not fit"),
    ("past_ridge", {"head": 64, "rows": 256, "keys": 32}, "reach 241 FLOP per byte, the ridge is at 295"),
    ("under_80", {"rows": 512, "keys": 16}, "do not fit"),
    ("under_80", {"rows": 240, "keys": 16}, "move 81.5 MB"),
    ("under_80", {"head": 64, "rows": 256, "keys": 16}, "head size 128"),
    ("under_80", {"window": 128, "rows": 256, "keys": 16}, "without a window"),
    ("under_80", {"tokens": 4096, "rows": 256, "keys": 16}, "8,192 tokens"),
    ("under_80", {"chip": "b200_sxm", "rows": 256, "keys": 16}, "an H100"),
]


@pytest.mark.parametrize(("goal", "changes", "says"), MISSED)
def test_a_goal_that_is_missed_says_why(of_beats, goal, changes, says):
    """Near misses are named."""
    [made] = of_beats("flash", "goals", goal, [{**flash.STATE, **changes}])
    assert not made["reached"]
    assert says in made["says"]


def test_the_goals_are_reached_where_the_reference_says(of_beats):
    """Over tiles of every few sizes: past the ridge or below 80 MB, and it fits, in the reference's numbers."""
    sizes = [{"rows": r, "keys": k} for r in (16, 128, 240, 256, 272, 320, 384, 512) for k in (16, 32, 64, 128)]
    tests = (
        ("past_ridge", 64, lambda now: now["tiled"]["intensity"] > now["chip"]["ridge"]),
        ("under_80", 0, lambda now: now["tiled"]["bytes"] < 80_000_000),
    )
    for goal, head, enough in tests:
        states = [{**flash.STATE, "head": head, **size} for size in sizes]
        now = [flash.compute(state, data) for state in states]
        made = [one["reached"] for one in of_beats("flash", "goals", goal, states)]
        assert made == [enough(one) and one["sram"]["fits"] for one in now], goal
        assert 0 < sum(made) < len(made), goal


# ---------------------------------------------------------------- models


def test_heads_are_the_gallerys(verified):
    """A listed model's plain FLOP in all its layers are those that the gallery counts for a token that sees all."""
    tally = Tally()
    for slug, *_ in data["models"]:
        now, spec = at(model=slug, tokens=1024), catalog.spec(slug)
        found = flash.models.heads_of(spec)
        head = now["head"]
        assert flash.check({**flash.STATE, "model": slug}, data) == ""
        tally.same(found[head["qk"], head["v"], head["heads"], head["window"]], head["layers"], slug)
    verified("flash: models opened from a link with only a name", tally, against="gallery.read")
    for slug in ("meta-llama/Llama-3.1-8B", "Qwen/Qwen3-8B"):
        now, spec = at(model=slug), read(catalog.load(slug))
        assert now["all"]["heads"] * now["plain"]["flops"] == 8192 * flops(spec, 8192).core_flops


def test_sizes_of_three_models():
    """Llama's heads, the full layers of Gemma 4, and DeepSeek's longer keys; a window is the model's own."""
    rows = {row[0]: row[2:] for row in data["models"]}
    assert rows["meta-llama/Llama-3.1-8B"] == [128, 128, 32, 32, 0]
    assert rows["google/gemma-4-31B-it"] == [512, 512, 32, 10, 0]
    assert rows["deepseek-ai/DeepSeek-V3"] == [192, 128, 128, 61, 0]
    assert rows["mistralai/Mistral-7B-v0.1"][-1] == 4096
    assert not any("V3.2" in slug or "V4" in slug for slug in rows)
    windowed = at(model="mistralai/Mistral-7B-v0.1", tokens=131_072)
    assert windowed["tiled"]["bytes"] < at(tokens=131_072)["tiled"]["bytes"] / 10


def test_drawn_attention_leads_here_with_its_numbers():
    """Softmax attention of a drawing offers this page, at the model's own heads."""
    assert all("flash" in reading.LEARN[op] for op in ("attend", "attend_entries"))
    assert ("flash", explainer_links.flash) in [(name, state) for name, _, state in explainer_links.DOORS]
    preset = explainer_links.flash(ModelView(catalog.find("Qwen/Qwen3-8B")))
    assert explainer_links._query("flash", preset) == "?model=Qwen/Qwen3-8B"
