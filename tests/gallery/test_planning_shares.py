"""What the planner deals out to tensor ranks is what the mesh cuts: the shares of every catalogued family, run."""

from fractions import Fraction

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.mesh.lanes import heads, widen_heads
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal_axes import unsupported_cuts
from cutaway.gallery.planning.planner_model import make_planner_model
from cutaway.gallery.planning.sharding.arithmetic import ratio
from cutaway.gallery.planning.sharding.rules import cache_rule, rule_of
from cutaway.gallery.reading.families import stem_of
from cutaway.gallery.spec import GatedDeltaNet
from cutaway.gallery.sublayers import parts_of
from tests.gallery.sharding import CASES, case_of
from tests.gallery.sheets import sheet_of, spec_of
from tests.gallery.test_mesh_shares import APART, differences
from tests.tally import Tally

NEXT, WIDE = "Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3.8-2.4T-A95B"


# Families that are catalogued and have no tiny run of their own ("git": Grok-2 as its config calls itself).
NOT_RUN = frozenset(("arctic", "baichuan", "bailing_moe", "chatglm", "deepseek", "exaone", "git", "internlm2", "mimo",
                     "nanbeige", "ouro", "nemotron_nas", "phi3small", "qwen", "rwkv7", "sarvam_mla", "sarvam_moe",
                     "step3p7"))  # fmt: skip


def share(rule, tp):
    """Of one tensor rank."""
    return Fraction(*ratio(rule, Layout(next(iter(DEVICES.values())), 1, tp, tp=tp)))


def lanes_of(groups, tp):
    """The share that a rank holds of [(heads, numbers of each, whether few are copied), ...], as the mesh cuts them."""
    held = [widen_heads(heads(count, tp, copies), size) for count, size, copies in groups]
    return Fraction(sum(len(own[0]) for own in held), sum(count * size for count, size, _ in groups))


def delta_of(slug):
    """The first delta rule of a model, and its layer."""
    layers = ((layer, part) for layer in spec_of(slug).layers for part in parts_of(layer.mixer))
    return next((layer, part) for layer, part in layers if isinstance(part, GatedDeltaNet))


@pytest.mark.parametrize("slug", [NEXT, WIDE])
@pytest.mark.parametrize("tp", [2, 4, 8, 16, 32])
def test_few_key_heads_are_copied_beside_many_value_heads(slug, tp):
    """Queries and keys of a delta rule go by their own heads, at least one a rank; values and z by value heads."""
    layer, m = delta_of(slug)
    keys, values = (m.linear_num_key_heads, m.linear_key_head_dim, True), (
        m.linear_num_value_heads, m.linear_value_head_dim, False)  # fmt: skip
    mixed = lanes_of([keys, keys, values], tp)
    name, both = ("in_proj_qkvz", [keys, keys, values, values]) if m.fused else ("in_proj_qkv", [keys, keys, values])
    assert share(rule_of(f"linear_attn.{name}.weight", (1, 1), "linear", layer), tp) == lanes_of(both, tp)
    assert share(rule_of("linear_attn.conv1d.weight", (1, 1, 1), "linear", layer), tp) == mixed
    assert share(cache_rule(layer.mixer, "conv"), tp) == mixed
    for rest in ("linear_attn.out_proj.weight", "linear_attn.A_log", "linear_attn.in_proj_z.weight"):
        assert share(rule_of(rest, (8, 8), "linear", layer), tp) == Fraction(1, tp)
    assert share(cache_rule(layer.mixer, "state"), tp) == Fraction(1, tp)
    assert (mixed > Fraction(1, tp)) == (tp > m.linear_num_key_heads)


def test_separate_queries_and_keys_go_by_their_own_heads():
    """Where each has a matrix and a convolution of its own (OLMo Hybrid), so does each its share."""
    spec = case_of("olmo_hybrid")[0]
    layer, m = next((layer, part) for layer in spec.layers for part in parts_of(layer.mixer)
                    if isinstance(part, GatedDeltaNet))  # fmt: skip
    assert (m.separate, m.linear_num_key_heads, m.linear_num_value_heads) == (True, 2, 4)
    for name, wanted in (("q_proj", 2), ("k_conv1d", 2), ("v_proj", 4), ("v_conv1d", 4), ("in_proj_z", 4)):
        assert share(rule_of(f"linear_attn.{name}.weight", (1, 1), "linear", layer), 4) == Fraction(1, wanted), name


@pytest.mark.parametrize(
    ("tp", "said"),
    [
        (1, ""),
        (2, ""),
        (6, ""),
        (12, ""),
        (3, ""),
        (4, "6 key heads, nor the other way round"),
        (5, "60 heads, nearly"),
    ],
)
def test_heads_that_are_shared_divide_or_are_divided(tp, said):
    """tp cuts what several heads share into whole heads, or copies whole heads: nothing between."""
    assert (
        unsupported_cuts({"cuts": [["60 heads, nearly", 12 if tp == 5 else 60]], "shared": [["6 key heads", 6]]}, tp)
        == said
    )


def test_a_sheet_says_what_heads_share():
    """Key/value heads of attention, key heads of delta rules, groups of a state space."""
    assert sheet_of(NEXT)["shared"] == [["16 key heads", 16], ["2 key/value heads", 2]]
    assert sheet_of("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")["shared"] == [
        ["8 groups of heads", 8], ["2 key/value heads", 2]]  # fmt: skip
    assert sheet_of("deepseek-ai/DeepSeek-V3")["shared"] == []


def families():
    """{family: the name of its first tiny run} of all that are catalogued."""
    runs = {}
    for path in sorted(CASES.glob("*.json"), key=lambda path: (path.stem.count("__"), path.stem)):
        runs.setdefault(stem_of(path.stem.partition("__")[0]), path.stem)
    types = {spec_of(row.slug).model_type for row in catalog.MODELS if row.snapshot}
    stems = {stem_of(name) or name for name in types}
    return {stem: runs.get(stem, "") for stem in sorted(stems)}


@pytest.mark.parametrize(("name", "tp"), [
    ("llama", 4), ("deepseek_v3", 4), ("gpt_oss", 4), ("qwen3_next", 4), ("kimi_linear", 2), ("bamba", 2),
    ("mamba2", 4), ("nemotron_h__groups", 4), ("bloom", 2), ("gemma2", 2), ("longcat_flash", 4),
])  # fmt: skip
def test_a_family_is_cut_as_it_runs(name, tp):
    """Fewer heads, groups and key heads than ranks; latents; experts; states; one fused matrix: tensor by tensor."""
    many, differ = differences(name, tp)
    assert many > 10 and differ == {}


@pytest.mark.whole
def test_every_catalogued_family_is_cut_as_it_runs(verified):
    """Every tensor of a tiny run, on two tensor ranks, every third on four: the share held is the share planned."""
    found = families()
    assert {stem for stem, name in found.items() if not name} == NOT_RUN
    tally = Tally()
    for place, name in enumerate(name for name in found.values() if name and name not in APART):
        facts = make_planner_model(case_of(name)[0])
        ranks = next(t for t in (2 if place % 3 else 4, 2, 1) if not unsupported_cuts(facts, t))
        if ranks > 1:
            tally.add(*differences(name, ranks))
    source = "tiny models run on gallery.mesh"
    verified("planner: tensor shards of every catalogued model family", tally, against=source)


def test_the_bias_behind_experts_is_whole_on_each_rank_of_their_matrices():
    """What ranks add up is cut along neither side of the bias; the first matrix's bias goes with its outputs."""
    name = "model.layers.0.mlp.experts.{expert}."
    found = {what: rule_of(name + what, (32, 8), "experts", None) for what in ("down_proj.bias", "up_proj.bias")}
    assert found == {"down_proj.bias": ["experts", 32, 0], "up_proj.bias": ["experts", 32, 1]}
