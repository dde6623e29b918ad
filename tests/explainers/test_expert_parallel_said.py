"""explainers/expert_parallel: its goals, captions and refusals, and which models' pages lead to it."""

from __future__ import annotations

import pytest

from cutaway import explainers
from cutaway.app.model_page import explainer_links
from cutaway.app.site import Site
from tests.explainers import expected
from tests.explainers.expert_parallel_states import KIMI, MIXTRAL, V2, V3, at, data, ep

GOALS = [
    ("light", {}, "Traffic is 4.37 MB per token, with 3.47 other nodes"),
    ("light", {"limit": 3}, "other nodes on average"),
    ("light", {"model": KIMI}, "needs DeepSeek V3"),
    ("light", {"nodes": 2, "skew": 0.5, "capacity": 1}, "are dropped"),
    ("level", {}, "skew of 0.2 or more"),
    ("level", {"skew": 0.2}, "The most loaded GPU gets 2."),
    ("level", {"skew": 0.2, "nodes": 4, "spare": 1}, "64 GPUs"),
    ("level", {"skew": 0.2, "capacity": 1.25}, "% of choices are dropped"),
]


@pytest.mark.parametrize(("goal", "changes", "says"), GOALS)
def test_a_goal_that_is_missed_says_why(goal, changes, says, of_beats):
    """Near misses are named."""
    [found] = of_beats("expert-parallel", "goals", goal, [{**ep.STATE, **changes}])
    assert not found["reached"]
    assert says in found["says"]


def test_a_goal_is_reached_where_the_references_layer_says_so(of_beats):
    """Over limits, nodes, room and spare slots: few bytes, or a level load, and nothing dropped."""
    light = [
        {**ep.STATE, "limit": limit, "nodes": nodes, "capacity": room}
        for limit in (0, 2, 3)
        for nodes in (2, 4, 8)
        for room in (0, 2)
    ]
    level = [
        {**ep.STATE, "skew": skew, "spare": spare, "kind": kind}
        for skew in (0.2, 0.3)
        for spare in (0, 1, 2)
        for kind in ("power", "one")
    ]
    for goal, states, value, most in (
        ("light", light, lambda now: now["layer"]["model_bytes"], 2.5e6),
        ("level", level, lambda now: now["load"]["ratio"], 1.5),
    ):
        found = [ep.compute(state, data) for state in states]
        right = [value(now) < most and not now["drop"]["choices"] for now in found]
        assert [one["reached"] for one in of_beats("expert-parallel", "goals", goal, states)] == right
        assert 0 < sum(right) < len(right)


WRONG = [
    ({"model": MIXTRAL}, "8 experts do not divide evenly over 64 GPUs; they do over 8."),
    ({"model": "zai-org/GLM-4.5"}, "160 experts do not divide evenly over 64 GPUs; they do over 8, 16 or 32."),
    ({"model": MIXTRAL, "nodes": 1, "limit": 1}, "2 experts do not fit into 1 of 8 groups; take 2 or more."),
    ({"etp": 2}, "EP 64 × ETP 2 are more than the 64 GPUs; take ETP 1 or less."),
    ({"tp": 3}, "tp: one of 1, 2, 4 or 8."),
    ({"model": "meta-llama/Llama-3.1-8B"}, "choose one from the list"),
]


@pytest.mark.parametrize(("changes", "says"), WRONG)
def test_what_does_not_fit_says_what_does(changes, says):
    """Experts that do not divide evenly, too few groups, more ranks than GPUs: what is legal nearest is named."""
    assert says in ep.check({**ep.STATE, **changes}, data)


def test_a_link_to_a_model_alone_finds_its_nodes():
    """Mixtral's eight experts stand on one node; a link that names the nodes too keeps them."""
    state = {**ep.STATE, "model": MIXTRAL}
    assert ep.settle(state, ["model"], data)["nodes"] == 1
    assert ep.settle(state, ["model", "nodes"], data)["nodes"] == 8


def told(of_beats, caption: str, *changes: dict) -> list[str]:
    """A caption as it is read, its numbers the reference's."""
    states = [{**ep.STATE, **change} for change in changes]
    made = of_beats("expert-parallel", "captions", caption, states)
    looks = [expected.Expected("expert-parallel", state) for state in states]
    return [look.plain(template) for look, template in zip(looks, made, strict=True)]


def test_the_words_of_a_step_count_what_is_drawn(of_beats):
    """Each step of a journey names its copies and bytes; a token at home sends nothing over the network."""
    now = at()["here"]["visits"]
    says = told(of_beats, "moment", *({"step": step} for step in range(7)))
    assert says[2].startswith("Step 3 of 7: ") and f"The token's 8 experts are on {now['gpus']} GPUs" in says[2]
    assert f"each of {now['away']} other nodes, {now['away'] * 7.392:.1f} KB over the network" in says[3]
    assert f"{now['inside']} copies go on inside nodes, {now['inside'] * 7.392:.1f} KB" in says[4]
    assert f"{now['inside']} sums go back inside nodes, {now['inside'] * 14.336:.1f} KB" in says[5]
    assert f"{now['away']} sums cross the network, {now['away'] * 14.336:.1f} KB" in says[6]
    others = ({"nodes": 1, "step": 3}, {"model": KIMI, "step": 1}, {"model": V2, "nodes": 4, "step": 1})
    alone, free, single = told(of_beats, "moment", *others)
    assert "nothing crosses the network" in alone
    assert "There are no groups" in free
    assert "groups are kept, those with the highest best score" in single
    assert at(step=6)["at"]["network"] == now["away"] * (7392 + 14336)
    assert at(step=6)["at"]["inside"] == at(step=5)["at"]["inside"] == now["inside"] * (7392 + 14336)
    assert (at(step=2)["at"]["network"], at(step=3)["at"]["inside"]) == (0, 0)


@pytest.mark.parametrize("skew", [step / 20 for step in range(1, 21)])
def test_one_loved_expert_drops_fewer_choices_at_every_skew(skew):
    """Beat 4 says so of a capacity of 1.25, which its phrase sets, and the slider beside it goes over every skew."""
    words = next(beat for beat in explainers.load("expert-parallel").beats if beat.name == "Crowds").text
    assert "that capacity drops fewer" in words and "harms less" not in words
    many, one = (at(skew=skew, kind=kind, capacity=1.25)["drop"]["choices"] for kind in ("power", "one"))
    assert one < many


def test_the_words_of_crowds_and_folding_are_the_references(of_beats):
    """What is dropped, how many copies stand in spare slots, and what one GPU holds of attention and experts."""
    full, tight = told(of_beats, "crowd", {"spare": 1, "skew": 0.2}, {"capacity": 1.25, "skew": 0.2})
    spare, lost = at(spare=1, skew=0.2), at(capacity=1.25, skew=0.2)["drop"]
    assert full.endswith(f"No tokens are dropped. {spare['copied']} experts are in more than one slot.")
    assert f"{spare['load']['ratio']:.2f} times the mean" in full
    choices = f"{100 * lost['share']:.1f} % of expert choices are dropped"
    assert tight.endswith(f"{choices}; they belong to {lost['tokens']} tokens.")
    assert told(of_beats, "folded", {}, {"tp": 4, "nodes": 1, "etp": 2}) == [
        "GPU 13 has all of attention and 4 experts of a layer, which are on no other GPU. "
        "GPUs of the same colour have the same weights. Only the experts of GPU 13 are coloured.",
        "GPU 13 has part 1 of 4 of attention and 32 experts of a layer, sharded 2 ways, which are on 4 GPUs in all. "
        "GPUs of the same colour have the same weights.",
    ]


@pytest.mark.parametrize(
    ("slug", "target"),
    [
        (V3, "/learn/expert-parallel/"),
        (MIXTRAL, f"/learn/expert-parallel/?model={MIXTRAL}&nodes=1"),
        ("zai-org/GLM-4.5", "/learn/expert-parallel/?model=zai-org/GLM-4.5&nodes=4"),
        ("meta-llama/Llama-3.1-8B", None),
        ("Zyphra/ZAYA1-8B", None),
    ],
)
def test_a_models_page_leads_here_on_nodes_that_share_its_experts(slug, target):
    """A mixture's page opens the lab with its router, on as many nodes as fit; other models have no such link."""
    doors = {one["name"]: one["target"] for one in explainer_links.of(Site().view(slug))}
    assert doors.get("expert-parallel") == target
