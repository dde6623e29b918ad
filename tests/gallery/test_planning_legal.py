"""Which layouts can be: published ones are legal, what cannot be names what can, stages hold every layer once."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from cutaway.gallery.planning import stages
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.layout import LayoutError, devices
from cutaway.gallery.planning.legal import problem, problems
from cutaway.gallery.planning.rank_memory import list_rank_memory
from tests.gallery.sheets import layout, sheet_of
from tests.tally import Tally

ORACLE = Path(__file__).resolve().parents[1] / "oracle"
GB, GIB = 1e9, 1024**3


def layouts():
    """The rows of layouts.csv."""
    lines = (ORACLE / "layouts.csv").read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def test_published_layouts_are_legal(verified):
    """Every published layout of a catalogued model is legal, and its dp is what is published."""
    tally = Tally()
    for row in layouts():
        axes = {name: int(row[name]) for name in ("tp", "pp", "chunks", "cp", "ep", "sequence", "redundant")}
        made = layout(int(row["gpus"]), 1, row["device"], job=row["job"], **axes)
        made = replace(made, batch=int(row["batch"] or made.dp * made.pp * made.chunks if row["job"] == "train" else 0))
        tally.same((problem(sheet_of(row["model"]), made), made.dp), ("", int(row["dp"])), row)
        assert list_rank_memory(sheet_of(row["model"]), made)
    verified("published layouts that the planner accepts", tally, against="layouts.csv")


@pytest.mark.parametrize(
    ("slug", "axes", "sentence"),
    [
        ("Qwen/Qwen3-32B", {"tp": 7}, "tp 7 does not divide 64 heads; nearest legal: 4 and 8."),
        ("Qwen/Qwen3-32B", {"tp": 0}, "tp is 0, but must be at least 1; nearest legal: 1."),
        ("Qwen/Qwen3-32B", {"nodes": 0}, "nodes is 0, but must be at least 1; nearest legal: 1."),
        ("Qwen/Qwen3-32B", {"ep": 8}, "This model has no experts, so ep 8 has nothing to split; nearest legal: 1."),
        (
            "Qwen/Qwen3-32B",
            {"pp": 128, "nodes": 16},
            "pp 128 makes 128 parts of 64 layers, the embedding and the head; nearest legal: pp 66.",
        ),
        (
            "Qwen/Qwen3-32B",
            {"tp": 4, "pp": 3},
            "tp 4 x pp 3 x cp 1 = 12 GPUs does not divide 8 GPUs; nearest legal: 12 GPUs.",
        ),
        ("deepseek-ai/DeepSeek-V3", {"ep": 3}, "ep 3 does not divide 256 experts; nearest legal: 2 and 4."),
        (
            "deepseek-ai/DeepSeek-V3",
            {"ep": 16},
            "ep 16 does not divide the 8 GPUs of a stage (tp x cp x dp); nearest legal: 8.",
        ),
        (
            "deepseek-ai/DeepSeek-V3",
            {"etp": 3, "nodes": 3},
            "etp 3 cannot shard experts: it does not divide their width; nearest legal: 2 and 4.",
        ),
        ("deepseek-ai/DeepSeek-V3", {"cp": 2}, "cp 2 is only supported for training so far; nearest legal: 1."),
        ("deepseek-ai/DeepSeek-V3", {"zero": 4}, "ZeRO has stages 0 to 3, not 4; nearest legal: 3."),
        (
            "Qwen/Qwen3-32B",
            {"job": "train", "batch": 0},
            "A batch of 0 is not a multiple of dp 8 x micro-batch 1 = 8; nearest legal: 8.",
        ),
        (
            "Qwen/Qwen3-32B",
            {"job": "train", "batch": 10},
            "A batch of 10 is not a multiple of dp 8 x micro-batch 1 = 8; nearest legal: 8 and 16.",
        ),
        (
            "Qwen/Qwen3-32B",
            {"job": "train", "batch": 12, "pp": 4, "chunks": 2},
            "A batch of 12 is not a multiple of dp 2 x micro-batch 1 x pp 4 (chunks are interleaved) = 8; nearest "
            "legal: 8 and 16.",
        ),
        (
            "Qwen/Qwen3-32B",
            {"job": "train", "batch": 4, "cp": 2, "sequence": 4_098},
            "4098 tokens cannot be split into 2 x cp = 4 equal parts; nearest legal: 4096 and 4100.",
        ),
        (
            "fla-hub/rwkv7-2.9B-world",
            {"tp": 2},
            "tp 2 does not divide RwkvTimeMix, whose sharding is not supported; nearest legal: 1.",
        ),
    ],
)
def test_what_cannot_be_names_what_can(slug, axes, sentence):
    """An illegal layout is refused in one sentence with the nearest legal values."""
    with pytest.raises(LayoutError) as told:
        plan(sheet_of(slug), layout(**axes))
    assert str(told.value) == sentence


@pytest.mark.parametrize(
    ("slug", "pp", "found"),
    [
        ("Zyphra/Zamba2-1.2B", 2, {"weights_of"}),
        ("google/gemma-3n-E4B", 2, set()),  # the layers that read are on the stage of those they read
        ("google/gemma-3n-E4B", 4, {"kv_source"}),
        ("google/gemma-3n-E4B", 1, set()),
        ("Qwen/Qwen3-32B", 4, set()),
    ],
)
def test_what_stages_share_is_known(slug, pp, found):
    """Weights of a shared block, and keys and values that later layers read, may stand on another stage."""
    assert stages.crossings(sheet_of(slug), layout(pp=pp)) == found


def test_stages_hold_every_layer_once_in_order():
    """Chunks are consecutive, go round the stages, and differ by one layer at most, ends counted as layers."""
    for layers in (4, 61, 94, 126):
        for pp, chunks in ((1, 1), (4, 1), (2, 2), (3, 2), (2, 3)):
            found = stages.stages(layers, layout(pp=pp, chunks=chunks))
            assert sorted(layer for own in found for layer in own) == list(range(layers))
    assert stages.chunks(61, 4) == [range(15), range(15, 31), range(31, 47), range(47, 61)]
    assert stages.chunks(8, 4) == [range(2), range(2, 4), range(4, 6), range(6, 8)]
    assert stages.stages(8, layout(pp=2, chunks=2)) == [[0, 1, 4, 5], [2, 3, 6, 7]]


def test_what_was_typed_is_quoted_up_to_forty_letters():
    """The name of a device, the order of the axes."""
    with pytest.raises(LayoutError, match=f"^No device is called '{'x' * 40}'; known are a100_pcie,"):
        devices("x" * 99)
    said = [one.why for one in problems(sheet_of("Qwen/Qwen3-8B"), layout(8, order="y" * 99)) if one.field == "order"]
    assert [one.startswith(f"'{'y' * 40}' is not an order of ") for one in said] == [True]
