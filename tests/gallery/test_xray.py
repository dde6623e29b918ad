"""gallery.planning.tp_plan_diff against what transformers does itself: its plans resolved and applied to every golden
case.

tests/oracle/plans_measured.json was made by tests/oracle/make_plans.py: the library's own code cut each model over
pretended ranks, and the first rank's shapes were written down.
"""

import json
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from math import prod
from pathlib import Path

import pytest

from cutaway.gallery import catalog, parameters, read, weights
from cutaway.gallery.counting.modelling import to_modelling
from cutaway.gallery.counting.naming import rename, trace_names
from cutaway.gallery.counting.weights import own_tensors, split_rules
from cutaway.gallery.planning.declared import STYLES, declared_plan, dimension, share
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.sharding.arithmetic import ratio
from cutaway.gallery.planning.tp_plan_diff import RANKS, Row, diff_tp_plan
from cutaway.gallery.planning.tp_plan_reasons import GATHERED, SOURCE_NOTES, WORDS, judge_row
from tests.gallery.sheets import sheet_of

ORACLE = Path(__file__).parents[1] / "oracle"
MEASURED = json.loads((ORACLE / "plans_measured.json").read_text())
AGAINST = "transformers 5.23.0, with its plans applied to meta tensors"
ROWLESS = {"longcat_flash": ("layers.*.mlp.experts.gate_up_proj", "layers.*.mlp.experts.down_proj")}
# LongCat's class has rows of experts that no token reaches: its stacks are longer than ours.


spec_of = catalog.spec


@cache
def seen(slug):
    return diff_tp_plan(spec_of(slug))


SLUGS = [row.slug for row in catalog.MODELS if row.snapshot]


def case_of(name):
    return json.loads((ORACLE / "forward" / f"{name}.json").read_text())


def named(key):
    """ "model.layers.*.x.weight 4x8" -> ("layers.*.x.weight", (4, 8))."""
    name, _, shape = key.rpartition(" ")
    return re.sub(r"^(model|gpt_neox)\.", "", name), tuple(int(size) for size in shape.split("x"))


def compared(name, spec, rows):
    """The measured rows that ours can have: a tied head is no weight of its own here."""
    skip = {"lm_head.weight"} if spec.tie_word_embeddings or " + " in case_of(name)["cls"] else set()
    skip |= set(ROWLESS.get(name, ()))
    return {named(key): found for key, found in rows.items() if named(key)[0] not in skip}, skip


def cut(found, style, sizes, skip):
    """{(name, shape): [dimension, length on the first rank...]} of the rows that are cut."""
    out = {}
    for row in found.rows:
        used = STYLES.get(style(row))
        at = dimension(used, row.name, row.shape) if used and row.name not in skip else None
        if at is not None:
            shares = [share(used, row.name, row.shape, size) for size in sizes]
            out[row.name, row.shape] = [at, *(int(one * row.shape[at]) for one in shares)]
    return out


def differences(cases, style, sizes):
    """(cases that differ, tensors compared, cases without a plan whose head alone is cut)."""
    wrong, checked, bare = [], 0, 0
    for name, rows in cases.items():
        spec = read(case_of(name)["config"], as_class=True)
        found = diff_tp_plan(spec)
        if found is None:
            bare += 1
            assert {named(key)[0] for key in rows} == {"lm_head.weight"}, name
            continue
        expected, skip = compared(name, spec, rows)
        ours = cut(found, style, sizes, skip)
        checked += len(expected.keys() | ours.keys())
        wrong += [(name, key) for key in expected.keys() | ours.keys() if expected.get(key) != ours.get(key)]
    return wrong, checked, bare


@pytest.mark.whole
def test_every_golden_case_is_cut_as_transformers_cuts_it(verified):
    """Which dimension of which tensor, and its length on the first of 2, 3 and 4 ranks, for every golden case."""
    wrong, checked, bare = differences(MEASURED["cases"], lambda row: row.style, (2, 3, 4))
    print(f"{checked} tensors of {len(MEASURED['cases']) - bare} cases; {bare} declare their head alone")
    verified("tensors sharded by transformers' tensor-parallel plans over 2 to 4 ranks", checked, len(wrong), AGAINST)
    assert wrong == [] and checked > 2_000 and bare == 18


@pytest.mark.whole
def test_experts_are_dealt_as_transformers_deals_them(verified):
    """With expert parallelism over the same ranks, its rules go before the others, and drop them from all inside."""
    wrong, checked = [], 0
    for name, rows in MEASURED["dealt"].items():
        spec = read(case_of(name)["config"], as_class=True)
        found = diff_tp_plan(spec)
        expected, skip = compared(name, spec, rows)
        held = {key: Fraction(length, key[1][at]) for key, (at, length) in expected.items()}
        for row in found.rows:
            if row.name not in skip:
                checked += 1
                if row.dealt[0] != held.get((row.name, row.shape), 1):
                    wrong.append((name, row.name))
        wrong += [(name, key) for key in held.keys() - {(row.name, row.shape) for row in found.rows}]
    verified("tensors per rank with transformers' expert-parallel plans on 2 ranks", checked, len(wrong), AGAINST)
    assert wrong == [] and checked > 2_000


@pytest.mark.whole
def test_every_catalogued_weight_is_cut_by_one_rule_or_left_whole(verified):
    """Under the modelling code's names no weight has two rules that cut it, and the x-ray shows the one it has."""
    checked, wrong, plans = 0, [], 0
    for slug in SLUGS:
        found, spec = seen(slug), spec_of(slug)
        if found is None:
            assert declared_plan(spec.model_type) is None
            continue
        plans += 1
        shown = {row.name: row for row in found.rows}
        for layer in set(map(frozenset, to_modelling(spec))):
            for name in layer:
                full = re.sub(r"(?<=\.)(\d+|\{\w+\})(?=\.|$)", "*", "layers.*." + name)
                row = shown.get(full) or next(
                    (shown[at] for at in shown if at.endswith(f".{full}")), None
                )  # of two stacks
                full = row.name if row else full
                globs = [glob for glob in found.plan.tp if full == glob or full.rpartition(".")[0] == glob]
                cutting = [glob for glob in globs if STYLES[found.plan.tp[glob]].cut]
                checked += 1
                if row is None or len(cutting) > 1 or (row.glob not in globs if globs else row.glob):
                    wrong.append((slug, full, cutting))
    print(f"{checked} names of {plans} models with a plan, {len(SLUGS) - plans} without")
    verified(
        "weights to which at most one rule of transformers' plan applies",
        checked,
        len(wrong),
        "the weights of all catalogued models",
    )
    assert wrong == [] and plans >= 189


@pytest.mark.whole
def test_rows_hold_every_number_of_the_model():
    """No weight is lost or counted twice: the rows add up to the parameters."""
    found = {slug: seen(slug) for slug in SLUGS if seen(slug)}
    assert {slug: one.size for slug, one in found.items()} == {
        slug: sum(weight.size for weight in weights(spec_of(slug))) for slug in found
    }
    assert found["deepseek-ai/DeepSeek-V3"].size == parameters(spec_of("deepseek-ai/DeepSeek-V3")).total


@pytest.mark.whole
def test_our_shares_are_the_planners(verified):
    """What ours holds is what the planner holds over as many tensor ranks, experts cut like the rest."""
    wrong, checked = [], 0
    for slug in SLUGS:
        if seen(slug) is None:
            continue
        own = sheet_of(slug)
        pieces = [*own["before"], *(one for place in own["layers"] for one in own["kinds"][place]["pieces"])]
        sizes = Counter()
        for piece in (*pieces, *own["after"]):
            sizes[piece[5]] += piece[3]
        for at, n in enumerate(RANKS):
            layout = Layout(DEVICES["h200_sxm"], 1, n, tp=n, etp=n)
            expected = round(sum(sizes[i] * Fraction(*ratio(one, layout)) for i, one in enumerate(own["rules"])))
            checked += 1
            if seen(slug).rank_size(at, "ours") != expected:
                wrong.append((slug, n, seen(slug).rank_size(at, "ours"), expected))
    verified("parameters per rank with Cutaway's own tensor-parallel plan", checked, len(wrong), "the planner")
    assert wrong == []


@pytest.mark.whole
def test_a_difference_is_computed_and_named():
    """Equal shares have no words but of messages; unequal ones have a reason, and none is without a name."""
    kinds = {}
    for slug in SLUGS:
        for row in seen(slug).rows if seen(slug) else ():
            for at, n in enumerate(RANKS):
                kind, words, _ = judge_row(spec_of(slug).model_type, row, at)
                kinds[kind] = kinds.get(kind, 0) + 1
                same = row.theirs[at] == row.ours[at]
                assert same == (kind in ("alike", "messages")) and bool(words) == (kind != "alike")
                assert (kind == "messages") == (same and row.style in GATHERED)
                assert (kind == "whole") == (not same and row.theirs[at] == 1)
                assert kind != "through a head" or row.theirs[at] == Fraction(1, n)
                assert kind != "uneven" or row.theirs[at] > Fraction(1, n)
                assert kind != "ours whole" or (row.theirs[at], row.ours[at]) == (Fraction(1, n), 1)
    print(kinds)
    assert kinds.keys() == WORDS.keys() - {"else"}


@pytest.mark.parametrize(
    ("slug", "name", "at", "kind", "words"),
    [
        ("deepseek-ai/DeepSeek-V4-Flash", "layers.*.self_attn.q_b_proj.weight", 2, "whole",
         "only Cutaway shards it, by heads (reason given by transformers: all query heads share one key/value head, "
         "so sharding q_b_proj would not match it)"),
        ("deepseek-ai/DeepSeek-V4-Flash", "layers.*.mlp.shared_experts.up_proj.weight", 0, "whole",
         "only Cutaway shards it, by width (reason given by transformers: the shared MLP is considered too small "
         "to shard)"),
        ("Qwen/Qwen3.8-Flash-Next", "layers.*.self_attn.indexer.index_qk_proj.weight", 0, "ours whole",
         "transformers shards it, but Cutaway replicates it"),
        ("deepseek-ai/DeepSeek-V4-Flash", "lm_head.weight", 1, "messages",
         "same share, but the logits are all-gathered on every rank"),
        ("deepseek-ai/DeepSeek-V3", "layers.*.self_attn.kv_b_proj.weight", 2, "whole",
         "only Cutaway shards it, by heads"),
        ("deepseek-ai/DeepSeek-V3.2", "layers.*.self_attn.kv_a_proj_with_mqa.weight", 3, "alike", ""),
        ("openai/gpt-oss-20b", "embed_tokens.weight", 2, "whole", "only Cutaway shards it, by vocabulary"),
        ("Qwen/Qwen3-30B-A3B", "layers.*.self_attn.k_proj.weight", 1, "alike", ""),
        ("Qwen/Qwen3-30B-A3B", "layers.*.self_attn.k_proj.weight", 2, "through a head",
         "with 4 key/value heads, transformers splits a head and Cutaway replicates whole heads"),
        ("google/gemma-3-270m", "layers.*.self_attn.v_proj.weight", 0, "through a head",
         "with 1 key/value head, transformers splits a head and Cutaway replicates whole heads"),
        ("ibm-granite/granite-3.3-8b-instruct", "embed_tokens.weight", 0, "uneven",
         "49,159 does not divide evenly: transformers gives the first ranks more, Cutaway counts even shares"),
        ("microsoft/phi-4", "layers.*.mlp.down_proj.weight", 0, "messages",
         "same share, but every rank holds the full input and takes its slice"),
        ("allenai/OLMo-2-1124-7B-Instruct", "layers.*.self_attn.q_proj.weight", 0, "messages",
         "same share, but the outputs are all-gathered (reason given by transformers: the norm of queries and keys "
         "spans all heads)"),
    ],
)  # fmt: skip
def test_known_differences_have_their_reason(slug, name, at, kind, words):
    """A few that a reader would look up, word for word."""
    row = next(row for row in seen(slug).rows if row.name == name)
    assert judge_row(spec_of(slug).model_type, row, at)[:2] == (kind, words)


def test_every_reason_is_met_where_its_type_is_in_the_catalogue():
    """A row of SAID that no weight of a catalogued type has is a dead fact."""
    types = {spec_of(slug).model_type: seen(slug) for slug in SLUGS if seen(slug)}
    for one in SOURCE_NOTES:
        for kind in set(one.types) & types.keys():
            assert any(one.within in row.name for row in types[kind].rows) or "proj" in one.within, (kind, one.within)


def test_names_are_traced_as_they_are_renamed():
    """Every tensor's own name leads to the name that renaming gives it, for every model and family."""
    wrong = []
    for slug in SLUGS:
        spec = spec_of(slug)
        for layer in spec.layers[:1] + spec.layers[-1:]:
            own = own_tensors(spec, layer)
            rules = (*split_rules(spec)[0], *spec.state_names)
            leads = trace_names([name for name, _, _ in own], rules)
            made = {name: prod(shape) for name, shape, _ in rename(list(own), rules)}
            summed = dict.fromkeys(made, 0)
            for name, shape, _ in own:
                summed[leads[name]] = summed.get(leads[name], 0) + prod(shape)
            if summed != made:
                wrong.append((slug, layer.index))
    assert wrong == []


@pytest.mark.parametrize(("style", "shape"), [("colwise", (30, 8)), ("rowwise", (8, 30)), ("colwise", (30,))])
def test_an_uneven_length_is_the_side_that_is_cut(style, shape):
    """Outputs of one matrix, inputs of the other, a bias along its only side."""
    row = Row("mlp.up_proj.weight", shape, "dense", 1, "", style, "", (), (), ())
    assert WORDS["uneven"](row).startswith("30 does not divide evenly: transformers gives the first ranks more")
