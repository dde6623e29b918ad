"""explainers/expert_parallel: routers as the models' graphs have them, an exchange counted twice, DeepEP's numbers."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway import explainers
from cutaway.app.model_page import explainer_links
from cutaway.app.site import Site
from cutaway.gallery import catalog
from cutaway.gallery.counting.parameters import routers
from cutaway.gallery.mesh import Mesh, Network
from cutaway.gallery.mlps.experts import graph
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import make_planner_model
from tests import bundled
from tests.explainers import expected
from tests.tally import Tally

ep, data = explainers.reference("expert-parallel"), explainers.data("expert-parallel")
ROWS = [ep.find(row[0], data) for row in data["models"]]
V3, V2, KIMI = "deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V2", "moonshotai/Kimi-K2.5"
MIXTRAL = "mistralai/Mixtral-8x7B-v0.1"
STATES = [
    {},
    {"limit": 2, "skew": 0.2},
    {"limit": 8, "nodes": 4, "spare": 1, "skew": 0.2},
    {"capacity": 1.25, "skew": 0.2, "kind": "one"},
    {"model": KIMI, "capacity": 1, "spare": 2, "skew": 0.3},
    {"model": MIXTRAL, "nodes": 1, "capacity": 2, "skew": 0.5},
]


def at(**state) -> dict:
    """What the page prints in a state."""
    state = {**ep.STATE, **state}
    assert not ep.check(state, data)
    return ep.compute(state, data)


def made(**state) -> dict:
    """Choices, slots and what fits, in a state."""
    return ep.layer.deal_tokens(ep.layer.key_of({**ep.STATE, **state}))


# ---------------------------------------------------------------- routers


def test_a_row_says_what_the_models_graph_runs():
    """Of every listed model, the choice in its layers' graph has the row's numbers, and what is scored is the row's."""
    assert len(ROWS) > 60
    for row in ROWS:
        spec = catalog.spec(row["slug"])
        one = routers(spec)[-1]
        nodes = graph(one, spec.hidden_size).nodes
        choose = next(node for node in nodes if node.name.endswith("choose"))
        score = [node.facts["act"] for node in nodes if node.name.endswith("score")]
        facts = choose.facts
        assert (facts["k"], facts["groups"], facts["topk_group"]) == (row["k"], row["groups"], row["kept"]), row
        assert facts["group_score"] == row["group_score"] or row["groups"] == 1
        assert ([row["scoring"]] if row["scoring"] else []) == score
        assert bool(choose.tensors) == bool(row["bias"])
        stack = next(node for node in nodes if node.name.endswith("experts")).tensors["down"]
        assert (stack.shape[0], stack.shape[1]) == (row["experts"], row["width"]), row["slug"]


def slowly(scores: np.ndarray, row: dict, groups: int, kept: int, two: bool) -> list[int]:
    """The best k of the best groups, by sorting lists."""
    size = len(scores) // groups
    parts = [sorted(scores[g * size : (g + 1) * size])[::-1] for g in range(groups)]
    order = sorted(range(groups), key=lambda g: (-sum(parts[g][: 2 if two else 1]), g))[:kept]
    open_ = [e for e in range(len(scores)) if groups == 1 or e // size in order]
    return sorted(open_, key=lambda e: (-scores[e], e))[: row["k"]]


@pytest.mark.parametrize("slug", [V3, KIMI, "deepseek-ai/DeepSeek-V2", "openai/gpt-oss-120b", "inclusionAI/Ling-1T"])
@pytest.mark.parametrize("limit", [0, 3])
def test_the_choice_is_the_rule_in_plain_lists(slug, limit):
    """Sorted lists choose as the gallery's running code does, for a third of the tokens."""
    row = ep.find(slug, data)
    scores, choice = ep.routing.route(row, {"kind": "power", "skew": 0.1}, limit)
    own = (row["groups"], row["kept"], row["group_score"] == "top2")
    groups, kept, two = own if not limit else (max(row["groups"], 1), 3, own[2]) if own[0] > 1 else (8, 3, True)
    for token in range(0, ep.TOKENS, 3):
        assert list(choice[token]) == slowly(scores[token], row, groups, kept, two), token


def test_a_fair_router_is_fair_and_a_skewed_one_follows_its_ranks():
    """Without skew each expert is picked about as often; with it the first rank leads, or one alone."""
    assert abs(ep.routing.draw_scores(256).mean()) < ep.routing.UNIT / 50
    fair, power, one = (made(skew=s, kind=k)["load"] for s, k in ((0, "power"), (0.5, "power"), (0.5, "one")))
    assert fair.std() < 1.3 * fair.mean() ** 0.5
    top = int(np.argmin(np.argsort(np.argsort(ep.routing.hash32(np.arange(256) + 99991)))))
    assert int(power.argmax()) == int(one.argmax()) == top
    assert power.max() > 10 * power.mean()
    assert np.sort(one)[-2] < 2 * one.mean() < one.max()


@pytest.mark.parametrize("limit", ep.LIMITS[1:])
def test_a_limit_keeps_a_tokens_experts_in_so_many_groups(limit):
    """Whatever the model, no token's experts lie in more groups than the limit."""
    for slug in (V3, KIMI):
        one = made(model=slug, limit=limit)
        groups = one["choice"] // (one["row"]["experts"] // 8)
        assert max(len(set(row)) for row in groups.tolist()) == min(limit, max(len(set(r)) for r in groups.tolist()))
        assert max(len(set(row)) for row in groups.tolist()) <= limit


# ---------------------------------------------------------------- slots, room, and the exchange


@pytest.mark.parametrize("state", STATES, ids=str)
def test_the_log_counts_what_sets_of_nodes_and_gpus_do(state):
    """Copies over the network and inside nodes are those that sets of places give; every sum comes back right."""
    now, one = at(**state), made(**state)
    nodes = {**ep.STATE, **state}["nodes"]
    per, each = len(one["slots"]) // (8 * nodes), ep.TOKENS // (8 * nodes)
    away = inside = 0
    for token, (slots, fits) in enumerate(zip(one["where"].tolist(), one["fits"].tolist(), strict=True)):
        home = token // each
        gpus = {slot // per for slot, ok in zip(slots, fits, strict=True) if ok}
        doors = {gpu // 8 for gpu in gpus}
        away += len(doors - {home // 8})
        inside += len([gpu for gpu in gpus if gpu % 8 != home % 8])
    layer, copy = now["layer"], now["copy"]
    assert (layer["network"], layer["network_back"], layer["inside"], layer["inside_back"]) == (
        away,
        away,
        inside,
        inside,
    )
    assert layer["network_out_bytes"] + layer["network_back_bytes"] == away * (copy["out"] + copy["back"])
    assert layer["inside_out_bytes"] + layer["inside_back_bytes"] == inside * (copy["out"] + copy["back"])
    assert layer["counted"] * ep.TOKENS == away
    assert layer["token_bytes"] == pytest.approx(layer["away"] * (copy["out"] + copy["back"]))
    assert layer["seen"] <= layer["most"]
    assert sum(now["spread"]) == ep.TOKENS
    assert sum(i * n for i, n in enumerate(now["spread"])) == away
    assert now["wrong"] == 0


@pytest.mark.whole
def test_every_token_comes_back_with_its_sum(verified):
    """Over models, limits, skews, capacities and spare slots, what the exchange leaves is what one GPU computes."""
    cases = [case for case in ep.cases() if not ep.check({**ep.STATE, **case}, data)]
    wrong = sum(at(**case)["wrong"] for case in cases)
    checked = ep.TOKENS * len(cases)
    verified(
        "expert-parallel: tokens sent to experts on several GPUs and back", checked, wrong, "one GPU with all experts"
    )


def test_a_sum_that_goes_astray_is_counted():
    """A token whose sum is changed on the way is one that is wrong."""
    one = made()
    run = ep.layer.exchange.Exchange(8, one["slots"], one["where"], one["fits"])
    sums = run.run()
    sums[0][0] += 1
    del sums[63][ep.TOKENS - 1]
    assert run.wrong(sums, one["choice"], one["fits"]) == 2


def test_real_bytes_on_the_wires_are_the_bytes_printed():
    """DeepSeek V3's copies as arrays of 7,392 bytes each: what leaves nodes in the mesh's log is what the page says."""
    one, now = made(), at()
    net = Network(Mesh({"node": 8, "gpu": 8}, 8))
    away = [{slot // 32 for slot in row} for row in one["where"].tolist()]
    tokens = ep.TOKENS // 64
    parts = {
        rank: [
            np.zeros((sum(node in away[t] for t in range(rank * tokens, (rank + 1) * tokens)), 7392), np.uint8)
            for node in range(8)
        ]
        for rank in range(64)
    }
    net.all_to_all(parts, "node", "copies")
    assert {move.link for move in net.log} == {"outside"}
    assert sum(move.bytes for move in net.log) == now["layer"]["network_out_bytes"]
    most = max(sum(move.bytes for move in net.log if move.source == rank) for rank in range(64))
    assert most == now["layer"]["busiest_bytes"]


@pytest.mark.parametrize("capacity", ep.CAPACITIES[1:])
def test_room_is_kept_and_the_rest_is_dropped(capacity):
    """No slot takes more than its room; without spare slots, what is over it in every expert is what is dropped."""
    state = {"skew": 0.2, "capacity": capacity}
    now, one = at(**state), made(**state)
    room = -int(-capacity * ep.TOKENS * 8 // 256)
    assert now["drop"]["room"] == room
    assert max(np.bincount(one["where"][one["fits"]])) <= room
    assert now["drop"]["choices"] == int(np.maximum(one["load"] - room, 0).sum())
    assert now["drop"]["share"] == now["drop"]["choices"] / (8 * ep.TOKENS)
    assert sum(now["load"]["kept"]) + now["drop"]["choices"] == sum(now["load"]["asked"]) == 8 * ep.TOKENS
    assert now["drop"]["tokens"] == sum(not all(row) for row in one["fits"].tolist())


@pytest.mark.parametrize(("nodes", "spare"), [(8, 1), (8, 2), (2, 1), (1, 2)])
def test_spare_slots_hold_the_busiest_of_their_node(nodes, spare):
    """Every expert stands on its own node, the busiest as often as the rest allow, and the fullest GPU gets less."""
    one, without = made(nodes=nodes, spare=spare, skew=0.2), at(nodes=nodes, skew=0.2)
    each, per = 256 // nodes, 256 // (8 * nodes) + spare
    assert len(one["slots"]) == 8 * nodes * per
    for slot, expert in enumerate(one["slots"]):
        assert slot // (8 * per) == expert // each
    copies = np.bincount(one["slots"], minlength=256)
    assert copies.min() == 1
    for node in range(nodes):
        of = slice(node * each, (node + 1) * each)
        load, many = one["load"][of], copies[of]
        assert many[load.argmax()] == many.max() > 1
        assert (load[many > 1] / (many[many > 1] - 1)).min() >= (load / many).max()  # each copy went where most was
    assert at(nodes=nodes, spare=spare, skew=0.2)["load"]["ratio"] < without["load"]["ratio"]


# ---------------------------------------------------------------- published numbers, and errors of others


def test_deepeps_bytes_and_bandwidths(verified):
    """7,392 and 14,336 bytes; 7.569 and 14.680 MB for 128 tokens; its six rows follow within what rounding leaves."""
    assert at()["copy"] == {"numbers": 7168, "scales": 56, "out": 7392, "back": 14336}
    assert [ep.measured.copy(n, "fp8")["scales"] for n in (128, 129, 12_900)] == [1, 2, 101]
    table = data["measured"]
    assert (table["out"], table["back"]) == (128 * 8 * 7392, 128 * 8 * 14336)
    assert (round(table["out"] / 1e6, 3), round(table["back"] / 1e6, 3)) == (7.569, 14.680)
    out = [round(row["out"], 1) for row in table["rows"]]
    back = [round(row["back"], 1) for row in table["rows"]]
    assert (out, back) == ([98.3, 64.1, 48.8, 43.8, 39.4, 39.0], [128.8, 75.3, 53.8, 46.8, 39.8, 40.8])
    tally = Tally()
    for row in table["rows"]:
        tally.same(row["agrees"], "pass", row)
    assert table["agree"] == tally.checked == 6
    verified(
        "expert-parallel: DeepEP bandwidths, from bytes and published times",
        tally,
        against="the bandwidths that DeepEP reports, within 2.5 %",
    )


def test_a_row_that_is_off_fails(monkeypatch):
    """A published bandwidth that the bytes do not give is no pass."""
    monkeypatch.setattr(ep.measured, "ROWS", ((8, 77, 98, 114, 127), (16, 118, 63, 195, 70)))
    assert [row["agrees"] for row in ep.measured.table()["rows"]] == ["pass", "fail"]


def test_four_nodes_cost_five_megabytes_a_token():
    """DeepSeek V3's limit of four nodes: 29.6 KB out and 57.3 KB back in a layer, 5.04 MB through 58 of them."""
    layer, copy = at()["layer"], at()["copy"]
    assert (layer["most"], 4 * copy["out"], 4 * copy["back"]) == (4, 29_568, 57_344)
    assert layer["most_bytes"] == 58 * 4 * (7392 + 14336) == 5_040_896
    assert 0.6 * layer["most_bytes"] < layer["model_bytes"] < layer["most_bytes"]


@pytest.mark.parametrize("slug", [V3, KIMI, "inclusionAI/Ling-flash-2.0", "openai/gpt-oss-120b"])
@pytest.mark.parametrize("nodes", [1, 2, 4, 8])
def test_other_nodes_of_a_token_are_the_planners(slug, nodes):
    """One number here and in `cutaway plan`: V3 goes to 3.47 of 7 other nodes, in both, and costs as many bytes."""
    sheet = make_planner_model(catalog.spec(slug))
    layout = Layout(DEVICES["h200_sxm"], nodes, 8, ep=8 * nodes, job="prefill", sequence=1_000, batch=8 * nodes)
    talks = [talk for talk in list_collectives(sheet, plan(sheet, layout), 0) if talk.axis == "ep"]
    leaving = sum(talk.leaving_bytes for talk in talks) / 1_000
    assert at(model=slug, nodes=nodes)["layer"]["model_bytes"] == pytest.approx(leaving, rel=1e-5)
    if (slug, nodes) == (V3, 8):
        assert at()["layer"]["away"] == at(limit=3)["own_away"] == pytest.approx(3.47, abs=0.005)


@pytest.mark.parametrize("slug", [V3, "deepseek-ai/DeepSeek-V2", KIMI])
@pytest.mark.parametrize("limit", [0, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("nodes", [2, 4, 8])
def test_an_average_is_near_the_batch_that_is_drawn(slug, limit, nodes):
    """Within 0.1 nodes of the 512 tokens; with a skew, a capacity or spare slots it is theirs."""
    if ep.check({**ep.STATE, "model": slug, "limit": limit, "nodes": nodes}, data):
        return
    layer = at(model=slug, limit=limit, nodes=nodes)["layer"]
    assert layer["away"] == pytest.approx(layer["counted"], abs=0.1)
    for change in ({"skew": 0.2}, {"capacity": 1}, {"spare": 1}):
        layer = at(model=slug, limit=limit, nodes=nodes, **change)["layer"]
        assert layer["away"] == layer["counted"]


def test_two_b_s_h_forgets_that_a_token_has_several_goals():
    """The 2·B·S·H of others is one copy for each token: too little by the nodes it goes to, or by its experts."""
    now, numbers = at(dispatch="bf16"), 2 * ep.TOKENS * 7168
    sent = (now["layer"]["network_out_bytes"] + now["layer"]["network_back_bytes"]) / 2
    assert sent / numbers == pytest.approx(now["layer"]["counted"])
    each = now["layer"]["each_bytes"] * ep.TOKENS / 2
    assert each / numbers == pytest.approx(now["layer"]["each"])
    assert 3 < now["layer"]["away"] < 4 < now["layer"]["each"] == 7


@pytest.mark.parametrize(
    ("slug", "width"), [("nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-NVFP4", 2048), ("moonshotai/Kimi-K3", 3584)]
)
def test_experts_in_a_latent_are_sent_the_latent(slug, width):
    """A fourth of Nemotron 3 Ultra's 8,192 numbers travel, half of Kimi K3's 7,168."""
    assert at(model=slug)["copy"]["numbers"] == width
    assert at(model=slug, dispatch="bf16")["copy"] == {
        "numbers": width,
        "scales": 0,
        "out": 2 * width,
        "back": 2 * width,
    }


# ---------------------------------------------------------------- the same GPUs, grouped twice

FOLDS = [(tp, cp, nodes, etp) for tp in (1, 2, 8) for cp in (1, 4) for nodes in ep.NODES for etp in (1, 2, 8)
         if nodes * etp <= 8]  # fmt: skip


@pytest.mark.parametrize("fold", FOLDS, ids=str)
def test_no_gpu_is_added_for_experts(fold):
    """Both readings are all 64 GPUs, each GPU at one place of both; EP is larger than DP where it likes to be."""
    tp, cp, nodes, etp = fold
    now = at(tp=tp, cp=cp, nodes=nodes, etp=etp, gpu=45)["fold"]
    assert now["dp"] * now["cp"] * now["tp"] == now["edp"] * now["ep"] * now["etp"] == 64 == now["gpus"]
    for axes in (("dp", "cp", "tp"), ("edp", "ep", "etp")):
        places = list(zip(*(now["places"][axis] for axis in axes), strict=True))
        assert places == sorted(set(places))
        assert len(places) == 64
    for axis in ("dp", "cp", "tp", "edp", "ep", "etp"):
        assert len(now["group"][axis]) == now[axis]
        assert 45 in now["group"][axis]
        assert now["here"][axis] == now["places"][axis][45]
    answers = expected.answers("expert-parallel")
    assert answers["more_gpus"]({**ep.STATE, "tp": tp, "cp": cp, "nodes": nodes, "etp": etp}, data) == 2


def test_one_colour_of_experts_is_one_set_of_weights(blank, called):
    """GPUs share a colour where they hold the same experts; of more than 16 sets, only the one in hand has a colour."""
    page = blank(bundled.explainer("expert-parallel"))
    for gpu in (0, 13, 45, 63):
        states = ({"tp": tp, "cp": cp, "nodes": nodes, "etp": etp, "gpu": gpu} for tp, cp, nodes, etp in FOLDS)
        folds = [at(**state)["fold"] for state in states]
        for now, colours in zip(folds, called(page, "colours_of_experts", folds, gpu), strict=True):
            sets = list(zip(now["places"]["ep"], now["places"]["etp"], strict=True))
            coloured = [i for i in range(64) if len(set(sets)) <= 16 or sets[i] == sets[gpu]]
            assert coloured == [i for i in range(64) if colours[i] is not None]
            assert all(0 <= colours[i] < 16 for i in coloured)
            assert all((colours[i] == colours[j]) == (sets[i] == sets[j]) for i in coloured for j in coloured)


# ---------------------------------------------------------------- words

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
