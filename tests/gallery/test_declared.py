"""gallery.planning.declared: what a style does to one tensor, which rule means it, and where the facts are from."""

import json
from fractions import Fraction
from math import ceil
from pathlib import Path

from cutaway.gallery.planning.declared import (
    FILE,
    STYLES,
    Plan,
    declared_plan,
    dimension,
    is_inside,
    rule,
    share,
    stages,
)
from cutaway.gallery.planning.tp_plan_diff import Group, rows_of

PLANS = Path(__file__).parents[1] / "oracle" / "parallel_plans.json"
COMPOSITE = ("llama4", "muse_glimmer", "muse_spark")  # there: the composite's own, which has towers; here: its text's


def test_a_bias_after_the_sum_is_whole_and_two_matrices_are_cut_each():
    """The styles' edges: a row-wise bias, packed rows that do not divide, one dimension, slices of vectors."""
    back, packed = STYLES["rowwise"], STYLES["packed_colwise"]
    assert share(back, "x.bias", (8,), 4) == 1 and share(back, "x.weight", (8, 6), 4) == Fraction(2, 6)
    assert share(packed, "x.weight", (20, 3), 4) == Fraction(2 * ceil(10 / 4), 20)
    assert share(packed, "x.bias", (20,), 4) == Fraction(1, 4)
    assert share(STYLES["packed_rowwise"], "x", (2, 5, 12), 4) == Fraction(4, 12)
    assert share(STYLES["packed_rowwise"], "x", (12,), 4) == 1
    assert share(STYLES["colwise"], "sinks", (6,), 4) == Fraction(2, 6)
    assert share(STYLES["colwise"], "x", (7, 8, 6), 2) == Fraction(1, 2) and dimension(STYLES["colwise"], "", (7, 8, 6))
    assert share(STYLES["embedding_colwise"], "x.weight", (5, 8), 2) == Fraction(1, 2)
    assert share(STYLES["grouped_gemm"], "x", (8, 4, 4), 8) == Fraction(1, 8)


def test_a_rule_means_a_parameter_or_its_module_and_no_further():
    """The nearest name wins; a module's module is not meant, but lies inside."""
    globs = {"layers.*.mlp.experts": "moe_tp_experts", "layers.*.mlp.experts.down_proj": "rowwise"}
    assert rule("layers.*.mlp.experts.down_proj", globs) == "layers.*.mlp.experts.down_proj"
    assert rule("layers.*.mlp.experts.up_proj", globs) == "layers.*.mlp.experts"
    assert rule("layers.*.mlp.experts.norm.weight", globs) == ""
    assert is_inside("layers.*.mlp.experts", globs)
    assert is_inside("layers.*.mlp.experts.norm.weight", globs) and not is_inside("layers.*.mlp.experts_x", globs)


def test_the_last_stage_has_what_is_left():
    """transformers gives all stages alike and the last the remainder."""
    assert stages(61, 4) == [15, 15, 15, 16] and stages(48, 4) == [12] * 4 and stages(3, 4) == [0, 0, 0, 3]


def test_the_facts_are_those_that_another_hand_read():
    """declared.json has the plans of parallel_plans.json for every type that both have."""
    theirs = json.loads(PLANS.read_text())["plans"]
    types = {kind: row for row in json.loads(FILE.read_text())["plans"] for kind in row["types"]}
    checked = 0
    for kind, plans in theirs.items():
        if kind in types and kind not in COMPOSITE:
            checked += 1
            assert {way: types[kind][way] for way in plans} == plans, kind
    assert checked > 110


def test_an_embedding_is_cut_where_its_module_has_the_usual_name():
    """The library adds a rule for embed_tokens to a plan that cuts something; other names need a rule of their own."""
    assert declared_plan("llama").tp["embed_tokens"] == "embedding_rowwise"
    assert declared_plan("gpt_oss").tp == {"lm_head": "colwise_gather_output"}
    assert "embed_tokens" not in declared_plan("gpt_neox").tp and declared_plan("gpt_neox").embedding == "embed_in"
    assert (
        declared_plan("nemotron_h").tp["embeddings"] == "embedding_rowwise"
        and "lm_head" not in declared_plan("nemotron_h").tp
    )
    assert "embed_tokens" not in declared_plan("nemotron_h").tp


def test_what_lies_inside_dealt_experts_loses_its_other_rule():
    """A tensor deeper inside a module of the expert-parallel plan is whole there, though a rule cuts it else."""
    plan = Plan({"layers.*.experts.x": "colwise"}, {"layers.*.experts": "ep_dispatch_experts"}, ())
    (row,) = rows_of(Group([("experts.x.weight", (8, 4), "other")], (), "layers.*."), plan)
    assert (row.name, row.style, row.ep_style) == ("layers.*.experts.x.weight", "colwise", "")
    assert row.theirs[0] == Fraction(1, 2) and set(row.dealt) == {1}
