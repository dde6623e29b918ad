"""The words of differences: short names of kinds, rows in a few words, ratios and numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cutaway.gallery import spec as s
from cutaway.gallery.comparing import differences as d
from cutaway.gallery.comparing.fields import FIELDS
from cutaway.gallery.comparing.kinds import label
from cutaway.gallery.comparing.model_fields import fields_of
from cutaway.gallery.comparing.text import row as phrases
from cutaway.gallery.comparing.text.number import (
    number_word,
    ordinal,
    ordinal_word,
    percent_change,
    say_change,
    scaled_bytes,
    scaled_count,
)
from cutaway.gallery.joined import join_words
from tests.gallery.comparing import FULL, WINDOW, model

V3, K2 = "deepseek-ai/DeepSeek-V3", "moonshotai/Kimi-K2-Instruct"
INDEXED = replace(WINDOW, indexer=s.Indexer(2, 8, 4))
MOE = s.MoE(8, 2, 64)


LABELS = [
    (FULL, "GQA"), (WINDOW, "GQA window"), (INDEXED, "sparse GQA window"), (None, "none"), (MOE, "experts"),
    (replace(FULL, num_key_value_heads=8), "MHA"), (replace(FULL, num_key_value_heads=1), "MQA"),
    (replace(FULL, attention_chunk_size=4), "GQA chunk"), (replace(FULL, cross=True), "cross-attention"),
    (s.LatentAttention(8, 0, 64, 16, 8, 16), "MLA"),
    (s.LatentAttention(8, 0, 64, 16, 8, 16, indexer=s.Indexer(2, 8, 4, shared=True)), "MLA + shared index"),
    (s.Combined((FULL, s.ShortConv(8, 3)), "parallel"), "GQA + short convolution"),
    (s.Combined((FULL, FULL), "serial"), "2 × GQA"), (s.CompressedAttention(8, 64, 8, 0, 1, 8, 4, 0), "window"),
    (s.CompressedAttention(8, 64, 8, 0, 1, 8, 4, 128), "HCA"),
]  # fmt: skip


@pytest.mark.parametrize(("half", "word"), LABELS)
def test_a_kind_has_a_short_name(half, word):
    """What stands in cells and verdicts."""
    assert label(half) == word


def one_row(key: str, a, b, half: str = "mixer") -> d.Row:
    """A row of the table of fields with these values."""
    field = next(row for row in FIELDS[half] if row.key == key)
    return d.Row(field.part, field.what, key, str(a or ""), str(b or ""), row=field, values=((a,), (b,)))


PHRASES = [
    (one_row("num_attention_heads", 128, 64), "half the heads"),
    (one_row("num_attention_heads", 5, 10), "twice the heads"),
    (one_row("num_key_value_heads", 2, 4), "four KV heads instead of two"),
    (one_row("num_key_value_heads", 4, 1), "one KV head instead of four"),
    (one_row("num_key_value_heads", 25, 8), "eight KV heads instead of 25"),
    (one_row("num_experts_per_tok", 8, 6, "mlp"), "six active experts instead of eight"),
    (one_row("n_shared_experts", 0, 1, "mlp"), "one shared expert"),
    (one_row("n_shared_experts", 1, 0, "mlp"), "no shared expert"),
    (one_row("n_shared_experts", 2, 0, "mlp"), "no shared experts"),
    (one_row("sliding_window", 0, 512), "a window of 512"),
    (one_row("sliding_window", 512, 0), "no window"),
    (one_row("sliding_window", 512, 500), "a smaller window"),
    (one_row("attn_output_gate", "", "per head"), "an output gate"),
    (one_row("attn_output_gate", "per head", ""), "no output gate"),
    (one_row("attn_output_gate", "per head", "per number"), "output gate per number instead of per head"),
    (one_row("sinks", "", "yes"), "sinks"),
    (one_row("attention_bias", "", "q"), "biases"),
    (one_row("n_group", 8, 1, "mlp"), "no routing groups"),
    (one_row("n_group", 1, 8, "mlp"), "eight routing groups"),
    (one_row("scoring_func", "softmax", "sigmoid", "mlp"), "a sigmoid router instead of softmax"),
    (one_row("hidden_act", "GELU", "SwiGLU", "mlp"), "SwiGLU instead of GELU"),
    (one_row("rope_theta", "10,000", "50,000"), "RoPE base 50,000 instead of 10,000"),
    (d.Row("mlp", "leading dense layers", "", "0", "3"), "three dense layers in front"),
    (d.Row("mlp", "leading dense layers", "", "2", "0"), "no dense layers instead of two"),
    (d.Row("sizes", "layers", "", "61", "78", values=(61, 78)), "17 more layers"),
    (d.Row("sizes", "layers", "", "31", "30", values=(31, 30)), "one fewer layer"),
    (d.Row("sizes", "layers", "", "32", "64", values=(32, 64)), "twice the layers"),
    (d.Row("beside", "MTP layers", "", "2", "0"), "no MTP layers"),
    (d.Row("beside", "MTP layers", "", "0", "1"), "one MTP layer"),
    (d.Row("position", "context", "", "", "8", values=(None, 8)), "context: 8"),
    (d.Row("position", "context", "", "8", "4", values=(8, 4)), "a shorter context"),
    (d.Row("norms", "norms of a layer", "", "2 LayerNorm, pre-norm", "2 RMSNorm, pre-norm"),
     "RMSNorm instead of LayerNorm"),
    (d.Row("norms", "norms of a layer", "", "2 RMSNorm, pre-norm", "4 RMSNorm, sandwich norm"),
     "sandwich norm"),
    (d.Row("mixer", "kind of mixer", "", "36 of 48 × GQA", "36 × KDA", values=("GQA", "KDA")),
     "KDA instead of GQA in 36 layers"),
    (d.Row("mixer", "kind of mixer", "", "48 × GQA", "48 × KDA", values=("GQA", "KDA")), "KDA instead of GQA"),
    (d.Row("mixer", "kind of mixer", "", "2 × none", "1 × KDA", values=("none", "KDA")), "KDA in one more layer"),
    (d.Row("mlp", "kind of MLP", "", "2 × experts", "1 × none", values=("experts", "none")),
     "one layer without an MLP of its own"),
    (d.Row("mlp", "sizes of dense MLP", "", "31 × dense MLP", "of other sizes", values=("dense MLP", "dense MLP")),
     "dense MLP of other sizes"),
    (replace(one_row("num_key_value_heads", 16, 4), where="its full layers"),
     "a quarter of the KV heads in its full layers"),
    (replace(one_row("n_shared_experts", 1, 1, "mlp"), values=((1, 1408), (1, 1536))), "a wider shared expert"),
    (replace(one_row("n_shared_experts", 0, 0, "mlp"), values=((0, 1536), (0, 1408))), "a narrower shared expert"),
    (replace(one_row("n_shared_experts", 2, 2, "mlp"), values=((2, 3072), (2, 2816))), "narrower shared experts"),
    (replace(one_row("n_shared_experts", 2, 1, "mlp"), values=((2, 3072), (1, 2816))),
     "one shared expert instead of two"),
    (replace(one_row("o_groups", 8, 8), values=((8, 1024), (8, 512))), "other output groups"),
    (d.Row("beside", "passes through the stack", "", "4", "1"), "one pass through its stack"),
    (d.Row("beside", "passes through the stack", "", "1", "4"), "4 passes through its stack"),
    (d.Row("beside", "residual streams", "", "1", "4, hyper-connections"), "four residual streams"),
    (d.Row("beside", "residual streams", "", "4, AltUp", "1"), "one residual stream"),
    (d.Row("beside", "residual streams", "", "1", "1, shortcut-connected experts"), "shortcut-connected experts"),
    (d.Row("beside", "residual streams", "", "1, every sum scaled", "1"), "a plain residual stream"),
    (d.Row("beside", "residual streams", "", "1, sublayer outputs × 0.22", "1, convolved sublayers"),
     "convolved sublayers instead of sublayer outputs × 0.22"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "words"), PHRASES)
def test_a_row_in_a_few_words(row, words):
    """What a verdict says of it."""
    assert phrases.say_row(row) == words


def test_ratios_in_words():
    """Twice and half where it is so; larger and smaller where it is not."""
    assert [phrases.say_times(*pair) for pair in ((2, 4), (4, 2), (3, 9), (8, 1), (2, 5), (5, 2), (1, 7))] == [
        "twice", "half", "three times", "an eighth of", "", "", "",
    ]  # fmt: skip
    assert [phrases.compare_size("width", *pair) for pair in ((2, 4), (3, 4), (4, 3))] == [
        "twice the width", "a larger width", "a smaller width",
    ]  # fmt: skip


def test_numbers_in_words():
    """Small ones spelled, large ones scaled, signs as signs."""
    assert [number_word(n) for n in (0, 1, 12, 13, 1234)] == ["no", "one", "twelve", "13", "1,234"]
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
    ]  # fmt: skip
    assert [ordinal_word(n) for n in (1, 7, 12, 13)] == ["first", "seventh", "twelfth", "13th"]
    assert [scaled_count(n) for n in (671_026_419_200, 1_026_408_224_256, 53_215_232, 2048, 12)] == [
        "671.03 B", "1.03 T", "53.2 M", "2.0 K", "12",
    ]  # fmt: skip
    assert [scaled_bytes(n) for n in (70_272, 11_513_364_480, 0, 2.5)] == ["70.3 KB", "11.51 GB", "0 B", "2.5 B"]
    assert [say_change(n, "x") for n in (0, 3, -3)] == ["=", "+x", "−x"]
    assert [join_words(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert [percent_change(*pair) for pair in ((100, 153), (100, 88), (0, 5))] == [53, -12, 0]


def test_what_stands_beside_mixer_and_mlp_is_a_row():
    """Of two stacks with one stream; equal ones have no such row."""
    plain = model(FULL, FULL)
    beside = s.Extra("residual_scale", "scales the sum", (("residual_scale", (512,)),))
    scaled = replace(plain, layers=tuple(replace(layer, extras=(beside,)) for layer in plain.layers))
    rows = {row.what: (row.a, row.b) for row in d.compare_specs(plain, scaled).rows}
    assert rows["besides mixer and MLP"][1] == "residual scale"
    assert "besides mixer and MLP" not in {row.what for row in d.compare_specs(scaled, scaled).rows}


def test_a_field_of_no_row_is_said_where_it_is_not_the_default():
    """A scale of the values of 1 is not said, one of 0.5 is; all other rows of both are the same."""
    plain, scaled = (fields_of(model(replace(FULL, value_scale=scale))) for scale in (1.0, 0.5))
    assert set(plain) ^ set(scaled) == {("mixer", "value scale", "value_scale", said) for said in ("", "0.5")}
