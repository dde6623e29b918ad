"""Sections of a model's page: what its checkpoint holds, how it is sharded, its drawing; the glossary and /verify/."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from types import SimpleNamespace

import pytest

from cutaway.app.glossary import terms
from cutaway.app.model import figures, ideas
from cutaway.app.model.view import SpecView
from cutaway.app.model_page import precision, search_index, sharding
from cutaway.app.site import style_sheet
from cutaway.app.verify import page as verify
from cutaway.gallery import read
from tests.gallery.fake_hub import CONFIG
from tests.one_site import SITE

V3, NEXT, OSS = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai/gpt-oss-20b"


def scaled(dynamic: bool) -> list[str]:
    """Tensors of a small Llama in FP8 by compressed-tensors, activations scaled as they come or beforehand."""
    numbers = {"num_bits": 8, "type": "float", "strategy": "tensor", "symmetric": True}
    group = {"targets": ["Linear"], "weights": numbers, "input_activations": {**numbers, "dynamic": dynamic}}
    quant = {
        "quant_method": "compressed-tensors",
        "format": "float-quantized",
        "config_groups": {"g": group},
        "ignore": ["lm_head"],
    }
    config = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1,
              "num_attention_heads": 2, "vocab_size": 32, "torch_dtype": "bfloat16", "hidden_act": "silu",
              "architectures": ["LlamaForCausalLM"], "rms_norm_eps": 1e-6, "quantization_config": quant}  # fmt: skip
    (one,) = precision.checkpoint(SpecView(read(config), "x", config))
    return [name for name, *_ in one.rows]


def test_a_checkpoint_has_input_scales_where_they_do_not_come_with_the_input():
    """compressed-tensors keeps `input_scale` for static activations alone."""
    assert any(name.endswith("input_scale") for name in scaled(dynamic=False))
    assert not any(name.endswith("input_scale") for name in scaled(dynamic=True))


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ({"quantization_config": {"a": 1}}, {"a": 1}),
        ({"compression_config": {"b": 1}}, {"b": 1}),
        ({"text_config": {"quantization_config": {"c": 1}}, "quantization_config": {"a": 1}}, {"c": 1}),
        ({"text_config": "x", "quantization_config": {"a": 1}}, {"a": 1}),
        ({}, None),
    ],
)
def test_the_language_models_own_quantization_comes_first(config, found):
    """Of a config, of its text_config, or under the older name."""
    assert precision.config_of(SimpleNamespace(config=config)) == found


def test_a_drawing_has_the_widths_that_its_style_shows():
    """figure.css shows one of three from some width of the page on, and no wider than it says; the boxes are drawn."""
    style = style_sheet("figure")
    starts = [int(width) for width in re.findall(r"@container \(min-width: (\d+)px\)", style)]
    widest = [int(width) for width in re.findall(r"cf-\w+ \{ display: block; max-width: (\d+)px", style)]
    sizes = figures.sizes(SITE.view(V3))
    assert [start for start, *_ in sizes][1:] == starts and [most for _, most, *_ in sizes][:2] == widest
    boxes = re.findall(r'viewBox="-3 -3 (\d+) (\d+)"', figures.titled(SITE.view(V3)))
    assert {(wide, high) for _, _, wide, high in sizes} == {(float(wide), float(high)) for wide, high in boxes}
    assert [wide for _, _, wide, _ in sizes] == sorted(wide for _, _, wide, _ in sizes)
    assert all(start < most and (after is None or most < after) for (start, most, *_), after in
               zip(sizes, [*starts, None], strict=True))  # fmt: skip


def test_an_entry_of_the_glossary_has_all_its_other_names():
    """Whoever looks for one of them finds it."""
    made = {one.key: one for _, members in terms.entries(SITE) for one in members}
    for idea in ideas.IDEAS:
        if idea.key in made:
            assert (made[idea.key].word, *made[idea.key].names) == idea.words
    assert any(one.names for one in made.values())


def test_checks_are_listed_widest_first():
    """Of each group of /verify/ the most comparisons first; the total is their sum."""
    known = json.loads(verify.VERIFY.read_text())
    page = verify.verify_page(SITE)
    assert f"{sum(row['checked'] for row in known.values()):,}" in page
    told = verify.wiring(SITE)
    sizes = [len(members) for _, members in told]
    proved = [members[0].proof.proved for _, members in told]
    assert proved == sorted(proved, reverse=True) and sum(sizes) == sum(view.spec is not None for view in SITE.views)
    assert all(len({view.proof.words for view in members}) == 1 for _, members in told)
    for kind in (True, False):
        own = [size for size, is_proved in zip(sizes, proved, strict=True) if is_proved is kind]
        assert own == sorted(own, reverse=True)


def test_text_of_strangers_is_escaped_in_every_template():
    """A title with markup is shown as it is written."""
    assert SITE.env.from_string("{{ title }}").render(title="<b>&") == "&lt;b&gt;&amp;"


@pytest.mark.parametrize("slug", [V3, OSS, "meta-llama/Llama-3.1-405B-Instruct-FP8"])
def test_of_groups_in_groups_the_innermost_is_painted(slug):
    """A card around a painted matrix is not painted over it: no code stands inside another one's group of nodes."""
    view, depth = SITE.view(slug), []
    figure = str(precision.painted(figures.inline(view), view))
    assert "data-q" in figure
    for tag in re.findall(r"<g\b[^>]*>|</g>", figure):
        if tag == "</g>":
            depth.pop()
            continue
        depth.append("data-q" in tag)
        assert not ("data-n" in tag and any(depth[:-1])), tag


@pytest.mark.parametrize(
    ("share", "words"),
    [("1", "whole"), ("1/8", "1/8"), ("9/98", "9/98"), ("10/11", "90.91 %"), ("1/100", "1.00 %"), ("1/99", "1/99")],
)
def test_a_share_is_a_fraction_while_that_is_short(share, words):
    """One digit above, two below; else per cent with two digits."""
    assert sharding.fraction(Fraction(share)) == words


def test_runs_of_equal_stages_are_counted():
    """3 × 15, 1 × 16."""
    assert sharding.runs([15, 15, 15, 16]) == "3 × 15, 1 × 16" and sharding.runs([1]) == "1 × 1"
    assert sharding.runs([2, 1, 2]) == "1 × 2, 1 × 1, 1 × 2"


def test_why_a_model_is_not_cut_is_a_clause():
    """What does not divide, what the planner leaves whole, and nothing where it is cut."""
    assert sharding.refusal("") == ""
    assert sharding.refusal("6 heads") == "they do not divide 6 heads"
    assert sharding.refusal("Mamba1, whose sharding is not supported") == "sharding Mamba1 is not supported"
    assert sharding.refusal("1 heads, whose sharding is not supported") == "sharding one head is not supported"


def test_stages_are_said_where_there_are_layers_enough():
    """Of eight layers no sixteen stages can be made; of 61 over 4 each takes 15 or 16, in both plans."""
    told = {one.ranks: one.stages for one in sharding.sharding(SITE.view(V3)).told}
    for ranks, (theirs, ours) in told.items():
        assert (theirs, ours) != ("", "") or ranks > 61
        for said in filter(None, (theirs, ours)):
            pairs = [tuple(map(int, part.split(" × "))) for part in said.split(", ")]
            assert sum(many for many, _ in pairs) == ranks and sum(many * layers for many, layers in pairs) == 61
    few = SpecView(read({**CONFIG, "num_hidden_layers": 2}), "x")
    made = sharding.sharding(few).told
    assert [bool(one.stages[0]) for one in made] == [one.ranks <= 2 for one in made]


def test_blocks_of_a_turned_matrix_run_along_its_input():
    """gpt-oss-20b's own index: gate_up_proj_blocks of 32 x 5,760 x 90 x 16 beside scales of 32 x 5,760 x 90.

    Its weight is 2,880 x 5,760, input first; DeepSeek-V3's matrices are stored output first and keep their sides.
    """
    (one,) = precision.checkpoint(SITE.view(OSS))
    assert [shape for _, shape, *_ in one.rows] == ["32 × 5,760 × 90 × 16", "32 × 5,760 × 90"]
    view = SITE.view(V3)
    (fp8,) = precision.checkpoint(view)
    shape = next(weight.shape for weight in view.weights if weight.name == fp8.weight)
    assert fp8.rows[0][1] == " × ".join(f"{side:,}" for side in shape)


def test_a_group_around_a_group_with_nodes_stands_for_nothing():
    """Of nested groups the inner one is meant, with the scope that it lies in; one without nodes needs a title."""
    figure = (
        '<g data-g="layer3"><g data-n="a"><title>A: 1</title><g data-n="b c"></g></g>'
        "<g><title>t: 2</title><path/></g><g><path/></g></g>"
    )
    found = [(group.scope, group.nodes, group.title) for group in precision.groups(figure)]
    assert found == [("layer3", ["b", "c"], ""), ("layer3", [], "t: 2")]
    assert [figure[: group.end].count("<g") for group in precision.groups(figure)] == [3, 4]


def test_only_what_the_checkpoint_turns_is_turned():
    """Of Llama 4's matrices those of the experts are stored input first; its attention is not."""
    view = SITE.view("RedHatAI/Llama-4-Scout-17B-16E-Instruct-FP8-dynamic")
    for weight in view.weights:
        turned = "feed_forward.experts." in weight.name
        rows, columns = weight.shape[-2:] if len(weight.shape) > 1 else (0, 0)
        if rows:
            assert precision.laid(view, weight)[-2:] == ((columns, rows) if turned else (rows, columns)), weight.name


MIXTRAL, LLAMA = 46_702_792_704, 8_030_261_248  # as their files count
SEARCHED = {
    "mistralai/Mixtral-8x7B-v0.1": (
        [MIXTRAL, MIXTRAL - 32 * 6 * 3 * 4096 * 14_336 - 32_000 * 4096, 32_768, [], [8], 131_072, 20231211],
        "Mixtral 8x7B mistralai/Mixtral-8x7B-v0.1 Mistral AI 2023 Apache 2.0 licence"),
    "meta-llama/Meta-Llama-3-8B": (
        [LLAMA, LLAMA - 128_256 * 4096, 8192, [], [], 131_072, 20240418],
        "Llama 3 8B meta-llama/Meta-Llama-3-8B Meta 2024"),
    "mistralai/Mistral-7B-v0.1": (
        [7_241_732_096, 7_241_732_096 - 32_000 * 4096, 32_768, [4096], [], None, 20230927],
        "Mistral 7B v0.1 mistralai/Mistral-7B-v0.1 Mistral AI 2023 Apache 2.0 licence"),
    "openai-community/gpt2-xl": (
        [1_557_611_200, 1_557_611_200 - 1024 * 1600, 1024, [], [], 2 * 48 * 1600 * 2, 20191105],
        "GPT-2 XL 1.5B openai-community/gpt2-xl OpenAI 2019"),
}  # fmt: skip


@pytest.mark.parametrize("slug", SEARCHED)
def test_what_the_search_knows_of_a_model(slug):
    """Parameters, those at work without what is looked up, context, windows, experts, a token's bytes, the day."""
    view = SITE.view(slug)
    assert (search_index.numbers(view), search_index.found(view)["words"]) == SEARCHED[slug]
