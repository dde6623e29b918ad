"""explainers/heads: ranks, refusals, words, and the widget's picture against the reference's."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers import permalink
from cutaway.explainers.heads import forward, picture
from tests import bundled

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "golden_attention.json").read_text())
heads = explainers.reference("heads")
data = explainers.data("heads")


def at(**state) -> dict:
    """What the page prints in a state."""
    return heads.compute({**heads.STATE, **state}, data)


# ---------------------------------------------------------------- tensor parallel


def deal(heads_: int, kv: int, tp: int) -> list[set[int]]:
    """Second route: hand out query heads in order, and see which key/value heads each rank must then hold."""
    each = heads_ // tp
    return [{h * kv // heads_ for h in range(r * each, (r + 1) * each)} for r in range(tp)]


@pytest.mark.parametrize(("count", "kv"), [(64, 64), (64, 8), (64, 4), (64, 1), (48, 8), (40, 10), (28, 4), (71, 1)])
def test_tiles_are_what_the_query_heads_of_a_rank_read(count, kv):
    """At every legal number of ranks each rank holds exactly the key/value heads that its query heads read."""
    shape = {"heads": count, "kv": kv}
    for tp in heads.c.legal_ranks(count, kv):
        spread = heads.c.spread_tiles(shape, kv, tp, 1000 * kv)
        assert deal(count, kv, tp) == [set(tiles) for tiles in spread["tiles"]]
        held = sum(len(tiles) for tiles in spread["tiles"])
        assert held / kv == spread["waste"]
        assert held - kv == sum(len(t) for t, copy in zip(spread["tiles"], spread["copy"], strict=True) if copy)


@pytest.mark.parametrize(("tp", "waste"), [(1, 1), (8, 1), (16, 2), (64, 8)])
def test_key_value_heads_are_copied_once_they_run_out(tp, waste):
    """Eight key/value heads: nothing is wasted up to 8 ranks, then max(1, t / K)."""
    assert waste == at(tp=tp)["tp"]["waste"]


def test_every_rank_keeps_the_whole_latent():
    """One latent serves all heads, so t ranks hold t copies."""
    assert at(model="deepseek-ai/DeepSeek-V3", tp=16)["tp"]["waste"] == 16


RANKS = "Tensor parallel takes a whole number of ranks from 1 to 64; legal here: 1, 2, 4, 8, 16, 32, 64."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tp": 7}, "7 ranks cannot share 64 query heads evenly; legal here: 1, 2, 4, 8, 16, 32, 64."),
        ({"tp": 65}, RANKS),
        (
            {"tp": True},
            "Tensor parallel takes a whole number of ranks from 1 to 64; legal here: 1, 2, 4, 8, 16, 32, 64.",
        ),
        ({"head": 64}, "This model has 64 query heads: a head from 0 to 63."),
        ({"model": "x"}, "No model here is called “x”; choose one from the list."),
    ],
)
def test_an_illegal_state_gets_the_sentence_that_says_what_is_legal(change, sentence):
    """check() names what is legal."""
    assert sentence == heads.check({**heads.STATE, **change}, data)


def test_split_that_neither_divides_nor_copies_is_refused():
    """12 ranks share 48 query heads, but 8 key/value heads neither split over them nor copy whole."""
    state = {**heads.STATE, "model": "MiniMaxAI/MiniMax-M2.5", "tp": 12}
    expected = (
        "12 ranks can neither split 8 key/value heads evenly nor hold whole copies of them; "
        "legal here: 1, 2, 4, 8, 16, 24, 48."
    )
    assert expected == heads.check(state, data)


# ---------------------------------------------------------------- what the page promises


def test_a_model_alone_in_a_link_is_enough(verified):
    """`?model=X` opens every model: what the link does not set moves to the nearest legal value."""
    check, settle = explainers.checker("heads"), explainers.settler("heads")
    wrong = []
    for row in data["models"]:
        state, says = permalink.read_address(heads.STATE, f"?model={row[0]}", check, settle)
        wrong += [(row[0], says)] if says or state["model"] != row[0] or check(state) else []
    verified("heads: models opened by name alone", len(data["models"]), len(wrong), "check")


def test_what_a_link_sets_is_never_moved():
    """An illegal number that the link itself sets is refused in words, not bent."""
    check, settle = explainers.checker("heads"), explainers.settler("heads")
    assert "7 ranks cannot share" in permalink.read_address(heads.STATE, "?tp=7", check, settle)[1][0]
    assert (
        "a head from 0 to 15"
        in permalink.read_address(heads.STATE, "?model=allenai/OLMoE-1B-7B-0924&head=63", check, settle)[1][0]
    )
    assert "No model here" in permalink.read_address(heads.STATE, "?model=no/such", check, settle)[1][0]


def test_rope_is_drawn_only_where_it_turns():
    """Kimi Linear and Kimi K3 keep 64 numbers beside the latent that no RoPE turns; DeepSeek's are turned."""
    turned = {slug: at(model=slug, head=0, tp=1)["mla"]["turned"] for slug in LATENT}
    assert turned == LATENT


LATENT = {
    "moonshotai/Kimi-Linear-48B-A3B-Instruct": False,
    "moonshotai/Kimi-K3": False,
    "deepseek-ai/DeepSeek-V3": True,
    "meta-llama/Llama-3.1-70B": True,  # the latent of the slider's last stop
}
REST = [
    ("deepseek-ai/DeepSeek-V3.2", r"The indexer’s keys in these layers add 2\.0 GB: 11\.3 GB in all\."),
    ("tiiuae/Falcon-H1-7B-Instruct", r"The fixed states in these layers add 139\.7 MB: 6\.0 GB in all\."),
    ("google/gemma-4-31B-it", r"What its other layers keep adds 838\.9 MB: 11\.6 GB in all\."),
    (
        "Zyphra/Zamba2-1.2B",
        r"The fixed states in these layers add [\d.]+ MB, what its other layers keep [\d.]+ MB: .* in all\.",
    ),
]


@pytest.mark.parametrize(("slug", "says"), REST)
def test_what_else_is_kept_is_said_of_the_layers_that_keep_it(slug, says):
    """States and indexer keys beside attention are not “its other layers”."""
    assert re.fullmatch(says, at(model=slug, head=0, tp=1)["words"]["rest"])


def test_what_is_kept_beside_attention_is_told_apart_only_where_all_layers_are_alike():
    """No model has both several shapes of attention and an indexer or a state beside one of them."""
    both = [m["slug"] for m in MODELS if len(m["shapes"]) > 1 and (m["index_bytes"] or m["beside_bytes"])]
    assert both == []


MODELS = [heads.find({"model": row[0]}, data) for row in data["models"]]


def test_no_stop_compares_heads_with_numbers():
    """GQA 8 counts heads; a latent has none, and says so by having no number."""
    assert [stop["label"] for stop in at()["stops"]][-3:] == ["GQA 2", "MQA", "MLA"]


def test_absorbing_has_a_price_per_step(monkeypatch):
    """Folding W_uk into the query and W_uv behind the sum costs, once a step, what the executed products cost."""
    counted = []
    real = np.einsum

    def einsum(subscripts: str, *arrays: np.ndarray) -> np.ndarray:
        sizes = {}
        for names, array in zip(subscripts.split("->")[0].split(","), arrays, strict=True):
            sizes.update(zip(names, array.shape, strict=True))
        counted.append(2 * math.prod(sizes.values()))
        return real(subscripts, *arrays)

    x, w = forward.random_mla(0, 1, 64, 16, 32, 24, 8, 20)  # one token: the step's own share of every product
    monkeypatch.setattr(forward.np, "einsum", einsum)
    forward.mla_absorbed(x, w, 16)
    shape = {"latent": 1, "heads": 16, "k": 24, "v": 20, "rank": 32, "rope": 8, "turned": 1}
    absorbed, rebuilt, kept = heads.c.mla(shape)["ways"]
    assert absorbed["step_flops"] == sum(counted)
    assert (rebuilt["step_flops"], kept["step_flops"]) == (0, sum(counted))


def test_a_variant_is_listed_where_its_attention_differs():
    """Mistral 7B v0.2 lost the window of v0.1, so it stands in the list; packings of a model do not."""
    listed = {row[0] for row in data["models"]}
    assert {"mistralai/Mistral-7B-v0.1", "mistralai/Mistral-7B-Instruct-v0.2"} <= listed
    assert "nvidia/MiniMax-M2.5-NVFP4" not in listed


# ---------------------------------------------------------------- JavaScript (compute is in test_pattern.py)


def numbers(value) -> list[float]:
    """Every number of a JSON value, in order of its keys."""
    if isinstance(value, dict):
        return [n for key in sorted(value) for n in numbers(value[key])]
    return [n for one in value for n in numbers(one)] if isinstance(value, list) else [value]


def test_the_widget_draws_the_same_picture(blank):
    """Where heads and fans stand is the same in both languages, at three widths."""
    page = blank(bundled.explainer("heads"))
    for count, kv in [(64, 8), (64, 64), (128, 0), (128, 128), (71, 1), (48, 3), (4, 4)]:
        for width in (310, 620, 950):
            mine, theirs = picture.fan(count, kv, width), page.evaluate("(a) => loaded.fan(...a)", [count, kv, width])
            assert numbers(mine) == pytest.approx(numbers(theirs))
