"""app.sharding and its section on a model's page, without a browser: what is printed is what gallery computes."""

import re
from html import unescape

import pytest

from cutaway.app.model.view import SpecView
from cutaway.app.model_page import page as models
from cutaway.app.model_page import sharding
from cutaway.app.render import job as render_job
from cutaway.gallery import read
from cutaway.gallery.planning.tp_plan_diff import RANKS, diff_tp_plan
from tests.one_site import SITE

V4, V3, OSS = "deepseek-ai/DeepSeek-V4-Flash", "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-120b"
TINY = {
    "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 96, "vocab_size": 100, "max_position_embeddings": 64,
}  # fmt: skip


def section(slug):
    page = models.model_page(SITE, SITE.view(slug))
    return page[page.index('<section id="sharding">') :].partition("</section>")[0]


def words(html):
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", re.sub(r"</t[hd]>", " | ", html)))).strip()


def at(html, ranks):
    """What a reader sees with so many ranks chosen."""
    return words(re.sub(rf'<span class="(?![^"]*\bat{ranks}\b)at[^"]*">.*?</span>', "", html))


def told(config):
    return sharding.sharding(SpecView(read(config), "x", config))


def test_the_sums_are_printed_for_each_number_of_ranks():
    """DeepSeek-V4-Flash: which rules; at each number of ranks the largest one, how many weights differ, the stages."""
    said = words(section(V4))
    assert "transformers declares 5 rules for tensor parallelism and 3 for expert parallelism." in said
    assert "Parameters on the largest rank, out of 284.33 B:" in said
    assert "| 8 | 41.01 B | 36.27 B | 7 of 41 |" in said and "| 2 | 145.29 B |" in said
    assert "| 3 × 10, 1 × 13 | 3 × 11, 1 × 10 |" in said


def test_a_plan_for_experts_alone_says_so():
    """gpt-oss: tensor parallelism shards its head alone; its experts stay whole."""
    text = at(section(OSS), 8)
    assert "1 rule for tensor parallelism and 5 for expert parallelism" in text
    assert "| with expert parallelism |" in text and "| 8 | 116.32 B | 15.96 B |" in text
    assert "replicated; with expert parallelism: whole experts are distributed over the ranks" in text


def test_a_plan_without_stages_says_so():
    """Nemotron-H declares rules and no pipeline."""
    text = at(section("nvidia/Nemotron-H-56B-Base-8K"), 8)
    assert "for expert parallelism, but no pipeline plan." in text and "Stages × layers" not in text


def test_a_model_without_a_plan_says_so_in_a_sentence():
    """Falcon's class declares nothing, and a made-up type is unknown: no table."""
    html = section("tiiuae/falcon-7b") if "tiiuae/falcon-7b" in SITE.slugs else section("databricks/dbrx-base")
    assert "transformers 5.23.0 declares no plan for the model_type" in words(html) and "<table" not in html
    assert told({**TINY, "model_type": "nobody_knows"}).known is False


@pytest.mark.parametrize("ranks", RANKS)
def test_every_row_prints_both_shares(ranks):
    """A row's cells are the fractions of gallery's x-ray, under the name it has there; none is missing."""
    html = section(V3)
    weights = html.partition('<table class="weights')[2]
    rows = [at(row, ranks) for row in re.findall(r"<tr>.*?</tr>", weights, re.S)[1:]]
    found = [row for row in diff_tp_plan(SITE.view(V3).spec).rows if row.style or row.ours[0] != 1]
    assert len(rows) == len(found) > 10
    place = RANKS.index(ranks)
    for text, row in zip(rows, found, strict=True):
        shares = [sharding.fraction(one[place]) for one in (row.theirs, row.ours)]
        assert text.startswith(row.name) and f"| {shares[0]} | {shares[1]} |" in text, text
        assert ("only Cutaway shards it, by heads" in text) == (row.theirs[place] != row.ours[place])


def test_what_no_rule_names_is_listed_below():
    """The weights of the table and of the list are together all the weights there are."""
    one = sharding.sharding(SITE.view(V4))
    assert (len(one.lines), len(one.left)) == (11, 30)
    assert f"{len(one.left)} more" in words(section(V4))
    assert {line.name for line in one.left} & {line.name for line in one.lines} == set()


def test_a_number_of_ranks_that_is_not_supported_is_said():
    """Four heads do not split over 8 ranks; over 4 they do."""
    html = SITE.env.from_string('{% import "model/parts.html" as parts %}{{ parts.sharding(one) }}').render(
        one=told(TINY)
    )
    refused = "Cutaway’s planner does not support "
    assert f"{refused}8 ranks: they do not divide 4 heads." in words(html) and f"{refused}4 ranks" not in words(html)
    assert f"{refused}8 ranks: sharding Mamba1 is not supported." in words(section("ai21labs/Jamba-v0.1"))
    phi = words(section("microsoft/phi-4"))
    assert f"{refused}4 ranks: they do not divide 10 key/value heads, nor the other way round." in phi
    assert [one.stages[0] for one in told({**TINY, "num_hidden_layers": 4}).told] == ["2 × 2", "4 × 1", "", ""]
    assert "| 1 × 1, 1 × 2 |" in words(html) and words(html).count("| – | – |") == 3


def test_experts_that_cannot_be_distributed_are_said():
    """Seven experts: transformers refuses two ranks; six go over two, and not over four."""
    moe = {**TINY, "model_type": "mixtral", "num_experts_per_tok": 2}
    seven, six = (told({**moe, "num_local_experts": n}).told for n in (7, 6))
    assert [one.undealt for one in seven] == [7, 7, 7, 7] and [one.undealt for one in six] == [0, 6, 6, 6]
    html = SITE.env.from_string('{% import "model/parts.html" as parts %}{{ parts.sharding(one) }}')
    text = words(html.render(one=told({**moe, "num_local_experts": 6})))
    assert text.count("6 experts do not divide evenly") == 3
    lone = told({**TINY, "num_attention_heads": 1, "num_key_value_heads": 1})
    assert lone.told[0].refused == "sharding one head is not supported"


def test_the_pictures_show_the_side_that_is_cut():
    """Outputs are rows of the stored matrix, inputs columns, two matrices in one twice; whole is whole."""
    found = {line.name: line.cut for line in sharding.sharding(SITE.view(V3)).lines}
    assert found["layers.*.mlp.up_proj.weight"] == "rows" and found["layers.*.mlp.down_proj.weight"] == "columns"
    assert found["layers.*.mlp.experts.gate_up_proj"] == "two-rows"
    assert found["layers.*.self_attn.o_proj.weight"] == ""
    llama4 = sharding.sharding(SITE.view("meta-llama/Llama-4-Scout-17B-16E")).lines
    assert {line.cut for line in llama4 if line.name.endswith("gate_up_proj")} == {"two-columns"}
    assert {line.cut for line in llama4 if line.name.endswith("experts.down_proj")} == {"rows"}


def test_a_biased_way_back_says_that_its_bias_is_whole():
    """A row-wise rule names the module; its bias is added once, so every rank holds it."""
    found = {line.name: line for line in told({**TINY, "attention_bias": True}).lines}
    bias = found["layers.*.self_attn.o_proj.bias"]
    assert (bias.words, bias.cut, bias.theirs[0]) == (
        "replicated: a bias is added once, after the all-reduce",
        "",
        "whole",
    )
    assert found["layers.*.self_attn.q_proj.bias"].theirs == ["1/2", "1/4", "1/8", "1/16"]
    assert found["layers.*.self_attn.q_proj.bias"].cut == "rows"


def test_shares_are_short():
    """Small fractions as they are, one as a word, others in percent."""
    from fractions import Fraction

    assert [sharding.fraction(Fraction(*pair)) for pair in ((1, 1), (1, 16), (7, 60), (29, 60), (6145, 49159))] == [
        "whole", "1/16", "7/60", "48.33 %", "12.50 %",
    ]  # fmt: skip
    assert sharding.runs([15, 15, 15, 16]) == "3 × 15, 1 × 16"


def test_a_pasted_config_has_the_section_too():
    """The workbench draws a stranger's config with the same section below it."""
    html = render_job.draw(render_job.Request(TINY, "Your config", "Pasted here")).html["more"]
    assert "For the model_type llama, transformers declares 9 rules" in words(html)
    assert "with 2 key/value heads, transformers splits a head" in at(html, 4)
