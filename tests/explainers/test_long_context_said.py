"""What the page on long contexts says: the design's figures, captions, goals and near misses, odd states, drawings."""

from __future__ import annotations

import re

import pytest

from cutaway import explainers
from cutaway.explainers import first
from tests.explainers.expected import Expected
from tests.explainers.test_long_context import FLASH, K3, LLAMA, MILLION, PRO, V32, at, data, page

LINEAR = "moonshotai/Kimi-Linear-48B-A3B-Instruct"
SAID = [
    ({"model": LLAMA}, "of.crossing", 53_026),  # the design has 53,027: there norms count as arithmetic
    ({"model": LLAMA}, "of.million_gflop", 2749),
    ({"model": LLAMA}, "of.weights_gflop", 139),
    ({"model": LLAMA}, "of.each_mflop", 2.621),
    ({}, "gemma.share", 0.990),
    ({}, "gemma.full", 85.9e9),
    ({}, "gemma.total", 86.74e9),
    ({"model": page.SUPER}, "mix.tokens", 20_880),
    ({"model": page.SUPER}, "mix.fixed", 171_048_960),
    ({"model": page.SUPER}, "mix.slope", 8192),
    ({"model": page.SUPER}, "mix.rest", 40),
    ({"model": page.SUPER}, "mix.caches", 8),
    ({"tokens": 100}, "indexer.read", 100),
    ({}, "indexer.read", 2048),
    ({}, "indexer.look_gflop", 17.18),
    ({}, "indexer.read_gflop", 0.5704),
    ({}, "indexer.all_gflop", 292.06),
    ({}, "indexer.times", 30.12),
    ({}, "pair.old.bytes", 50.4e9),
    ({}, "pair.new.bytes", 5.184e9),
    ({}, "pair.share", 0.1028),
    ({}, "pair.flop_share", 0.2619),
    ({"tokens": 8192}, "pair.old.bytes", 393.8e6),
    ({"tokens": 8192}, "pair.new.bytes", 44.96e6),
    ({"tokens": 8192}, "pair.share", 0.1142),
    ({"model": PRO, "storage": "mixed"}, "of.reads", 0.672e9),
    ({"model": PRO, "storage": "mixed"}, "of.index", 0.5033e9),
    ({"model": PRO}, "of.index_gflop", 128.8),
    ({"model": PRO}, "of.read_gflop", 76.7),
    ({}, "ruler.5.reads", 270.8e6),
    ({}, "ruler.6.keeps", 335.7e6),
    ({}, "ruler.7.reads", 8.52e6),
    ({}, "ruler.8.keeps", 4.276e6),
    ({"topk": 0}, "indexer.read", MILLION),
    ({"tokens": MILLION + 1}, "ruler.3.read", 1),
]


def test_the_beats_say_what_was_worked_out_elsewhere():
    """The figures of the design, worked out apart from this page."""
    for state, path, value in SAID:
        found: object = at(**state)
        for key in path.split("."):
            found = found[int(key)] if isinstance(found, list) else found[key]
        assert found == pytest.approx(value, rel=6e-4), (state, path)
    assert at(model=PRO, storage="mixed")["of"]["formula"] == "31 × 4.5 + 30 × 160"
    assert at(model=PRO, storage="mixed")["of"]["slope"] == "4,939.5"


TOLD = [
    ("looked", {}, "takes 17.2 GFLOP and attention takes 0.6 GFLOP; attending to all entries would take 292.1 GFLOP."),
    ("looked", {}, "one in 19 of 1,048,576 entries is drawn, 2,097 times wider than to scale."),
    ("looked", {"tokens": 256, "topk": 512}, "with 128 more numbers for the indexer."),
    ("served", {}, "V4-Pro stores 5.2 GB, and V3.2 stores 50.4 GB. V4-Pro needs 26.2 % of V3.2’s FLOP per token"),
    ("served", {}, ": 303 of 1,158 GFLOP (published at a million tokens: 27 %, in FP8 FLOP)."),
    ("served", {}, "V4-Pro stores 160 or 4.5 bytes per token and layer, and V3.2 stores 788 bytes."),
    ("served", {"tokens": 8192}, "92.7 % of V3.2’s FLOP per token: 109 of 118 GFLOP (published at a million"),
]  # fmt: skip


def test_captions_print_these_numbers(of_beats):
    """Both captions, in the first state and where no tick is left out."""
    for name, state, says in TOLD:
        whole = {**page.STATE, **state}
        [caption] = of_beats("long-context", "captions", name, [whole])
        assert says in Expected("long-context", whole).plain(caption), (name, state)
    [short] = of_beats("long-context", "captions", "looked", [{**page.STATE, "tokens": 256}])
    assert short.endswith("for the indexer.")


def test_one_token_is_one_token(of_beats):
    """A single token is said in the singular, in goals; the page's test looks at the ruler."""
    one = {**page.STATE, "tokens": 1}
    said = lambda goal, model: of_beats("long-context", "goals", goal, [{**one, "model": model}])[0]["says"]  # noqa: E731
    assert said("ten_gb", PRO) == "The length is 1 token, not 1,048,576."
    assert "Reached at 1 token: " in said("short", K3)


def test_a_phrase_that_sets_a_crossing_sets_whose_it_is():
    """“Half of all arithmetic” leads to the length and the model that it is true of, whatever model was chosen."""
    words = (explainers.folder("long-context") / "page.md").read_text("utf-8")
    model, tokens = re.search(r"\[half of all arithmetic\]\{model: ([^,]+), tokens: (\d+)", words).groups()
    assert at(model=model)["of"]["crossing"] == int(tokens)


GOALS = [
    ("ten_gb", {"model": PRO}, "DeepSeek V4-Pro stores 10.3 GB"),
    ("ten_gb", {"model": FLASH}, "7.2 GB, but 2 of 43 layers do not"),
    ("ten_gb", {"model": page.SUPER}, "8.8 GB, but 80 of 88 layers"),
    ("ten_gb", {"model": LINEAR}, "8.5 GB, but 20 of 27 layers"),
    ("ten_gb", {"model": PRO, "storage": "mixed", "tokens": 2**19}, "The length is 524,288 tokens, not 1,048,576."),
    ("ten_gb", {"model": PRO, "storage": "mixed", "batch": 8}, "stores 41.5 GB"),
    ("short", {"model": K3}, "needs 29.4 GB and DeepSeek V3.2 needs 90.1 GB. Try the other end of the slider."),
    ("short", {"model": K3, "tokens": 7804}, "At 7,804 tokens Kimi K3 needs"),
    ("short", {"tokens": 1024}, "Choose Kimi K3"),
    ("short", {"model": K3, "tokens": 1024, "storage": "fp8"}, "in BF16"),
]


@pytest.mark.parametrize(("goal", "changes", "says"), GOALS)
def test_a_goal_that_is_missed_says_why(goal, changes, says, of_beats):
    """Near misses are named."""
    made, near = of_beats(
        "long-context", "goals", goal, [{**page.STATE, **changes}, {**page.STATE, "model": K3, "tokens": 7803}]
    )
    assert (made["reached"], says in made["says"]) == (False, True), made["says"]
    assert near["reached"] == (goal == "short")


def test_goals_are_reached_where_the_reference_says(of_beats):
    """Over all models: a million tokens in 10 GB with no layer that looks away; over lengths: more than V3.2 keeps."""
    states = [
        {**page.STATE, "model": slug, "storage": kind} for slug in data["models"]["slug"] for kind in ("bf16", "mixed")
    ]
    now = [at(**state) for state in states]
    right = [one["of"]["kept"] <= 10**10 and all(kind["reach"] for kind in one["kinds"]) for one in now]
    assert [one["reached"] for one in of_beats("long-context", "goals", "ten_gb", states)] == right
    assert 0 < sum(right) < len(right)
    states = [{**page.STATE, "model": K3, "tokens": 2**n} for n in range(21)]
    more = [at(**state)["of"]["kept"] > at(**{**state, "model": V32})["of"]["kept"] for state in states]
    assert [one["reached"] for one in of_beats("long-context", "goals", "short", states)] == more
    assert 0 < sum(more) < len(more)


def test_every_odd_state_is_refused_in_a_sentence():
    """Bools, strings, holes and numbers beyond the ends: none is computed."""
    odd = {"model": ["", "google-bert/bert-base-uncased"], "storage": ["", "BF16", "fp4"], "tokens": [0, 2**21 + 1],
           "batch": [2, True, "1"], "window": [0, 1023, True], "topk": [1, 1024, "all"]}  # fmt: skip
    for key, values in odd.items():
        for value in values:
            said = page.check({**page.STATE, key: value}, data)
            assert said.endswith("."), (key, value)
    for key, value in (("tokens", 1.5), ("topk", False)):
        assert page.check({**page.STATE, key: value}, data)


ANSWER = re.compile(r'<g class="(?:new )?bet-answered">.*?</g>', re.S)


def test_the_static_drawings_mark_what_a_bet_hides():
    """Picks, the rising line and V4-Pro’s arithmetic are of the answer: without it nothing is told."""
    told = {beat.figure: first.beat("long-context", beat.n) for beat in explainers.load("long-context").beats}
    whole, opened = ({name: made[which] for name, made in told.items()} for which in ("last", "first"))
    bare = {name: ANSWER.sub("", html) for name, html in opened.items()}
    marks = {"past": 'class="rise"', "hybrid": "<circle", "indexer": 'class="read"', "entries": ">303<"}
    for name, mark in marks.items():
        assert (mark in whole[name], mark in bare[name]) == (True, False), name
    assert "2,048" not in bare["indexer"] and "caches, at a million" not in bare["hybrid"]
    shapes = re.findall(r'class="read" d="([^"]+)"', whole["indexer"])
    row = next(row for row in at()["ruler"] if row["key"] == "dsa")
    for shape, bar, span in zip(shapes, row["bars"], (MILLION, 8192, 256), strict=True):
        xs = [float(x) for x in re.findall(r"M([\d.]+) ", shape)]
        assert xs == pytest.approx([max(0, 1000 * (1 - (back + 1) / span)) for back in bar["ticks"]], abs=0.51)
    picture, of = explainers.first_picture("long-context"), at()["of"]
    assert f">{of['slope']}<" in picture and f">{of['formula']}<" in picture
    tables = [data["examples"][:-1], data["hybrids"], data["claims"]]
    assert picture.count("<tr") == sum(1 + len(rows) for rows in tables)
    assert V32 not in picture  # titles, not slugs
