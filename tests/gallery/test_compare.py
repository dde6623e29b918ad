"""Differences of two specs, one changed field at a time."""

from dataclasses import replace

import pytest

from gallery import spec as s
from gallery.counting.compare import compare, distance, leaves, word

FULL, WINDOW = s.Attention(8, 2, 64, 64), s.Attention(8, 2, 64, 64, sliding_window=128)
MLP, NORM = s.Dense(2048, True, "silu", False), s.Norm("mixer_in", "RMSNorm")


def model(*mixers, **more) -> s.ModelSpec:
    layers = tuple(s.Layer(i, mixer, MLP, (NORM,)) for i, mixer in enumerate(mixers))
    return s.ModelSpec("x", "", 512, 1000, len(layers), layers, None, False, "bfloat16", None, **more)


BASE = model(FULL, FULL, WINDOW)
TWO_NORMS = tuple(replace(layer, norms=(NORM, s.Norm("mlp_in", "LayerNorm"))) for layer in BASE.layers)
SIDE = tuple(replace(layer, parallel=True) for layer in BASE.layers)
CHANGES = [  # (the other model, rows: where, what, a, b)
    (BASE, []),
    (replace(BASE, hidden_size=1024), [("model", "hidden_size", "512", "1,024")]),
    (replace(BASE, tie_word_embeddings=True), [("model", "tie_word_embeddings", "no", "yes")]),
    (replace(BASE, max_position_embeddings=4096), [("model", "max_position_embeddings", "", "4,096")]),
    (replace(BASE, dtype="float32"), []),  # not structural
    (replace(BASE, mtp=(BASE.layers[0],)), [("mtp", "MTP layers", "0", "1")]),
    (replace(BASE, towers=(s.Tower("eye", "", 1, 2, None), s.Tower("ear", "", 1, 2, None))),
     [("model", "towers", "", "eye, ear")]),
    (replace(BASE, layers=SIDE), [("model", "halves side by side", "no", "yes")]),
    (replace(BASE, layers=TWO_NORMS),
     [("norms", "norms of a layer", "RMSNorm mixer_in", "RMSNorm mixer_in, LayerNorm mlp_in")]),
    (model(FULL, FULL, replace(WINDOW, sliding_window=64)), [("mixer", "sliding_window", "128", "64")]),
    (model(FULL, FULL, replace(WINDOW, kv_source=0)), []),  # which layer it borrows from is no structure
    (model(FULL, FULL, FULL), [("mixer", "Attention", "1 layers", ""),
                               ("layers", "mixer", "2 Attention, 1 Attention (sliding_window 128)", "3 Attention")]),
    (model(WINDOW, FULL, WINDOW), [("layers", "mixer", "2 Attention, 1 Attention (sliding_window 128)",
                                    "2 Attention (sliding_window 128), 1 Attention")]),  # the same kinds, other counts
    (model(FULL, WINDOW, FULL), [("layers", "mixer of layer 1", "Attention", "Attention (sliding_window 128)")]),
    (model(FULL, FULL, s.ShortConv(512, 3)), [("mixer", "Attention", "1 layers", ""),
                                              ("mixer", "ShortConv", "", "1 layers")]),
    (model(FULL, FULL, replace(WINDOW, bias=frozenset("qk"))), [("mixer", "bias", "", "k, q")]),
    (model(FULL, FULL, replace(WINDOW, indexer=s.Indexer(2, 8, 4))), [
        ("mixer", "indexer", "", "Indexer"), *(("mixer", f"indexer.{name}", "", value) for name, value in (
            ("index_n_heads", "2"), ("index_head_dim", "8"), ("index_topk", "4"), ("block_size", "1")))]),
]  # fmt: skip


@pytest.mark.parametrize(("other", "rows"), CHANGES)
def test_one_change_is_one_row(other, rows):
    """It says where, what, and both values; what is no structure says nothing."""
    found = [tuple(row) for row in compare(BASE, other)]
    assert rows == found[: len(rows)] if any("indexer" in row[1] for row in rows) else rows == found
    assert len(found) == distance(BASE, other) == distance(other, BASE)


def test_kinds_are_paired_by_what_they_share():
    """A window of another length meets the window, not the full attention beside it."""
    longer, wider = replace(WINDOW, sliding_window=64), replace(FULL, num_key_value_heads=4)
    rows = compare(model(WINDOW, FULL, FULL), model(wider, longer, wider))
    assert {(row.what, row.a, row.b) for row in rows} == {("sliding_window", "128", "64"),
                                                          ("num_key_value_heads", "2", "4")}  # fmt: skip


def test_a_kind_meets_the_one_that_shares_most_with_it():
    """Not the one that most layers have: full attention meets the other full attention."""
    far, near = replace(WINDOW, sliding_window=64, bias=frozenset("o")), replace(FULL, num_key_value_heads=4)
    rows = [row for row in compare(model(FULL, FULL, FULL), model(far, far, near)) if row.where == "mixer"]
    assert [(row.what, row.a, row.b) for row in rows if row.what == "num_key_value_heads"] == [
        ("num_key_value_heads", "2", "4")
    ]
    assert not [row for row in rows if row.what == "sliding_window"]


WORDS = [(None, ""), ((), ""), (frozenset(), ""), (True, "yes"), (False, "no"), (1234, "1,234"), ("a", "a"),
         (frozenset("ba"), "a, b"), (MLP, "Dense"), (1.5, "1.5")]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), WORDS)
def test_a_value_is_a_short_text(value, text):
    """Empty things say nothing, numbers are grouped, records give their kind."""
    assert text == word(value)


def test_a_record_opens_into_leaves():
    """Its kind, its fields, and those of records inside it by their place."""
    both = s.Combined((FULL, MLP), "parallel")
    found = leaves(both)
    assert (found[""], found["how"]) == ("Combined", "parallel")
    assert (found["parts.0"], found["parts.0.num_attention_heads"]) == ("Attention", 8)
    assert (found["parts.1"], found["parts.1.intermediate_size"]) == ("Dense", 2048)
