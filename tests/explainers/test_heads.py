"""explainers/heads: ranks, refusals, words, bets and goals, and where the widget's heads stand."""

import json
import math
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers import permalink
from cutaway.explainers.heads import forward
from tests import bundled
from tests.explainers import expected

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "golden_attention.json").read_text())
heads = explainers.reference("heads")
data = explainers.data("heads")
told = explainers.load("heads")
BETS = [beat for beat in told.beats if beat.bet]


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
    verified(
        "heads: models opened from a link with only a name",
        len(data["models"]),
        len(wrong),
        "the page's own input check",
    )


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
    "meta-llama/Llama-3.1-70B": True,  # the latent of the slider's MLA setting
}
REST = [
    ("deepseek-ai/DeepSeek-V3.2", r"The indexer’s keys in these layers add 2\.0 GB: 11\.3 GB in all\."),
    ("tiiuae/Falcon-H1-7B-Instruct", r"The fixed states in these layers add 139\.7 MB: 6\.0 GB in all\."),
    ("google/gemma-4-31B-it", r"Its other layers add 838\.9 MB: 11\.6 GB in all\."),
    (
        "Zyphra/Zamba2-1.2B",
        r"The fixed states in these layers add [\d.]+ MB, its other layers [\d.]+ MB: .* in all\.",
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


@pytest.mark.parametrize("width", [310, 620, 950])
@pytest.mark.parametrize(("count", "kv"), [(64, 8), (64, 64), (128, 0), (128, 128), (71, 1), (48, 3), (4, 4)])
def test_every_head_stands_in_the_group_that_it_reads(blank, count, kv, width):
    """All heads are drawn inside the width, each once, groups apart, and each group's box under its middle."""
    place = blank(bundled.explainer("heads")).evaluate("(a) => loaded.fan(...a)", [count, kv, width])
    groups = place["groups"]
    assert (len(groups), place["size"] * len(groups)) == (max(kv, 1), count)
    pitch, wide = place["pitch"], place["size"] * place["pitch"]
    assert 0 < place["thick"] < pitch <= 24
    assert all(one["x"] + (wide - (pitch - place["thick"])) / 2 == pytest.approx(one["middle"]) for one in groups)
    rows: dict[float, list[float]] = {}
    for one in groups:
        rows.setdefault(one["y"], []).append(one["x"])
    assert len(rows) == place["rows"] and list(rows) == sorted(rows)
    assert all(b - a >= wide for xs in rows.values() for a, b in pairwise(xs))
    assert min(xs[0] for xs in rows.values()) >= -1e-6 and max(xs[-1] for xs in rows.values()) + wide <= width + 1e-6
    assert place["box"] * 2 <= wide and place["height"] >= groups[-1]["y"] + place["tall"] + place["drop"]
    assert pitch >= 6 or place["rows"] == len(groups)


# ---------------------------------------------------------------- beats


def test_the_bets_have_the_answers_that_their_beats_argue_for():
    """Bytes of a token, of a conversation, of the latent and of a rank of 16, each by hand."""
    looks = [expected.looks(told, beat)[1] for beat in BETS]
    token, cache, latent, rank = (look(beat.bet.answer) for look, beat in zip(looks, BETS, strict=True))
    assert token == 64 * 2 * 128 * 2 * 80
    assert cache == token * 131_072
    assert latent == (512 + 64) * 2 * 80
    assert rank == 2 * 128 * 2 * 80  # one of the 8 pairs, as on 8 ranks
    assert looks[2]("mqa_bytes") < latent < looks[2]("own_bytes")


LLAMA, LIMIT, ABOUT = heads.STATE["model"], 20 * 10**9, "This goal needs Llama 3.1 70B and 128k tokens."
STOPS = [-1, *heads.c.stops(heads.find(heads.STATE, data)["shapes"][0], 8)]


def test_the_goals_are_reached_where_the_reference_says_so(of_beats):
    """Every stop of the slider on every legal number of ranks."""
    states = [{**heads.STATE, "kv": kv, "tp": tp} for kv in STOPS for tp in heads.c.legal_ranks(64, abs(kv))]
    now = [at(**state) for state in states]
    fits = of_beats("heads", "goals", "fits_20_gb", states)
    assert [one["reached"] for one in fits] == [one["holds_bytes"] <= LIMIT for one in now]
    today = at(tp=16)["tp"]["bytes_per_rank"]
    alone = [len(one["tp"]["tiles"]) == 16 and one["tp"]["waste"] == 1 for one in now]
    few = [one["tp"]["bytes_per_rank"] <= today for one in now]
    made = of_beats("heads", "goals", "no_copies", states)
    assert [one["reached"] for one in made] == [a and b for a, b in zip(alone, few, strict=True)]


def test_the_goals_know_their_near_misses(of_beats):
    """Each goal says what is in the way, and of another model that it is not about it."""
    goal = lambda name, *more: of_beats("heads", "goals", name, [{**heads.STATE, **one} for one in more])  # noqa: E731
    fits = [one["says"] for one in goal("fits_20_gb", {}, {"kv": 2}, {"kv": 0}, {"context": 8_192})]
    assert fits == [
        "With 8 KV heads, the cache takes 42.9 GB.",
        "Reached with 2 KV heads: 10.7 GB. MLA would fit too, with 64 different keys.",
        "Reached with a latent: 12.1 GB. Two KV heads would fit too.",
        ABOUT,
    ]
    states = ({}, {"tp": 16}, {"tp": 16, "kv": 32}, {"tp": 16, "kv": 0}, {"model": "deepseek-ai/DeepSeek-V3"})
    assert [one["says"] for one in goal("no_copies", *states, {"tp": 16, "kv": 16})] == [
        "With 8 KV heads, each of 16 GPUs stores 5.4 GB, and every KV head is stored twice.",
        "With 8 KV heads, each GPU stores 5.4 GB, and every number is stored 2 times.",
        "Nothing is copied, but each GPU stores 10.7 GB, more than 5.4 GB.",
        "With a latent, each GPU stores 12.1 GB, and every number is stored 16 times.",
        ABOUT,
        "Reached with 16 KV heads: 5.4 GB on each GPU, as much as before, and no copies.",
    ]
