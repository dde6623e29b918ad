"""What a plan tells and takes: owners of tensors, addresses, flags."""

import random
import re
from dataclasses import fields, replace

import pytest

from cutaway.gallery.planning.address import address, parse
from cutaway.gallery.planning.flags import ENGINES, engines, flags, untold
from cutaway.gallery.planning.layout import Layout, LayoutError
from cutaway.gallery.planning.layout_from_args import layout_from_args
from cutaway.gallery.planning.legal import problem
from cutaway.gallery.planning.rank_memory import list_rank_memory
from cutaway.gallery.planning.sharding.tensors import holders, list_owners, ranks_of
from tests.gallery.sheets import layout, sheet_of

V3, QWEN, MOE = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-32B", "Qwen/Qwen3-235B-A22B"


# ---------------------------------------------------------------- owners


@pytest.mark.parametrize(
    ("slug", "made"),
    [
        (V3, layout(8, job="train", batch=64, tp=2, pp=4, ep=8, etp=1)),
        (MOE, layout(2, tp=8, ep=2, etp=4)),
        ("google/gemma-2-2b", layout(1, pp=2, tp=2)),
        pytest.param(
            QWEN, layout(8, job="train", batch=64, chunks=2, schedule="zb-v", tp=16, pp=2), marks=pytest.mark.whole
        ),
        pytest.param(V3, layout(8, job="train", batch=256, schedule="dualpipe", pp=4, ep=8), marks=pytest.mark.whole),
        ("google/gemma-2-2b", layout(1, job="train", batch=16, schedule="dualpipe", pp=4)),
        pytest.param(V3, layout(8, job="train", batch=256, mtp=1, pp=4, tp=2, ep=8, etp=1), marks=pytest.mark.whole),
    ],
)
def test_owners_hold_all_that_a_rank_holds(slug, made):
    """Over all tensors of a stage, the slices of a rank are what holdings counts; every slice has its owners."""
    model = sheet_of(slug)
    assert problem(model, made) == ""
    found, stages = list_owners(model, made), list_rank_memory(model, made)
    assert {rank for stage in range(made.pp) for rank in ranks_of(made, stage)} == set(range(made.gpus))
    at = dict.fromkeys(range(made.pp), 0)
    for one in found:
        for stage in one.stages:
            own = sum(1 for layer in one.layers if layer in stages[stage].layers) if one.layers else 1
            at[stage] += one.numbers * own
            held = [holders(made, one, stage, part) for part in range(one.slices)]
            assert sorted(rank for ranks in held for rank in ranks) == ranks_of(made, stage)
            many = made.copies if one.layers else len(one.stages)
            assert {many * len(ranks) for ranks in held} == {one.copies}
    if made.job == "train":
        for rank in stages:
            assert at[rank.stage] == pytest.approx(rank.numbers, rel=1e-6)


def test_one_expert_has_one_owner():
    """DeepSeek-V3 over 64 expert ranks: four experts each, on no other rank of the stage."""
    made = layout(64, 4, "gb200", job="train", batch=4_096, pp=4, chunks=4, ep=64)
    experts = next(one for one in list_owners(sheet_of(V3), made) if "experts.{expert}.gate_proj" in one.name)
    assert (experts.slices, experts.copies, experts.numbers) == (64, 1, 4 * 7_168 * 2_048)
    assert holders(made, experts, 1, 9) == [64 + 9]
    heads = next(one for one in list_owners(sheet_of(MOE), layout(2, tp=16)) if one.name == "self_attn.k_proj.weight")
    assert (heads.slices, heads.copies) == (4, 4)
    assert holders(layout(2, tp=16), heads, 0, 1) == [4, 5, 6, 7]


# ---------------------------------------------------------------- addresses


def test_an_address_reads_back():
    """Any layout's words give the layout again, and the page's own words beside them; what is usual is left out."""
    draw = random.Random(7)
    choices = {
        "tp": (1, 2, 8), "pp": (1, 4), "chunks": (1, 2), "cp": (1, 2), "ep": (1, 8), "zero": (0, 1, 3),
        "job": ("train", "prefill", "decode"), "sequence": (4_096, 65_536), "context": (32_768, 1_000),
        "batch": (0, 64),
        "micro_batch": (1, 2), "recompute": ("none", "full", "layernorm,moe"), "redundant": (0, 8),
        "gradient_bytes": (4, 2),
        "cache_dtype": ("bfloat16", "float8_e4m3fn", "fp8_ds_mla"), "compute_dtype": ("", "fp8"), "used": (0.92, 0.9),
        "schedule": ("", "zb-h1"), "split": ("", "Et*3|(tt|)*29,m|L"), "cp_kind": ("all-gather", "ulysses"),
        "dp_shard": (0, 4), "order": ("tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"), "optimizer_bytes": (12, 8), "dcp": (1, 2),
        "dispatch_dtype": ("", "bfloat16"), "imbalance": (1.0, 1.25), "framework_bytes": (None, 0, 4_500_000_000),
        "etp": (1, 2, 8), "mtp": (0, 1), "weights_dtype": ("", "fp8"), "offload": ("", "experts", "40"),
        "lora_rank": (0, 16),
    }  # fmt: skip
    assert set(choices) | {"device", "nodes", "per_node", "weight_bytes"} == {one.name for one in fields(Layout)}
    for _ in range(300):
        more = {name: draw.choice(values) for name, values in choices.items()}
        more["weight_bytes"] = 1 if more["weights_dtype"] == "fp8" else 2
        if more["split"] and more["chunks"] == 1:
            more["split"] = ""
        made = layout(draw.choice((1, 16)), device=draw.choice(("gb200", "h200_sxm")), **more)
        page = draw.choice(({}, {"m": V3, "pick": "cache.3.1", "t": "0.25"}))
        text = address(made, page)
        assert parse(text) == (made, page), text
        assert parse("?" + text.replace("%7C", "|")) == (made, page)
        assert len(text) < 500


def test_an_address_is_short():
    """Defaults are left out, and words keep their order."""
    assert address(layout(tp=8, etp=8)) == "on=h200_sxm:1x8&tp=8"
    asked = layout_from_args({"on": "gb200:64x4", "pp": "4x4", "ep": 64, "job": "train", "zero": 1})
    assert address(asked, {"m": V3, "sort": "unhidden"}) == (
        "m=deepseek-ai/DeepSeek-V3&on=gb200:64x4&job=train&pp=4x4&ep=64&sort=unhidden"
    )
    assert address(replace(asked, cp=2, batch=4_096)).endswith("&cp=2&ep=64&batch=4096")
    assert parse("on=gb200:64x4&job=train&cp=4:ring")[0].cp_kind == "ring"
    assert parse("on=h200-sxm:1x8&n=7")[0].batch == 7


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tp=8", "An address names devices: on=h200_sxm:1x8."),
        ("on=h200_sxm:1x8&tp=eight", "tp takes a whole number, not 'eight'."),
        ("on=h200_sxm:1x8&cp=2x:ring", "cp ranks takes a whole number, not '2x'."),
        ("on=h200_sxm:1x8&busy=-1", "busy takes a number such as 1.3, not '-1'."),
        (
            "on=h200_sxm:1x8&tpp=8",
            "The address has an unknown key, 'tpp'. Known keys: m, pin, pick, t, sort, on, job, tp",
        ),
        ("on=h900", "No device is called 'h900'; known are"),
        ("on=h200_sxm:1x8&g=int4", "Gradients are float32 or bfloat16, not 'int4'."),
        ("on=" + "h" * 5_000, "An address has at most 4,000 letters."),
        ("on=h200_sxm:1x8&pp=4y", "--pp takes stages, or stages x chunks as in 4x2, not '4y'."),
    ],
)
def test_what_no_address_says(text, sentence):
    """A word that cannot be read is told in one sentence."""
    with pytest.raises(LayoutError) as told:
        parse(text)
    assert str(told.value).startswith(sentence)


def test_addresses_and_what_they_quote_have_a_length():
    """4,000 letters are read, one more is not; what cannot be read is quoted up to 40 letters."""
    text = "on=h200_sxm:1x8&pick="
    assert parse(text + "a" * (4_000 - len(text)))[1]["pick"].endswith("a")
    for wrong, quoted in (("on=h200_sxm:1x8&tp=" + "x" * 50, "x" * 40), ("y" * 50 + "=1", "y" * 40)):
        with pytest.raises(LayoutError) as told:
            parse(wrong)
        assert f"'{quoted}'" in str(told.value)


# ---------------------------------------------------------------- flags


def test_flags_of_megatron():
    """DeepSeek-V3's published layout as Megatron-LM takes it; every flag has two dashes and lower-case words."""
    made = layout(256, job="train", tp=1, pp=16, chunks=2, ep=64, batch=15_360, split="Et*3|(tt|)*29,m|L")
    assert flags(made, "Megatron-LM") == (
        "--tensor-model-parallel-size 1 --pipeline-model-parallel-size 16 --pipeline-model-parallel-layout "
        '"Et*3|(tt|)*29,m|L" '
        "--expert-model-parallel-size 64 --moe-token-dispatcher-type flex --moe-enable-deepep "
        "--use-distributed-optimizer --micro-batch-size 1 --global-batch-size 15360 "
        "--seq-length 4096 --bf16 --accumulate-allreduce-grads-in-fp32"
    )
    more = flags(
        replace(made, split="", tp=2, cp=2, cp_kind="ring", zero=3, dp_shard=4, recompute="full"), "Megatron-LM"
    )
    for words in ("--num-virtual-stages-per-pipeline-rank 2", "--sequence-parallel ", "--cp-comm-type p2p",
                  "--data-parallel-sharding-strategy optim_grads_params", "--recompute-granularity full",
                  "--expert-tensor-parallel-size 1", "--use-megatron-fsdp --ckpt-format fsdp_dtensor"):  # fmt: skip
        assert words in more
    narrow = flags(replace(made, gradient_bytes=2), "Megatron-LM")
    assert "--grad-reduce-in-bf16" in narrow and "in-fp32" not in narrow
    assert "--num-distributed-optimizer-instances 8" in more  # dp 32, sharded over 4
    assert untold(replace(made, schedule="zb-v"), "Megatron-LM") == ["the schedule zb-v"]
    for rows, source in ENGINES.values():
        assert source and all(re.fullmatch(r"--[a-z0-9][a-z0-9-]+", row.name) for row in rows)


@pytest.mark.parametrize(
    ("slug", "pp", "said"),
    [
        ("meta-llama/Llama-3.1-8B", 4, ""),
        ("meta-llama/Llama-3.1-8B", 5, "Etttttt|ttttttt|ttttttt|ttttttt|tttttL"),
        ("deepseek-ai/DeepSeek-V3", 3, f"E{'t' * 20}|{'t' * 21}|{'t' * 20}L"),
    ],
)
def test_uneven_stages_are_spelled_out(slug, pp, said):
    """Megatron-LM asks for as many layers on each stage, unless a layout string says otherwise (arguments.py)."""
    model = sheet_of(slug)
    line = flags(layout(pp, job="train", pp=pp), "Megatron-LM", model)
    assert (f'--pipeline-model-parallel-layout "{said}"' in line) == bool(said)
    assert ("layout" in line) == bool(said)
    assert sum(part.count("t") for part in said.split("|")) == (len(model["layers"]) if said else 0)


def test_a_dense_model_has_copies_and_no_attention_alone():
    """SGLang's --enable-dp-attention would cut the MLP over all GPUs; two whole copies are planned."""
    made = layout(tp=4, etp=8)  # what is left over, where nobody says
    line, routed = (flags(made, "SGLang", sheet_of(slug)) for slug in ("meta-llama/Llama-3.1-8B", "openai/gpt-oss-20b"))
    assert line.startswith("--tp-size 4 --dp-size 2 --context-length") and "attention" not in line
    assert routed.startswith("--tp-size 8 --dp-size 2 --enable-dp-attention ")


def test_flags_of_servers():
    """vLLM counts tensor ranks of one part, SGLang all GPUs; both take context, cache and share of memory."""
    made = layout(2, tp=4, ep=16, dcp=2, context=65_536, cache_dtype="float8_e4m3fn", redundant=16, batch=40)
    assert engines(made) == ("vLLM", "SGLang") and engines(replace(made, job="train")) == ("Megatron-LM",)
    assert flags(made, "vLLM") == (
        "--tensor-parallel-size 4 --data-parallel-size 4 --data-parallel-size-local 2 --enable-expert-parallel "
        "--all2all-backend deepep_low_latency --decode-context-parallel-size 2 "
        "--max-model-len 65536 --max-num-seqs 10 --kv-cache-dtype fp8_e4m3 --gpu-memory-utilization 0.92 --enable-eplb "
        "--eplb-config '{\"num_redundant_experts\":16}'"
    )
    assert flags(made, "SGLang") == (
        "--tp-size 16 --dp-size 4 --enable-dp-attention --ep-size 16 --moe-a2a-backend deepep --dcp-size 2 --nnodes 2 "
        "--context-length 65536 --max-running-requests 40 --kv-cache-dtype fp8_e4m3 --mem-fraction-static 0.92 "
        "--ep-num-redundant-experts 16"
    )
    assert untold(made, "vLLM") == untold(made, "SGLang") == []
    assert "deepep_high_throughput" in flags(replace(made, job="prefill"), "vLLM")
    assert untold(replace(made, ep=8, etp=1), "SGLang") == ["ep 8: SGLang deals experts over all 16 GPUs"]
    four = replace(made, cache_dtype="float4_e2m1fn")
    assert "--kv-cache-dtype fp4_e2m1 " in flags(four, "SGLang") and "kv-cache" not in flags(four, "vLLM")
    assert untold(four, "vLLM") == ["a cache in float4_e2m1fn"]
    copies = layout(tp=2, batch=64)  # four whole copies: SGLang limits each
    assert "--max-running-requests 16 " in flags(copies, "SGLang")
    assert untold(replace(made, ep=8, etp=2), "vLLM") == [
        "ep 8: vLLM deals experts over all 16 GPUs",
        "etp 2 beside ep 8",
    ]
    assert flags(layout(tp=8), "vLLM").startswith("--tensor-parallel-size 8 --max-model-len")
    assert "--data-parallel-size 4 --enable-expert-parallel" in flags(layout(tp=2, ep=8), "vLLM")  # all on one node
