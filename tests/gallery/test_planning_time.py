"""What ranks send, and the least time of a step: against published formulas, and never above what was measured."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.counting.flops import layer_work
from cutaway.gallery.planning import seconds
from cutaway.gallery.planning.communication import combine_bytes, dispatch_bytes, list_collectives
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.formulas import formulas
from cutaway.gallery.planning.layout import Layout, LayoutError
from cutaway.gallery.planning.planner_model import make_planner_model
from cutaway.gallery.planning.reach import count_other_parts
from cutaway.gallery.planning.seconds import BINDS, Bound, bind_step, peak, product_dtype, stage_bounds, visited_share
from cutaway.gallery.planning.sharding.weights import list_pieces
from cutaway.gallery.planning.work import stage_flops, training_flops
from cutaway.gallery.wiring import layer_graph
from tests.gallery.sheets import layout, sheet_of, spec_of

ORACLE = Path(__file__).resolve().parents[1] / "oracle"
V3, LLAMA, QWEN = "deepseek-ai/DeepSeek-V3", "meta-llama/Llama-3.1-70B", "Qwen/Qwen3-32B"


def rows(name):
    """The rows of an oracle's table."""
    lines = (ORACLE / name).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def sent(slug, made, stage=0):
    """{axis: [its communicators]} of one rank of a stage."""
    model, out = sheet_of(slug), {}
    for talk in list_collectives(model, plan(model, made), stage):
        out.setdefault(talk.axis, []).append(talk)
    return out


# ---------------------------------------------------------------- FLOPs


def test_training_flops_are_megatrons():
    """DeepSeek-V3: 1,635 TFLOP/s over 6,288 tokens/s and GPU are 260.0 GFLOP a token, with the further-token layer."""
    spec, model = spec_of(V3), sheet_of(V3)
    assert float(training_flops(model, 4_096)) / 1e9 == pytest.approx(1_635e3 / 6_288, rel=0.005)
    plain = float(training_flops(model, 4_096, mtp=False)) / 1e9
    joined, head = 7_168 * 2 * 7_168, 129_280 * 7_168  # eh_proj, and the head once more
    layer = layer_work(None, layer_graph(spec, spec.mtp[0]), 4_096, True).flops / 4_096
    more = float(training_flops(model, 4_096) - training_flops(model, 4_096, mtp=False))
    assert more == pytest.approx(3 * (layer + 2 * joined + 2 * head))
    assert plain == pytest.approx(6 * (37.5523 - 129_280 * 7_168 / 1e9) + 3 * 10.2366, abs=0.05)


def test_stages_share_the_work():
    """Over all stages and tensor ranks the FLOPs are those of gallery.flops, the head's last."""
    from cutaway.gallery import flops

    spec, model, made = spec_of(LLAMA), sheet_of(LLAMA), layout(job="train", pp=2, tp=4, batch=8)
    found = flops(spec, 4_096, prefill=True)
    assert sum(stage_flops(model, made)) * 4 == found.total_flops
    less = sum(stage_flops(model, made, head=False)) * 4
    assert found.total_flops - less == found.layers[-1].flops > 0
    asked = sum(stage_flops(model, replace(made, job="prefill"))) * 4
    assert asked - less == found.layers[-1].flops // 4_096
    assert sum(stage_flops(model, replace(made, job="decode"))) * 4 == flops(spec, 32_768).total_flops


# ---------------------------------------------------------------- who sends how much


def test_a_token_to_an_expert_and_back():
    """DeepEP's rows: 7,392 bytes dispatched in FP8 with scales, 14,336 combined in BF16, for a width of 7,168."""
    assert (dispatch_bytes(7_168, True), combine_bytes(7_168), dispatch_bytes(7_168, False)) == (7_392, 14_336, 14_336)
    found = sent(V3, layout(nodes=2, ep=16, batch=16))["ep"]
    assert [talk.bytes for talk in found] == [58 * 8 * 15 // 16 * 7_392 * 2 // 2, 58 * 8 * 15 // 16 * 14_336]
    assert [talk.calls for talk in found] == [58, 58]
    tensor = sent(V3, layout(nodes=2, tp=2, ep=16, batch=16))["ep"]  # two ranks share the two sequences of a part
    assert tensor[0].bytes == found[0].bytes


def test_a_token_goes_once_to_each_node():
    """Node-limited routing on 8 nodes: four at most, 3.47 others on average; under 5.04 MB a token, both ways."""
    moe = sheet_of(V3)["kinds"][-1]["experts"][0]
    found = sent(V3, layout(nodes=8, ep=64, batch=64, job="prefill", sequence=1))["ep"]
    bytes_ = sum(talk.leaving_bytes for talk in found)
    assert bytes_ == pytest.approx(58 * count_other_parts(moe, 8) * (7_392 + 14_336), rel=1e-6)
    assert 58 * 3.46 * (7_392 + 14_336) < bytes_ < 58 * 3.48 * (7_392 + 14_336) < 5.04e6
    assert all(talk.leaving_bytes == 0 for talk in sent(V3, layout(ep=8, batch=8))["ep"])


def test_while_decoding_every_expert_gets_a_copy_of_its_own():
    """DeepEP's low-latency kernels send a message for each chosen expert, inside a node or out of it: V3's 34 tokens a
    GPU on two nodes send 4 copies each to the other node, 58 MB, not 14.5; several experts of a rank get several."""
    out, back = sent(V3, layout(nodes=2, ep=16, batch=16 * 34))["ep"]
    assert out.leaving_bytes == 58 * 34 * 8 // 2 * 7_392 == pytest.approx(58.3e6, rel=1e-3)
    assert back.leaving_bytes == 58 * 34 * 8 // 2 * 14_336
    few, _ = sent(V3, layout(device="b200_sxm", nodes=1, per_node=4, ep=4, batch=4))["ep"]
    assert few.bytes == 58 * 8 * 3 // 4 * 7_392


@pytest.mark.parametrize("slug", [V3, "Qwen/Qwen3-235B-A22B", "inclusionAI/Ling-flash-2.0", "openai/gpt-oss-120b"])
@pytest.mark.parametrize("nodes", [1, 2, 4, 8])
@pytest.mark.parametrize("job", ["train", "prefill", "decode"])
def test_what_leaves_the_node_is_never_more_than_what_is_sent(slug, nodes, job):
    """Whether a copy goes to each rank or to each expert, both ways; on one node nothing leaves."""
    for talk in sent(slug, layout(nodes=nodes, ep=8 * nodes, job=job, batch=8 * nodes, sequence=8))["ep"]:
        assert 0 <= talk.leaving_bytes <= talk.bytes
        assert (talk.leaving_bytes > 0) == (nodes > 1)


def test_tensor_ranks_meet_twice_a_layer():
    """Llama 70B at 8,192 tokens and tp 8: 470 MB a layer going forth, half as much again going back, where what the
    sequence's parts were gathered for is gathered once more (arXiv 2205.05198); seven gathers where all is redone."""
    made = layout(job="train", tp=8, sequence=8_192, batch=1)
    (talk,) = sent(LLAMA, made)["tp"]
    assert talk.bytes / 80 / 5 * 2 / 1e6 == pytest.approx(470, abs=0.5)
    assert (talk.calls, talk.ranks, talk.leaving_bytes) == (80 * 2 * 5, 8, 0)
    (redone,) = sent(LLAMA, replace(made, recompute="full"))["tp"]
    assert redone.bytes == pytest.approx(talk.bytes * 7 / 5)
    (more,) = sent(LLAMA, replace(made, batch=3))["tp"]
    assert more.bytes == pytest.approx(3 * talk.bytes)
    assert "tp" not in sent(LLAMA, replace(made, tp=1, batch=8))
    (side,) = sent("tiiuae/falcon-40b", layout(job="decode", tp=8, context=1_024, batch=1))["tp"]
    assert side.calls == 60  # mixer and MLP side by side meet once
    (apart,) = sent(V3, layout(tp=8, ep=8, batch=1))["tp"]
    (cut,) = sent(V3, layout(tp=8, etp=8, batch=1))["tp"]
    assert (apart.calls, cut.calls) == (61 * 2, 61 * 2)  # its shared experts are cut over tp in any case
    (routed,) = sent("Qwen/Qwen3-235B-A22B", layout(tp=4, ep=8, batch=1))["tp"]
    assert routed.calls == 94  # attention alone
    (wide,) = sent("Qwen/Qwen3-235B-A22B", layout(tp=4, etp=8, batch=1))["tp"]
    assert wide.calls == 94  # experts are cut over both parts
    (long,) = sent("meituan-longcat/LongCat-Flash-Chat", layout(tp=8, ep=8, batch=1))["tp"]
    assert long.calls == 28 * 4  # two mixers and two dense MLPs a layer, one after the other
    (both,) = sent("tiiuae/Falcon-H1-7B-Instruct", layout(tp=4, batch=1))["tp"]
    assert both.calls == 44 * 2  # attention and state space side by side


def test_two_nodes_sum_within_each_first():
    """Sixteen tensor ranks on two nodes: half of the tensor leaves each node, an eighth of it through every rank."""
    (talk,) = sent(QWEN, layout(nodes=2, tp=16, batch=4))["tp"]
    size = 64 * 2 * 4 * 5_120 * 2
    assert (talk.bytes, talk.leaving_bytes) == (2 * size * 15 // 16, 2 * size // 2 // 8)


@pytest.mark.parametrize(("zero", "times"), [(0, 2 * 4), (1, 4 + 2), (2, 4 + 2), (3, 4 + 2 * 2)])
def test_zero_sends_what_it_deals_out(zero, times):
    """Gradients of 4 bytes are summed, weights of 2 gathered once, with stage 3 twice; (n - 1) / n of each is sent."""
    spec = spec_of(QWEN)
    total = sum(piece.size for piece in list_pieces(spec))
    found = sent(QWEN, layout(nodes=8, job="train", zero=zero, batch=64))["dp"]
    assert sum(talk.bytes for talk in found) == pytest.approx(times * total * 63 / 64, rel=1e-9)
    assert sum(talk.leaving_bytes for talk in found) == pytest.approx(times * total * 7 / 8 / 8, rel=1e-9)


def test_experts_meet_their_own_copies():
    """Experts sum gradients over edp ranks, the rest over dp; with edp 1 they meet nobody."""
    made = layout(nodes=4, job="train", ep=8, batch=32)
    found = sent(V3, made)
    assert [talk.ranks for talk in found["dp"]] == [32, 32]
    assert [(talk.ranks, talk.calls) for talk in found["edp"]] == [(4, 1), (4, 1)]
    assert [talk.calls for talk in sent(V3, replace(made, zero=3))["edp"]] == [1, 2]
    assert found["edp"][0].leaving_bytes == found["edp"][0].bytes  # its copies stand in four nodes
    assert "edp" not in sent(V3, replace(made, ep=32))


def test_context_ranks_send_keys_and_values_of_few_heads():
    """(c - 1) / c x 2 s K d bytes a layer going forth: K heads, not H; going back they come once more, and their
    gradients. A latent is unpacked before it travels."""
    (talk,) = sent(QWEN, layout(job="train", cp=4, tp=2, batch=1, sequence=8_192))["cp"]
    assert talk.bytes == 64 * 3 * (8_192 * 2 * 4 * 128 * 2) * 3 // 4
    (latent,) = sent(V3, layout(job="train", cp=8, batch=1, sequence=8_192))["cp"]
    assert latent.bytes == 61 * 3 * 8_192 * 128 * (192 + 128) * 2 * 7 // 8
    (ulysses,) = sent(QWEN, layout(job="train", cp=4, tp=2, batch=1, sequence=8_192, cp_kind="ulysses"))["cp"]
    assert ulysses.bytes == 64 * 2 * (8_192 * (32 + 4) * 256 // 4 * 2) * 3 // 4


def test_stages_send_the_stream():
    """Each chunk of a micro-batch sends the stream on, its gradient back, not at the ends; tensor ranks send parts."""
    made = layout(nodes=4, job="train", tp=2, pp=4, chunks=2, batch=16)
    (talk,) = sent(QWEN, made)["pp"]
    assert (talk.calls, talk.bytes) == (3 * 4, 3 * 4 * 4_096 * 5_120 * 2 // 2)  # nothing goes back from the first chunk
    assert [sent(QWEN, made, stage)["pp"][0].calls for stage in range(4)] == [3 * 4, 4 * 4, 4 * 4, 3 * 4]
    assert talk.leaving_bytes == talk.bytes
    assert sent(QWEN, replace(made, nodes=1, batch=4))["pp"][0].leaving_bytes == 0


# ---------------------------------------------------------------- at least


def test_decoding_reads_weights_and_cache():
    """The memory's time is that of the weights but the embedding table, of the visited experts, and of the cache."""
    spec, model = spec_of(V3), sheet_of(V3)
    found = plan(model, layout(tp=8, etp=8, batch=4))
    rank = found.fullest
    table = next(piece.bytes for piece in list_pieces(spec) if piece.part == "embedding") / 8
    share = 1 - (1 - 8 / 256) ** 4
    reads = rank.weights_bytes - table + rank.experts_bytes * share + 4 * rank.sequence_cache_bytes
    assert bind_step(model, found).memory * 4.8e12 == pytest.approx(float(reads), rel=1e-6)
    assert visited_share(model, 4) == pytest.approx(share)
    assert visited_share(sheet_of(QWEN), 4) == 0.0
    tied = plan(sheet_of("google/gemma-2-2b"), layout(per_node=1, batch=1)).fullest
    assert tied.lookup_bytes == 0 < plan(model, layout(per_node=1, batch=1)).fullest.lookup_bytes


def test_a_training_step_takes_its_products_and_the_bubble():
    """FLOPs over GPUs and peak, times 1 + (p - 1) / (v m) on the slowest stage; recomputing all costs a third more."""
    model = sheet_of(LLAMA)
    made = layout(nodes=8, job="train", tp=8, pp=4, batch=32)
    found = bind_step(model, plan(model, made))
    last = stage_flops(model, made)[-1]
    assert found.products == pytest.approx(float(3 * last * 32 / 2 / 989_000_000_000_000))
    first = stage_flops(model, made)[0] / last  # the head makes the last stage slower: it waits for quicker ones
    assert (found.bubble, found.seconds) == (3 / 16, pytest.approx(found.products * (1 + first * 3 / 16)))
    assert found.binds == BINDS[0]
    twice = bind_step(model, plan(model, replace(made, recompute="full")))
    assert found.products < twice.products < found.products * 4 / 3
    assert bind_step(model, plan(model, replace(made, chunks=2))).bubble == 3 / 32


def test_a_token_passes_every_stage():
    """Serving over two stages: the times of both add up; what binds is the largest sum."""
    model = sheet_of(QWEN)
    one, two = (bind_step(model, plan(model, layout(pp=pp, batch=8 // pp))) for pp in (1, 2))
    cache = plan(model, layout(pp=1, batch=8)).fullest.cache_bytes / layout().device.bandwidth_bytes
    assert two.memory == pytest.approx(one.memory, rel=0.01) and cache > 0.02 * one.memory
    assert Bound(1, 3, 2, 0).binds == "memory" and Bound(1, 3, 2, 4).seconds == 4
    assert Bound(0.1, 0.2, 0, 0, bubble=0.5).binds == "memory"  # a share is no time


@pytest.mark.parametrize(
    ("device", "more", "wanted"),
    [
        ("h100_sxm", {}, "bfloat16"),
        ("h100_sxm", {"weights_dtype": "fp8"}, "fp8"),
        ("a100_sxm", {"weights_dtype": "fp8"}, "bfloat16"),
        ("h100_sxm", {"weights_dtype": "fp4"}, "fp8"),
        ("b200_sxm", {"weights_dtype": "fp4"}, "fp4"),
        ("b200_sxm", {"weights_dtype": "int4"}, "bfloat16"),
        ("b200_sxm", {"weights_dtype": "int8"}, "fp8"),
        ("b200_sxm", {"weights_dtype": "fp4", "job": "train"}, "bfloat16"),
        ("b200_sxm", {"compute_dtype": "fp8", "job": "train"}, "fp8"),
    ],
)
def test_products_run_as_fast_as_their_format(device, more, wanted):
    """The peak is that of the format asked for, or the fastest that the weights and the device allow."""
    assert peak(layout(device=device, **more), sheet_of(QWEN)) == DEVICES[device].peaks[wanted]


@pytest.mark.parametrize(
    ("slug", "device", "wanted"),
    [
        (QWEN, "b200_sxm", "bfloat16"),
        (V3, "b200_sxm", "fp8"),
        (V3, "a100_sxm", "bfloat16"),
        ("moonshotai/Kimi-K2.5", "b200_sxm", "bfloat16"),
        ("Qwen/Qwen3-8B-AWQ", "h100_sxm", "bfloat16"),
        ("openai/gpt-oss-120b", "b200_sxm", "fp8"),
        ("openai/gpt-oss-120b", "a100_sxm", "bfloat16"),
        ("moonshotai/Kimi-K3", "b200_sxm", "fp8"),
        ("deepseek-ai/DeepSeek-V4-Flash", "b200_sxm", "fp8"),
        ("nvidia/Kimi-K2.7-Code-NVFP4", "b200_sxm", "fp4"),
        ("nvidia/Kimi-K2.7-Code-NVFP4", "h100_sxm", "fp8"),
        ("nvidia/MiniMax-M3-NVFP4", "b200_sxm", "fp4"),
    ],
)
def test_weights_as_stored_run_as_fast_as_an_engine_can(slug, device, wanted):
    """INT4 is unpacked; MXFP4 alone meets FP8 at best; FP4 of both sides has FP4's peak; the formula says which."""
    model, made = sheet_of(slug), layout(8, device=device)
    assert peak(made, model) == DEVICES[device].peaks[wanted]
    assert product_dtype(made, model) == (model["products"], model["products_says"])
    found = plan(model, made)
    told = next(one for one in formulas(model, found, 0, stage_bounds(model, found)[0]) if one.what == "products")
    assert f"at the device's full rate in {wanted}: {model['products_says']}" in told.says


def test_a_format_without_a_peak_is_a_sentence():
    """A device that does not compute in a format says which ones it has."""
    with pytest.raises(LayoutError, match=r"^a100_sxm has no peak for 'fp8'; known are bfloat16\.$"):
        peak(layout(device="a100_sxm", compute_dtype="fp8"), sheet_of(QWEN))


def test_each_copy_of_the_experts_meets_its_own_tokens():
    """Whole copies with a reader each read what one token visits; ranks that share experts, what eight tokens do."""
    qwen = make_planner_model(catalog.spec("Qwen/Qwen3-235B-A22B"))
    alone = Layout(DEVICES["h100_sxm"], 1, 8, batch=8, context=1_024)
    for ep, share in ((1, 8 / 128), (8, 1 - (1 - 8 / 128) ** 8)):
        found = plan(qwen, replace(alone, ep=ep))
        rank = found.ranks[0]
        always = rank.weights_bytes - rank.lookup_bytes + rank.cache_bytes
        assert seconds.read_bytes(qwen, found, rank) == pytest.approx(always + share * rank.experts_bytes)


def test_experts_cut_over_parts_gather_their_tokens():
    """Ranks of an etp group see each other's tokens and sum what the experts give: (n - 1) / n of it, twice."""
    (talk,) = sent(V3, layout(etp=8, batch=8))["etp"]
    assert (talk.bytes, talk.calls, talk.ranks) == (58 * 2 * 7 * 7_168 * 2, 58 * 2, 8)
    (both,) = sent(V3, layout(ep=2, etp=4, batch=8))["etp"]  # a token goes to both expert ranks
    assert both.bytes == 58 * 2 * 3 * 2 * 7_168 * 2
    (busy,) = sent(V3, layout(ep=2, etp=4, batch=8, imbalance=1.5))["etp"]
    assert busy.bytes == 1.5 * both.bytes
    (tensor,) = sent(V3, layout(tp=2, ep=2, etp=4, batch=8))["etp"]  # two ranks share the tokens of a part
    assert tensor.bytes == both.bytes
    assert "etp" not in sent(V3, layout(tp=8, etp=8, batch=8)) and "etp" not in sent(V3, layout(ep=8, batch=8))
    assert "etp" not in sent(QWEN, layout(tp=2, etp=8, batch=8))
    (far,) = sent(V3, layout(nodes=2, etp=16, batch=16))["etp"]
    assert far.leaving_bytes == 58 * 2 * 16 * 7_168 * 2 // 2 // 8
    forth = {"job": "train", "batch": 8, "etp": 8}
    (way,) = sent(V3, layout(**forth))["etp"]
    assert way.bytes == 2 * 4_096 * talk.bytes and way.calls == 2 * talk.calls
