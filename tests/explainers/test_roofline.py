"""explainers/roofline: work and bytes are the gallery's and torch's, bounds follow from them, goals and words hold."""

import json
import random
from functools import partial
from pathlib import Path

import pytest

from cutaway import explainers
from cutaway.app.roofline import section as of_page
from cutaway.app.site import Site
from cutaway.gallery import catalog, flops, memory
from cutaway.gallery.counting import blocks
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import Layout
from tests.tally import Tally

roofline = explainers.reference("roofline")
GOLDEN = json.loads(Path(__file__).with_name("golden_roofline.json").read_text("utf-8"))
DATA = partial(explainers.data, "roofline")  # read when a test asks
FORMS = {"16 bits": "bfloat16", "FP8": "fp8", "FP4": "fp4"}
HALVES = ("mixer", "past", "mlp", "head")
V3, QWEN = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-30B-A3B"


def at(**state) -> dict:
    """What the page prints in a state; what is not legal fails."""
    whole = {**roofline.STATE, **state}
    assert roofline.check(whole, DATA()) == ""
    return roofline.compute(whole, DATA())


# ---------------------------------------------------------------- work and bytes


@pytest.mark.parametrize("slug", GOLDEN["models"])
def test_work_and_bytes_are_what_torch_counts(slug, verified):
    """Products with weights to the last FLOP; attention too, of which a prompt needs a little more than half."""
    found, tokens = GOLDEN["models"][slug], GOLDEN["tokens"]
    tally = Tally()
    for job, needed in (("decode", 1.0), ("prefill", (tokens + 1) / (2 * tokens))):
        now = at(model=slug, job=job, context=tokens)
        tally.same(now["total"]["flops"] - now["past"]["flops"], found[job]["weights"], job)
        tally.same(now["past"]["flops"], found[job]["past"] * needed, job)
    for kind in ("weights", "cache"):
        tally.same(now["total"][kind], found[kind], kind)
    source = f"torch {GOLDEN['torch']} over transformers {GOLDEN['transformers']}"
    verified("roofline: FLOPs and bytes of whole models", tally, against=source)


def wrong_of(slug: str, context: int) -> list[str]:
    """What does not add up for one model, opened by its name alone."""
    spec, wrong = catalog.spec(slug), []
    for job in ("decode", "prefill"):
        now = at(model=slug, job=job, context=context)
        head = now["head"]["flops"] * (context - 1) * (job == "prefill")  # logits of the last token alone
        same = now["total"]["flops"] + head == pytest.approx(
            flops(spec, context, job == "prefill").total_flops, rel=1e-12
        )
        wrong += [] if same else [f"{slug}: FLOPs of {job}"]
    wrong += [] if now["total"]["cache"] == memory(spec, context).total_bytes else [f"{slug}: cache"]
    told = roofline.models.sheet(spec)
    parts = sum(one["weights"] + sum(size for size, *_ in one["experts"]) for one in told["blocks"])
    wrong += [] if 0 < parts <= now["room"]["weights"] else [f"{slug}: weights {parts}"]
    whole = of_page.sheet(Site().view(slug)) if slug in (V3, QWEN) else None
    if whole:  # a mixer in two is the mixer whole
        both = [sum(one[word] for one in sheet["blocks"]) for sheet in (told, whole) for word in ("token", "weights")]
        norms = next(one["weights"] for one in told["blocks"] if one["half"] == blocks.AROUND)
        wrong += [] if (both[0], both[1] - norms) == (both[2], both[3]) else [f"{slug}: {both}"]
    return wrong


@pytest.mark.whole
@pytest.mark.parametrize("every", [pytest.param(12), pytest.param(1, marks=pytest.mark.patient)])
def test_every_model_opens_by_its_name_alone_and_adds_up(every, verified):
    """FLOPs of a token and of a prompt, cache and weights of models of the whole catalogue, at random contexts."""
    dice = random.Random(5)
    slugs = [slug for slug, _ in DATA()["names"]]
    assert slugs and {row.slug for row in catalog.gallery_rows()} == set(slugs) == {*DATA()["models"], *DATA()["apart"]}
    tally = Tally()
    for slug in sorted({V3, QWEN, *slugs[::every]}):
        tally.same(wrong_of(slug, dice.randint(1, 2**20)), [])
    verified("roofline: models opened from a link with only a name", tally, against="gallery.flops and gallery.memory")


# ---------------------------------------------------------------- bounds


def test_a_token_by_hand():
    """Llama 3.1 8B: 15.01 GB and as many FLOP, 4.48 ms on an H100, 295 times less if arithmetic were all."""
    h, kv, mlp, words = 4096, 1024, 14336, 128256
    matrices = 32 * (2 * h * h + 2 * h * kv + 3 * h * mlp) + words * h
    now = at(context=1)
    assert now["total"]["weights"] == 2 * (matrices + 65 * h) == 15_009_849_344
    assert now["total"]["flops"] == 2 * matrices + 4 * 32 * h
    assert now["total"]["ms"] == pytest.approx((now["total"]["weights"] + 131_072) / 3.35e9)
    assert (round(now["total"]["ms"], 2), round(now["total"]["flops_ms"], 4)) == (4.48, 0.0152)
    assert round(now["total"]["bytes_ms"] / now["total"]["flops_ms"]) == 295 == round(now["device"]["ridge"])


def test_the_figures_of_the_design():
    """Batch at the ridge, attention that stays, where the cache outgrows the weights, a prompt, the two goals."""
    assert at()["mlp"]["waits"] == 295
    past = [at(batch=n, context=c)["past"]["intensity"] for n in (1, 64, 4096) for c in (1, 8192, 2**20)]
    assert past == [4.0] * 9
    assert round(at(model=V3)["past"]["intensity"]) == 242
    assert at()["rule"] == {"tokens": 114_516, "sequences": 14}
    prompt = at(job="prefill")
    assert round(prompt["total"]["ms"], 1) == 133.7 and round(prompt["past_share"], 2) == 0.13
    served = [at(batch=64, gpu=gpu)["total"]["ms"] for gpu in ("h100_sxm", "h200_sxm")]
    assert [round(ms, 2) for ms in served] == [24.99, 17.44]


def test_where_one_passes_another_is_where_the_numbers_say():
    """One sequence or token further, the other is larger; what never passes is said to."""
    for slug in (
        "meta-llama/Llama-3.1-70B",
        QWEN,
        "moonshotai/Kimi-Linear-48B-A3B-Base",
        "deepseek-ai/DeepSeek-V4-Pro",
    ):
        now = at(model=slug)
        for name in ("mixer", "mlp"):
            batch = now[name]["waits"]
            sides = [at(model=slug, batch=n)[name]["intensity"] <= now["device"]["ridge"] for n in (batch, batch + 1)]
            assert sides == [True, False], (slug, name, batch)
        sums = [at(model=slug, batch=now["rule"]["sequences"] + n)["total"] for n in (-1, 0)]
        assert [one["cache"] > one["weights"] for one in sums] == [False, True], slug
        tokens = at(model=slug, batch=512)["rule"]["tokens"]
        sums = [at(model=slug, batch=512, context=tokens + n)["total"] for n in (0, 1)]
        assert [one["cache"] > one["weights"] for one in sums] == [False, True], slug
    assert at(model=QWEN)["mlp"]["waits"] == 4693
    fixed = at(model="NX-AI/xLSTM-7b")
    assert fixed["rule"]["tokens"] == -1 and "never outgrows" in fixed["rule_says"]
    many = at(model="NX-AI/xLSTM-7b", batch=4096)
    assert many["rule"] == {"tokens": 0, "sequences": fixed["rule"]["sequences"]}
    assert "larger than the weights that a step reads at any length" in many["rule_says"]


def test_devices_and_rates():
    """Devices are the planner's; the fastest block runs at its format's peak, the past at that of 16 bits."""
    assert [one["key"] for one in DATA()["devices"]] == list(DEVICES)
    for key, device in DEVICES.items():
        now = at(model=V3, gpu=key, gpus=2)["device"]
        assert now["room"] == 2 * int(device.memory_bytes * Layout.__dataclass_fields__["used"].default)
        assert (now["peak"], now["plain"]) == (
            device.peaks.get("fp8", device.peaks["bfloat16"]),
            device.peaks["bfloat16"],
        )
        assert now["plain_ridge"] == device.peaks["bfloat16"] / device.bandwidth_bytes
    passing = [key for key in DEVICES if at(model=V3, gpu=key)["past"]["intensity"] > at(gpu=key)["device"]["ridge"]]
    assert {"a100_pcie", "a100_sxm", "a30", "b60", "h200_sxm"} <= set(passing) < set(DEVICES)
    one, four = (at(gpus=n, batch=32)["total"] for n in (1, 4))
    assert one["ms"] == pytest.approx(4 * four["ms"]) and four["rate"] == pytest.approx(4 * one["rate"])


RUNS = [  # model, GPU, forms of mixers, MLPs and the head
    ("moonshotai/Kimi-K2.5", "b200_sxm", {"16 bits"}, {"16 bits"}, "16 bits", "; only the weights are INT4."),
    ("openai/gpt-oss-120b", "b200_sxm", {"16 bits"}, {"16 bits"}, "16 bits", "; only the weights are MXFP4."),
    ("openai/gpt-oss-120b", "h100_sxm", {"16 bits"}, {"16 bits"}, "16 bits", "in 16 bits, at 989 TFLOP/s per GPU"),
    ("Qwen/Qwen3-8B-AWQ", "h100_sxm", {"16 bits"}, {"16 bits"}, "16 bits", "; only the weights are INT4."),
    (V3, "h100_sxm", {"FP8"}, {"FP8"}, "16 bits", "in 16 bits, at 989 TFLOP/s (output head)."),
    (V3, "a100_sxm", {"16 bits"}, {"16 bits"}, "16 bits", "run in 16 bits, at 312 TFLOP/s per GPU."),
    ("deepseek-ai/DeepSeek-V4-Flash", "b200_sxm", {"FP8"}, {"FP8"}, "16 bits", "run in FP8, at 4,500 TFLOP"),
    ("nvidia/Kimi-K2.7-Code-NVFP4", "b200_sxm", {"16 bits"}, {"FP4", "16 bits"}, "16 bits", "run in FP4, at 9,000"),
    ("nvidia/Kimi-K2.7-Code-NVFP4", "h100_sxm", {"16 bits"}, {"FP8", "16 bits"}, "16 bits", "run in FP8, at 1,978"),
    ("nvidia/MiniMax-M3-NVFP4", "b200_sxm", {"FP8"}, {"FP4", "FP8"}, "16 bits", "in FP8, at 4,500 TFLOP/s (GQA"),
    (QWEN, "b200_sxm", {"16 bits"}, {"16 bits"}, "16 bits", "run in 16 bits, at 2,250 TFLOP/s per GPU."),
]


@pytest.mark.parametrize(("slug", "gpu", "mixers", "mlps", "head", "says"), RUNS)
def test_products_run_in_the_formats_that_the_config_says(slug, gpu, mixers, mlps, head, says):
    """Where weights alone are quantised, or a block is left as it is, the peak is that of 16 bits; words say which."""
    now = at(model=slug, gpu=gpu)
    forms = {half: {row["form"] for row in now["rows"] if row["half"] == half and row["flops"]} for half in HALVES}
    assert (forms["mixer"], forms["mlp"], forms["head"]) == (mixers, mlps, {head})
    assert forms["past"] <= {"16 bits"} and says in now["peaks_says"]


def test_weights_alone_by_hand():
    """What was wrong once: INT4 and MXFP4 weights turned their ridge into that of FP4."""
    kimi = at(model="moonshotai/Kimi-K2.5", gpu="b200_sxm", job="prefill")
    assert (kimi["device"]["tflops"], round(kimi["device"]["ridge"]), kimi["mixer"]["waits"]) == (2250, 292, 292)
    oss = at(model="openai/gpt-oss-120b", job="prefill")
    assert (round(oss["device"]["ridge"]), oss["mixer"]["waits"]) == (295, 295)
    each = 2 * (2 * 2880 * 64 * 64 + 2 * 2880 * 8 * 64)  # q and o, k and v
    assert oss["mixer"]["ms"] == pytest.approx(1e3 * 36 * each * 8192 / 989e12)


def now_tokens(case: dict) -> int:
    """The tokens of a step: one of each sequence, or all of its prompt."""
    return case["batch"] * case["context"] if case["job"] == "prefill" else case["batch"]


def test_a_block_waits_for_the_longer_of_its_two_times():
    """The sum of all blocks is the step; shares add up to one; a point lies on the roof."""
    rng = random.Random(8)
    for case in rng.sample(roofline.cases()[9:], 40):
        now = at(**case)
        for row in now["rows"]:
            assert row["ms"] == max(row["flops_ms"], row["bytes_ms"])
            assert (row["binds"] == "arithmetic") == (row["flops_ms"] > row["bytes_ms"])
            peak = DEVICES[case["gpu"]].peaks[FORMS[row["form"]]]
            assert peak == row["peak"] and (row["half"] != "past" or peak == now["device"]["plain"])
            roof = min(peak, row["intensity"] * now["device"]["bandwidth"])
            assert row["tflops"] == pytest.approx(roof / 1e12)
        assert sum(row["share"] for row in now["rows"]) == pytest.approx(1)
        assert now["rows"][now["most"]]["ms"] == max(row["ms"] for row in now["rows"])
        assert now["total"]["rate"] * now["total"]["ms"] == pytest.approx(1e3 * now_tokens(case))


# ---------------------------------------------------------------- goals and words

MISSED = [
    ("serve", {}, "64 sequences of 8,192"),
    ("serve", {"batch": 64}, "On H100 SXM, a step takes 24.99 ms, but weights and cache would fill 84.8 GB of 79.0 GB"),
    ("serve", {"batch": 64, "kv": "fp8", "gpu": "a100_sxm"}, "reached"),
    ("serve", {"batch": 64, "gpu": "rtx_pro_6000_server"}, "but a step takes 46.72 ms"),
    ("serve", {"batch": 64, "gpus": 2}, "one GPU"),
    ("turned", {}, "needs DeepSeek V3"),
    ("turned", {"model": V3}, "242 FLOP per byte, and the ridge of H100 SXM in 16 bits is 295: attention is bound by"),
    ("turned", {"model": V3, "job": "prefill"}, "decoding"),
]


@pytest.mark.parametrize(("goal", "changes", "says"), MISSED)
def test_a_goal_that_is_missed_says_why(goal, changes, says, of_beats):
    """Near misses are named; an A100 with a small cache is a third way."""
    [made] = of_beats("roofline", "goals", goal, [{**roofline.STATE, **changes}])
    assert made["reached"] == (says == "reached")
    assert says in made["says"] or made["reached"]


def test_goals_are_reached_where_the_reference_says(of_beats):
    """On every device and with either cache: 64 sequences fit and take 25 ms; DeepSeek V3's past is past the ridge."""
    each = [{"gpu": key, "kv": kv} for key in DEVICES for kv in ("bf16", "fp8")]
    loads = [{**roofline.STATE, "batch": 64, **one} for one in each]
    now = [at(**one) for one in loads]
    right = [one["room"]["held"] <= one["room"]["room"] and one["total"]["ms"] <= 25 for one in now]
    assert [one["reached"] for one in of_beats("roofline", "goals", "serve", loads)] == right
    loads = [{**roofline.STATE, "model": V3, **one} for one in each]
    now = [at(**one) for one in loads]
    turned = [one["past"]["intensity"] > one["device"]["plain_ridge"] for one in now]
    assert [one["reached"] for one in of_beats("roofline", "goals", "turned", loads)] == turned
    assert 0 < sum(right) < len(right) and 0 < sum(turned) < len(turned)


def test_what_the_words_claim():
    """Marks, factors and comparisons that stand in page.md as words."""
    one, experts = explainers.load("roofline").beats[0], explainers.load("roofline").beats[4]
    assert one.bet.marks[0]["at"] == round(at(context=1)["total"]["flops_ms"], 4)
    assert experts.bet.marks[0]["at"] == at(model=QWEN)["mixer"]["waits"] == 295
    h100, slow, fast = (DEVICES[key] for key in ("h100_sxm", "l4", "b200_sxm"))
    for speed in (lambda d: d.bandwidth_bytes, lambda d: d.peaks["bfloat16"]):
        assert speed(slow) < speed(h100) < speed(fast)
    times = [at(batch=n)["mlp"]["ms"] for n in (1, 64, 1024)]
    assert times[0] == times[1] < times[2]
    assert at(context=131_072)["total"]["cache"] > at()["total"]["weights"]  # a book
    assert at(batch=64)["total"]["cache"] > at()["total"]["weights"]  # 64 short talks
    assert sum(at(context=n)["total"]["ms"] for n in (1, 8192)) / 2 * 8192 > 30_000  # one by one: over half a minute
    assert roofline.sheet_of(QWEN, DATA())["blocks"][3]["experts"][0][1:] == [128, 8]  # a sixteenth
    assert roofline.sheet_of("mistralai/Mixtral-8x7B-v0.1", DATA())["blocks"][3]["experts"][0][1:] == [8, 2]
    fp8 = at(model=V3)["device"]
    assert fp8["ridge"] == 2 * fp8["plain_ridge"]
    short, long = (at(job="prefill", context=n) for n in (64, 131_072))
    assert {row["binds"] for row in short["rows"]} <= {"reading weights", "reading its cache", "nothing"}
    assert long["rows"][long["most"]]["half"] == "past" and long["rows"][long["most"]]["binds"] == "arithmetic"
    assert h100.peaks["bfloat16"] / h100.bandwidth_bytes > 100  # hundreds of times faster than it reads
