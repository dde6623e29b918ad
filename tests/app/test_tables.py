"""The rows of a model's page against counts made by hand, and numbers of the same page against each other."""

from __future__ import annotations

import json
from math import prod
from types import SimpleNamespace

import pytest

from cutaway.app.model import cache_rows, tables, weight_rows
from cutaway.app.model.view import ModelView, SpecView
from cutaway.gallery import catalog, memory, read
from cutaway.gallery import spec as s
from cutaway.gallery.counting.stored_bytes import Stored
from tests.one_site import SITE

V3 = "deepseek-ai/DeepSeek-V3"
GIB = 2**30
# Two layers, one head of keys; every number below follows from these by hand.
TINY = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 8,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "vocab_size": 100,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "hidden_act": "silu",
    "rms_norm_eps": 1e-6,
}


def tiny(**keys) -> SpecView:
    config = {**TINY, **keys}
    return SpecView(read(config), "tiny", config)


def told(view: SpecView) -> dict[str, str]:
    """What the fact sheet says, by what it says it of."""
    return {what: value for what, value, _ in tables.facts(view)}


def fact(view: SpecView, what: str) -> str:
    return told(view)[what]


def test_parts_of_a_tiny_llama():
    """Embedding and head 100 x 8; attention 8x8 + 8x4 + 8x4 + 8x8 a layer; MLP 3 x 8 x 32; five norms of 8."""
    found = {one.words: (one.count, one.share) for one in tables.parts(tiny())}
    attention, mlp, norms, table = 2 * (64 + 32 + 32 + 64), 2 * 3 * 256, 5 * 8, 800
    total = attention + mlp + norms + 2 * table
    assert found == {
        "Attention": (attention, attention / total),
        "Dense MLP": (mlp, mlp / total),
        "Normalisation": (norms, norms / total),
        "Token embedding": (table, table / total),
        "Output head": (table, table / total),
    }
    counts = [one.count for one in tables.parts(tiny())]
    assert counts == sorted(counts, reverse=True)


def stack(*mixers: type) -> SimpleNamespace:
    """A stand-in of a model with one bare mixer of each kind."""
    layers = [SimpleNamespace(mixer=object.__new__(kind)) for kind in mixers]
    return SimpleNamespace(spec=SimpleNamespace(layers=layers))


@pytest.mark.parametrize(
    ("latent", "other", "role"), [(1, 0, "latent"), (2, 1, "latent"), (1, 1, "full"), (1, 3, "full"), (0, 1, "full")]
)
def test_attention_wears_the_colour_of_more_than_half_of_the_layers(latent, other, role):
    """MLA in two of three layers is the latent's colour; in one of two it is not."""
    assert tables.attention_role(stack(*[s.LatentAttention] * latent, *[s.Attention] * other)) == role
    assert tables.attention_role(stack(*[s.CompressedAttention] * latent, *[s.Attention] * other)) == role


def test_layers_that_run_once_are_not_said_to_run():
    """Ouro's stack of 24 runs four times; no other model's page counts runs."""
    assert fact(SITE.view("ByteDance/Ouro-1.4B"), "Layers") == "24, run 4 times, with the final norm after every run"
    assert fact(tiny(), "Layers") == "2"


def test_facts_say_what_the_config_says():
    """Thousands with commas; a key that the config lacks has no row."""
    view = tiny(vocab_size=12_345, max_position_embeddings=131_072)
    assert fact(view, "Vocabulary") == "12,345" and fact(view, "Context") == "131,072 tokens"
    assert fact(view, "Embedding and head") == "untied: two tables"
    assert fact(tiny(tie_word_embeddings=True), "Embedding and head") == "tied: one table"
    assert fact(view, "Data type") == "BF16"
    unsaid = {key: value for key, value in TINY.items() if key != "torch_dtype"}
    assert "assumed" in fact(SpecView(read(unsaid), "tiny", unsaid), "Data type")
    assert "Multi-token prediction" not in told(view)


def test_towers_are_told_apart_where_there_are_two():
    """A model with eyes and ears names which is which; one with eyes alone does not."""
    two = told(SITE.view("XiaomiMiMo/MiMo-V2.5"))
    assert {"Encoder: vision", "Encoder: audio"} <= set(two)
    assert "Encoder" in told(SITE.view("google/gemma-3-4b-it"))


def test_deepseek_v3_by_hand():
    """662 matrices in FP8: 5 in attention of 61 layers, 3 in 3 dense MLPs, 3 of experts and 3 shared in 58 layers.

    305 tensors in BF16: 4 norms a layer and the last one, 58 routers, embedding and head.
    """
    rows = {one.words: one for one in weight_rows.stored_rows(SITE.view(V3))}
    assert rows["FP8 128x128"].tensors == 61 * 5 + 3 * 3 + 58 * (3 + 3) == 662
    assert rows["BF16"].tensors == 61 * 4 + 1 + 58 + 2 == 305
    tables_, routers = 2 * 129_280 * 7168, 58 * 256 * 7168
    norms = 61 * (2 * 7168 + 1536 + 512) + 7168
    assert rows["BF16"].numbers == tables_ + routers + norms
    assert rows["BF16"].bytes == 2 * rows["BF16"].numbers and rows["BF16"].bits == 16
    assert [one.words for one in weight_rows.stored_rows(SITE.view(V3))] == ["FP8 128x128", "BF16"]


def test_a_fact_sheet_unquantized_is_two_bytes_a_number():
    """The tiny Llama's stored bytes are twice its parameters; without a rule for them they are called unknown."""
    view = tiny()
    assert view.stored_bytes == 2 * view.parameters.total
    assert tables.bytes_words(None) == "unknown" and tables.bytes_words(2 * 10**9) == "2.0 GB"


def alike(*rows: str) -> dict[int, Stored | None]:
    return {index: Stored(f"w{index}", row, 10 * index, 0) for index, row in enumerate(rows)}


def test_a_row_says_how_most_layers_store_it_and_which_do_otherwise():
    """Three of four layers in FP8: the row is theirs, with the bytes of the first of them, and names the fourth."""
    spec = SITE.view(V3).spec
    said, kept = weight_rows.stored_words(spec, alike("", "fp8_128x128", "fp8_128x128", "fp8_128x128"))
    assert said == "FP8 128x128; BF16 in layer 0" and kept.bytes == 10
    said, kept = weight_rows.stored_words(spec, {**alike("fp8_128x128", "fp8_128x128"), 2: None})
    assert said == "FP8 128x128" and kept.bytes == 0


def test_names_in_a_weights_table_leave_out_the_layer_and_keep_the_rest():
    """Two layers alike make one table with {layer} in its names; a table's sum is its rows'."""
    outside, inside = weight_rows.weight_tables(tiny())
    assert (outside.layers, inside.layers) == (1, 2)
    assert {row.name for row in outside.rows} == {"model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"}
    assert all(row.name.startswith("model.layers.{layer}.") for row in inside.rows)
    assert all(row.id == row.name.replace("{layer}", "0") for row in inside.rows)
    down = next(row for row in inside.rows if row.name.endswith("down_proj.weight"))
    assert (down.shape, down.count, down.bytes, down.part, down.stored) == ("8 × 32", 256, 512, "Dense MLP", "BF16")
    for table in (outside, inside):
        assert table.each == sum(row.count for row in table.rows)


@pytest.mark.parametrize(
    ("slug", "name"),
    [
        ("meituan-longcat/LongCat-Flash-Chat", "model.layers.{layer}.self_attn.0.q_a_proj.weight"),
        ("fla-hub/rwkv7-2.9B-world", "model.layers.{layer}.attn.w_lora.lora.0.weight"),
    ],
)
def test_a_number_inside_a_layer_stays_where_it_equals_the_layers(slug, name):
    """LongCat has two attentions a layer and RWKV-7 two matrices a LoRA: of layer 0 only the first 0 is the layer."""
    inside = [row for table in weight_rows.weight_tables(SITE.view(slug))[1:] for row in table.rows]
    assert name in {row.name for row in inside if row.id == name.replace("{layer}", "0")}


# ---------------------------------------------------------------- the cache


def test_the_cache_of_llama_3_1_70b_as_meta_counts_it():
    """80 layers x 2 x 8 heads x 128 numbers x 2 bytes: 320 KiB a token, 40 GiB at 128k (the Llama 3.1 blog: 39.06)."""
    view = SITE.view("meta-llama/Llama-3.1-70B")
    assert view.per_token_bytes == 80 * 2 * 8 * 128 * 2 == 320 * 1024
    rows = {row.words: row for row in cache_rows.cache(view).rows}
    assert rows["128k"].total == 40 * GIB and rows["8k"].total == 40 * GIB // 16 and rows["1M"].total == 320 * GIB
    assert [row.beyond for row in cache_rows.cache(view).rows] == [False, False, True]
    assert [row.context for row in cache_rows.cache(view).rows] == [8192, 131_072, 1_048_576]


def test_a_context_is_beyond_when_it_is_longer_than_the_configs():
    """8,192 tokens are inside a limit of 8,192 and outside one of 8,191; without a limit nothing is outside."""
    assert [row.beyond for row in cache_rows.cache(tiny()).rows] == [False, True, True]
    assert [row.beyond for row in cache_rows.cache(tiny(max_position_embeddings=8191)).rows] == [True, True, True]
    other = cache_rows.cache(tiny(), (10, 1000))
    assert [row.words for row in other.rows] == ["10", "1,000"]


def test_bars_are_longest_first_and_as_long_as_their_bytes():
    """Each share is its bytes over the longest bar's; the model itself is marked, and stands there once."""
    view = SITE.view("Qwen/Qwen3-32B")
    bars = cache_rows.bars(view, SITE)
    kept = {slug: memory(catalog.spec(slug), 131_072).total_bytes for slug in {*cache_rows.BESIDE, view.slug}}
    assert {bar.slug: bar.total for bar in bars} == kept and len(bars) == len(kept)
    assert [bar.total for bar in bars] == sorted(kept.values(), reverse=True)
    assert bars[0].share == 1 and all(bar.share == pytest.approx(bar.total / bars[0].total) for bar in bars)
    assert [bar.slug for bar in bars if bar.own] == [view.slug]


def test_the_json_of_a_model_holds_the_same_numbers():
    """What programs read is what the tables of the page say."""
    view = SITE.view(V3)
    numbers = json.loads(json.dumps(tables.numbers(view)))
    assert numbers["parameters"]["total"] == sum(part.count for part in tables.parts(view))
    assert sum(len(kind["indices"]) for kind in numbers["layers"]) == 61
    inside = sum(len(kind["indices"]) * kind["parameters_each"] for kind in numbers["layers"])
    assert inside == sum(prod(weight.shape) for weight in view.weights if weight.layer is not None)
    assert numbers["cache"]["per_token_bytes"] == (512 + 64) * 2 * 61
    kept = numbers["cache"]["at_context"]["131072"]
    assert kept["total_bytes"] == 131_072 * (512 + 64) * 2 * 61 == sum(kept.values()) - kept["total_bytes"]


# ---------------------------------------------------------------- words on the tiles


@pytest.mark.parametrize(
    ("slug", "nature", "fixed", "tile"),
    [
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", "hybrid, mixture of experts", "fixed state", "36 + 12"),
        ("google/gemma-3-27b-it", "decoder-only, dense", "windows, once full", "52 + 10"),
        ("fla-hub/rwkv7-2.9B-world", "recurrent, dense", "fixed state", "32"),
        ("meta-llama/Llama-3.1-70B", "decoder-only, dense", "windows, once full", "80"),
    ],
)
def test_a_models_nature_in_words(slug: str, nature: str, fixed: str, tile: str):
    """Hybrid where attention stands beside a recurrence, recurrent without any; two sorts of layer count apart."""
    view: ModelView = SITE.view(slug)
    assert (view.nature, view.layer_tile[0]) == (nature, tile)
    if view.fixed_bytes:
        assert view.fixed_words == fixed


def test_windows_beside_a_state_are_both_named():
    """A layer with a window beside one with a recurrence: what does not grow is both."""
    named = {view.fixed_words for view in SITE.views if view.spec and view.fixed_bytes}
    assert named <= {"windows and state, fixed", "fixed state", "windows, once full"}
    for view in SITE.views:
        if view.spec and view.fixed_bytes and view.fixed_words == "windows, once full":
            assert not memory(view.spec, 1 << 20).by_kind.keys() & {"state", "conv"}, view.slug
        view.lighten()
