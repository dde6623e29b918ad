"""explainers/position: rotation executed, wavelengths against the gallery's frequencies, what beats and goals claim."""

import re
from math import cos, pi

import numpy as np
import pytest

from cutaway import explainers
from cutaway.gallery import catalog
from cutaway.gallery.running.frequencies import frequencies
from tests.tally import Tally

position, data = explainers.reference("position"), explainers.data("position")
attentions = position.models.attentions
LLAMA, KIMI = "meta-llama/Llama-3.1-8B", "moonshotai/Kimi-Linear-48B-A3B-Instruct"


def at(**state) -> dict:
    """What the page prints in a state."""
    return position.compute({**position.STATE, **state}, data)


@pytest.mark.parametrize("slug", position.models.LISTED)
def test_as_its_config_says_it_is_the_gallerys_rotation(slug):
    """Wavelengths of an untouched model are those of the spec that the site reads, which golden logits hold."""
    rope = next(attentions(catalog.spec(slug))).rope
    expected = 2 * pi / frequencies(rope, 0)[0] if rope else np.zeros(0)
    assert at(model=slug)["waves"] == pytest.approx(list(expected), rel=1e-12)


def test_every_catalogued_rotation_can_be_looked_at(verified):
    """Wavelengths of each model with a row are the gallery's for a mixer of its own, where its kind is drawn."""
    tally = Tally()
    for slug, *_ in data["models"]:
        _, rope = position.models.rotation(catalog.spec(slug))
        if rope and rope.kind != "longrope":
            each = frequencies(rope, 0)[0]
            with np.errstate(divide="ignore"):
                expected = 2 * pi / (each[each > 0] if rope.kind == "proportional" else each)
            tally.near(at(model=slug)["waves"], expected, slug, rel=1e-9)
    verified(
        "position: RoPE wavelengths of catalogued models",
        tally,
        against="gallery.running, which matches recorded logits",
    )


def test_every_attention_of_a_listed_model_turns_alike():
    """The first layer speaks for all: no listed model turns some layers another way."""
    for slug in position.models.LISTED:
        assert len({str(one.rope) for one in attentions(catalog.spec(slug))}) == 1, slug


@pytest.mark.parametrize("model", [LLAMA, "zai-org/GLM-4.5-Air", KIMI])
@pytest.mark.parametrize(("query", "key"), [(0, 0), (12, 4), (4, 12), (255, 1), (112, 104)])
def test_a_score_knows_only_the_distance(model, query, key):
    """Rotated for real, query and key score the sum of cosines of their distance; at no distance, all of it."""
    now, row = at(model=model, query=query, key=key), position.find(model, data)
    fits = sum(cos(2 * pi * (query - key) / wave) for wave in now["waves"]) + (row["head"] - row["dims"]) / 2
    assert now["score"] == pytest.approx(fits / (row["head"] / 2), abs=1e-12)
    assert now["score"] == pytest.approx(1) if query == key or model == KIMI else now["score"] < 1


def test_the_score_by_distance_is_that_of_random_queries(verified):
    """4,000 normal queries rotated for real, three bases: mean and deviation of their scores are the formula's."""
    rng, tally = np.random.default_rng(3), Tally()
    for theta in (10_000, 500_000, 1_000_000):
        now = at(stretch="none", theta=theta)
        each = 2 * pi / np.array(now["waves"])
        q = rng.normal(size=(4000, 64)) + 1j * rng.normal(size=(4000, 64))
        for n in (0, 40, 80, -1):
            d = position.DISTANCES[n]
            scores = (q * (q * np.exp(1j * d * each)).conj()).real.sum(1) / (abs(q) ** 2).sum(1)
            mean, spread = now["distances"]["mean"][n], now["distances"]["spread"][n]
            tally.near([scores.mean()], [mean], (theta, d), abs=5 * spread / 4000**0.5)
            tally.near([scores.std()], [spread], (theta, d, "spread"), rel=0.05)
    assert round(at(stretch="none")["far"]["mean"], 2) == round(
        np.cos(1000 * 500_000.0 ** (-np.arange(64) / 64)).mean(), 2
    )
    verified("position: score by distance", tally, against="4,000 random queries, rotated by numpy")


def test_llama_as_the_closed_form_has_it():
    """The slowest of 64 pairs takes 2π · 500,000^(126/128) tokens; 29 of them more than 8,192."""
    rope = at(stretch="none")["rope"]
    assert rope["slowest"] == pytest.approx(2 * pi * 500_000 ** (126 / 128))
    assert (rope["unfinished"], rope["pairs"], rope["trained"]) == (29, 64, 8_192)
    own = at()["rope"]
    assert (own["kept"], own["between"], own["slowed"], own["factor"]) == (29, 6, 29, 8)
    assert own["slowest"] == pytest.approx(8 * rope["slowest"])


@pytest.mark.parametrize(("stretch", "fastest"), [("linear", 8), ("llama3", 1), ("yarn", 1)])
def test_stretching_slows_the_slow_and_mostly_leaves_the_fast(stretch, fastest):
    """Every stretching slows the slowest pair by 8; only the linear one slows the fastest."""
    for slug in position.models.LISTED[:-1]:
        now = at(model=slug, stretch=stretch)
        times = np.array(now["waves"]) / np.array(now["plain"])
        assert (times[0], times[-1]) == (pytest.approx(fastest), pytest.approx(8))
        assert (np.diff(times) > -1e-9).all()
        assert now["rope"]["kept"] + now["rope"]["between"] + now["rope"]["slowed"] == now["rope"]["pairs"]


def test_a_rotation_of_the_fast_pairs_alone_draws_no_more():
    """Gemma 4 turns 128 of 512 numbers, at the paces of the whole head: the slowest pair in 2π · 10^6^(126/512)."""
    model = "google/gemma-4-31B-it"
    for stretch in ("own", "none"):
        rope = at(model=model, stretch=stretch)["rope"]
        assert (rope["dims"], rope["head"], rope["pairs"], rope["unfinished"]) == (128, 512, 64, 0)
        assert (rope["theta"], rope["slowest"]) == (1_000_000, pytest.approx(2 * pi * 1e6 ** (126 / 512)))
    far = at(model=model, query=255, key=0)
    fits = sum(cos(2 * pi * 255 / wave) for wave in far["waves"]) + 192
    assert far["score"] == pytest.approx(fits / 256)


def test_no_length_is_called_trained_that_a_config_only_allows():
    """A model was trained on what its config says it was before it was stretched, and nothing else."""
    for slug, *_ in data["models"]:
        scaling = dict(rope.scaling) if (rope := position.models.rotation(catalog.spec(slug))[1]) else {}
        known = scaling.get("original_max_position_embeddings", 0) if rope and rope.kind != "longrope" else 0
        assert at(model=slug)["rope"]["original"] == known, slug


def test_the_phrase_that_names_a_stretching_leads_to_it():
    """“llama3” sets the model whose own stretching it is, whatever model was chosen."""
    words = (explainers.folder("position") / "page.md").read_text("utf-8")
    model, stretch = re.search(r"\[llama3\]\{model: ([^,]+), stretch: (\w+)", words).groups()
    assert at(model=model, stretch=stretch)["rope"]["kind"] == "llama3"


def test_what_does_not_turn():
    """A quarter of Qwen3 Next's head turns, half of GLM's, a third of DeepSeek's, none of Kimi Linear's."""
    share = {row[1]: at(model=row[0])["rope"]["share"] for row in data["models"]}
    assert [share[name] for name in ("Qwen3 Next 80B-A3B", "GLM-4.5-Air", "Kimi Linear 48B-A3B Instruct")] == [
        0.25,
        0.5,
        0,
    ]
    assert share["DeepSeek V3"] == pytest.approx(1 / 3)
    assert (at(model=KIMI)["dials"], at(model=KIMI)["waves"], at(model=KIMI)["here"]["times"]) == ([], [], 1)


GOALS = [
    ("smallest_base", {"stretch": "none", "theta": 20_000}, "With base 20,000, the slowest pair turns once in 107,"),
    ("smallest_base", {"stretch": "none", "theta": 30_000}, "A smaller base is enough."),
    ("smallest_base", {"theta": 25_000}, "no scaling"),
    ("smallest_base", {"stretch": "none", "theta": 25_000, "model": KIMI}, "a model with RoPE"),
    ("eightfold", {"model": "Qwen/Qwen3-8B"}, "as fast as before"),
    ("eightfold", {"model": "Qwen/Qwen3-8B", "stretch": "linear"}, "slowed too, 8 times"),
    ("eightfold", {"model": "Qwen/Qwen3-8B", "stretch": "yarn", "theta": 500_000}, "its own base"),
]


@pytest.mark.parametrize(("goal", "changes", "says"), GOALS)
def test_a_goal_that_is_missed_says_why(goal, changes, says, of_beats):
    """Near misses are named."""
    [made] = of_beats("position", "goals", goal, [{**position.STATE, **changes}])
    assert not made["reached"]
    assert says in made["says"]


def test_only_one_base_is_the_smallest(of_beats):
    """For each model that turns it is the first in the list whose slowest pair, by the reference, takes long enough."""
    for slug in position.models.LISTED[:-1]:
        bases = sorted(position.BASES)[1:]
        states = [{**position.STATE, "model": slug, "stretch": "none", "theta": base} for base in bases]
        enough = [position.compute(state, data)["rope"]["slowest"] > 131_072 for state in states]
        reached = [made["reached"] for made in of_beats("position", "goals", "smallest_base", states)]
        assert reached == [i == enough.index(True) for i in range(len(bases))], slug


def test_eight_times_the_slowest_and_none_of_the_fastest(of_beats):
    """Of Qwen3 8B's stretchings the goal takes those whose ends, by the reference, are 8 times and as they were."""
    states = [{**position.STATE, "model": "Qwen/Qwen3-8B", "stretch": stretch} for stretch in position.STRETCHES]
    now = [position.compute(state, data) for state in states]
    right = [[round(one["waves"][i] / one["plain"][i], 6) for i in (0, -1)] == [1, 8] for one in now]
    made = of_beats("position", "goals", "eightfold", states)
    assert [one["reached"] for one in made] == right and sum(right) == 2
    kept = [one["rope"]["kept"] for one, reached in zip(now, right, strict=True) if reached]
    assert [re.search(r": (\d+) pairs unchanged", one["says"])[1] for one in made if one["reached"]] == list(
        map(str, kept)
    )


def test_captions_call_no_length_trained_that_a_config_only_allows(of_beats):
    """Llama 3.1 tells of 8,192 tokens before it was stretched; Qwen3 8B's 40,960 are its config's."""
    qwen = {**position.STATE, "model": "Qwen/Qwen3-8B", "stretch": "none"}
    llama, other = of_beats("position", "captions", "slowed", [position.STATE, qwen])
    assert "would not finish a turn in training." in llama
    assert other.endswith("would not finish a turn within the {rope.trained:int} tokens of its config.")


def test_a_stretched_model_says_how_slow_its_slowest_pair_was_before(of_beats):
    """Beat 2 has Llama 3.1's 2,559,196 tokens, beat 4 its 20,473,564: eight times as many, and the caption says why."""
    states = [{**position.STATE, "model": slug} for slug in ("meta-llama/Llama-3.1-8B", "zai-org/GLM-4.5-Air")]
    rope = position.compute(states[0], data)["rope"]
    assert (round(rope["slowest_plain"]), round(rope["slowest"])) == (2_559_196, 20_473_564)
    assert rope["slowest"] / rope["slowest_plain"] == pytest.approx(rope["factor"]) == 8
    stretched, plain = of_beats("position", "captions", "share", states)
    before = "{rope.slowest_plain:int} before its RoPE scaling ({rope.kind}, factor {rope.factor:int})."
    assert stretched.endswith("{rope.slowest:int} tokens, " + before)
    assert "before its RoPE" not in plain
