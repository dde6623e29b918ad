"""What the experts page says: figures worked out elsewhere, captions, goals and near misses, odd states."""

from __future__ import annotations

import re

import pytest

from cutaway import explainers
from cutaway.gallery import catalog
from tests.explainers.expected import Expected, answers
from tests.explainers.test_experts import FAR, V3, at, data, experts

KIMI = "moonshotai/Kimi-K2-Base"

SAID = [
    ({}, "of.share", 0.0996),
    ({}, "eight.weights.5", 0.705),
    (FAR, "here.survive", 6),
    (FAR, "here.nodes_free", 6),
    (FAR, "here.nodes", 4),
    (FAR, "of.send", 7392),
    (FAR, "here.bytes", 29_568),
    (FAR, "mean.survive", 6.547),
    (FAR, "mean.nodes_free", 5.315),
    (FAR, "mean.nodes", 3.958),
    ({}, "load.busiest", 1733),
    ({}, "load.lost_share", 0.2670),
    ({}, "load.idle", 22),
    ({"updates": 30}, "load.ratio", 2.109),
    ({"updates": 60}, "load.ratio", 1.151),
    ({"updates": 150, "step": 0.001}, "load.ratio", 1.138),
    ({}, "route.bytes", 384),
    ({}, "route.packed", 336),
    ({}, "route.share", 0.9796),
    ({"model": V3}, "route.bytes", 464),
    ({}, "route.all_bytes", 12_582_912),
    ({"experts": 128, "k": 8, "skew": 0}, "flips.share", 0.03467),
]


@pytest.mark.whole
def test_the_beats_say_what_was_worked_out_elsewhere():
    """The figures of the design, where no seed is in them, and else those of a router written apart from this one."""
    for state, path, value in SAID:
        found: object = at(**state)
        for key in path.split("."):
            found = found[int(key)] if isinstance(found, list) else found[key]
        assert found == pytest.approx(value, rel=6e-4), (state, path)
    hunting = [at(step=0.05, updates=n)["load"]["ratio"] for n in (60, 100, 150, 200)]
    assert min(hunting) > 1.7
    plain, all_of = (at(scoring=name, bias=False)["eight"]["weights"] for name in ("after", "softmax"))
    assert plain == pytest.approx(all_of)


TOLD = [
    ("decided", {}, "0 and 3. A weight is the expert’s score divided by the sum of the chosen scores, times 2.5."),
    ("decided", {"scoring": "after", "bias": False}, "scores are chosen. A weight is the softmax of only the chosen"),
    ("limited", FAR, "6 of its 8 best experts and is sent to 4 nodes. On average over 4,096 tokens, 6.5 are kept"),
    ("crowd", {}, "gets 1,733 of 24,576 choices. 6,562 choices are dropped, 26.7 %; 22 experts stay under half"),
    ("level", {"updates": 60}, "gets 1.15 times the average load. The biases range from −0.129 to 0.180."),
    ("met", {}, "3.04 B of 30.53 B parameters are active for one token. They include 384 of 6,144 experts, and"),
    ("met", {"model": V3}, "parameters are active for one token. They include 464 of 14,848 experts,"),
    ("met", {"model": V3}, "58 layers, and everything that is not routed: attention or its replacement, the MLPs of 3"),
    ("met", {"model": KIMI}, ", 1 shared in each of 60 layers, and everything"),
    ("met", {"model": KIMI}, "or its replacement, the MLP of 1 dense layer, norms, routers and output head."),
    ("met", {}, "and everything that is not routed: attention or its replacement, norms, routers and output head."),
]  # fmt: skip


def test_captions_and_the_answer_that_is_picked(of_beats):
    """Captions print the numbers above; the weight is the score alone, without a bias there is none."""
    for name, state, says in TOLD:
        whole = {**experts.STATE, **state}
        [caption] = of_beats("experts", "captions", name, [whole])
        assert says in Expected("experts", whole).plain(caption), name
    picked = [
        {**experts.STATE, **state} for state in ({}, {"bias": False}, {"scoring": "softmax"}, {"scoring": "after"})
    ]
    assert of_beats("experts", "answers", "weighed_by", picked) == [1, 2, 1, 2]
    assert [answers("experts")["weighed_by"](state, data) for state in picked] == [1, 2, 1, 2]
    flips = at(experts=128, k=8, skew=0)["flips"]
    assert flips["any"] == pytest.approx(1 - (1 - flips["tokens"] / 4096) ** 48)
    picture = explainers.first_picture("experts")
    assert ">4.513<" in picture and 'data-out="mean.nodes" data-format="fixed 2">4.53<' in picture


def test_layers_without_experts_are_those_of_the_config():
    """Shared experts and dense MLPs are counted over the layers that have them, as `first_k_dense_replace` says."""
    for slug in (V3, KIMI, "deepseek-ai/DeepSeek-V3.2", "zai-org/GLM-4.5-Air"):
        said, of = catalog.load(slug), at(model=slug)["of"]
        assert of["dense"] == said["first_k_dense_replace"] > 0, slug
        assert of["layers"] + of["dense"] == said["num_hidden_layers"], slug


def test_the_words_claim_no_shared_expert_for_all():
    """Of the models in the first step’s list some share none, so the second says: if there is one."""
    words = (explainers.folder("experts") / "page.md").read_text("utf-8")
    listed = re.search(r"\n  model: .*", words).group()
    assert not all(at(model=slug)["of"]["shared"] for slug in re.findall(r"value: ([^,]+),", listed))
    assert "A shared expert always runs" not in words and "A shared expert, if there is one, always runs" in words


def test_four_bytes_a_number_are_what_miles_reports():
    """Its manual: roughly 60 MB for 32K tokens, 60 layers and 8 experts each. Wide ids take two bytes, not one."""
    route = experts.models.route({"layers": 60, "k": 8, "experts": 256})
    assert route["wide_bytes"] / 2**20 == 60
    assert (route["bits"], route["id_bytes"]) == (8, 1)
    assert at(model=KIMI)["route"]["id_bytes"] == 2


GOALS = [
    ("even", {"updates": 30}, "The busiest expert gets 2.109 times"),
    ("even", {"updates": 60, "room": 1}, "choices are dropped"),
    ("even", {"updates": 60, "step": 0.05}, "The busiest expert gets 2."),
    ("even", {"updates": 60, "skew": 0.7}, "This goal needs 6 of 64"),
    ("near", {"updates": 60}, "up to 6 nodes"),
    ("near", {"updates": 40, "kept": 3}, "The busiest expert gets 1.688"),
]


@pytest.mark.parametrize(("goal", "changes", "says"), GOALS)
def test_a_goal_that_is_missed_says_why(goal, changes, says, of_beats):
    """Near misses are named."""
    [made] = of_beats("experts", "goals", goal, [{**experts.STATE, **changes}])
    assert not made["reached"] and says in made["says"]


def test_goals_are_reached_where_the_reference_says(of_beats):
    """Over steps, updates, groups and room: at most 1.2 even shares and nothing dropped; and on three nodes at most."""
    moves = [(step, updates) for step in (0.001, 0.003, 0.05) for updates in (0, 60, 150)]
    states = [
        {**experts.STATE, "step": step, "updates": updates, "kept": kept, "room": room}
        for step, updates in moves for kept in (3, 8) for room in (1, 1.25)
    ]  # fmt: skip
    now = [at(**state) for state in states]
    even = [one["load"]["ratio"] <= 1.2 and not one["load"]["lost"] for one in now]
    near = [level and one["mean"]["most"] <= 3 for level, one in zip(even, now, strict=True)]
    for goal, right in (("even", even), ("near", near)):
        assert [one["reached"] for one in of_beats("experts", "goals", goal, states)] == right
        assert 0 < sum(right) < len(right)


def test_every_odd_state_is_refused_in_a_sentence():
    """Bools, strings, holes and numbers beyond the ends: none is computed."""
    odd = {"experts": [7, True, "64"], "k": [0, 25, True, 2.5], "kept": [0, 9, False], "skew": [-0.1, 2.1, True, "1"],
           "step": [0.004, True], "updates": [-1, 201, 1.5], "room": [True, 3, "1"], "token": [-1, 4096, True],
           "scoring": ["", "relu"], "bias": [1, "on"], "model": ["", "Qwen/Qwen3-8B"]}  # fmt: skip
    for key, values in odd.items():
        for value in values:
            said = experts.check({**experts.STATE, key: value}, data)
            assert said.endswith((".", "list.")), (key, value)
