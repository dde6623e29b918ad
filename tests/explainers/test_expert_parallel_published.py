"""explainers/expert_parallel: DeepEP's numbers, the planner's, errors of others, the same GPUs grouped twice."""

from __future__ import annotations

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import make_planner_model
from tests import bundled
from tests.explainers import expected
from tests.explainers.expert_parallel_states import KIMI, V3, at, data, ep
from tests.tally import Tally

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
