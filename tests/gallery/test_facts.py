"""Facts at their limits: the last value that is taken, and the first that is refused."""

import math
from types import SimpleNamespace

import pytest

from cutaway.gallery import read
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.heads import labels, scores
from cutaway.gallery.reading.ropes import kind_of, layer_theta, rope_of
from cutaway.gallery.reading.scales import by_width, half_root, scale_of, yarn
from cutaway.gallery.reading.text_part import MAX_DEPTH, short, unwrap
from cutaway.gallery.spec import ConfigError
from tests.gallery.mutate import deep


def facts(config: dict, **defaults: object) -> Facts:
    return Facts(config, config, defaults, {})


def reading(config: dict, **family: object) -> SimpleNamespace:
    family = Family(source="a test", **family)
    return SimpleNamespace(facts=facts(config), family=family, hidden_size=64, not_understood=[])


SHORT = [
    (10**18, str(10**18)),
    (10**18 + 1, "a number with more than 18 digits"),
    ({"a": 1}, "a dict of 1 keys"),
    ([1] * 8, "[1, 1, 1, 1, 1, 1, 1, 1]"),
    ([1] * 9, "a list of 9 entries"),
    ("a" * 58, repr("a" * 58)),
    ("a" * 59, "'" + "a" * 58 + "…"),
    (True, "True"),
]


@pytest.mark.parametrize(("value", "text"), SHORT)
def test_a_value_in_a_sentence_is_short(value, text):
    """One line of 60 characters at most, and no number of a hundred digits."""
    assert text == short(value)


TAKEN = [  # (how it is asked, key, value, answer)
    ("number", "norm_eps", 0, 0.0),
    ("number", "norm_eps", 1e6, 1e6),
    ("number", "rope_theta", 1e12, 1e12),
    ("integer", "num_experts_per_tok", 8.0, 8),
    ("integer", "num_experts_per_tok", None, None),
    ("flag", "attention_bias", 1, True),
    ("flag", "attention_bias", 0, False),
    ("flag", "attention_bias", None, False),
    ("word", "hidden_act", "a" * 300, "a" * 200),
    ("word", "hidden_act", None, ""),
    ("items", "layer_types", (1, 2), [1, 2]),
    ("items", "layer_types", [0] * 20_000, [0] * 20_000),
    ("integers", "layer_types", [10**12], [10**12]),
    ("integers", "layer_types", None, None),
]


@pytest.mark.parametrize(("how", "name", "value", "answer"), TAKEN)
def test_what_a_file_may_say(how, name, value, answer):
    """The last value within the limits."""
    assert answer == getattr(facts({name: value}), how)(name)


REFUSED = [
    ("number", "norm_eps", 1e6 + 1, "from 0 to 1,000,000"),
    ("number", "rope_theta", 1e12 * 1.1, "from 0 to 1,000,000,000,000"),
    ("number", "norm_eps", -1, "a finite number"),
    ("number", "norm_eps", True, "a finite number"),
    ("number", "norm_eps", math.inf, "a finite number"),
    ("number", "norm_eps", "1", "a finite number"),
    ("integer", "num_experts_per_tok", 8.5, "a whole number"),
    ("integer", "num_experts_per_tok", True, "a whole number"),
    ("flag", "attention_bias", 2, "true or false"),
    ("word", "hidden_act", 3, "a string"),
    ("items", "layer_types", [0] * 20_001, "at most 20,000 entries"),
    ("items", "layer_types", "abc", "a list"),
    ("integers", "layer_types", [10**12 + 1], "whole numbers"),
    ("integers", "layer_types", [True], "whole numbers"),
    ("need", "hidden_size", None, "The config has no hidden_size: looked for hidden_size"),
]


@pytest.mark.parametrize(("how", "name", "value", "words"), REFUSED)
def test_what_a_file_may_not_say(how, name, value, words):
    """The first value outside, in a sentence."""
    with pytest.raises(ConfigError, match=words):
        getattr(facts({name: value}), how)(name)


def test_a_list_per_layer_goes_on_with_its_last_entry():
    """A number stands for all layers; an empty list says nothing."""
    said = facts({"intermediate_size": [8, 16]})
    assert [said.per_layer("intermediate_size", index) for index in range(3)] == [8, 16, 16]
    assert (
        facts({"intermediate_size": 9}).per_layer("intermediate_size", 3),
        facts({"intermediate_size": []}).per_layer("intermediate_size", 0, 5),
    ) == (9, 5)
    assert (
        facts({"intermediate_size": [9, 8]}).need_width("intermediate_size"),
        facts({"intermediate_size": [9, 8]}).width_at("intermediate_size", 1),
    ) == (9, 8)


def test_a_text_part_may_lie_three_deep():
    """What lies between counts as outside, and a fourth shell is not opened."""
    inner = {"hidden_size": 8}
    deep = {"a": 1, "thinker_config": {"b": 2, "text_config": {"c": 3, "llm_config": inner}}}
    text, top = unwrap(deep)
    assert (inner, {1, 2, 3}) == (text, {top["a"], top["b"], top["c"]})
    assert unwrap({"text_config": deep})[0] == deep["thinker_config"]["text_config"]
    assert unwrap({"text_config": {}, "hidden_size": 1})[0] == {"text_config": {}, "hidden_size": 1}


SHARES = [
    ({}, None),
    ({"partial_rotary_factor": 0.5}, 0.5),
    ({"rope_parameters": {"full": {"partial_rotary_factor": 1}}}, 1.0),
    ({"rope_parameters": {"full": {"partial_rotary_factor": 0}}}, 0.0),
    ({"rope_parameters": {"other": {"partial_rotary_factor": 0.1}}, "partial_rotary_factor": 0.25}, 0.25),
]


@pytest.mark.parametrize(("config", "share"), SHARES)
def test_a_rotated_share_may_be_said_for_each_kind_of_layer(config, share):
    """From nothing to all of a head."""
    assert share == facts(config).rotary_share("full")
    for wrong in (-0.1, 1.1, True, "half"):
        with pytest.raises(ConfigError, match="a number from 0 to 1"):
            facts({"rope_parameters": {"full": {"partial_rotary_factor": wrong}}}).rotary_share("full")


ROOT = 64**-0.5
SCALES = [  # (config, family, layer, what q·k of 64 numbers is multiplied by; 0 = 1 / √64, None = not known)
    ({}, {}, 0, 0.0),
    ({"query_pre_attn_scalar": 256}, {}, 0, 1 / 16),
    ({"query_pre_attn_scalar": 64}, {}, 0, 0.0),
    ({"attention_multiplier": 0.015}, {}, 0, 0.015),
    ({"attention_multiplier": 0.125}, {}, 0, 0.0),
    ({"attention_multiplier": 1e-7}, {}, 0, None),
    ({"attention_multiplier": 1e6}, {}, 0, 1e6),
    ({"scale_attn_weights": False}, {}, 0, 1.0),
    ({"scale_attn_by_inverse_layer_idx": True}, {}, 0, 0.0),
    ({"scale_attn_by_inverse_layer_idx": True}, {}, 3, ROOT / 4),
    ({}, {"scale": by_width}, 0, 1 / 64),
    ({"mup_attn_multiplier": 2}, {"scale": by_width}, 0, 2 / 64),
    ({"mup_use_scaling": False}, {"scale": by_width}, 0, 0.0),
    ({}, {"scale": half_root}, 0, 32**-0.5),
    ({}, {"scale": yarn}, 0, 0.0),
    ({"rope_scaling": {"factor": 40}}, {"scale": yarn}, 0, 0.0),
    (
        {"rope_scaling": {"factor": 40, "mscale_all_dim": 0.5}},
        {"scale": yarn},
        0,
        (0.05 * math.log(40) + 1) ** 2 * ROOT,
    ),
    ({"rope_scaling": {"factor": 1, "mscale_all_dim": 0.5}}, {"scale": yarn}, 0, 0.0),
    ({"rope_scaling": {"factor": 0.5, "mscale_all_dim": 0.5}}, {"scale": yarn}, 0, 0.0),
    ({"rope_scaling": {"factor": True, "mscale_all_dim": 0.5}}, {"scale": yarn}, 0, 0.0),
    ({"rope_scaling": {"factor": 1e6, "mscale_all_dim": 0.5}}, {"scale": yarn}, 0, 0.0),
]


@pytest.mark.parametrize(("config", "family", "index", "scale"), SCALES)
def test_the_scale_of_scores_follows_keys_and_families(config, family, index, scale):
    """One number where it is not the usual root."""
    found = scale_of(reading(config, **family), 64, index)
    assert found is scale is None or found == pytest.approx(scale, rel=1e-12)


YARN = {"rope_type": "yarn", "factor": 4.0}
LONG = {"type": "su", "long_factor": [1.0, 2.0], "short_factor": [1.0, 1.0]}
ROPES = [  # (config, kind, base, what stretches)
    ({}, "default", 10_000.0, ()),
    ({"rope_theta": 5e5}, "default", 5e5, ()),
    ({"rope_scaling": {"rope_type": "mrope", "factor": 2.0}}, "default", 10_000.0, ()),
    ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "linear", 10_000.0, (("factor", 2.0),)),
    ({"rope_scaling": {"type": "ntk", "factor": 2}}, "dynamic", 10_000.0, (("factor", 2),)),
    ({"rope_parameters": {**YARN, "rope_theta": 7.0}}, "yarn", 7.0, (("factor", 4.0),)),
    ({"rope_parameters": {"full_attention": YARN, "sliding_attention": {}}}, "yarn", 10_000.0, (("factor", 4.0),)),
    ({"rope_parameters": {"sliding_attention": YARN}}, "default", 10_000.0, ()),
    (
        {"rope_scaling": {**YARN, "truncate": False, "beta_fast": -2}},
        "yarn",
        10_000.0,
        (("factor", 4.0), ("truncate", False)),
    ),
    (
        {"rope_scaling": YARN, "original_max_position_embeddings": 99},
        "yarn",
        10_000.0,
        (("factor", 4.0), ("original_max_position_embeddings", 99)),
    ),
    ({"rope_scaling": LONG}, "longrope", 10_000.0, (("long_factor", (1.0, 2.0)), ("short_factor", (1.0, 1.0)))),
    ({"rope_scaling": {**LONG, "short_factor": [0.0, 1.0]}}, "default", 10_000.0, ()),
    ({"rope_scaling": {"rope_type": "proportional"}}, "proportional", 10_000.0, (("factor", 1.0), ("rotated", 8))),
]


@pytest.mark.parametrize(("config", "kind", "theta", "scaling"), ROPES)
def test_a_rotation_is_read_wherever_it_is_said(config, kind, theta, scaling):
    """rope_scaling beside rope_theta, rope_parameters flat or by kind of layer."""
    found = rope_of(reading(config), 8)
    assert (8, kind, theta, scaling) == (found.dims, found.kind, found.theta, found.scaling)


def test_a_rotation_of_nothing_is_none():
    """And windowed layers may have a base of their own, or each layer may."""
    assert rope_of(reading({}), 0) is None
    assert rope_of(reading({"rope_local_base_freq": 7.0, "rope_theta": 9.0}), 8, "sliding_attention").theta == 7.0
    assert rope_of(reading({"rope_local_base_freq": 7.0, "rope_theta": 9.0}), 8).theta == 9.0
    assert rope_of(reading({"rope_scaling": {"rope_type": "proportional"}}), 8, whole=32).dims == 32
    each = reading({"layer_rope_theta": [5.0, 0, "x"]})
    assert [layer_theta(each, index, "attention") for index in range(4)] == [{"theta": 5.0}, {}, {}, {}]
    assert kind_of({"rope_type": 3}) == kind_of({"rope_type": "brand_new"}) == "default"


SCORES = [
    ("AForSequenceClassification", [("score.weight", (3, 64))]),
    ("AForCausalLM", []),
    ("AForTokenClassification", [("score.weight", (3, 64)), ("score.bias", (3,))]),
    ("AForQuestionAnswering", [("qa_outputs.weight", (2, 64)), ("qa_outputs.bias", (2,))]),
]


@pytest.mark.parametrize(("architecture", "tensors"), SCORES)
def test_a_classifier_has_a_matrix_of_scores(architecture, tensors):
    """One row per label; a question has a start and an end."""
    assert tensors == [pair for extra in scores(reading({"num_labels": 3}), architecture) for pair in extra.tensors]


LABELS = [
    ({}, 2),
    ({"num_labels": 1}, 1),
    ({"num_labels": 10**6}, 10**6),
    ({"num_labels": 10**6 + 1}, 2),
    ({"num_labels": 0}, 2),
    ({"id2label": {"0": "a"}}, 1),
    ({"id2label": {}}, 2),
]


@pytest.mark.parametrize(("config", "count"), LABELS)
def test_labels_are_counted_or_two(config, count):
    """num_labels, the list of labels, or what the class assumes."""
    assert count == labels(reading(config))


@pytest.mark.parametrize("kind", [list, dict])
def test_a_config_that_nests_too_deeply_is_refused_in_a_sentence(kind):
    """40 levels are read, as no published config has more than ten; 41 are named, whatever lies inside them."""
    config = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4}
    config |= {"intermediate_size": 64, "vocab_size": 100}
    assert read({**config, "vision_config": {"model_type": deep(MAX_DEPTH - 3, kind)}}).hidden_size == 64
    with pytest.raises(ConfigError, match="more than 40 deep"):
        read({**config, "vision_config": {"model_type": deep(MAX_DEPTH - 2, kind)}})
