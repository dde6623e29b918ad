"""explainers/mla_numbers: both circuits against transformers and by hand, costs against the gallery and the planner."""

import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.gallery import catalog, flops, memory
from cutaway.gallery.planning.rank_memory import list_rank_memory
from tests.gallery.sheets import layout, sheet_of
from tests.tally import Tally

mla, data = explainers.reference("mla-numbers"), explainers.data("mla-numbers")
toy, costs = mla.toy, mla.costs
GOLDEN = json.loads(Path(__file__).with_name("golden_mla.json").read_text("utf-8"))
V3 = "deepseek-ai/DeepSeek-V3"


def at(**state) -> dict:
    """What the page prints in a state."""
    return mla.compute({**mla.STATE, **state}, data)


# ---------------------------------------------------------------- four tokens


def test_both_circuits_end_where_transformers_does(verified):
    """Outputs of the example, in each head and with every choice of what turns, are DeepseekV3Attention's."""
    tally = Tally()
    for turn, head in product(toy.TURNS, (1, 2)):
        now, theirs = at(turn=turn, head=head)["toy"], GOLDEN["example"][turn][head - 1]
        tally.near(now["expanded"]["out"][0], theirs, turn, head, abs=1e-12)
        assert (now["absorbed"]["out"][0] == pytest.approx(theirs, abs=1e-12)) == (turn != "every") == now["equal"]
    verified("mla-numbers: outputs of the example", tally, against=GOLDEN["made_with"])


def test_random_layers_absorb(verified):
    """Whole layers of transformers, run on their own latents without unpacking one, give what the class gives."""
    tally = Tally()
    for one in GOLDEN["layers"]:
        _, heads, rank, nope, rope, value, *_ = one["sizes"]
        c, kr, q, up = (np.array(one[name]) for name in ("c", "kr", "q", "up"))
        up = up.reshape(heads, nope + value, rank)
        out = np.array(one["out"]).reshape(len(c), heads, value)
        for head, token in product(range(heads), range(len(c))):
            wk, wv, asked, past = up[head, :nope], up[head, nope:], q[head, token], slice(token + 1)
            beside, divide = kr[past] @ asked[nope:], (nope + rope) ** 0.5
            made = toy.absorb_query(wk.T @ asked[:nope], c[past].T, wv, beside, divide)
            plain = toy.expand_keys(asked[:nope], wk @ c[past].T, wv @ c[past].T, beside, divide)
            for one_way in (made, plain):
                tally.near(one_way["out"], out[token, head], head, token, abs=1e-12)
            assert pytest.approx(np.array(one["k"])[head, :, :nope], abs=1e-12) == (wk @ c.T).T
            assert pytest.approx(np.array(one["v"])[head], abs=1e-12) == (wv @ c.T).T
    verified("mla-numbers: absorbed and expanded outputs of random layers", tally, against=GOLDEN["made_with"])


def test_head_one_by_hand():
    """Unturned, all but weights and outputs are small whole numbers that a reader can redo."""
    now = at(turn="none")["toy"]
    assert now["k"] == [[3, -1, 2, 2], [-2, 2, -1, 0]]
    assert now["carried"] == [[1, -1, 2]]
    scores = [[3.0, -1.5, 2.0, 0.5]]
    assert now["expanded"]["scores"] == now["absorbed"]["scores"] == scores
    assert [round(w, 3) for w in now["absorbed"]["weights"][0]] == [0.684, 0.008, 0.252, 0.056]
    assert now["v"] == [[1, -1, 3, 0], [4, -1, -1, 3]]
    one = mla.toy.unpack_latent(0)
    assert (one["heads"][0]["key"], one["heads"][0]["value"]) == ([[3, -2, 1, 0]], [[1, 4]])
    assert (one["heads"][1]["key"], one["heads"][1]["value"]) == ([[1, 1, 1, 0]], [[2, 0]])


def test_what_is_carried_depends_on_the_distance_alone_where_all_turns():
    """A key's score is the query carried for its distance times its latent, in every head; else one carries all."""
    for turn, head in product(toy.TURNS, (1, 2)):
        now, carry = at(turn=turn, head=head)["toy"], at(turn=turn, head=head)["carry"]
        own = np.array(now["q"]) @ np.array(now["k"])
        assert own[0] == pytest.approx((np.array(carry["needed"]) * np.array(now["c"])).sum(axis=0), abs=1e-12)
        assert carry["different"] == (1024 if turn == "every" else 1)
        for distance in (0, 1, 17, 31):
            there = at(turn=turn, head=head, distance=distance)["carry"]
            assert there["carried"][0] == pytest.approx([wave[distance] for wave in carry["waves"]])
            assert there["seen"][0] == pytest.approx((np.array(there["turning"]) @ np.array(there["q"])[0]).tolist())


def test_no_cell_is_rounding_alone():
    """No number of any state is so small that only rounding made it: a cell would print it."""

    def numbers(value):
        if isinstance(value, dict):
            value = list(value.values())
        return [x for one in value for x in numbers(one)] if isinstance(value, list) else [value]

    checked = 0
    for turn, head, distance in product(toy.TURNS, (1, 2), range(32)):
        now = at(turn=turn, head=head, distance=distance)
        shown = {**now["toy"], "apart": 0, "carry": now["carry"]}
        found = [x for x in numbers(shown) if isinstance(x, float)]
        assert [x for x in found if 0 < abs(x) < 1e-6 or str(x) == "-0.0"] == []
        checked += len(found)
    assert checked > 10_000


def test_steps_are_counted_one_by_one():
    """FLOP and numbers of a step are those of the products that it is."""
    now = at(turn="none")["toy"]
    size = {key: np.array(now[key]).shape for key in ("c", "kr", "wk", "wv", "k", "v", "carried")}
    tokens, (nope, rank), value = size["c"][1], size["wk"], size["wv"][0]
    each = {
        "expanded": (tokens * nope * rank, tokens * (nope + size["kr"][0]), 0, tokens * value * rank, tokens * value),
        "absorbed": (nope * rank, tokens * (rank + size["kr"][0]), 0, tokens * rank, value * rank),
    }
    for way, products in each.items():
        for step in range(6):
            assert at(step=step)["so_far"][way]["flops"] == 2 * sum(products[:step])
    whole = at()["so_far"]
    assert (whole["expanded"]["made"], whole["absorbed"]["made"]) == (np.prod(size["k"]) + np.prod(size["v"]), 2 * rank)
    assert (whole["expanded"]["flops"], whole["absorbed"]["flops"], whole["reads"]) == (144, 88, 20)


# ---------------------------------------------------------------- costs


def test_figures_of_deepseek_v3():
    """1,152 bytes become 81,920; 278,528 FLOP for 81,920; unpacking wins from 171 new tokens on."""
    now = at()
    assert (now["kept"]["bytes"], now["kept"]["unpacked_bytes"], round(now["kept"]["times"])) == (1152, 81_920, 71)
    ways = now["ways"]
    assert (ways["absorbed"]["flops"], ways["unpacked"]["flops"]) == (278_528, 81_920)
    assert (round(ways["more_flops"], 1), round(ways["absorbed"]["intensity"])) == (3.4, 242)
    assert ways["rebuilt"]["flops"] - ways["unpacked"]["flops"] == 33_554_432
    assert (round(ways["unpacked"]["ns"], 1), round(ways["absorbed"]["ns"], 2)) == (24.5, 0.34)
    assert (now["kept"]["grouped_numbers"], now["kept"]["grouped_bytes"]) == (2048, 4096)
    assert (now["grow"]["new"], now["grow"]["crossing"]) == (list(range(0, 513, 64)), 171)
    assert round(33_554_432 / (278_528 - 81_920), 2) == 170.67
    assert explainers.load("mla-numbers").beats[2].bet.marks[0]["at"] == ways["unpacked"]["flops"]
    assert [at(context=c)["grow"]["crossing"] for c in (1024, 8192, 1 << 20)] == [159, 169, 171]


def test_costs_are_the_gallerys(verified):
    """Of every listed model whose layers are alike: bytes kept, FLOP of decoding and of a prompt, as gallery counts."""
    tally = Tally()
    for slug, *_ in data["models"]:
        now, spec = at(model=slug), catalog.spec(slug)
        size = now["size"]
        whole = len(mla.models.latents(spec)) == 1 and not size["picked"]
        if not whole or not all(type(layer.mixer).__name__ == "LatentAttention" for layer in spec.layers):
            continue
        layers = size["layers"]
        tally.same(4096 * now["kept"]["model_bytes"], memory(spec, 4096).total_bytes, slug)
        tally.same(4096 * layers * now["grow"]["each"]["absorbed"], flops(spec, 4096).core_flops, slug)
        prompt = flops(spec, 512, prefill=True).core_flops
        tally.same(layers * costs.pairs(0, 512) * now["grow"]["each"]["unpacked"], prompt, slug, "prompt")
    assert tally.checked >= 12
    verified("mla-numbers: bytes and FLOPs of catalogued models", tally, against="gallery.memory and gallery.flops")


def test_costs_cross_where_they_are_equal():
    """One token before the crossing absorbing costs no more, at it unpacking costs less; whatever the sizes."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        size = {
            "heads": int(rng.integers(1, 129)),
            "rank": int(rng.integers(1, 800)),
            "rope": int(rng.integers(0, 129)),
        }
        size |= {"nope": int(rng.integers(1, 257)), "v": int(rng.integers(1, 257))}
        context = int(rng.integers(1, 200_000))
        met = costs.crossing_tokens(size, context)
        if not met:
            assert costs.both(size, context, 65_536)[0] <= costs.both(size, context, 65_536)[1]
            continue
        (a, b), (c, d) = costs.both(size, context, met), costs.both(size, context, met - 1)
        assert b < a
        assert d >= c


def test_gpus_keep_what_the_planner_says(verified):
    """Bytes of a token on a GPU under tensor parallelism, for the latent and for grouped heads, as holdings count."""
    tally = Tally()
    for slug, key in ((V3, "gpus"), ("meta-llama/Llama-3.1-70B", "other"), ("moonshotai/Kimi-K2-Instruct", "gpus")):
        for ranks in mla.GPUS:
            made = layout(-(-ranks // 8), min(ranks, 8), tp=ranks, job="serve", batch=1, context=4096)
            kept = list_rank_memory(sheet_of(slug), made)[0].sequence_cache_bytes
            now = at(model=slug if key == "gpus" else V3, ranks=ranks)["gpus"]
            tally.same(4096 * (now if key == "gpus" else now["other"])["each"], kept, slug, ranks)
    verified("mla-numbers: cache bytes per token on each GPU", tally, against="gallery.planning")
    shared = at(split="sequences")["gpus"]
    assert (shared["one"], shared["each"], shared["copies"]) == (70_272, 8784, 1)
    dealt = at()["gpus"]
    assert (dealt["share"], dealt["other"]["share"]) == (1, 0.125)
    assert (dealt["each"], dealt["other"]["each"], dealt["copies"], dealt["other"]["copies"]) == (70_272, 40_960, 8, 1)


# ---------------------------------------------------------------- goals and models

SAID = [
    ("broken", {"turn": "none"}, False, "While nothing is rotated"),
    ("broken", {}, False, "only the small key is rotated"),
    ("broken", {"turn": "every", "head": 2}, True, "scores differ by"),
    ("no_gain", {}, False, "takes 576 numbers, eight KV heads 2,048"),
    ("no_gain", {"heads": 16}, False, "The number of heads does not matter"),
    ("no_gain", {"rank": 2048, "rope": 0}, False, "exactly as many as eight KV heads"),
    ("no_gain", {"rank": 2048}, True, "the latent takes 2,112 numbers, eight KV heads 2,048"),
]


@pytest.mark.parametrize(("goal", "changes", "reached", "says"), SAID)
def test_a_goal_says_how_near_it_is(goal, changes, reached, says, of_beats):
    """Goals name what reached them, or what is missing."""
    [made] = of_beats("mla-numbers", "goals", goal, [{**mla.STATE, **changes}])
    assert (made["reached"], says in made["says"]) == (reached, True)


def test_goals_are_reached_where_the_reference_says_so(of_beats):
    """Circuits disagree where every key is turned and nowhere else; a latent gains nothing where it keeps more."""
    states = [state for case in mla.cases() if not mla.check(state := {**mla.STATE, **case}, data)]
    now = [mla.compute(state, data) for state in states]
    reached = lambda goal: [made["reached"] for made in of_beats("mla-numbers", "goals", goal, states)]  # noqa: E731
    broken = [state["turn"] == "every" for state in states]
    assert reached("broken") == broken == [not one["toy"]["equal"] for one in now]
    gained = [one["kept"]["numbers"] <= one["kept"]["grouped_numbers"] for one in now]
    assert reached("no_gain") == [not gain for gain in gained]
    assert len(states) > 200 and 20 < sum(gained) < len(states) - 20


CAPTIONS = [
    ("placed", {"turn": "none"}, "One product for all .* distances.*: nothing is rotated[.]$"),
    ("placed", {"turn": "apart"}, "only the small key is rotated"),
    ("placed", {"turn": "every"}, "different products"),
    ("grown", {}, "^[*]{2}With .* new tokens or more, .* With {fresh:int} new token, "),
    ("grown", {"fresh": 2, "rank": 64}, "^[*]{2}Absorption costs fewer FLOP .* With {fresh:int} new tokens, "),
    ("dealt", {"ranks": 1}, "nothing to split yet"),
    ("dealt", {"split": "sequences"}, "on average"),
    ("dealt", {"model": "moonshotai/Kimi-K2-Instruct"}, "less on each GPU[.]$"),
]


@pytest.mark.parametrize(("caption", "changes", "says"), CAPTIONS)
def test_a_caption_says_which_case_it_is(caption, changes, says, of_beats):
    """Nothing turned, one token, a crossing that never comes, one GPU: each is said in its own words."""
    [made] = of_beats("mla-numbers", "captions", caption, [{**mla.STATE, **changes}])
    assert re.search(says, made), made


def test_sizes_of_catalogued_models():
    """Rows are the configs' own sizes; a rotation that is missing, and an indexer, are known."""
    rows = {row[0]: row[2:] for row in data["models"]}
    assert rows[V3] == [128, 512, 64, 128, 128, 61, 1, 0]
    assert rows["moonshotai/Kimi-K2-Instruct"][:5] == [64, 512, 64, 128, 128]
    assert rows["moonshotai/Kimi-Linear-48B-A3B-Instruct"][5:] == [7, 0, 0]
    assert rows["deepseek-ai/DeepSeek-V3.2"][-1] == 2048
    assert not any(slug.startswith("meta-llama/") for slug in rows)
