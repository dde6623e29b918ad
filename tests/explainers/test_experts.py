"""explainers/experts: transformers' routers, a load counted one by one, models that open it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.app.model_page import explainer_links
from cutaway.app.site import Site
from cutaway.gallery import catalog
from cutaway.gallery.counting.parameters import routers

experts, data = explainers.reference("experts"), explainers.data("experts")
router, draw = experts.router, experts.router.draw
GOLDEN = json.loads(Path(__file__).with_name("golden_experts.json").read_text("utf-8"))
LOGITS, BIAS = np.array(GOLDEN["logits"]), np.array(GOLDEN["bias"])
V3, QWEN = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-30B-A3B"
FAR = {"model": V3, "experts": 256, "k": 8, "kept": 4, "skew": 0}


def at(**state) -> dict:
    """What the page prints in a state."""
    state = {**experts.STATE, **state}
    assert not experts.check(state, data)
    return experts.compute(state, data)


# ---------------------------------------------------------------- the models' own routers


@pytest.mark.parametrize(("key", "kept"), [("deepseek", 8), ("deepseek_groups", 3)])
def test_the_choice_is_deepseeks(key, kept):
    """With a bias, in groups and without, the experts are those that transformers' router picks."""
    chosen = router.chosen(router.sigmoid(LOGITS) + BIAS, GOLDEN["k"], kept)
    assert np.sort(chosen, axis=1).tolist() == GOLDEN[key]["chosen"]


@pytest.mark.parametrize(
    ("key", "state", "scale"),
    [
        ("deepseek", {"scoring": "sigmoid", "bias": True}, GOLDEN["scale"]),
        ("qwen3", {"scoring": "softmax", "bias": False}, 1),
        ("gpt_oss", {"scoring": "after", "bias": False}, 1),
    ],
)
def test_weights_are_the_models_own(key, state, scale):
    """Sigmoid with a bias, softmax of all, softmax of the chosen: the weights are transformers', token by token."""
    golden = GOLDEN[key]
    for row, chosen, weights in zip(GOLDEN["logits"], golden["chosen"], golden["weights"], strict=True):
        made = experts.eight(state, {"logits": row, "biases": GOLDEN["bias"], "k": GOLDEN["k"], "scale": scale})
        assert made["chosen"] == chosen
        assert [made["weights"][i] for i in chosen] == pytest.approx(weights, abs=2e-6)


def test_rounding_and_the_auxiliary_loss_are_torchs():
    """BF16 by bits is torch's; the loss, summed up as it is defined, is Mixtral's over k choices."""
    assert router.bf16(LOGITS) == pytest.approx(np.array(GOLDEN["bf16"]), abs=1e-9)
    k, many = GOLDEN["k"], LOGITS.shape[1]
    share = router.count_choices(router.chosen(LOGITS, k, 8), many) / LOGITS.shape[0]
    assert many * (share * router.softmax(LOGITS).mean(0)).sum() == pytest.approx(GOLDEN["auxiliary"], rel=1e-5)


# ---------------------------------------------------------------- drawn, chosen, counted


def test_a_draw_is_four_halves_of_two_hashes():
    """By Python's own whole numbers, any number of any row is the same; all together they are nearly normal."""

    def stirred(x: int) -> int:
        for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
            x = (x ^ x >> shift) * factor % 2**32
        return x ^ x >> 16

    for row, column in [(0, 0), (7, 63), (4095, 255), (router.LIKED, 5), (router.WALL + 47, 127)]:
        words = [stirred((stirred(row + 1) + 2 * column + i) % 2**32) for i in (0, 1)]
        summed = sum(part for word in words for part in divmod(word, 2**16))
        assert draw.normal([row], column + 1)[0, column] == (summed - 131_070) / 37_837
    many = draw.normal(np.arange(1000), 256)
    assert (many.mean(), many.std()) == (pytest.approx(0, abs=0.01), pytest.approx(1, abs=0.01))
    assert np.percentile(many, [2.5, 97.5]) == pytest.approx([-1.96, 1.96], abs=0.03)


COUNTED = [
    {},
    {"room": 1, "updates": 7, "step": 0.01},
    {"experts": 16, "k": 2, "kept": 2, "skew": 1.5, "token": 99},
    FAR,
]


@pytest.mark.parametrize("state", COUNTED)
def test_loads_nodes_and_drops_counted_one_by_one(state):
    """Token after token, first come first served: the same loads, drops, nodes, survivors and bytes."""
    whole, now = {**experts.STATE, **state}, at(**state)
    many, k = whole["experts"], whole["k"]
    keys = ("experts", "k", "kept", "skew", "step", "updates")
    made = experts.route_batch(*(whole[key] for key in keys))
    load, lost, room = [0] * many, 0, now["load"]["room"] or 10**9
    nodes, met = [], []
    for chosen, free in zip(made["choice"].tolist(), made["free"].tolist(), strict=True):
        for expert in chosen:
            lost += load[expert] >= room
            load[expert] += 1
        nodes.append(len({e // (many // 8) for e in chosen}))
        met.append(len(set(chosen) & set(free)))
    assert len(set(chosen)) == k and max(nodes) <= whole["kept"]
    assert (load, lost) == (now["load"]["counts"], now["load"]["lost"])
    assert (now["mean"]["nodes"], now["mean"]["survive"]) == (sum(nodes) / 4096, sum(met) / 4096)
    assert (now["mean"]["most"], now["here"]["nodes"]) == (max(nodes), nodes[whole["token"]])
    assert now["here"]["bytes"] == nodes[whole["token"]] * now["of"]["send"]
    assert now["here"]["survive"] == met[whole["token"]]


def test_the_bias_walks_as_the_paper_has_it():
    """Each update adds the step where an expert got less than the mean of 512 fresh tokens, and takes it elsewhere."""
    biases, liked = [0.0] * 8, draw.normal([router.LIKED], 8)[0]
    for update in range(6):
        got = [0] * 8
        for row in range(4096 + 512 * update, 4096 + 512 * (update + 1)):
            logits = 0.8 * liked + 1.3 * draw.normal([row], 8)[0]
            ranked = 1 / (1 + np.exp(-logits)) + biases
            for expert in sorted(range(8), key=lambda e: -ranked[e])[:2]:
                got[expert] += 1
        biases = [b + 0.01 * ((n < 128) - (n > 128)) for b, n in zip(biases, got, strict=True)]
    now = at(experts=8, k=2, kept=8, step=0.01, updates=6)
    assert now["biases"] == pytest.approx(biases, abs=1e-12)


# ---------------------------------------------------------------- models


def test_rows_are_the_models_that_the_gallery_counts():
    """Parameters are the gallery's; V3's and Qwen3's are those published; a route lies in the groups that are kept."""
    rows = {row[0]: experts.find(row[0], data) for row in data["models"]}
    assert len(rows) > 80
    assert (rows[QWEN]["total"] / 1e9, rows[QWEN]["active"] / 1e9) == (
        pytest.approx(30.532, abs=6e-4),
        pytest.approx(3.042, abs=6e-4),
    )
    assert (rows[V3]["total"] / 1e9, rows[V3]["active"] / 1e9) == (
        pytest.approx(671.026, abs=6e-4),
        pytest.approx(36.626, abs=6e-4),
    )
    for slug, row in rows.items():
        wall = router.wall(*(row[key] for key in ("layers", "experts", "k", "groups", "kept")))
        assert len(wall) == row["layers"] == len(routers(catalog.spec(slug)))
        size = row["experts"] // row["groups"]
        for layer in wall:
            assert len(set(layer)) == row["k"] and max(layer) < row["experts"]
            assert len({e // size for e in layer}) <= row["kept"]


def test_every_model_with_a_router_opens_the_page_with_its_numbers():
    """No mixture of the catalogue leads nowhere; where the page can run so many experts, they are preset."""
    site = Site()
    listed = {row[0] for row in data["models"]}
    for view in (view for view in site.views if view.spec):
        door = explainer_links.router(view)
        own = listed & {view.slug, view.row.variant_of, view.row.config_of}
        assert bool(own) == ("model" in (door or {})), view.slug
        if door and "experts" in door:
            assert not experts.check({**experts.STATE, **door, **({"model": own.pop()} if own else {})}, data), (
                view.slug
            )
    opened = {door["name"]: door["target"] for door in explainer_links.of(next(v for v in site.views if v.slug == V3))}
    assert opened["experts"] == f"/learn/experts/?model={V3}&experts=256&k=8&kept=4"
