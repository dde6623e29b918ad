"""What a serving engine holds beside weights and cache: vLLM's measured rooms and the pages of hybrids."""

import csv
from dataclasses import replace
from pathlib import Path

from cutaway.gallery.command.plan_words import answers, notes
from cutaway.gallery.planning.address import address, parse
from cutaway.gallery.planning.engine import at_once, engine_bytes, kernel, pages
from cutaway.gallery.planning.fits import make_plan
from cutaway.gallery.planning.stages import count_kinds
from tests.gallery.sheets import layout, sheet_of
from tests.tally import Tally

ORACLE = Path(__file__).resolve().parents[1] / "oracle"
GIB = 2**30
NEXT, OSS = "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai/gpt-oss-120b"


def rows(name):
    """The rows of an oracle's table."""
    lines = (ORACLE / name).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def served(row):
    """The plan of a measured row: 16,000 tokens, its own share of the memory."""
    tp = int(row["tp"])
    made = layout(1, tp, "h100_sxm", tp=tp, etp=tp, context=16_000, used=float(row["used"]),
                  weights_dtype=row["weights_dtype"])  # fmt: skip
    return make_plan(sheet_of(row["config"]), made)


def room(found):
    """What a plan leaves for the cache."""
    return found.room_bytes - found.fullest.before_text_bytes


def test_rooms_are_those_that_vllm_measured(verified):
    """What is left for the cache is within 4 % of each measured room, 1.1 to 2.5 times of it without the overhead."""
    tally, bare = Tally(), []
    for row in rows("serving_rooms.csv"):
        found, measured = served(row), float(row["cache"]) * GIB
        bare.append((room(found) + found.fullest.framework_bytes) / measured)
        if not row["why"]:
            tally.near(room(found) / measured, 1, row, rel=0.04)
        assert found.at_most is False
    assert len(bare) == 7 and min(bare) > 1.08 and max(bare) > 2.4
    verified("memory left for the cache on H100 with vLLM, within 4 %", tally, against="llm-d-planner at e50305a")


def test_gpt_oss_120b_does_not_hold_twenty():
    """The engine's overhead leaves room for 5 sequences of 16,000 tokens; the run had room for 6, 20 was said."""
    (row,) = [row for row in rows("serving_rooms.csv") if row["model"] == OSS]
    found = served(row)
    ran = int(float(row["cache"]) * GIB / found.fullest.sequence_bytes)
    typed = make_plan(sheet_of(OSS), replace(found.layout, framework_bytes=0))
    assert (found.sequences, ran, typed.sequences) == (5, 6, 20)


def test_where_nothing_was_measured_it_is_at_most():
    """H100 with tp 1 or 2 was measured; other GPUs, wider layouts and dealt experts were not; a typed number is."""
    model = sheet_of(OSS)
    some = {"h100_sxm": layout(1, 2, "h100_sxm", tp=2, etp=2), "h200_sxm": layout(1, 1),
            "wide": layout(1, 8, "h100_sxm", tp=8, etp=8), "ep": layout(1, 2, "h100_sxm", tp=1, ep=2)}  # fmt: skip
    said = {name: make_plan(model, made).at_most for name, made in some.items()}
    assert said == {"h100_sxm": False, "h200_sxm": True, "wide": True, "ep": True}
    plans = [make_plan(model, made) for made in (some["h100_sxm"], some["h200_sxm"])]
    words = [dict(answers(found))["sequences that fit"] for found in plans]
    assert [text.startswith("at most ") for text in words] == [False, True]
    labels = [[word for word, text in notes(model, found) if "engine overhead" in text] for found in plans]
    assert labels == [["measured"], ["extrapolated"]]
    assert not make_plan(model, replace(some["h200_sxm"], framework_bytes=8 * 10**9)).at_most


def test_overhead_follows_the_vocabulary_and_the_device():
    """39 bytes a logit of as many sequences as vLLM takes at once, on the stage that ends with the head alone."""
    model = sheet_of("Qwen/Qwen3-32B")
    sequences = {"h100_sxm": 1_024, "a100_sxm": 256, "l4": 256, "b200_sxm": 1_024}
    assert {name: at_once(layout(1, 1, name)) for name in sequences} == sequences
    made = layout(1, 2, "h100_sxm", pp=2, tp=1)
    first, last = (engine_bytes(model, made, ends) for ends in (False, True))
    assert last - first == 39 * 1_024 * 151_936
    assert engine_bytes(model, replace(made, job="train"), True) == 0
    assert engine_bytes(model, replace(made, framework_bytes=7), True) == 7


def test_pages_are_those_of_its_logs(verified):
    """Attention's pages hold as many tokens as a state is large; states are padded; layers share pages in groups."""
    tally = Tally()
    for row in rows("vllm_pages.csv"):
        model = sheet_of(row["model"])
        kinds = count_kinds(model, range(len(model["layers"])))
        found = pages(model, layout(1, 1, cache_dtype=row["cache"]), kinds, 32_768)
        tally.same(found.tokens, int(row["tokens"]), row)
        states = sum(many for kind, many in kinds.items() if any(keep[6] for keep in model["kinds"][kind]["keeps"]))
        if row["padding_layers"]:
            tally.same(-states % found.layers, int(row["padding_layers"]), row)
        if row["padding_percent"]:
            tally.near(padded(model, kinds, found), float(row["padding_percent"]), row, abs=0.01)
    verified("cache page sizes of hybrid models in vLLM's log", tally, against="vLLM")


def padded(model, kinds, found):
    """Percent that a page is larger than a state: a convolution without the column of the token itself."""
    (kind,) = [model["kinds"][kind] for kind in kinds if any(keep[6] for keep in model["kinds"][kind]["keeps"])]
    width = next(piece[1][2] for piece in kind["pieces"] if "conv" in piece[0] and len(piece[1]) == 3)
    held = sum(keep[2] * ((width - 1) / width if keep[0] == "conv" else 1) for keep in kind["keeps"]) / 8
    return 100 * (found.page_bytes / held - 1)


def test_qwen3_next_takes_whole_pages():
    """At 1,000 tokens a sequence takes 12 pages of attention and 36 of states, each of 1,056 tokens' size."""
    model, made = sheet_of(NEXT), layout(1, 1, context=1_000)
    rank = make_plan(model, made).fullest
    assert rank.sequence_bytes == 48 * 1_056 * 2_048
    assert rank.sequence_bytes == rank.sequence_cache_bytes + rank.sequence_padding_bytes
    typed = make_plan(model, replace(made, framework_bytes=0)).fullest
    assert (typed.sequence_padding_bytes, typed.sequence_cache_bytes) == (0, rank.sequence_cache_bytes)
    assert make_plan(sheet_of(OSS), made).fullest.sequence_padding_bytes == 0  # windows alone: pages are small


def test_an_address_says_what_was_typed():
    """Nothing for the measured overhead; a number, 0 too, where one was typed."""
    words = "on=h100_sxm:1x8&tp=8"
    assert parse(words)[0].framework_bytes is None and "fw" not in address(parse(words)[0])
    assert parse(f"{words}&fw=0")[0].framework_bytes == 0
    assert "fw=0" in address(parse(f"{words}&fw=0")[0])


def test_the_width_of_a_convolution_is_its_last_side():
    """Of the one weight of three sides that is called so: a stack of experts is none, nor is a bias."""
    pieces = [["mlp.experts.gate_up_proj", (8, 4, 2)], ["mixer.conv1d.bias", (6,)], ["mixer.conv1d.weight", (6, 1, 4)]]
    assert (kernel(pieces), kernel(pieces[:2])) == (4, 1 << 53)
