"""explainers/expert_parallel: routers as the models' graphs have them, an exchange counted twice, spare slots."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway.gallery import catalog
from cutaway.gallery.counting.parameters import routers
from cutaway.gallery.mesh import Mesh, Network
from cutaway.gallery.mlps.experts import graph
from tests.explainers.expert_parallel_states import KIMI, MIXTRAL, V3, at, data, ep, made

ROWS = [ep.find(row[0], data) for row in data["models"]]
STATES = [
    {},
    {"limit": 2, "skew": 0.2},
    {"limit": 8, "nodes": 4, "spare": 1, "skew": 0.2},
    {"capacity": 1.25, "skew": 0.2, "kind": "one"},
    {"model": KIMI, "capacity": 1, "spare": 2, "skew": 0.3},
    {"model": MIXTRAL, "nodes": 1, "capacity": 2, "skew": 0.5},
]


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
