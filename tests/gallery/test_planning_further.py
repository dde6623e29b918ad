"""Layers that predict further tokens (MTP), in training: what they hold, do and send, and where they stand."""

from dataclasses import replace
from itertools import pairwise
from math import prod

import pytest

from cutaway.gallery import catalog, parameters
from cutaway.gallery.planning.address import address, parse
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.flags import flags
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal import problems
from cutaway.gallery.planning.rank_memory import list_rank_memory
from cutaway.gallery.planning.seconds import bind_step
from cutaway.gallery.planning.sharding.tensors import list_owners
from cutaway.gallery.planning.stages import in_flight, mtp_stages
from cutaway.gallery.planning.work import stage_flops, training_flops
from tests.gallery.sheets import sheet_of, spec_of
from tests.tally import Tally

V3, NEXT, LLAMA = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "meta-llama/Llama-3.1-70B"
ULTRA = "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-NVFP4"
H, VOCAB = 7_168, 129_280  # of DeepSeek-V3
SPLIT = "Et*3|(tt|)*29,m|L"


def training(gpus=1, **more):
    """A training layout with eight micro-batches on each pipeline."""
    made = Layout(DEVICES["gb200"], gpus // 4 or 1, min(gpus, 4), job="train", **more)
    return replace(made, batch=8 * made.dp)


def tables_of(spec):
    """Numbers of what these layers store of embedding and head, and share with the model."""
    stored = (shape for extra in spec.mtp_extras for _, shape in extra.tensors)
    return sum(prod(shape) for shape in stored if shape[0] == spec.vocab_size)


@pytest.mark.whole
def test_they_hold_what_the_model_counts_apart(verified):
    """On one GPU, of every catalogued model that has them: its own count of them, but for shared tables."""
    rows = [row for row in catalog.MODELS if row.snapshot and spec_of(row.slug).mtp]
    assert len(rows) > 30
    tally = Tally()
    for row in rows:
        spec, model = spec_of(row.slug), sheet_of(row.slug)
        (with_them,), (without,) = (list_rank_memory(model, training(mtp=many)) for many in (model["further"], 0))
        tally.same(with_them.numbers - without.numbers, parameters(spec).mtp - tables_of(spec), row.slug)
    verified("planner: parameters of MTP layers", tally, against="gallery.parameters")


def test_the_last_stage_holds_them_with_an_embedding():
    """DeepSeek-V3 on four stages: a layer, two norms, the joining matrix and one more, and a copy of the embedding."""
    model = sheet_of(V3)
    one, none = (list_rank_memory(model, training(16, pp=4, mtp=mtp)) for mtp in (1, 0))
    assert [a.numbers for a in one[:3]] == [b.numbers for b in none[:3]]
    layer = 7_168 * 1_536 + 1_536 + 1_536 * 128 * 192 + 7_168 * 576 + 512 + 512 * 128 * 256 + 128 * 128 * 7_168  # MLA
    layer += 257 * 3 * 7_168 * 2_048 + 256 * 7_168 + 2 * 7_168  # 256 experts and a shared one, the router, two norms
    joins = 2 * 7_168 * 7_168 + 3 * 7_168
    more = layer + joins + VOCAB * H
    assert one[3].numbers - none[3].numbers == pytest.approx(more, abs=256)  # a bias of the router is trained or not
    assert one[3].expert_numbers - none[3].expert_numbers == 256 * 3 * 7_168 * 2_048
    assert one[3].gradients_bytes - none[3].gradients_bytes == 4 * (one[3].numbers - none[3].numbers)
    (whole,), (plain,) = (list_rank_memory(model, training(pp=1, mtp=mtp)) for mtp in (1, 0))
    assert whole.numbers - plain.numbers == one[3].numbers - none[3].numbers - VOCAB * H  # the table is there already


# What a layer of DeepSeek-V3 saves of a token: around the halves; the two latents, before and behind their norms;
# queries, keys, values, results; a sum a head; scores of experts in FP32; the shared expert; what arrives at eight
# experts, what their first matrices give, what the last reads
LAYER = 8 * H + 4 * (1_536 + 512) + 2 * 128 * (192 + 192 + 128 + 128) + 4 * 128 + 4 * 256 + 6 * 2_048
LAYER += 8 * (2 * H + 4 * 2_048 + 2 * 2_048)


@pytest.mark.parametrize(
    ("more", "layer"),
    [
        ({}, LAYER + 8 * H),
        ({"recompute": "parts"}, LAYER - 2 * (2 * H + 8 * 2_048 + 128 * (192 + 192 + 128)) + 4 * H),
        ({"recompute": "full"}, 2 * H),
        ({"compute_dtype": "fp8"}, LAYER - (2 * H + 1_536 + 512 + 2_048) - 8 * (H + 2_048) + 6 * H),
    ],
)
def test_what_they_save_for_the_way_back(more, layer):
    """A layer's worth, what joins two streams, and logits for each further token; none of it on other stages."""
    model, made = sheet_of(V3), training(16, pp=4, **more)
    one, none = (list_rank_memory(model, replace(made, mtp=mtp)) for mtp in (1, 0))
    assert [a.activations_bytes for a in one[:3]] == [b.activations_bytes for b in none[:3]]
    anew = 8 * H if made.recompute == "full" else 0  # the layer computed anew that holds most is now this one
    wanted = 4_096 * (layer * in_flight(3, made) + 4 * (H + VOCAB) + anew)
    assert one[3].activations_bytes - none[3].activations_bytes == wanted


def test_they_stand_where_a_layout_string_has_an_m():
    """DeepSeek-V3's own string: on the last stage but one, while the loss, and its logits, are on the last."""
    model, made = sheet_of(V3), training(64, pp=16, chunks=2, split=SPLIT)
    assert mtp_stages(made) == (14,) and mtp_stages(replace(made, split="")) == (15,)
    one, none = (list_rank_memory(model, replace(made, mtp=mtp)) for mtp in (1, 0))
    grown = [a.stage for a, b in zip(one, none, strict=True) if a.numbers > b.numbers]
    assert grown == [14]
    logits = one[15].activations_bytes - none[15].activations_bytes
    assert logits == 4_096 * 4 * (H + VOCAB)
    both = training(16, pp=4, schedule="dualpipe", mtp=1)
    assert mtp_stages(both) == (3, 0)
    assert [a.numbers for a in list_rank_memory(model, both)] == [a.numbers for a in list_rank_memory(model, both)][
        ::-1
    ]


@pytest.mark.parametrize("slug", [V3, NEXT, ULTRA])
def test_they_work_as_megatron_counts_them(slug):
    """Three times what a stage does going forth is what a training token costs with them, the head once more each."""
    model, made = sheet_of(slug), training(mtp=sheet_of(slug)["further"])
    assert 3 * stage_flops(model, made)[0] / 4_096 == pytest.approx(training_flops(model, 4_096))
    assert 3 * stage_flops(model, replace(made, mtp=0))[0] / 4_096 == pytest.approx(
        training_flops(model, 4_096, mtp=False)
    )
    slow, fast = (bind_step(model, plan(model, one)) for one in (made, replace(made, mtp=0)))
    assert slow.products > fast.products


def test_they_send_their_tokens_to_experts_too():
    """59 layers send tokens to experts instead of 58, and tensor ranks meet twice more."""
    model, made = sheet_of(V3), training(16, tp=2, ep=8)
    sent = {}
    for mtp in (0, 1):
        found = list_collectives(model, plan(model, replace(made, mtp=mtp)), 0)
        sent[mtp] = {(talk.axis, talk.operation): talk for talk in found}
    way = ("ep", "all-to-all, dispatch")
    assert sent[1][way].bytes / sent[0][way].bytes == pytest.approx(59 / 58)
    meet = ("tp", "all-gather and reduce-scatter")
    assert sent[1][meet].calls / sent[0][meet].calls == pytest.approx(124 / 122)


@pytest.mark.parametrize(
    ("slug", "made", "why", "near"),
    [
        (V3, training(mtp=2), "This model predicts 1 further token, not 2", (1,)),
        (LLAMA, training(mtp=1),
         "This model has no layers that predict further tokens, so mtp 1 has nothing to train", (0,)),
        (V3, replace(training(mtp=1), job="decode", batch=0), "mtp 1 is only for training", (0,)),
        (V3, training(mtp=-1), "mtp is -1, but must be at least 0", (0,)),
    ],
)  # fmt: skip
def test_more_than_a_model_has_cannot_be_trained(slug, made, why, near):
    """What is legal nearest is as many as the model has, and none outside training."""
    assert [(one.field, one.why, one.nearest) for one in problems(sheet_of(slug), made)] == [("mtp", why, near)]


def test_several_are_told_in_the_plural():
    """Two further tokens, not three."""
    made = training(mtp=3)
    assert [one.why for one in problems({**sheet_of(V3), "further": 2}, made)] == [
        "This model predicts 2 further tokens, not 3"
    ]


def test_some_of_several_may_be_trained():
    """Of three further tokens one alone takes a third of the layers; halves of a layer go together."""
    slug = next(row.slug for row in catalog.MODELS if row.snapshot and sheet_of(row.slug)["further"] == 3)
    model = sheet_of(slug)
    sizes = [list_rank_memory(model, training(mtp=many))[0].numbers for many in range(4)]
    steps = [b - a for a, b in pairwise(sizes)]
    assert len(set(steps)) == 1 and steps[0] > 0
    ultra = sheet_of(ULTRA)
    assert (ultra["further"], len(ultra["mtp"]), ultra["mtp_stored"]) == (2, 4, 2)


def test_a_layer_that_is_gone_through_twice_is_held_once():
    """Nemotron 3 trains two further tokens with one stored layer: its weights stand once, all else counts twice."""
    model = sheet_of(ULTRA)
    none, one, two = (list_rank_memory(model, training(mtp=many))[0] for many in range(3))
    assert two.numbers == one.numbers > none.numbers
    step = one.activations_bytes - none.activations_bytes
    assert two.activations_bytes - one.activations_bytes == step > 0
    flops = [stage_flops(model, training(mtp=many))[0] for many in range(3)]
    assert flops[2] - flops[1] == pytest.approx(flops[1] - flops[0])


def test_a_layout_string_says_how_many():
    """As many as it has an m for, unless told otherwise; flags and addresses say what a string does not."""
    words = "on=gb200:16x4&job=train&pp=16&batch=256"
    made, _ = parse(f"{words}&split={SPLIT}")
    assert (made.mtp, parse(f"{words}&split={SPLIT}&mtp=0")[0].mtp, parse(words)[0].mtp) == (1, 0, 0)
    assert parse("on=gb200:16x4&pp=16&split=Et*61,m|L")[0].mtp == 0  # nothing is trained
    assert "mtp" not in address(made) and "mtp=0" in address(replace(made, mtp=0))
    assert "&mtp=1" in address(replace(made, split="", mtp=1))
    assert "--mtp-num-layers 1 " in flags(made, "Megatron-LM")
    assert "mtp" not in flags(replace(made, mtp=0), "Megatron-LM")


def test_their_tensors_have_owners():
    """Each has its own row, on the last stage; the embedding stands there too."""
    made = training(16, pp=4, mtp=1, ep=4)
    found = {one.name: one for one in list_owners(sheet_of(V3), made)}
    names = [name for name in found if name.startswith("mtp.")]
    assert {"mtp.eh_proj.weight", "mtp.enorm.weight", "mtp.self_attn.o_proj.weight"} <= set(names)
    assert {found[name].stages for name in names} == {(3,)}
    assert found["model.embed_tokens.weight"].stages == (0, 3)
    assert not any(one.name.startswith("mtp.") for one in list_owners(sheet_of(V3), replace(made, mtp=0)))
    cut = {one.name: one for one in list_owners(sheet_of(V3), training(16, pp=4, mtp=1, tp=2))}
    assert (cut["mtp.eh_proj.weight"].slices, cut["mtp.enorm.weight"].slices) == (2, 1)


@pytest.mark.parametrize(
    ("slug", "joins"), [("deepseek-ai/DeepSeek-V3", "eh_proj"), ("Qwen/Qwen3-Next-80B-A3B-Instruct", "fc")]
)
def test_of_what_a_further_layer_has_besides_the_matrix_that_joins_is_cut(slug, joins):
    """[width, 2 · width] by what it gives; norms stay whole, and whatever a layer has anyway is dealt out as there."""
    made = sheet_of(slug)
    (further,) = (kind for kind in made["kinds"] if kind.get("joins"))
    of_layer = {row[0]: row[5] for row in next(made["kinds"][at] for at in reversed(made["layers"]))["pieces"]}
    rules = {row[0]: made["rules"][row[5]] for row in further["pieces"]}
    besides = {name: rule for name, rule in rules.items() if name not in of_layer}
    assert besides.pop(f"{joins}.weight") == ["tp"] and set(map(tuple, besides.values())) == {("whole",)}
    shared = [name for name in rules if name in of_layer and not name.startswith("self_attn")]
    assert len(shared) > 7 and [rules[name] for name in shared] == [made["rules"][of_layer[name]] for name in shared]
