"""What training saves for the way back, what a decoding step reads, and what a pipeline waits for: counted by hand."""

from dataclasses import replace
from math import prod

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.counting import activations as saved_of
from cutaway.gallery.planning.activation_memory import activation_bytes_per_token
from cutaway.gallery.planning.candidates import dense, folds
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.flags import flags
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.rank_memory import list_rank_memory
from cutaway.gallery.planning.search_batched import search_fitting
from cutaway.gallery.planning.seconds import bind_step, stage_bounds, visited_share
from cutaway.gallery.planning.stages import in_flight
from cutaway.gallery.wiring import layer_graph
from tests.gallery.sheets import sheet_of

LLAMA, V3, OSS = "meta-llama/Llama-3.1-70B", "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-20b"


def training(nodes=1, **more):
    return Layout(DEVICES["h100_sxm"], nodes, 8, **{"job": "train", "batch": 64, **more})


def decoding(nodes=1, **more):
    return Layout(DEVICES["h200_sxm"], nodes, 8, **more)


# ---------------------------------------------------------------- activations


def test_gpt_saves_what_was_published():
    """34 bytes a token and unit of width (arXiv 2205.05198, equation 1) less two dropout masks; a sum a head."""
    spec = catalog.spec("openai-community/gpt2-xl")
    found = saved_of.count_activations(layer_graph(spec, spec.layers[0]), 1_600)
    assert 2 * (found.others + found.matrices + found.both) == (34 - 2) * 1_600 + 2 * 2 * 25


# of one token in a layer: what norms read, q, k and v, a sum a head in FP32
DENSE = {"norms read": 2 * 2_880, "q": 4_096, "k and v": 2 * 512, "sums": 2 * 64}
ROUTED = {"arriving": 4 * 2_880, "first": 4 * 2 * 2_880, "last": 4 * 2_880}


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({}, lambda d, n, r: 2 * (d + n + sum(r.values()))),
        ({"compute_dtype": "fp8"}, lambda d, n, r: 2 * (d + r["first"]) + n + r["arriving"] + r["last"]),
        ({"recompute": "parts"}, lambda d, n, r: 2 * (d + r["arriving"] + r["first"])),
        ({"recompute": "parts", "compute_dtype": "fp8"}, lambda d, n, r: 2 * (d + r["first"]) + r["arriving"]),
        ({"imbalance": 1.5, "ep": 8}, lambda d, n, r: 2 * (d + n) + 3 * sum(r.values())),
        ({"etp": 4, "tp": 4}, lambda d, n, r: 2 * (d + n + sum(r.values()) + 3 * r["arriving"])),
    ],
    ids=["all", "fp8", "parts", "parts fp8", "busy", "cut experts"],
)
def test_what_a_layer_of_experts_saves(more, wanted):
    """gpt-oss: a byte less of what matrices alone read in FP8, none of what is computed anew, more on a busy rank, and
    the tokens of all ranks that hold a part of an expert."""
    kind = sheet_of(OSS)["kinds"][0]
    dense, normed = sum(DENSE.values()) + 4_096, 2 * 2_880  # with attention's result, which a matrix reads as well
    assert activation_bytes_per_token(2_880, kind, training(**more)) == wanted(dense, normed, ROUTED)


def test_a_layer_computed_anew_is_there_once():
    """Recomputing all keeps what enters each layer, and everything of the one layer that is being redone."""
    model, made = sheet_of(OSS), training(recompute="full")
    one = max(activation_bytes_per_token(2_880, kind, replace(made, recompute="none")) for kind in model["kinds"])
    ends = 4 * (2_880 + model["vocab_size"])
    assert list_rank_memory(model, made)[0].activations_bytes == 4_096 * (24 * 2 * 2_880 + one + ends)


def test_streams_stand_side_by_side():
    """Four streams enter a layer of DeepSeek-V4 and leave its stage, where other models have one."""
    model, made = sheet_of("deepseek-ai/DeepSeek-V4-Flash"), training(4, pp=4, recompute="full")
    plain = {**model, "streams": 1}
    more = [a.activations_bytes - b.activations_bytes for a, b in zip(*(
        list_rank_memory(one, made) for one in (model, plain)), strict=True)]  # fmt: skip
    layers = [len(rank.layers) for rank in list_rank_memory(model, made)]
    assert model["streams"] == 4
    assert more == [4_096 * 3 * 2 * 4_096 * many * in_flight(stage, made) for stage, many in enumerate(layers)]
    four, one = (next(talk for talk in list_collectives(every, plan(every, made), 0) if talk.axis == "pp")
                 for every in (model, plain))  # fmt: skip
    assert four.bytes == 4 * one.bytes


def test_who_goes_forth_first_keeps_all_logits():
    """GPipe's last stage has the logits of every micro-batch at once, 1F1B's those of one."""
    model, made = sheet_of(LLAMA), training(4, tp=8, pp=4, batch=16)
    logits = 4_096 // 8 * 4 * (8_192 + 128_256)
    last = {
        name: list_rank_memory(model, replace(made, schedule=name))[3].activations_bytes for name in ("gpipe", "1f1b")
    }
    assert last["gpipe"] == 16 * last["1f1b"] > 16 * logits


def test_a_new_operation_must_say_what_it_saves(monkeypatch):
    """An operation that no group has fails the import, and so would one that two have."""
    import importlib

    from cutaway.gallery.operations import OPERATIONS

    monkeypatch.setitem(OPERATIONS, "new", OPERATIONS["add"])
    with pytest.raises(ImportError, match="'new'"):
        importlib.reload(saved_of)
    monkeypatch.undo()
    importlib.reload(saved_of)


# ---------------------------------------------------------------- what a step reads


def test_an_indexer_leaves_most_of_the_cache_unread():
    """DeepSeek-V3.2 reads every indexer key, and 2,048 latents a layer, whatever it has kept."""
    model = sheet_of("deepseek-ai/DeepSeek-V3.2")
    made = decoding(tp=8, ep=8, context=131_072, batch=1)
    found = plan(model, made)
    keys, latents = 61 * 128 * 2, 61 * 576 * 2
    assert found.fullest.sequence_cache_bytes == 131_072 * (keys + latents)
    assert found.fullest.sequence_read_bytes == 131_072 * keys + 2_048 * latents
    unread = (131_072 - 2_048) * latents / made.device.bandwidth_bytes
    blind = [{**kind, "keeps": [[*keep[:-1], None] for keep in kind["keeps"]]} for kind in model["kinds"]]
    whole = plan({**model, "kinds": blind}, made)
    assert whole.fullest.sequence_read_bytes == whole.fullest.sequence_cache_bytes
    assert bind_step(model, whole).memory - bind_step(model, found).memory == pytest.approx(unread)


def test_of_experts_that_stand_twice_each_copy_meets_half():
    """32 tokens of DeepSeek-V3, 32 of 256 experts twice: 224 meet 8 of 256 each, 64 copies half of that."""
    touched = 224 * (1 - (1 - 8 / 256) ** 32) + 64 * (1 - (1 - 4 / 256) ** 32)
    assert visited_share(sheet_of(V3), 32, 32) == pytest.approx(touched / 288) and round(touched) == 168
    assert visited_share(sheet_of(V3), 32) == pytest.approx(1 - (1 - 8 / 256) ** 32)


def test_groups_of_sequences_follow_each_other():
    """32 sequences over 8 stages pass 4 by 4: weights once through all stages, an eighth of the cache on each."""
    model, made = sheet_of(LLAMA), decoding(pp=8, batch=32, context=8_192)
    found = plan(model, made)
    assert (found.here, found.flight) == (32, 4)
    weights = sum(rank.weights_bytes - rank.lookup_bytes for rank in found.ranks)
    cache = sum(rank.cache_bytes for rank in found.ranks) / 8
    assert bind_step(model, found).memory * made.device.bandwidth_bytes == pytest.approx(weights + cache)
    (sent,) = (talk for talk in list_collectives(model, found, 0) if talk.axis == "pp")
    assert stage_bounds(model, found)[0].inside == pytest.approx(sent.bytes / 8 / made.device.inside_bytes)
    assert plan(model, replace(made, job="prefill")).flight == 32


def test_prompts_keep_all_stages_busy():
    """Prompts in pieces: at least the slowest stage's time; without overlap, one stage after the other."""
    model = sheet_of(LLAMA)
    found = plan(model, decoding(pp=8, batch=4, job="prefill"))
    each = stage_bounds(model, found)
    assert bind_step(model, found).seconds == max(one.seconds for one in each)
    assert bind_step(model, found).unhidden == pytest.approx(sum(one.unhidden for one in each))


# ---------------------------------------------------------------- what a pipeline waits for


def test_gradients_wait_for_no_micro_batch():
    """What meets once a step is not lengthened by the bubble: eight micro-batches on eight stages."""
    model, made = sheet_of(LLAMA), training(32, tp=8, pp=8, batch=8)
    found = bind_step(model, plan(model, made))
    assert found.binds == "products" and found.flow == found.products < found.outside  # the bubble makes them longer
    flat = bind_step(model, plan(model, replace(made, batch=32, pp=1)))
    assert flat.idle == flat.of_total == 0 and flat.seconds == max(flat[:4])
    assert found.seconds == found.flow + found.idle < found.outside * (1 + found.bubble)
    assert found.of_total == found.idle / found.seconds


def test_a_stage_waits_for_the_quickest_at_least():
    """Llama 8B's head makes its last stage slower; no other stage keeps it waiting as long as it takes itself."""
    model, made = sheet_of("meta-llama/Llama-3.1-8B"), training(1, tp=2, pp=4, batch=4)
    each = stage_bounds(model, plan(model, made))
    flows = [one.flow for one in each]
    assert flows[3] > 1.1 * flows[0] and each[0].bubble == 9 / 12
    assert bind_step(model, plan(model, made)).seconds == pytest.approx(flows[3] + 9 / 12 * min(flows))


def test_one_embedding_on_two_stages_is_summed():
    """Qwen3 4B's head is its embedding: first and last stage meet over its gradients, 4 bytes of 151,936 x 2,560."""
    model, made = sheet_of("Qwen/Qwen3-4B"), training(1, pp=4, tp=2)
    met = {stage: [talk for talk in list_collectives(model, plan(model, made), stage) if "embedding" in talk.operation]
           for stage in range(4)}  # fmt: skip
    assert [len(met[stage]) for stage in range(4)] == [1, 0, 0, 1]
    assert (met[0][0].bytes, met[0][0].ranks, met[0][0].leaving_bytes) == (151_936 * 2_560 // 2 * 4, 2, 0)
    (far,) = (
        talk
        for talk in list_collectives(model, plan(model, replace(made, nodes=4, batch=64)), 0)
        if "embedd" in talk[1]
    )
    assert far.leaving_bytes == far.bytes
    assert not any(
        "embedding" in talk.operation for talk in list_collectives(sheet_of(LLAMA), plan(sheet_of(LLAMA), made), 0)
    )


# ---------------------------------------------------------------- flags


def test_uneven_chunks_are_spelled_out():
    """Megatron-LM refuses 61 layers in 16 chunks but as a layout string, which says how many chunks there are."""
    model, made = sheet_of(V3), training(8, pp=4, chunks=4, ep=8)
    line = flags(made, "Megatron-LM", model)
    said = line.split('layout "')[1].split('"')[0]
    assert len(said.split("|")) == 16 and said.count("t") == 61 and "virtual" not in line
    even = flags(training(8, tp=2, pp=4, chunks=4), "Megatron-LM", sheet_of(LLAMA))
    assert "--num-virtual-stages-per-pipeline-rank 4" in even and "layout" not in even


@pytest.mark.parametrize(
    ("slug", "more", "part"),
    [
        (LLAMA, {"compute_dtype": "fp8"}, "--bf16 --fp8-format hybrid"),
        (LLAMA, {"compute_dtype": "fp8", "weight_bytes": 1}, "--fp8-param-gather"),
        (LLAMA, {"recompute": "parts"}, "--recompute-modules layernorm --bf16"),
        (OSS, {"recompute": "parts"}, "--recompute-modules layernorm moe_act --bf16"),
        (V3, {"recompute": "parts"}, "--recompute-modules layernorm moe_act mla_up_proj --bf16"),
        (V3, {"recompute": "full"}, "--recompute-granularity full --recompute-method uniform"),
    ],
)
def test_flags_say_the_format_and_what_is_redone(slug, more, part):
    """Products in FP8 are asked for; activations of experts are computed anew only where there are experts."""
    assert part in flags(training(tp=8, etp=8, **more), "Megatron-LM", sheet_of(slug))


# ---------------------------------------------------------------- racks


def test_racks_talk_over_their_network():
    """A node of 64 GB200 is a rack: what leaves it goes at 50 GB/s a GPU, not at NVLink's 900 between its trays."""
    trays, racks = (
        Layout(DEVICES["gb200"], nodes, per_node, job="train", batch=64) for nodes, per_node in ((16, 4), (2, 64))
    )
    assert (trays.outside_bytes, racks.outside_bytes) == (900 * 10**9, 50 * 10**9)
    assert Layout(DEVICES["gb200"], 2, 8).outside_bytes == 900 * 10**9  # sixteen GPUs of one rack
    assert Layout(DEVICES["h100_sxm"], 2, 8).outside_bytes == 50 * 10**9


# ---------------------------------------------------------------- widths


def test_every_matrix_reads_as_much_as_it_is_wide():
    """In every layer of the catalogue: what is known to enter a matrix has as many numbers as its columns."""
    wrong, checked, done = [], 0, set()
    for row in catalog.gallery_rows():
        spec = catalog.spec(row.slug) if row.snapshot else None
        for layer in spec.layers if spec else ():
            graph = layer_graph(spec, layer)
            if (key := (row.slug, layer.made_of)) in done:
                continue
            done.add(key)
            known = saved_of.shapes(graph, spec.hidden_size, getattr(spec.residual, "streams", 1))
            assert not any(0 in one for one in known.values()), row.slug
            for node in graph.nodes:
                if node.op == "linear" and node.inputs[0] in known:
                    checked += 1
                    if prod(known[node.inputs[0]]) != node.tensors["weight"].shape[1]:
                        wrong.append(f"{row.slug} {layer.index} {node.name} {known[node.inputs[0]]}")
    assert wrong == [] and checked > 3_000


def test_four_streams_are_saved_as_four():
    """DeepSeek-V4: what mixes streams reads four of them; entries of the compressor come once for 4 tokens or 128."""
    spec = catalog.spec("deepseek-ai/DeepSeek-V4-Flash")
    found = saved_of.shapes(layer_graph(spec, spec.layers[2]), 4_096, 4)
    assert (found["attn_hc_norm"], found["mixer_add"], found["attn_hc_collapse"]) == ((4, 4_096), (4, 4_096), (4_096,))
    one, four = (saved_of.count_activations(layer_graph(spec, spec.layers[2]), 4_096, many) for many in (1, 4))
    more = 2 * 3 * 4_096  # the streams as they enter both halves; and, once for each, as their matrix reads them
    assert (four.others - one.others, four.matrices - one.matrices) == (more, more)


@pytest.mark.parametrize(("layer", "tokens"), [(2, 4), (3, 128)])
def test_an_entry_of_many_tokens_is_saved_once_for_them(layer, tokens):
    """DeepSeek-V4's compressed entries of 512 numbers: 128 a token where they stand for 4, 4 where for 128."""
    spec = catalog.spec("deepseek-ai/DeepSeek-V4-Flash")
    graph = layer_graph(spec, spec.layers[layer])
    tally = saved_of.ActivationTally(graph, 4_096, 4)
    for node in graph.nodes:
        tally.add(node)
    assert tally.others["mixer.compressor.pool"] == 512 // tokens


@pytest.mark.parametrize("shard", [2, 4])
def test_a_search_deals_over_as_many_ranks_as_a_plan(shard):
    """Where ZeRO deals over some ranks alone, every layout of the table is as large as planned one by one."""
    model, made = sheet_of(OSS), training(2, batch=64, dp_shard=shard)
    _, fits, found = search_fitting(model, made)
    assert fits == sum(
        plan(model, replace(base, ep=ep, etp=etp)).fits for base in dense(model, made) for ep, etp in folds(model, base)
    )
    assert all(one.bytes == plan(model, one.layout).fullest.total_bytes for one in found)
