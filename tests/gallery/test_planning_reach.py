"""On how many nodes and ranks a token's experts lie: closed forms, and the model's own rule over many tokens."""

from math import comb
from types import SimpleNamespace

import numpy as np
import pytest

from cutaway.gallery import catalog
from cutaway.gallery.counting.parameters import routers
from cutaway.gallery.planning.planner_model import expert_row
from cutaway.gallery.planning.reach import count_chosen, count_other_parts, count_parts, expert_reach
from cutaway.gallery.running.numbers.experts import SCORES, choose
from cutaway.gallery.spec import MoE
from cutaway.gallery.sublayers import parts_of

MANY = 20_000
V3 = "deepseek-ai/DeepSeek-V3"
GROUPED = ("deepseek-ai/DeepSeek-V2", V3, "inclusionAI/Ling-flash-2.0")
PLAIN = ("Qwen/Qwen3-235B-A22B", "openai/gpt-oss-120b", "moonshotai/Kimi-K2.5", "mistralai/Mixtral-8x7B-v0.1")


def moe_of(slug: str):
    """The last mixture of a catalogued model."""
    return routers(catalog.spec(slug))[-1]


def chosen(moe, tokens: int) -> np.ndarray:
    """[tokens, k] experts by the rule that equals the model's own code, for logits that are normal."""
    logits = np.random.default_rng(26).standard_normal((tokens, moe.num_experts))
    scores = logits if moe.topk_first else SCORES[moe.scoring](logits)
    facts = {"k": moe.num_experts_per_tok, "groups": moe.n_group, "topk_group": moe.topk_group,
             "group_score": moe.group_score}  # fmt: skip
    return choose(None, SimpleNamespace(facts=facts), {}, scores)


def chosen_with_zero_experts(moe, tokens: int) -> np.ndarray:
    """[tokens, k] of a router that has rows for experts without weights too, which come last."""
    logits = np.random.default_rng(26).standard_normal((tokens, moe.num_experts + moe.zero_expert_num))
    return np.argsort(-logits, axis=1)[:, : moe.num_experts_per_tok]


def counted(choice: np.ndarray, experts: int, parts: int) -> float:
    """On how many parts the choice of a token is on average, counted."""
    touched = np.zeros((len(choice), parts), bool)
    tokens, at = np.nonzero(choice < experts)  # others have no weights, and are nowhere
    touched[tokens, choice[tokens, at] * parts // experts] = True
    return float(touched.sum(1).mean())


@pytest.mark.parametrize("slug", [*GROUPED, *PLAIN])
def test_parts_are_those_that_the_models_own_rule_chooses(slug):
    """Within 0.03 of 20,000 tokens' mean, on nodes of several groups, of one, and on ranks that share a group."""
    moe = moe_of(slug)
    choice, row = chosen(moe, MANY), expert_row(moe, 1)
    for parts in (n for n in (1, 2, 4, 8, 16, 32, 64) if moe.num_experts % n == 0):
        assert count_parts(row, parts) == pytest.approx(counted(choice, moe.num_experts, parts), abs=0.03)


def test_node_limited_routing_of_v3_reaches_3_47_other_nodes():
    """Of 8 nodes with a group each four stay, and nearly always all four are used: 3.47 others, not 3.15, not 3.51."""
    row = expert_row(moe_of(V3), 1)
    assert count_other_parts(row, 8) == pytest.approx(3.47, abs=0.005)
    assert sum(row["used"][:4]) < 0.05 * sum(row["used"]) and row["used"][:2] == [0, 0]
    assert sum(at * many for at, many in enumerate(row["picks"])) == 8 * sum(row["used"])


def test_without_groups_a_choice_is_drawn_without_putting_back():
    """8 of 256 experts on 8 nodes: 8 (1 - C(224, 8) / C(256, 8)) of them; on 256 ranks, 8."""
    row = {"num_experts": 256, "n_group": 1, **expert_reach(256, 8, 1, 1, False, "softmax")}
    assert count_parts(row, 8) == pytest.approx(8 * (1 - comb(224, 8) / comb(256, 8)))
    assert (count_parts(row, 1), count_parts(row, 256)) == (pytest.approx(1), pytest.approx(8))
    assert count_other_parts(row, 2) == pytest.approx(1 - comb(128, 8) / comb(256, 8))


ZERO = {
    "meituan-longcat/LongCat-Flash-Chat": 8.0,
    "meituan-longcat/LongCat-Flash-Lite": 8.0,
    "Zyphra/ZAYA1-8B": 16 / 17,
}


@pytest.mark.parametrize(("slug", "with_weights"), ZERO.items())
def test_a_token_does_not_travel_to_experts_without_weights(slug, with_weights):
    """LongCat chooses 12 of 512 experts and 256 zero ones: 8 have weights on average; ZAYA1 one of 16 and one."""
    moe = next(part for layer in catalog.spec(slug).layers for part in parts_of(layer.mlp) if isinstance(part, MoE))
    choice, row = chosen_with_zero_experts(moe, MANY), expert_row(moe, 1)
    found = float((choice < moe.num_experts).sum(1).mean())
    assert count_chosen(row) == pytest.approx(with_weights) and found == pytest.approx(with_weights, abs=0.03)
    for parts in (1, 2, 4, 8, 16):
        assert count_parts(row, parts) == pytest.approx(counted(choice, moe.num_experts, parts), abs=0.03)


def test_experts_with_weights_are_all_that_are_chosen_where_there_are_no_others():
    """8 of 256, with groups and without."""
    assert [count_chosen(expert_row(moe_of(slug), 1)) for slug in (V3, PLAIN[0])] == [8, 8]


def test_all_groups_allowed_are_no_limit():
    """Eight groups of which eight stay spread a choice as no groups do, within what 4,096 tokens tell."""
    every = {"num_experts": 256, "n_group": 8, **expert_reach(256, 8, 8, 8, True, "sigmoid")}
    none = {"num_experts": 256, "n_group": 1, **expert_reach(256, 8, 1, 1, True, "sigmoid")}
    for parts in (2, 4, 8, 16, 64):
        assert count_parts(every, parts) == pytest.approx(count_parts(none, parts), abs=0.04)


def test_a_rule_that_cannot_hold_is_taken_as_no_groups():
    """Experts that no number of groups divides, or more chosen than the groups that stay have."""
    assert expert_reach(250, 8, 8, 4, True, "sigmoid")["used"] == [0, 1]
    assert expert_reach(64, 8, 16, 1, True, "sigmoid")["used"] == [0, 1]
