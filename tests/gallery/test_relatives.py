"""Structures by date, their nearest earlier relatives, near-clones, and how a model came about."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from datetime import date

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.comparing import catalogue_lineage, novelty, relatives
from cutaway.gallery.comparing.entries import FOUNDER, Entry, Weights, closeness, entries, variants
from cutaway.gallery.comparing.facts import differing_fields, facts, only_light
from cutaway.gallery.comparing.headline import NOTHING
from cutaway.gallery.comparing.mechanisms import BIT, MECHANISMS, bits, mechanisms
from cutaway.gallery.comparing.relatives import lineage
from tests.gallery.comparing import FULL, model

KEYS = [row.key for row in MECHANISMS]
FIRSTS = [  # known history: (mechanism, who is first in the catalogue, on what day)
    ("window", "EleutherAI/gpt-neo-2.7B", "2021-03-21"),
    ("parallel", "EleutherAI/gpt-j-6b", "2021-06-04"),
    ("alibi", "bigscience/bloom", "2022-07-12"),
    ("swiglu", "huggyllama/llama-7b", "2023-02-24"),
    ("mqa", "bigcode/starcoder", "2023-05-04"),
    ("qk-norm", "adept/persimmon-8b-base", "2023-09-07"),
    ("mamba1", "state-spaces/mamba-2.8b-hf", "2023-12-01"),
    ("moe", "mistralai/Mixtral-8x7B-v0.1", "2023-12-11"),
    ("mla", "deepseek-ai/DeepSeek-V2", "2024-05-06"),
    ("shared-expert", "deepseek-ai/deepseek-moe-16b-base", "2024-01-11"),
    ("logit-softcap", "google/recurrentgemma-2b", "2024-04-09"),
    ("softcap", "google/gemma-2-9b", "2024-06-27"),
    ("mtp", "deepseek-ai/DeepSeek-V3", "2024-12-26"),
    ("lightning", "MiniMaxAI/MiniMax-Text-01-hf", "2025-01-14"),
    ("sinks", "openai/gpt-oss-120b", "2025-08-04"),
    ("gated-deltanet", "Qwen/Qwen3-Next-80B-A3B-Instruct", "2025-09-09"),
    ("output-gate", "Qwen/Qwen3-Next-80B-A3B-Instruct", "2025-09-09"),
    ("kda", "moonshotai/Kimi-Linear-48B-A3B-Base", "2025-10-30"),
    ("dsa", "deepseek-ai/DeepSeek-V3.2", "2025-12-01"),
    ("hyper-connections", "deepseek-ai/DeepSeek-V4-Flash", "2026-04-24"),
    ("hca", "deepseek-ai/DeepSeek-V4-Flash", "2026-04-24"),
    ("csa", "deepseek-ai/DeepSeek-V4-Flash", "2026-04-24"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "slug", "day"), FIRSTS)
def test_who_was_first(key, slug, day):
    """The dates of the catalogue decide; V3.2-Exp, a training of V3.2 by the catalogue, stands with it."""
    structure = catalogue_lineage().of[slug]
    assert key in structure.new and structure.head.date == day
    assert [one.head.slug for one in catalogue_lineage().structures if key in one.new] == [slug]


PARENTS = [
    ("deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V2"),
    ("moonshotai/Kimi-K2-Base", "deepseek-ai/DeepSeek-V3"),
    ("deepseek-ai/DeepSeek-V3.2", "deepseek-ai/DeepSeek-V3"),
    ("zai-org/GLM-5", "deepseek-ai/DeepSeek-V3.2"),
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3-Coder-30B-A3B-Instruct"),
    ("moonshotai/Kimi-Linear-48B-A3B-Base", "moonshotai/Moonlight-16B-A3B"),
    ("moonshotai/Kimi-K3", "moonshotai/Kimi-Linear-48B-A3B-Base"),
    ("mistralai/Mistral-7B-v0.1", "meta-llama/Llama-2-70b-hf"),
    ("google/gemma-3-27b-it", "google/gemma-2-9b"),
    ("deepseek-ai/DeepSeek-V2", "deepseek-ai/deepseek-moe-16b-base"),
    ("huggyllama/llama-7b", "facebook/opt-6.7b"),
]


@pytest.mark.parametrize(("slug", "parent"), PARENTS)
def test_the_nearest_earlier_relative(slug, parent):
    """As people who know these models would have it."""
    known = catalogue_lineage()
    assert known.of[slug].parent.slug == parent == known.nearest(slug, 1)[0].slug
    assert known.entries[parent].date <= known.entries[slug].date


def test_mamba_is_a_founder():
    """Its nearest relative shares less than a quarter, and too little to be named beside it."""
    link = catalogue_lineage().of["state-spaces/mamba-2.8b-hf"].parent
    assert link.founder and link.share < NOTHING < FOUNDER
    told = novelty.find_novelty(catalogue_lineage(), "state-spaces/mamba-2.8b-hf").tagline
    assert told == "First in the catalogue with Mamba and single-mixer layers."


CLONES = [
    ("deepseek-ai/DeepSeek-V3", {"deepseek-ai/DeepSeek-R1"}),
    ("moonshotai/Kimi-K2.5", {"moonshotai/Kimi-K2.6", "moonshotai/Kimi-K2.7-Code"}),
    ("MiniMaxAI/MiniMax-M2", {"MiniMaxAI/MiniMax-M2.5", "MiniMaxAI/MiniMax-M2.7"}),
    ("zai-org/GLM-4.5", {"zai-org/GLM-4.7"}),
    ("openai/gpt-oss-120b", {"openai/gpt-oss-20b"}),
    ("deepseek-ai/DeepSeek-V4-Flash", {"deepseek-ai/DeepSeek-V4-Pro"}),
]


@pytest.mark.parametrize(("head", "others"), CLONES)
def test_near_clones_are_one_structure(head, others):
    """Same mechanisms, same house, within 75 days, or nothing but vocabulary, context or scale apart."""
    structure = catalogue_lineage().of[head]
    assert structure.head.slug == head and {one.slug for one in structure.members} == {head, *others}
    assert all(catalogue_lineage().of[one] is structure for one in others)


def rows(**lacking) -> list[catalog.CatalogModel]:
    """Kimi K2 and its tuned sibling, with fields left out."""
    base, tuned = catalog.find("moonshotai/Kimi-K2-Base"), catalog.find("moonshotai/Kimi-K2-Instruct")
    return [replace(base, **lacking), tuned]


def test_a_variant_stands_for_a_base_that_is_not_drawn():
    """Under the base's title and date; where the base is drawn, also by a config lent, the variant takes no part."""
    (one,) = entries(rows(config_of=None), catalog.spec)
    assert (one.slug, one.title, one.date, one.stands_for) == (
        "moonshotai/Kimi-K2-Instruct", "Kimi K2", "2025-07-10", "moonshotai/Kimi-K2-Base",
    )  # fmt: skip
    (one,) = entries(rows(config_of=None, date=None), catalog.spec)
    assert (one.title, one.date) == ("Kimi K2 Instruct", "2025-07-11")
    assert [(one.slug, one.stands_for) for one in entries(rows(), catalog.spec)] == [("moonshotai/Kimi-K2-Base", "")]
    known = catalogue_lineage()
    assert "Qwen/Qwen3-8B-AWQ" not in known.entries and known.variants["Qwen/Qwen3-8B-AWQ"] == "Qwen/Qwen3-8B"
    assert known.variants["moonshotai/Kimi-K2-Instruct"] == "moonshotai/Kimi-K2-Base"


def test_another_house_s_training_is_one_of_the_model_whose_config_it_has():
    """It is neither a structure of its own nor the nearest of any other."""
    known = catalogue_lineage()
    trained = {
        "PrimeIntellect/INTELLECT-3": "zai-org/GLM-4.5-Air",
        "badtheorylabs/BTL-3": "Qwen/Qwen3.6-27B",
        "ornith-ai/Ornith-1.5-35B-A3B": "Qwen/Qwen3.5-35B-A3B",
    }
    for slug, base in trained.items():
        assert slug not in known.entries and known.variants[slug] == base and base in known.entries


def test_what_has_no_date_takes_no_part():
    """Neither as a child nor as a relative; every dated, drawn model that is no packing does."""
    known = catalogue_lineage()
    assert "ibm-granite/granite-4-8b-dense-hybrid" not in known.entries
    packings = variants(catalog.MODELS)
    expected = {row.slug for row in catalog.drawable_rows() if row.date and row.slug not in packings}
    assert expected <= set(known.entries)
    assert {known.entries[slug].stands_for != "" for slug in set(known.entries) - expected} <= {True}


def entry(slug: str, day: str, *keys: str, company: str = "A", told: frozenset = frozenset()) -> Entry:
    """A synthetic model."""
    return Entry(slug, slug.upper(), company, day, tuple(key for key in KEYS if key in keys), told)


def test_the_share_is_weighed():
    """Rare says more than common, and the mixer counts twice."""
    weights = Weights(7, [3 if key in ("mha", "moe") else 0 for key in KEYS])
    assert weights.sum(BIT["mha"]) == 2 * (1 + 1) and weights.sum(BIT["moe"]) == 1 + 1
    assert weights.sum(BIT["mla"]) == 2 * (1 + 3)
    assert weights.share(bits(("mha", "moe")), bits(("mha", "mla"))) == round(4 / (4 + 2 + 8), 9)
    assert weights.share(0, 0) == 1.0
    assert lineage([]).overall().of == Weights(0, [0] * len(KEYS)).of


def test_the_nearest_weighs_house_size_and_date_beside_mechanisms():
    """Of equal mechanisms: the same house's before another's, the nearer in size, the later; far more shared wins."""
    spec = catalog.spec("Qwen/Qwen3-8B")
    small, large = (replace(spec, hidden_size=width) for width in (1024, 8192))
    child = replace(entry("child", "2025-01-01", "mha", "moe", company="A"), spec=small)
    house = entry("house", "2024-12-01", "mha", company="A")
    other = entry("other", "2024-12-01", "mha", company="B")
    assert lineage([house, other, child]).of["child"].parent.slug == "house"
    near, far = replace(other, slug="near", spec=small), replace(other, slug="far", company="C", spec=large)
    assert lineage([far, near, child]).of["child"].parent.slug == "near"
    old = replace(other, slug="old", date="2021-12-01")
    assert lineage([old, replace(other, company="C"), child]).of["child"].parent.slug == "other"
    more = entry("more", "2024-12-01", "mha", "moe", company="B")
    assert lineage([house, more, child]).of["child"].parent.slug == "more"
    assert closeness(0.5, child, replace(near, company="A")) == pytest.approx(0.65 - 0.05 * 31 / 365.25)
    assert closeness(0.5, child, far) == pytest.approx(0.5 - 0.025 * 5 - 0.05 * 31 / 365.25)  # six doublings count five


def test_models_with_and_without_an_encoder_are_no_near_clones():
    """Qwen2.5 of text is no clone of Qwen2-VL, and Qwen3-VL none of Qwen3; an encoder costs one point where the later
    one has it alone, and four where it lacks it."""
    known = catalogue_lineage()
    assert all(len({one.encoders for one in stack.members}) == 1 for stack in known.structures)
    assert known.of["Qwen/Qwen2.5-7B"] is not known.of["Qwen/Qwen2-VL-7B-Instruct"]
    text, seen = known.entries["Qwen/Qwen3-30B-A3B"], known.entries["Qwen/Qwen3-VL-30B-A3B-Instruct"]
    apart = closeness(1.0, replace(seen, spec=text.spec), text) - closeness(1.0, seen, text)
    assert apart == pytest.approx(0.01)
    dropped = closeness(1.0, replace(text, date="2026-01-01"), seen)
    assert dropped == pytest.approx(
        closeness(1.0, replace(text, date="2026-01-01"), replace(seen, spec=text.spec)) - 0.04
    )
    told = novelty.find_novelty(known, seen.slug).tagline
    assert told.startswith("Qwen3 30B-A3B with M-RoPE, DeepStack, a vision encoder")


def test_a_relative_is_the_near_clone_that_is_nearest_in_size():
    """Of Llama 3.1's sizes, released on one day, Llama 3.2 1B is told beside the smallest; never beside itself."""
    known = catalogue_lineage()
    for slug, found in known.of.items():
        link = next(known.nearly(slug), None)
        if link:
            told = known.nearest_in_size(known.entries[slug], link)
            stack = known.of[link.slug].members
            apart = [abs(one.size - known.entries[slug].size) for one in stack if one.date < known.entries[slug].date]
            assert told.slug != slug and known.of[told.slug] is known.of[link.slug]
            assert abs(known.entries[told.slug].size - known.entries[slug].size) <= min(apart, default=99), slug
            assert found.head.date <= known.entries[slug].date


def test_ties_go_to_the_fewest_differing_fields_then_house_then_date_then_order():
    """One rule after the other."""
    base = frozenset({("a", 1), ("b", 1), ("c", 1)})
    one = entry("one", "2024-06-01", "mha", company="B", told=base)
    two = entry("two", "2024-06-01", "mha", company="C", told=frozenset({("a", 1), ("b", 2), ("c", 2)}))
    child = entry("child", "2024-12-01", "mha", "moe", company="D", told=base | {("d", 1)})
    assert lineage([one, two, child]).of["child"].parent.slug == "one"
    assert lineage([one, two, replace(child, facts=two.facts)]).of["child"].parent.slug == "two"
    same = [replace(x, facts=base) for x in (one, two)]
    assert lineage([*same, replace(child, company="B")]).of["child"].parent.slug == "one"
    assert lineage([*same, child]).of["child"].parent.slug == "one"
    assert lineage([*same[::-1], child]).of["child"].parent.slug == "two"
    late = [same[0], replace(same[1], date="2024-07-01")]
    assert lineage([*late, child]).of["child"].parent.slug == "two"


def test_of_one_day_only_the_same_house_is_earlier():
    """Two houses on one day are both first; a house's second model is not."""
    a, b = entry("a", "2024-01-01", "mha"), entry("b", "2024-01-01", "mha", "moe", company="B")
    c = entry("c", "2024-01-01", "mha", "moe")
    known = lineage([a, b, c])
    assert known.of["b"].parent is None and known.of["b"].new == ("mha", "moe")
    assert known.of["c"].parent.slug == "a" and known.of["c"].new == ("moe",)


def test_near_clones_by_days_or_by_what_differs():
    """75 days from the head; later only with nothing but vocabulary, context or scale apart; never another house."""
    light = frozenset({("vocab_size", 1), ("max_position_embeddings", 1), ("mixer.Attention.rope", 1), ("x", 1)})
    other = frozenset({("vocab_size", 2), ("max_position_embeddings", 2), ("mixer.Attention.rope", 2), ("x", 1)})
    head = entry("head", "2024-01-01", "mha", told=light)
    days = [entry("d75", "2024-03-16", "mha"), entry("d76", "2024-03-17", "mha")]
    later = [
        entry("later", "2025-01-01", "mha", told=other),
        entry("more", "2025-01-01", "mha", told=other ^ {("x", 1), ("x", 2)}),
    ]
    house = entry("house", "2024-01-02", "mha", company="B", told=light)
    known = lineage([head, *days, *later, house])
    assert {slug for slug, one in known.of.items() if one.head is head} == {"head", "d75", "later"}
    assert only_light(light, other) and not only_light(frozenset(), other)
    assert differing_fields(light, other) == {"vocab_size", "max_position_embeddings", "mixer.Attention.rope"}


def test_facts_leave_pointers_and_formats_out():
    """Which layer is read and how weights are stored is no structure; sizes are."""
    base = model(FULL, replace(FULL, kv_source=0))
    assert facts(base) == facts(model(FULL, replace(FULL, kv_source=5)))
    assert facts(base) == facts(replace(base, dtype="float32"))
    assert differing_fields(facts(base), facts(replace(base, hidden_size=640))) == {"hidden_size"}
    assert "mixer.Attention.kv_source" in differing_fields(facts(base), facts(model(FULL, FULL)))


def test_the_line_of_descent():
    """From GPT-2 to Qwen3-Next: what each step added that is still there; steps that added nothing are left out."""
    steps = catalogue_lineage().descent("Qwen/Qwen3-Next-80B-A3B-Instruct")
    assert steps[0].slug == "openai-community/gpt2-xl" and steps[-1].title == "Qwen3 Next 80B-A3B"
    added = ("gated-deltanet", "output-gate", "shared-expert", "shared-gate", "partial-rope", "mtp")
    assert steps[-1].added == added and steps[-2].title == "Qwen3 235B-A22B"
    assert [step.date for step in steps] == sorted(step.date for step in steps)
    assert all(step.added for step in steps[1:])
    own = mechanisms(catalog.spec("Qwen/Qwen3-Next-80B-A3B-Instruct"))
    assert sorted(key for step in steps for key in step.added) == sorted(own)


def test_what_was_dropped_and_taken_up_again_counts_where_it_was_taken_up():
    """Each mechanism is added by one step alone."""
    days = ("2024-01-01", "2024-06-01", "2025-01-01")
    sets = (("gqa", "rope", "moe"), ("gqa", "rope"), ("gqa", "rope", "moe", "sinks"))
    known = lineage([entry(name, day, *keys, company=name) for name, day, keys in zip("abc", days, sets, strict=True)])
    path = [(step.slug, step.added) for step in known.descent("c")]
    assert path in ([("a", ("gqa", "moe", "rope")), ("c", ("sinks",))],
                    [("a", ("gqa", "rope")), ("c", ("sinks", "moe"))])  # fmt: skip


def test_a_mechanism_that_the_parent_had_dropped_is_the_childs_own_step():
    """C has B's QK-norm and sinks, so B is its parent; A's mixture, which B lacks, is C's step and not A's too."""
    days = ("2024-01-01", "2024-06-01", "2025-01-01")
    sets = (("gqa", "rope", "moe"), ("gqa", "rope", "qk-norm", "sinks"), ("gqa", "rope", "qk-norm", "sinks", "moe"))
    known = lineage([entry(name, day, *keys, company=name) for name, day, keys in zip("abc", days, sets, strict=True)])
    added = [(step.slug, set(step.added)) for step in known.descent("c")]
    assert added == [("a", {"gqa", "rope"}), ("b", {"qk-norm", "sinks"}), ("c", {"moe"})]


def test_what_images_alone_see_and_a_second_base_make_no_one_nearer_or_farther():
    """Qwen3-VL 8B is told beside Qwen3 8B, its text model, though M-RoPE and DeepStack are apart."""
    known = catalogue_lineage()
    assert known.share(("gqa", "rope"), ("gqa", "rope", "m-rope", "deepstack", "two-bases")) == 1.0
    link = novelty.find_novelty(known, "Qwen/Qwen3-VL-8B-Instruct").nearest[0]
    assert (link.title, link.gained) == ("Qwen3 8B", ("m-rope", "deepstack"))


def test_later_relatives():
    """The nearest of those that came after."""
    later = catalogue_lineage().later("Qwen/Qwen3-Next-80B-A3B-Instruct")
    assert [(link.slug, link.words) for link in later] == [
        ("Qwen/Qwen3.5-397B-A17B", "1 difference"),  # M-RoPE, which makes it no farther
        ("Qwen/Qwen3.8-2.4T-A95B", "same mechanisms"),
    ]
    third = catalogue_lineage().later("Qwen/Qwen3-Next-80B-A3B-Instruct", 3)[2]
    assert (third.slug, third.words) == ("Qwen/Qwen3.5-27B", "4 differences")
    assert third.lost == ("moe", "shared-expert", "shared-gate") and third.gained == ("m-rope",)


def test_everything_asked_of_the_catalogue_takes_moments():
    """Nearest, later and descent of all: half a second of processor time here, ten times that is a fault anywhere."""
    found = entries(catalog.MODELS, catalog.spec)
    start = time.process_time()
    known = lineage(found)
    for slug in known.entries:
        known.nearest(slug), known.later(slug), known.descent(slug)
    assert time.process_time() - start < 5


def synthetic(number: int, different: int = 120) -> list[Entry]:
    """Models of 120 different sets, a new one every few hours."""
    rng = random.Random(7)
    sets = [tuple(rng.sample(KEYS, 12)) for _ in range(different)]
    out = []
    for i in range(number):
        day = f"{2000 + i // 360:04}-{i // 30 % 12 + 1:02}-{i % 28 + 1:02}"
        told = frozenset({("hidden_size", rng.randrange(9)), ("layers", rng.randrange(9))})
        out.append(entry(f"m{i}", day, *rng.choice(sets), company=f"house {rng.randrange(40)}", told=told))
    return out


def test_one_model_more_costs_no_more_than_the_models_there_are(monkeypatch):
    """Of four times as many synthetic models at most six times as many pairs are held against each other (all: 16)."""
    asked = []
    monkeypatch.setattr(relatives, "closeness", lambda *pair: asked.append(1) or closeness(*pair))
    counts = []
    for number in (300, 1200):
        known = lineage(synthetic(number, 4))
        for at in range(0, number, 10):
            novelty.find_novelty(known, f"m{at}")
        counts.append(len(asked))
        asked.clear()
    assert counts[0] < counts[1] < 6 * counts[0], counts


def test_the_nearest_are_those_that_all_structures_looked_at_one_by_one_give():
    """By closeness, then fewest differing fields, house, the latest: of 400 synthetic models, and those of a house."""
    found = synthetic(400)
    known, house = lineage(found), found[-1].company
    entry, weights = found[-1], known.weights(found[-1].slug)

    def rank(one) -> tuple:
        head, mask = one.head, bits(entry.mechanisms)
        return (-closeness(weights.share(mask, one.mask), entry, head), len(differing_fields(entry.facts, head.facts)),
                head.company != entry.company, -date.fromisoformat(head.date).toordinal(), one.order)  # fmt: skip

    before = [one for one in known.structures if one.head.date < entry.date]
    nearest = [one.head.slug for one in sorted(before, key=rank)]
    assert [link.slug for link in known.nearest(entry.slug, 400)] == nearest
    own = [link.slug for link in known.nearly(entry.slug, house)]
    assert own == [slug for slug in nearest if known.entries[slug].company == house]
    assert [one.head.slug for one in known.closest(entry, 5)] != []
    assert known.known_before(entry.slug) == len(before)
    for key in KEYS:
        assert known.earlier_with(key, entry.slug) == [one for one in before if one.mask & BIT[key]]


def test_of_many_that_share_equally_much_the_latest_and_the_own_house_are_looked_at():
    """The nearest of 200 equal sets is by fields the best of the latest 16, or an old one of the model's own house."""
    days = [f"{2000 + i // 300}-{i // 25 % 12 + 1:02}-{i % 25 + 1:02}" for i in range(200)]
    far, close = frozenset({("a", 1), ("b", 1)}), frozenset({("a", 2), ("b", 1)})
    made = [
        entry(f"m{i}", day, "mha", company=f"house {i}", told=close if i == 10 else far) for i, day in enumerate(days)
    ]
    child = entry("child", "2030-01-01", "mha", "moe", company="new", told=frozenset({("a", 2), ("b", 1)}))
    assert lineage([*made, child]).of["child"].parent.slug == "m199"
    assert lineage([*made, replace(child, company="house 10")]).of["child"].parent.slug == "m10"
