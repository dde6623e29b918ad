"""explainers/tensor_parallel: the words of its beats, goals and captions hold."""

from __future__ import annotations

import pytest

from cutaway.explainers.tensor_parallel import reference
from tests.explainers.answers import tensor_parallel as told
from tests.explainers.tensor_parallel_states import DATA, state

FIRST = reference.STATE


def test_what_the_beats_say_in_words_holds():
    """Sentences of page.md that state a fact without a bound number are true of the states they are said of."""
    first = reference.compute(FIRST, DATA())
    assert first["away"][:3] == [0.0] * 3  # heads are computed without asking anyone
    assert told.meetings(FIRST, DATA()) == 2
    assert (told.how_often(FIRST, DATA()), told.sends_more(FIRST, DATA())) == (1, 1)
    passes = [reference.compute(state(tp=t), DATA())["sent"]["pass"]["formula"] for t in (2, 4, 8, 16)]
    assert passes == sorted(passes)
    assert passes[-1] < told.answers["never"](FIRST, DATA()) == 40 * 2**30
    eight, sixteen = (told.held_on(FIRST, DATA(), t) for t in (8, 16))
    assert sixteen > eight / 2
    assert reference.compute(state(tp=16), DATA())["kv_copies"] == 2
    stages = [told.traffic(state(stage=z), DATA()) for z in range(4)]
    assert stages == [1, 1, 1, 1.5]
    alone = reference.compute(state(tp=1), DATA())
    assert (told.meetings(state(tp=1), DATA()), told.how_often(state(tp=1), DATA()), alone["log"]) == (0, -1, [])


@pytest.mark.parametrize(
    ("goal", "changes", "says"),
    [
        ("few_cards", {}, "On 4 ranks, each holds 36.1 GB."),
        ("few_cards", {"tp": 1}, "On 1 rank, each holds 143.9 GB."),
        ("few_cards", {"tp": 16}, "On 16 ranks, each holds 9.5 GB. Fewer ranks are enough."),
        ("few_cards", {"tp": 8, "sequence": 1024}, "Llama 3.1 70B and 8,192 tokens"),
        ("few_cards", {"tp": 8, "model": "Qwen/Qwen3-32B"}, "Llama 3.1 70B and 8,192 tokens"),
        ("train_64", {}, "on 64 data-parallel ranks"),
        ("train_64", {"dp": 63, "stage": 3}, "on 64 data-parallel ranks"),
        ("train_64", {"dp": 64, "stage": 2}, "With ZeRO stage 2, each rank keeps 156.5 GB."),
    ],
)
def test_goals_name_near_misses(goal, changes, says, of_beats):
    """What is not reached says how far one is, or what the goal needs."""
    [made] = of_beats("tensor-parallel", "goals", goal, [state(**changes)])
    assert not made["reached"]
    assert says in made["says"]


def test_hints_of_the_goals_hold(of_beats):
    """Half of 8 ranks do need 36.1 GB each, and stage 3 fits with gradients in fp32 as well."""
    [made] = of_beats("tensor-parallel", "goals", "few_cards", [state(tp=8)])
    assert "Half as many would need 36.1 GB each" in made["says"]
    states = [state(dp=64, stage=3, convention=convention) for convention in DATA()["conventions"]]
    for made in of_beats("tensor-parallel", "goals", "train_64", states):
        assert made["reached"]
        assert "Gradients kept in fp32 would fit too" in made["says"]


def test_goals_are_reached_where_the_reference_says_so(of_beats):
    """The fewest ranks under 24 GB each; on 64 ranks the stages under 80 GB each, whatever is kept of a gradient."""
    ranks = reference.legal(reference.model_of(FIRST, DATA()))
    fits = [t for t in ranks if told.held_on(FIRST, DATA(), t) <= 24e9]
    made = of_beats("tensor-parallel", "goals", "few_cards", [state(tp=t) for t in ranks])
    assert [one["reached"] for one in made] == [t == min(fits) for t in ranks]
    states = [state(dp=64, stage=z, convention=kept) for z in range(4) for kept in DATA()["conventions"]]
    held = [reference.compute(one, DATA())["zero"]["rank_bytes"] for one in states]
    made = of_beats("tensor-parallel", "goals", "train_64", states)
    assert [one["reached"] for one in made] == [held_bytes < 80e9 for held_bytes in held]
    assert len(fits) >= 2 and 0 < sum(one["reached"] for one in made) < len(made)


def test_the_caption_of_a_step_is_the_step(of_beats):
    """With its name from compute, and what happens as the reference says it."""
    states = [state(step=step, sequence_parallel=sp) for sp in (False, True) for step in range(10)]
    made = of_beats("tensor-parallel", "captions", "moment", states)
    for one, words in zip(states, made, strict=True):
        says = reference.compute(one, DATA())["moments"][one["step"]][1]
        name = f"{{moments.{one['step']}.0}}"
        assert words == f"**Step {{at.words}}: {name}.** {says[0].upper()}{says[1:]}."


def test_a_difference_in_words():
    """Nothing is 0; anything else two digits and a power."""
    assert [reference.words.tiny(x) for x in (0.0, 1.07e-16, 9.96e-9)] == ["0", "1.1 · 10⁻¹⁶", "1.0 · 10⁻⁸"]
