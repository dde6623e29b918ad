"""The growth sheet: its short sums are memory()'s bytes, for every model, context, format and batch."""

from __future__ import annotations

import json
import random

import pytest

from cutaway.gallery import catalog, memory
from cutaway.gallery import spec as s
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.counting.kv_cache import STORAGES

DTYPES = ("bfloat16", "float8_e4m3fn", "float4_e2m1fn", *STORAGES)
SLUGS = [row.slug for row in catalog.MODELS if row.snapshot]
MOST_BATCH = 4096


def stack(*mixers, loops=1):
    layers = tuple(s.Layer(index, mixer, None, ()) for index, mixer in enumerate(mixers))
    return s.ModelSpec("x", "", 8, 8, len(layers), layers, 4096, False, "bfloat16", None, loops=loops)


def full(heads=2, window=0):
    return s.Attention(8, heads, 64, 64, sliding_window=window)


@pytest.mark.whole
def test_a_sheet_gives_the_bytes_of_memory(verified):
    """Totals and kinds equal memory()'s for every catalogued model, in all formats, at random contexts and batches."""
    dice, checked, wrong = random.Random(10), 0, []
    for slug in SLUGS:
        spec = catalog.spec(slug)
        told = json.loads(json.dumps(cache_growth.growth_sheet(spec)))
        for dtype in DTYPES:
            context, batch = dice.choice((0, 1, dice.randint(0, 2**20), 2 ** dice.randint(0, 20))), dice.randint(1, 64)
            found, ours = memory(spec, context, dtype, batch), cache_growth.cache_bytes(told, context, dtype, batch)
            kinds = {kind: size * batch for kind, size in found.by_kind.items()}
            named = {kind: size for kind, size in cache_growth.by_kind(told, context, dtype, batch).items() if size}
            checked += 2
            if ours != found.total_bytes or named != {kind: size for kind, size in kinds.items() if size}:
                wrong.append((slug, dtype, context, batch))
    assert wrong == []
    verified("cache sizes computed on model pages", checked, len(wrong), "gallery.memory")


def test_a_sheet_is_small_and_stays_below_two_to_the_53():
    """No sum that a slider can ask for leaves the whole numbers that JavaScript is exact on."""
    for slug in ("meta-llama/Llama-3.1-70B", "openai-community/gpt2-xl", "deepseek-ai/DeepSeek-V4-Flash"):
        told = cache_growth.growth_sheet(catalog.spec(slug))
        most = cache_growth.cache_bytes(told, cache_growth.LONGEST, "bfloat16", MOST_BATCH)
        assert 8 * max(most, cache_growth.usual_bytes(told, cache_growth.LONGEST, "bfloat16", MOST_BATCH)) < 2**56
        assert len(json.dumps(told)) < 1500


def test_layers_of_one_kind_are_counted_together_and_loops_multiply():
    """Two windows and a full layer are two kinds; four passes keep four times as much."""
    told = cache_growth.growth_sheet(stack(full(window=16), full(), full(window=16)))
    assert [count for count, _ in told["kinds"]] == [2, 1]
    assert cache_growth.layer_bytes(told, 0, 100, "bfloat16") == (0, 16 * 2 * 128 * 2)
    assert cache_growth.layer_bytes(told, 1, 100, "bfloat16") == (100 * 2 * 128 * 2, 0)
    looped = cache_growth.growth_sheet(stack(full(), loops=4))
    assert cache_growth.cache_bytes(looped, 7) == 4 * cache_growth.cache_bytes(
        cache_growth.growth_sheet(stack(full())), 7
    )


def test_the_common_formula_takes_the_heads_of_most_attention():
    """Layers without attention and windows count as the rest; MLA by its own heads: 57 times what it keeps."""
    v3 = cache_growth.growth_sheet(catalog.spec("deepseek-ai/DeepSeek-V3"))
    assert v3["usual"] == [61, 128, 128]
    assert round(cache_growth.usual_bytes(v3, 1000) / cache_growth.cache_bytes(v3, 1000), 1) == 56.9
    assert cache_growth.growth_sheet(catalog.spec("Qwen/Qwen3-Next-80B-A3B-Instruct"))["usual"] == [48, 2, 256]
    assert cache_growth.usual_shape(stack(s.ShortConv(8, 3, False))) is None


def test_two_hundred_thousand_tokens_of_deepseek():
    """200k tokens of eight sequences in FP8 are 57.6 GB, as the issue asks."""
    v3 = cache_growth.growth_sheet(catalog.spec("deepseek-ai/DeepSeek-V3"))
    assert cache_growth.cache_bytes(v3, 200 * 1024, "float8_e4m3fn", 8) == 57_566_822_400


def test_contexts_are_eight_to_an_octave():
    """1k to 1M, 81 values, each octave in eight equal steps."""
    assert len(cache_growth.CONTEXTS) == 81 == len(set(cache_growth.CONTEXTS))
    assert cache_growth.CONTEXTS[:9] == (1024, 1152, 1280, 1408, 1536, 1664, 1792, 1920, 2048)
    assert cache_growth.CONTEXTS[-1] == 2**20


def test_lines_cross_where_the_other_begins_to_keep_more():
    """A small window model below a wide window one until its full layers overtake; equal models never cross."""
    wide, steep = (
        cache_growth.growth_sheet(stack(*[full(8, window=2048)] * 4)),
        cache_growth.growth_sheet(stack(full(4), full(1, window=64))),
    )
    (at,) = cache_growth.crossings(steep, wide)
    assert cache_growth.cache_bytes(steep, at) > cache_growth.cache_bytes(wide, at)
    assert cache_growth.cache_bytes(steep, at - 1) <= cache_growth.cache_bytes(wide, at - 1)
    assert cache_growth.crossings(wide, steep)[0] - at in (0, 1)
    assert cache_growth.crossings(wide, wide) == []
