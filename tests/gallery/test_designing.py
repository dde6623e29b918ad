"""A config and edits -> another config: what changes and stays, what is refused, what transformers builds of it."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from cutaway import gallery
from cutaway.gallery import catalog
from cutaway.gallery.designing import places, strip
from cutaway.gallery.designing.built import built, kept_results
from cutaway.gallery.designing.class_rules import HELD
from cutaway.gallery.designing.design import design
from cutaway.gallery.designing.figures import figures, gpus_for, verdict
from cutaway.gallery.designing.outlines import Change, draw_changes
from cutaway.gallery.designing.rules import say_legal
from cutaway.gallery.designing.table import BY_ID, MIX
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.reading.keys import UNITS

ORACLE = json.loads((Path(__file__).parent.parent / "oracle" / "designs.json").read_text("utf-8"))
NEXT, V3, QWEN, GEMMA = ("Qwen/Qwen3-Next-80B-A3B-Instruct", "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-8B",
                         "google/gemma-2-9b")  # fmt: skip


def made(slug: str, edits: str = "", last: str = ""):
    return design(catalog.load(slug), edits, last)


# ---------------------------------------------------------------- against transformers


@pytest.mark.whole
def test_designs_count_as_transformers_built_them(verified):
    """Each kept design is written to the same config.json as then, byte by byte, and counts as many parameters as
    transformers made of it."""
    wrong = []
    for slug, edits, digest, theirs in ORACLE["cases"]:
        one = made(slug, edits)
        found = sha256(one.json.encode()).hexdigest()[:16], gallery.parameters(one.spec).total, one.problems
        if found != (digest, theirs, ()):
            wrong.append((slug, edits, found, theirs))
    assert wrong == []
    assert len(ORACLE["cases"]) >= 200 and ORACLE["transformers"] == "5.23.0"
    verified("random designs", len(ORACLE["cases"]), len(wrong), f"transformers {ORACLE['transformers']}")


@pytest.mark.whole
def test_builds_is_said_of_classes_of_which_every_design_was_built():
    """built.json counts the kept designs of each model type whose parameters were equal; of others nothing is said."""
    counted = Counter(made(slug).form.class_type for slug, *_ in ORACLE["cases"])
    assert kept_results() == {"transformers": ORACLE["transformers"], "designs": dict(sorted(counted.items()))}
    assert (built(made(NEXT)).holds, built(made("microsoft/Phi-3-small-8k-instruct")).holds) == (True, False)
    assert "Not checked in transformers 5.23.0" in built(made("microsoft/Phi-3-small-8k-instruct")).sentence


# ---------------------------------------------------------------- what an edit changes


def test_an_edit_changes_its_key_and_what_follows_alone():
    """Four edits of Qwen3-Next change four keys: the fields' own, and layer_types of the painted layers."""
    one, before = made(NEXT, "kv:4,experts:256,active:8,mix:5d1f"), catalog.load(NEXT)
    changed = {key: value for key, value in one.config.items() if before.get(key) != value}
    types = changed.pop("layer_types")
    assert changed == {"num_key_value_heads": 4, "num_experts": 256, "num_experts_per_tok": 8}
    assert (Counter(types), types[5]) == ({"linear_attention": 40, "full_attention": 8}, "full_attention")
    assert (one.address, one.problems) == ("kv:4,experts:256,active:8,mix:5d1f", ())
    assert strip.letters_of(one.spec) == "dddddf" * 8


def test_lists_of_layers_follow_their_number():
    """A deeper model goes on as it did: its list of layers has as many entries, in the same pattern."""
    one = made("openai/gpt-oss-20b", "layers:30")
    assert one.config["layer_types"] == ["sliding_attention", "full_attention"] * 15
    assert len(one.spec.layers) == 30
    kept = made("moonshotai/Kimi-Linear-48B-A3B-Instruct", "layers:31").config["linear_attn_config"]
    assert kept["full_attn_layers"][:2] == [4, 8] and sorted(kept["kda_layers"] + kept["full_attn_layers"]) == [
        *range(1, 32)
    ]


def test_a_window_is_switched_on_where_layers_are_painted_with_it():
    """Qwen3 has windows only where use_sliding_window says so; painted layers get a window, and then its field."""
    one = made(QWEN, "mix:5w1f")
    assert (one.config["use_sliding_window"], one.config["sliding_window"]) == (True, strip.WINDOW)
    assert Counter(strip.letters_of(one.spec)) == {"w": 30, "f": 6}


PAINTED = (
    ("moonshotai/Kimi-Linear-48B-A3B-Base", "1d1l", ("linear_attn_config", "full_attn_layers"), [*range(2, 27, 2)]),
    ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "1s1e1f1e", ("hybrid_override_pattern",), "ME*E" * 13),
    ("nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-NVFP4", "1s1e1f1m", ("layers_block_type",),
     ["mamba", "moe", "attention", "mlp"] * 27),
    ("ibm-ai-platform/Bamba-9B-v2", "7s1f", ("attn_layer_indices",), [7, 15, 23, 31]),
    ("zai-org/GLM-5", "1x1l", ("indexer_types",), ["full", "shared"] * 39),
    ("deepseek-ai/DeepSeek-V4-Flash", "1w2x", ("compress_ratios",), [*([0, 4, 4] * 15)[:43], 0]),
    ("nvidia/MiniMax-M3-NVFP4", "2f1x", ("text_config", "sparse_attention_config", "sparse_attention_freq"),
     [0, 0, 1] * 20),
)  # fmt: skip


@pytest.mark.parametrize(("slug", "pattern", "where", "written"), PAINTED)
def test_layers_are_painted_as_the_class_has_them_written(slug, pattern, where, written):
    """Lists of numbers from 0 or 1, a text of signs, a list of words: what is written reads as what was painted."""
    one = made(slug, f"mix:{pattern}")
    assert places.at(one.config, where) == written
    assert one.problems == () and strip.letters_of(one.spec) == strip.expand(pattern, len(one.spec.layers))


def test_a_smaller_vocabulary_has_no_old_padding_token():
    """The class's padding token may lie beyond the smaller table: it is null; nothing else of the file is."""
    small, large = made(QWEN, "vocab:1000").config, made(QWEN, "vocab:200000").config
    assert small["pad_token_id"] is None and "pad_token_id" not in large
    assert [key for key, value in small.items() if value is None] == ["pad_token_id"]


# ---------------------------------------------------------------- what is refused

REFUSED = (
    (NEXT, "kv:7", "kv", "num_key_value_heads 7 does not divide num_attention_heads 16: 4 or 8 would do."),
    (NEXT, "heads:31", "heads", "num_attention_heads 31 is not a multiple of num_key_value_heads 2: 30 or 32 or "
     "another num_key_value_heads would do."),
    (NEXT, "active:600,experts:512", "active", "num_experts_per_tok is a whole number from 1 to 256, not 600."),
    (NEXT, "head:100", "head", "head_dim 100 is not a multiple of 8: 96 or 104 would do."),
    (NEXT, "mix:3w1f", "mix", "Qwen3NextForCausalLM has no window layers."),
    (NEXT, "mix:<b>", "mix", "Painted layers are runs of letters such as 3d1f, not “<b>”."),
    (NEXT, "window:64", "window", "This config has no window."),
    (NEXT, "heads", "heads", "Write an edit as heads:64, not “heads”."),
    (NEXT, "heads:many", "heads", "num_attention_heads is a whole number, not “many”."),
    (V3, "experts:100", "experts", "n_routed_experts 100 is not a multiple of n_group 8: 96 or 104 would do."),
    (NEXT, "heads:64,heads:32", "heads", "heads is given twice: the first counts."),
    (NEXT, "mix:3d1f,mix:1f", "mix", "mix is given twice: the first counts."),
    (V3, "mix:1f", "mix", "DeepseekV3ForCausalLM has one kind of layer."),
    ("ai21labs/Jamba-v0.1", "mix:1f", "mix", "The layers of JambaForCausalLM cannot be painted here."),
    ("zai-org/GLM-5", "mix:3l1x", "mix", "The first layer of GlmMoeDsaForCausalLM is sparse: no earlier one has "
     "indices to share."),
    (GEMMA, "heads:24", "heads", "num_attention_heads 24 does not divide hidden_size 3,584: 16 or 28 would do."),
    ("ibm-ai-platform/Bamba-9B-v2", "state_heads:64", "state_heads", "Mamba heads cannot be edited in this class: "
     "mamba_n_heads × mamba_d_head is mamba_expand × hidden_size."),
)  # fmt: skip


@pytest.mark.parametrize(("slug", "edits", "field", "sentence"), REFUSED)
def test_what_cannot_be_is_one_sentence(slug, edits, field, sentence):
    """The field at fault and why, with the nearest values that would do; the rest of the design stands."""
    one = made(slug, edits + ",vocab:1234")
    assert [(found.field, found.sentence) for found in one.problems] == [(field, sentence)]
    assert one.edits.get(field) == ({"heads": 64}.get(field) if "twice" in sentence else None)
    assert one.edits["vocab"] == 1234


def test_a_field_at_fault_stays_as_it_was_last():
    """With the edits that stood before, a wrong value leaves the field as it was there, and nothing else is lost."""
    one = made(NEXT, "kv:7,experts:256", last="kv:8,experts:128")
    assert (one.address, [found.field for found in one.problems]) == ("kv:8,experts:256", ["kv"])
    assert made(NEXT, "kv:x", last="kv:8").address == "kv:8"


def test_legal_values_stand_beside_a_field():
    """Divisors as a list, multiples with their span, and at most as many experts as there are."""
    one = made(NEXT)
    words = {field.id: say_legal(one.form, field, one.values) for field in one.form.fields}
    assert words["kv"] == "1, 2, 4, 8 or 16"
    assert (words["heads"], words["head"]) == ("a multiple of 2, 2 to 1,024", "a multiple of 8, 16 to 1,024")
    assert (words["experts"], words["active"]) == ("10 to 4,096", "1 to 256")


def test_the_table_names_keys_that_the_reader_knows():
    """Every row's key is one of reading/keys.py, and held fields are rows."""
    assert [row.id for row in BY_ID.values() if row.name not in UNITS] == []
    assert [one for one in HELD if not set(one.ids.split()) <= {*BY_ID, MIX}] == []


# ---------------------------------------------------------------- patterns and figures


@pytest.mark.parametrize(
    ("text", "depth", "letters"),
    [("3d1f", 6, "dddfdd"), ("w", 3, "www"), ("2w1f1w", 8, "wwfwwwfw"), ("", 4, ""), ("3-", 4, ""), ("9999w", 2, "ww")],
)
def test_a_pattern_repeats_to_the_depth(text, depth, letters):
    """Runs of letters, cut or gone on with; "" for what is no pattern."""
    assert strip.expand(text, depth) == letters


def test_a_pattern_is_written_as_its_shortest_period():
    """What is painted is kept in an address as the period that repeats to it."""
    for letters, text in (("dddf" * 12, "3d1f"), ("www", "1w"), ("wwfw", "2w1f")):
        assert strip.shorten(letters) == text
        assert strip.expand(text, len(letters)) == letters


def test_the_step_is_bytes_over_bandwidth():
    """A decode step's bound by a second route: all weights that a token reads in BF16, and the cache, over what the
    memories of so many GPUs read in a second; GPUs are the smallest power of two that holds both designs."""
    one = figures(made("meta-llama/Llama-3.1-8B").spec, 131_072)
    read = 2 * (one.total - 128_256 * 4096) + one.cache  # the embedding table is looked up
    assert one.seconds(1) == pytest.approx(read / DEVICES["h100_sxm"].bandwidth_bytes, rel=1e-4)
    assert one.binds == "memory bandwidth" and gpus_for([one]) == 1
    assert gpus_for([figures(made(V3).spec, 4096)]) == 32


def test_the_verdict_says_which_way_and_why():
    """Half the experts and twice the KV heads: fewer parameters, and a slower step, because of the cache."""
    was, now = (figures(made(NEXT, edits).spec, 131_072) for edits in ("", "kv:4,experts:256,active:8"))
    bold, why = verdict(was, now, 131_072)
    assert bold.startswith("Half the parameters, but decoding is ") and "slower at 131,072 tokens." in bold
    assert why == "Reading the larger cache costs more than the smaller weights save."
    assert verdict(was, was, 4096) == ("The same parameters, and decoding takes as long at 4,096 tokens.",
                                       "A step reads as many bytes as before.")  # fmt: skip


def test_discs_join_fields_and_parts():
    """Every change has a disc that leads to its field and an outline, in each layout of the drawing; without a change
    there is neither."""
    one = made(NEXT, "kv:4,experts:256,mix:5d1f,vocab:1000")
    changes = [Change(n, id, f"Change {n}.") for n, id in enumerate(("mix", "kv", "experts", "vocab"), 1)]
    drawn = draw_changes(one.spec, changes, (5, 7, 11)).split('<svg class="cf cf-')[1:]
    for svg in drawn:
        assert all(f'href="#field-{one.id}"' in svg for one in changes)
        assert svg.count("f-halo") >= 5
    assert len(drawn) == 3 and "f-halo" not in draw_changes(one.spec, [], ())
