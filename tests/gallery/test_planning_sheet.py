"""The planner's sheet of a model: plain JSON, small, and says all that the spec's own readings say."""

import json

import pytest

from cutaway.gallery import catalog, memory, parameters
from cutaway.gallery.counting.flops import flops_by_layer
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.planning.cache_memory import cache_bytes, cache_rows
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.sharding.arithmetic import part_of, ratio
from cutaway.gallery.planning.stage_weights import BYTES, NUMBERS, per_stage
from cutaway.gallery.planning.stages import count_kinds
from cutaway.gallery.planning.work import flops_of_terms, model_flops, stage_flops
from tests.gallery.sheets import sheet_of, spec_of
from tests.tally import Tally

FEW = ("deepseek-ai/DeepSeek-V4-Flash", "google/gemma-3n-E4B", "ai21labs/Jamba-v0.1", "openai/gpt-oss-20b")
ONE = Layout(DEVICES["h200_sxm"], 1, 1)


def total(spec, context: int, prefill: bool) -> int:
    """FLOPs of flops() without the bytes that it counts as well."""
    return sum(one.flops for one in flops_by_layer(spec, context, prefill))


def says_the_same(slug, tally):
    """The sheet's sums against the readings of the spec itself."""
    spec, made = spec_of(slug), sheet_of(slug)
    assert len(json.dumps(made, separators=(",", ":"))) < 13_000
    own = per_stage(made, ONE)[0]
    tally.same(sum(piece[NUMBERS] * times for piece, times in own), parameters(spec).total, slug)
    tally.same(sum(piece[BYTES] * times for piece, times in own), stored_bytes(spec), slug)
    for context in (1, 5_000, 100_000):
        tally.near(model_flops(made, context), total(spec, context, True), slug, context, rel=1e-12)
        token = stage_flops(made, Layout(DEVICES["h200_sxm"], 1, 1, context=context))[0]
        tally.near(token, total(spec, context, False), slug, context, rel=1e-12)
        for dtype in ("bfloat16", "float8_e4m3fn", "float4_e2m1fn", "float32", "fp8_ds_mla", "fp8_bf16rope_fp4index"):
            kept = cache_rows(made, dtype, count_kinds(made, range(len(made["layers"]))))
            asked = memory(spec, context, dtype).total_bytes
            tally.holds(0 <= asked - cache_bytes(made, ONE, kept, context) < 200, slug, dtype, context)


@pytest.mark.parametrize("slug", FEW)
def test_a_sheet_says_what_the_spec_says(slug):
    """Parameters, stored bytes, cache at any width and FLOPs follow from the sheet alone."""
    tally = Tally()
    says_the_same(slug, tally)
    assert tally.shown == []


@pytest.mark.whole
def test_every_sheet_says_what_its_spec_says(verified):
    """The same of every catalogued model."""
    tally = Tally()
    for row in catalog.drawable_rows():
        says_the_same(row.slug, tally)
    source = "parameters, stored_bytes, memory and flops"
    verified("planner: parameters, bytes and FLOPs of every model", tally, against=source)


@pytest.mark.parametrize(
    ("rule", "axes", "wanted"),
    [
        (["whole"], {"tp": 8}, (1, 1)),
        (["tp"], {"tp": 8}, (1, 8)),
        (["heads", 8], {"tp": 1}, (1, 1)),
        (["heads", 8], {"tp": 4}, (1, 4)),
        (["heads", 2], {"tp": 8}, (1, 2)),
        (["groups", 64, 2, 8], {"tp": 1}, (1, 1)),
        (["groups", 64, 2, 8], {"tp": 8}, (1, 8)),
        (["groups", 64, 2, 8], {"tp": 16}, (6, 80)),
        (["experts", 256, 1], {"ep": 32, "etp": 2}, (1, 64)),
        (["experts", 256, 0], {"ep": 32, "etp": 2}, (1, 32)),
        (["experts", 256, 1], {"ep": 32, "redundant": 32}, (9, 256)),
    ],
)
def test_a_rule_is_a_fraction(rule, axes, wanted):
    """Each rule's share, in lowest terms."""
    above, below = ratio(rule, Layout(DEVICES["h200_sxm"], 8, 8, **axes))
    assert above * wanted[1] == below * wanted[0]
    assert (above, below) == (3, 40) if wanted == (6, 80) else (above, below) == wanted


def test_a_share_is_rounded_up():
    """A rank holds whole bytes, and never less than its share."""
    assert [part_of(total, (1, 3)) for total in (0, 1, 3, 4)] == [0, 1, 1, 2]
    assert (part_of(9, (2, 3), 8), part_of(12, (2, 3), 8)) == (1, 1)


def test_terms_add_up():
    """So much a token, and for each entry in sight: one every few tokens, at most so many."""
    work = {"token": 10, "reads": [[2, 1, None, ""], [3, 4, 2, "decode"], [5, 1, 3, "prefill"]]}
    assert flops_of_terms(work, 9, False) == 10 + 2 * 9 + 3 * 2
    assert flops_of_terms(work, 9, True) == 90 + 2 * 45 + 5 * (1 + 2 + 3 * 7)


@pytest.mark.parametrize(
    ("slug", "name", "wanted"),
    [
        ("Qwen/Qwen3-32B", "cuts", [["64 heads", 64], ["an MLP of width 25600", 25_600]]),
        ("fla-hub/rwkv7-2.9B-world", "cuts", [["RwkvTimeMix", 1], ["an MLP of width 10240", 10_240]]),
        ("ai21labs/Jamba-v0.1", "cuts", [["Mamba1", 1], ["an MLP of width 14336", 14_336], ["32 heads", 32]]),
        ("tiiuae/Falcon-H1-7B-Instruct", "kv_heads", [2]),
        ("deepseek-ai/DeepSeek-V3", "kv_heads", []),
        ("deepseek-ai/DeepSeek-V3", "element", "float8_e4m3fn"),
        ("google/gemma-3n-E4B", "crossings", [["kv_source", n, 19 if n % 5 == 4 else 18] for n in range(20, 35)]),
        ("google/gemma-3n-E4B", "towers", ["vision_config", "audio_config"]),
        ("google/gemma-3n-E4B", "tied", True),
        ("google/gemma-3n-E4B", "longest", 32_768),
        ("fla-hub/rwkv7-2.9B-world", "longest", None),
    ],
)
def test_what_a_sheet_says_of_a_model(slug, name, wanted):
    """What tensor parallelism cuts, what layers share, what is tied or left out."""
    assert sheet_of(slug)[name] == wanted


def test_what_a_sheet_says_of_a_kind_of_layer():
    """How often tensor ranks meet, what experts save, what travels to them and between context ranks."""
    dense, moe, _ = sheet_of("deepseek-ai/DeepSeek-V3")["kinds"]
    assert (dense["meets"], moe["meets"]) == ([2, 2], [2, 2])
    arriving, first, last = moe["saves"][5:]
    assert (arriving, first, last) == (8 * 7_168, 2 * 8 * 2_048, 8 * 2_048) and dense["saves"][5:] == [0, 0, 0]
    (experts,), (row,) = moe["experts"], moe["context"]
    assert {name: one for name, one in experts.items() if name not in ("used", "picks")} == {
        "num_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 2_048, "n_group": 8, "width": 7_168
    }  # fmt: skip
    assert row == {"kv_heads": 0, "heads": 128, "width": 320, "query": 576, "value": 512}
    (kind,) = sheet_of("Qwen/Qwen3-235B-A22B")["kinds"]
    assert kind["meets"] == [2, 1]
    assert kind["context"] == [{"kv_heads": 4, "heads": 64, "width": 256, "query": 128, "value": 128}]
    assert len(sheet_of("deepseek-ai/DeepSeek-V3")["mtp"]) == 1 and moe["work"]["experts"] == 2 * 8 * 3 * 7_168 * 2_048
    latent = sheet_of("nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-NVFP4")
    widths = {one["width"] for kind in latent["kinds"] for one in kind["experts"]}
    assert widths == {2_048} and latent["hidden_size"] == 8_192
