"""Words and thresholds of comparisons, by hand: ratios, bold clauses, cells of small parts, ordinals, growth."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import pytest

from cutaway.gallery import catalog, comparing, memory
from cutaway.gallery import spec as s
from cutaway.gallery.comparing import counted, differences, headline
from cutaway.gallery.comparing.comparison import Row
from cutaway.gallery.comparing.entries import closeness
from cutaway.gallery.comparing.facts import differing_fields
from cutaway.gallery.comparing.text import cell, number, verdict
from cutaway.gallery.comparing.text import row as phrases

QWEN = catalog.spec("Qwen/Qwen3-8B")
LAYER = QWEN.layers[0]


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (100, 100, "as many parameters"),
        (100, 150, "50 % more parameters"),
        (100, 50, "50 % fewer parameters"),
        (1000, 1001, "slightly more parameters"),
        (1000, 999, "slightly fewer parameters"),
        (100, 199, "99 % more parameters"),
        (100, 200, "2 times as many parameters"),
        (100, 420, "4.2 times as many parameters"),
        (100, 999, "10 times as many parameters"),
        (100, 1000, "10 times as many parameters"),
        (100, 1055, "11 times as many parameters"),
        (1, 2500, "2,500 times as many parameters"),
        (1000, 51, "95 % fewer parameters"),
        (1000, 50, "20 times fewer parameters"),
        (2490, 10, "249 times fewer parameters"),
    ],
)
def test_a_ratio_of_parameters_in_words(a, b, words):
    """Per cent below twice as many, times from there on, with a digit below ten."""
    assert verdict.say_ratio(a, b, "parameters") == words
    assert verdict.say_ratio(a, b, "active") == words.replace("parameters", "active")


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (100, 100, "the same cache"),
        (0, 0, "no cache that grows either"),
        (100, 0, "no cache that grows"),
        (0, 100, "a cache that keeps growing"),
        (100, 120, "20 % more cache"),
        (100, 80, "20 % less cache"),
        (100, 200, "2 times the cache"),
        (100, 1000, "10 times the cache"),
        (100, 1055, "11 times the cache"),
        (1, 1055, "1,055 times the cache"),
        (100, 5, "20 times less cache"),
    ],
)
def test_a_ratio_of_caches_in_words(a, b, words):
    """Also where one of them, or neither, grows."""
    assert verdict.cache(a, b) == words


def compared(parameters, active, cache, **more) -> SimpleNamespace:
    """The sums of a comparison, of model A and of B."""
    return SimpleNamespace(parameters=parameters, active=active, cache=cache, **more)


def test_the_end_of_a_verdict_tells_active_ones_apart_where_they_differ():
    """A dense model's parameters are all active: they are said once."""
    dense = compared((100, 150), (100, 150), (100, 100), partial=False, full_at=(0, 0))
    assert [one.words for one in verdict.say_totals(dense)] == ["50 % more parameters", "the same cache"]
    sparse = compared((100, 150), (10, 5), (100, 0), partial=True, full_at=(0, 0))
    words = ["50 % more parameters", "50 % fewer active", "no cache that grows"]
    assert [one.words for one in verdict.say_totals(sparse)] == words
    same = compared((100, 100), (100, 100), (8, 8), partial=False, full_at=(0, 0))
    assert [one.words for one in verdict.say_totals(same)] == ["the same parameters and cache"]


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("value", "words"),
    [(10, "10th"), (20, "20th"), (22, "22nd"), (33, "33rd"), (101, "101st"), (111, "111th"), (113, "113th"),
     (121, "121st"), (1012, "1012th"), (1002, "1002nd")],
)  # fmt: skip
def test_ordinals_of_english(value, words):
    """Eleven to thirteen of every hundred end in th."""
    assert number.ordinal(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(999, "999"), (1000, "1.0 K"), (999_900, "999.9 K"), (999_960, "1.0 M"), (999_960_000, "1.00 B"),
     (10**12, "1.00 T"), (0, "0"), (-2048, "2.0 K")],
)  # fmt: skip
def test_a_number_is_scaled_to_the_unit_that_it_rounds_to(value, words):
    """999.96 thousand is a million; two digits from a thousand million on."""
    assert number.scaled_count(value) == words


def test_number_words_end_at_twelve():
    """And a negative number is written in digits."""
    assert [number.number_word(n) for n in (-1, 0, 12, 13)] == ["-1", "no", "twelve", "13"]


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(2.0, "twice"), (0.5, "half"), (2.07, "twice"), (2.09, ""), (3.0, "three times"), (1 / 3, "a third"),
     (0.1, "a tenth"), (10.0, "ten times"), (11.0, ""), (1 / 11, ""), (1.5, ""),
     (2.5, ""), (1.93, "twice"), (1.91, "")],
)  # fmt: skip
def test_a_round_ratio_is_within_four_per_cent(ratio, words):
    """Of whole numbers from two to ten."""
    assert headline.round_ratio(ratio) == words


@pytest.mark.parametrize(
    ("mine", "theirs", "words"),
    [
        (0, 0, ""),
        (5, 0, ""),
        (0, 5, "Its memory does not grow with the context."),
        (5, 5, "5 B of cache per token, the same as X's."),
        (10, 5, "10 B of cache per token, twice X's."),
        (105, 100, "105 B of cache per token, 5.0 % more than X's."),
        (110, 100, "110 B of cache per token, 1.1 times X's."),
        (150, 100, "150 B of cache per token, 1.5 times X's."),
        (80, 100, "80 B of cache per token, 80 % of X's."),
        (25, 100, "25 B of cache per token, a quarter of X's."),
    ],
)
def test_growth_beside_another_in_words(mine, theirs, words):
    """Per cent below a tenth more, times from there on, round ratios by name."""
    assert headline.describe_growth(mine, theirs, "X") == words


def test_a_ratio_of_sizes_is_named_where_it_is_whole():
    """Twice to four times and eight; what leaves a rest, or is five times as much, has no name."""
    pairs = {
        (1, 2): "twice",
        (2, 3): "",
        (1, 5): "",
        (1, 8): "eight times",
        (9, 3): "a third of",
        (9, 4): "",
        (8, 1): "an eighth of",
    }
    assert {pair: phrases.say_times(*pair) for pair in pairs} == pairs


def test_a_context_is_told_where_both_state_one():
    """Longer or shorter; else the other's in figures."""
    made = Row("position", "context", "", "4", "8", values=(4, 8))
    assert phrases.say_context(made) == "a longer context"
    assert phrases.say_context(replace(made, values=(8, 4))) == "a shorter context"
    assert phrases.say_context(replace(made, b="", values=(4, None))) == "context: none"


# ---------------------------------------------------------------- cells


@pytest.mark.parametrize(
    ("act", "gated", "glu", "words"),
    [
        ("silu", True, "glu", "SwiGLU"),
        ("silu", False, "glu", "SiLU"),
        ("gelu_new", True, "glu", "GEGLU"),
        ("quick_gelu", False, "glu", "GELU"),
        ("relu2", False, "glu", "ReLU²"),
        ("relu", True, "glu", "gated relu"),
        ("silu", True, "swigluoai", "clamped SwiGLU"),
    ],
)
def test_an_activation_has_the_fields_name(act, gated, glu, words):
    """Gated and plain of the same function are two (arXiv 2002.05202)."""
    assert cell.activation(SimpleNamespace(hidden_act=act, gated=gated, glu=glu)) == words


def test_a_softmax_scale_is_one_over_the_root_of_a_query():
    """0.0884 of 128; of DeepSeek's 128 + 64 it is 0.0722; a scale of its own is that; none is not known."""
    plain = SimpleNamespace(scale=0.0, head_dim=128)
    latent = SimpleNamespace(scale=0.0, qk_nope_head_dim=128, qk_rope_head_dim=64)
    assert [cell.scale(one) for one in (plain, latent)] == [f"{128**-0.5:.4f}", f"{192**-0.5:.4f}"]
    assert cell.scale(SimpleNamespace(scale=0.5, head_dim=128)) == "0.5000"
    assert cell.scale(SimpleNamespace(scale=None, head_dim=128)) == "not known"


def stack(*mlps: object) -> s.ModelSpec:
    layers = tuple(replace(LAYER, index=at, mlp=mlp) for at, mlp in enumerate(mlps))
    return replace(QWEN, layers=layers, num_hidden_layers=len(layers))


DENSE, MOE = s.Dense(8), s.MoE(4, 2, 8)


@pytest.mark.parametrize(
    ("mlps", "front"),
    [((DENSE, MOE), 1), ((MOE, MOE), 0), ((DENSE, DENSE, MOE), 2), ((MOE, DENSE), None), ((DENSE, DENSE), None)],
)
def test_dense_layers_in_front_are_counted_where_all_stand_there(mlps, front):
    """Elsewhere, or without experts behind them, there is no such number."""
    assert cell.first_dense_layers(stack(*mlps)) == front


def test_layers_that_change_their_kind_are_counted_of_both_models():
    """Two of three dense layers became mixtures; other sizes of one kind are called so; a front has its own row."""
    a, b = stack(DENSE, DENSE, MOE, DENSE), stack(MOE, DENSE, MOE, MOE)
    assert cell.replaced_kind(a, b, "mlp", "dense MLP", "experts", [0, 3]) == (
        "kind of MLP", "mlp_layer_types", "2 of 3 × dense MLP", "2 of 3 × experts",
    )  # fmt: skip
    assert cell.replaced_kind(a, b, "mlp", "dense MLP", "dense MLP", [0, 1, 3])[2:] == (
        "3 × dense MLP",
        "of other sizes",
    )
    fronts = cell.replaced_kind(stack(DENSE, DENSE, MOE), stack(DENSE, MOE, MOE), "mlp", "dense MLP", "experts", [1])
    assert fronts == ("leading dense layers", "first_k_dense_replace", "2", "1")


def test_what_stands_beside_the_layers():
    """MTP layers with an ending where they are several, towers, streams where they are not one."""
    one, two = replace(QWEN, mtp=(LAYER,)), replace(QWEN, mtp=(LAYER, LAYER))
    assert [cell.extras_beside(spec) for spec in (QWEN, one, two)] == ["", "1 MTP layer", "2 MTP layers"]
    assert cell.extras_beside(catalog.spec("deepseek-ai/DeepSeek-V4-Flash")).startswith("1 MTP layer, 4 streams")


def test_where_positions_are_rotated_in_part():
    """DeepSeek-V3: 64 of 192, stretched forty times; all of Qwen3's 128 need no number."""
    assert cell.position(catalog.spec("deepseek-ai/DeepSeek-V3")) == "RoPE on 64 of 192, YaRN × 40"
    assert cell.position(QWEN) == "RoPE"


def test_a_head_whose_values_are_narrower_says_both():
    """192 for keys and 128 for values; one number where they are alike."""
    assert cell.head_size(SimpleNamespace(head_dim=192, v_head_dim=128)) == "192, values 128"
    assert cell.head_size(SimpleNamespace(head_dim=128, v_head_dim=128)) == cell.head_size(
        SimpleNamespace(head_dim=128)
    )


# ---------------------------------------------------------------- rows and figures


def test_routing_groups_are_counted_from_two_on():
    """One group is none: every expert may be chosen."""
    said = [phrases.say_groups(Row("mlp", "routing groups", "", "", "", values=((8,), (n,)))) for n in (0, 1, 2, 8)]
    assert said == ["no routing groups"] * 2 + ["two routing groups", "eight routing groups"]


def test_bytes_that_cannot_be_counted_are_unknown_and_so_is_their_change():
    """Of one model or of both; else the sign says which takes more."""
    found = [differences.told_bytes(*pair) for pair in ((1000, 3000), (3000, 1000), (None, 1000), (1000, None), (5, 5))]
    assert [(one.a, one.b, one.change) for one in found] == [
        ("1.0 KB", "3.0 KB", "+2.0 KB"), ("3.0 KB", "1.0 KB", "−2.0 KB"), ("unknown", "1.0 KB", "unknown"),
        ("1.0 KB", "unknown", "unknown"), ("5 B", "5 B", "="),
    ]  # fmt: skip


def test_whole_bytes_are_whole_numbers():
    """Half a byte a token stays half; four of two halves are four, and print as such."""
    whole, half = (differences.as_integer(Fraction(n, 2)) for n in (8, 1))
    assert (repr(whole), repr(half)) == ("4", "0.5")


def test_a_hybrid_has_a_cache_that_grows_and_states_that_do_not():
    """Qwen3-Next: 12 layers of keys and values, 36 of an FP32 matrix per value head and a BF16 window of its inputs."""
    spec = catalog.spec("Qwen/Qwen3-Next-80B-A3B-Instruct")
    token = 12 * 2 * 2 * 256 * 2
    states = 36 * (32 * 128 * 128 * 4 + (2 * 16 * 128 + 32 * 128) * 4 * 2)
    found = counted.numbers(spec)
    assert (found.cache, found.fixed) == (token, states)
    assert counted.cache_bytes_at(spec, 1_000) == states + 1_000 * token == memory(spec, 1_000).total_bytes
    twice = found.more(found)
    assert (twice.cache, twice.fixed) == (2 * token, 2 * states) and twice.less(found) == found


def test_later_relatives_of_one_share_begin_with_the_earliest():
    """Closer ones first; of those that are equally close and differ in as little, the sooner after the model."""
    known = comparing.catalogue_lineage()
    for structure in known.structures[::7]:
        entry, found = structure.head, known.later(structure.head.slug, 6)
        for one, two in pairwise(found):
            near, far = (known.entries[link.slug] for link in (one, two))
            apart = [len(differing_fields(entry.facts, other.facts)) for other in (near, far)]
            house = [other.company != entry.company for other in (near, far)]
            near_by = [closeness(link.share, entry, other) for link, other in ((one, near), (two, far))]
            assert near_by[0] >= near_by[1]
            if (near_by[0], apart[0], house[0]) == (near_by[1], apart[1], house[1]):
                assert near.date <= far.date


def test_two_layers_more_are_several_and_one_is_one():
    """One fewer layer, two more layers."""
    made = Row("sizes", "layers", "", "", "")
    said = [phrases.say_depth(replace(made, values=pair)) for pair in ((30, 32), (32, 30), (30, 31), (31, 30))]
    assert said == ["two more layers", "two fewer layers", "one more layer", "one fewer layer"]
