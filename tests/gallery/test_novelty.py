"""What stands at the top of a model page: tagline, numbered items, relatives."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.comparing import catalogue_lineage, headline, novelty
from cutaway.gallery.comparing.earlier import had
from cutaway.gallery.comparing.entries import Entry
from cutaway.gallery.comparing.facts import only_light
from cutaway.gallery.comparing.mechanisms import mechanisms
from cutaway.gallery.comparing.relatives import lineage
from cutaway.gallery.comparing.relatives_undated import relate_undated
from cutaway.gallery.comparing.text.mechanism import name_mechanism
from cutaway.gallery.drawing.callouts import places

NEXT = "Qwen/Qwen3-Next-80B-A3B-Instruct"


def of(slug: str) -> novelty.Novelty:
    """What is said of a catalogued model."""
    found = novelty.find_novelty(catalogue_lineage(), slug, mechanisms(catalog.spec(slug)))
    assert found is not None
    return found


def test_qwen3_next_as_in_the_picture():
    """Four items, the new ones first; what an uncatalogued model had earlier is said and stays out of the tagline."""
    found = of(NEXT)
    assert found.tagline == (
        "First in the catalogue with Gated DeltaNet. Next to Qwen3 Coder Flash 30B-A3B: an output gate, partial RoPE, "
        "a shared expert, MTP, 512 smaller experts (10 active) instead of 128 (8) and half the heads; both "
        "have QK-norm."
    )
    assert [(item.number, item.word, item.pill, item.kind) for item in found.items] == [
        (1, "Gated DeltaNet", "first here", "first"),
        (2, "A gate on attention's output", "first here; Forgetting Transformer had it earlier", "first"),
        (3, "One multi-token-prediction layer", "new for Alibaba Cloud; 7th here", "house"),
        (4, "RoPE on 64 of 256 dimensions", "new for Alibaba Cloud; 14th here", "house"),
    ]
    assert found.items[1].source and not found.items[0].source
    assert found.items[2].says == (
        "with 1.65 B parameters, in addition to the 48 layers. First model here with this mechanism: DeepSeek V3 "
        "(the 7B of Gloeckle et al. had it earlier)."
    )
    assert found.items[2].outside == "the 7B of Gloeckle et al., April 2024"
    assert found.items[2].earlier[0] == "deepseek-ai/DeepSeek-V3" and len(found.items[2].earlier) == 6
    assert found.rest.startswith("24.6 KB of cache per token, a quarter of Qwen3 Coder")
    assert (found.nearest[0].slug, found.nearest[0].apart) == ("Qwen/Qwen3-Coder-30B-A3B-Instruct", 6)
    assert len({link.company for link in found.nearest}) == 3


TAGLINES = [
    ("deepseek-ai/DeepSeek-V2",
     "First in the catalogue with latent attention, low-rank queries and group-limited routing."),
    ("deepseek-ai/DeepSeek-V3.2",
     "First in the catalogue with DeepSeek sparse attention (DSA), from DeepSeek V3.2 Exp of September 2025 on."),
    ("mistralai/Mistral-7B-v0.1",
     "Code Llama 34B Instruct with sliding windows of 4,096 tokens, a context of 32,768 instead of 16,384, 32 layers "
     "of 4,096 instead of 48 of 8,192, a wider MLP and a RoPE base of 10,000 instead of 1,000,000."),
    ("huggyllama/llama-7b",
     "First in the catalogue with SwiGLU (PaLM had it earlier) and RMSNorm (T5 had it earlier)."),
    ("CohereLabs/c4ai-command-r-plus",
     "Command R 35B with GQA instead of MHA, QK-norm, 64 layers of 12,288 instead of 40 of 8,192 and a RoPE base of "
     "75,000,000 instead of 8,000,000; both have attention and MLP in parallel and LayerNorm."),
    ("CohereLabs/c4ai-command-r-08-2024",
     "Command R+ 104B with no QK-norm, 40 layers of 8,192 instead of 64 of 12,288 and a RoPE base of 4,000,000 instead "
     "of 75,000,000; both have attention and MLP in parallel and LayerNorm."),
    ("google/gemma-4-E4B-it",
     "Gemma 3n E4B with no AltUp or LAuReL, no audio encoder, windows in five of six layers instead of four of "
     "five and a context of 131,072 instead of 32,768; both have per-layer embeddings, QK-norm, capped logits "
     "and shared KV."),
    ("Qwen/Qwen3.5-27B",
     "Qwen3 Next 80B-A3B with a dense MLP instead of experts, a vision encoder and 64 layers of 5,120 instead "
     "of 48 of 2,048; both have Gated DeltaNet in three of four layers, QK-norm, an output gate and partial "
     "RoPE."),
    ("meta-llama/Llama-4-Maverick-17B-128E-Instruct", "First in the catalogue with experts weighted at their input."),
    ("meituan-longcat/LongCat-Flash-Chat",
     "First in the catalogue with zero-computation experts (MoE++ had it earlier) and shortcut-connected "
     "experts (ScMoE had it earlier)."),
    ("moonshotai/Kimi-K2-Base",
     "DeepSeek V3 with no routing groups, no MTP, 384 experts instead of 256, half the heads and a context of "
     "131,072 instead of 163,840; both have MLA, a shared expert, a sigmoid router and a selection bias."),
    ("moonshotai/Kimi-K2.6", "Same mechanisms and sizes as Kimi K2.5; other weights."),
    ("zai-org/GLM-4.7",
     "GLM-4.5 355B with a context of 202,752 instead of 131,072; both have QK-norm, QKV biases, 160 experts and "
     "a shared expert."),
    ("moonshotai/Kimi-K2.5",
     "Kimi K2 with a vision encoder and a context of 262,144 instead of 131,072; both have MLA, 384 experts, a "
     "shared expert and a sigmoid router."),
    ("mistralai/Mixtral-8x22B-v0.1",
     "Mixtral 8x7B with a context of 65,536 instead of 32,768 and 56 layers of 6,144 instead of 32 of 4,096; "
     "both have 8 experts."),
    ("Qwen/Qwen3-8B-AWQ", "The architecture of Qwen3 8B; other weights."),
    ("PrimeIntellect/INTELLECT-3",
     "The architecture of GLM-4.5-Air; other weights. Both have 128 experts."),
    ("mistralai/Mistral-7B-Instruct-v0.2",
     "The architecture of Mistral 7B v0.1 without a sliding window; other weights."),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "tagline"), TAGLINES)
def test_taglines(slug, tagline):
    """New; earlier elsewhere; like a relative with or without something; sizes; weights; a packing."""
    first, _, rest = of(slug).tagline.partition(" Next to ")
    assert first == tagline and (not rest or first.startswith("First in the catalogue with "))


def test_undated_models_have_nothing_said_of_them():
    """Dates decide, so nothing can."""
    assert novelty.find_novelty(catalogue_lineage(), "ibm-granite/granite-4-8b-dense-hybrid") is None
    assert novelty.find_novelty(catalogue_lineage(), "no/such") is None


def test_what_is_said_of_every_model():
    """Plain sentences; at most six items, numbered; a pill agrees with who had it before."""
    known = catalogue_lineage()
    for slug in known.entries:
        found = of(slug)
        assert re.fullmatch(r"[^{}<>]+\.", found.tagline), slug
        assert [item.number for item in found.items] == list(range(1, len(found.items) + 1)) and len(found.items) <= 6
        kinds = [item.kind for item in found.items]
        assert kinds == sorted(kinds) and set(kinds) <= {"first", "house"}
        for item in found.items:
            before = known.earlier_with(item.key, slug)
            assert (item.kind == "first") is (not before) and item.earlier == tuple(one.head.slug for one in before)
            assert item.pill.startswith("first here" if not before else f"new for {known.entries[slug].company}")
            assert item.key in dict(found.mechanisms)
        assert 1 <= len(found.nearest) <= 3 or slug == "openai-community/gpt2-xl"
        assert len({link.slug for link in found.nearest}) == len(found.nearest)


def test_firsts_that_are_known_to_be_earlier_stay_out_of_taglines():
    """Unless nothing else is new, and then the earlier model is named."""
    known = catalogue_lineage()
    for structure in known.structures[1:]:
        head = structure.head
        outside = {key: row for key in structure.new if (row := had(key, head.date))}
        tagline = of(head.slug).tagline
        alone = len(outside) == len(structure.new)
        for key, row in outside.items():
            said = name_mechanism(head.spec, key)
            assert (said in tagline and f"({row.title} had " in tagline) is alone, head.slug


def plain(slug: str, day: str, *keys: str, company: str) -> Entry:
    """A model without a spec."""
    return Entry(slug, slug.upper(), company, day, keys)


def test_a_model_without_a_spec_is_told_by_its_mechanisms_alone():
    """What it gained, without numbers; nothing is called a first pair."""
    found = [plain("a", "2024-01-01", "gqa", "swiglu", company="A"),
             plain("b", "2024-02-01", "mla", "moe", company="B"),
             plain("c", "2024-03-01", "gqa", "moe", company="C")]  # fmt: skip
    said = novelty.find_novelty(lineage(found), "c")
    assert said.tagline == "A with experts and no SwiGLU." and said.items == ()
    again = novelty.find_novelty(lineage([*found, plain("d", "2024-09-01", "gqa", "moe", company="D")]), "d")
    assert again.tagline == "Same mechanisms as C; sizes differ."


def test_no_tagline_is_longer_than_forty_words():
    """Of every dated model; and none counts layers of a kind where all layers differ."""
    taglines = [of(slug).tagline for slug in catalogue_lineage().entries]
    assert max(len(one.split()) for one in taglines) <= 40
    assert not [one for one in taglines if " × " in one]


def test_a_hollow_number_is_new_for_the_company():
    """Others had it, none of the company's earlier models; with a sibling of its day that is named; a company's first
    model has none."""
    found = [plain("a", "2023-01-01", "gqa", "sinks", company="A"), plain("b", "2023-02-01", "gqa", company="B"),
             plain("b2", "2023-03-01", "gqa", "sinks", company="B"),
             plain("b3", "2023-03-01", "gqa", "sinks", "csa", company="B"),
             plain("b4", "2023-04-01", "gqa", "sinks", company="B"),
             plain("c", "2023-05-01", "gqa", "sinks", company="C")]  # fmt: skip
    known = lineage(found)
    items = {one.slug: [(item.key, item.pill, item.kind) for item in novelty.find_novelty(known, one.slug).items]
             for one in found}  # fmt: skip
    assert items["b2"] == [("sinks", "new for B; 2nd here", "house")]
    assert items["b3"] == [("csa", "first here", "first"), ("sinks", "new for B, with B2", "house")]
    assert (items["b"], items["b4"], items["c"]) == ([], [], [])


def test_what_is_new_for_a_company_is_recounted():
    """From the specs of all models of the company with an earlier date, for every dated model."""
    known = catalogue_lineage()
    for slug, entry in known.entries.items():
        older = [one for one in known.entries.values() if (one.company, one.date < entry.date) == (entry.company, True)]
        held = {key for one in older for key in mechanisms(one.spec)}
        want = {key for key in mechanisms(entry.spec) if key not in held} if older else set()
        assert set(known.new_for_house(slug)) == want, slug


GROWS = [
    (1, 4, "a quarter of"), (1.02, 4, "a quarter of"), (2, 1, "twice"),
    (5, 2, "2.5 times"), (3, 10, "30 % of"), (5, 1, "five times"),
    (1, 10, "a tenth of"), (1, 11, "9 % of"), (12, 1, "12.0 times"),
    (1.05, 1, "5.0 % more than"), (1, 1, "the same as"),
]  # fmt: skip


@pytest.mark.parametrize(("mine", "theirs", "words"), GROWS)
def test_how_a_cache_grows(mine, theirs, words):
    """Round shares in words, others as they are."""
    assert headline.say_ratio(mine / theirs) == words


def test_a_cache_that_grows_a_little_faster():
    """In per cent: "1.0 times" says nothing."""
    assert headline.describe_growth(61, 60, "X") == "61 B of cache per token, 1.7 % more than X's."
    assert headline.describe_growth(11, 10, "X") == "11 B of cache per token, 1.1 times X's."


def test_a_cache_that_does_not_grow():
    """Said where the other's does."""
    assert headline.describe_growth(0, 0, "X") == "" == headline.describe_growth(1, 0, "X")
    assert headline.describe_growth(0, 1, "X") == "Its memory does not grow with the context."


def test_a_packing_is_told_from_a_model_of_its_own():
    """It has its base as its only relative, and no items."""
    found = of("Qwen/Qwen3-8B-AWQ")
    assert (found.items, [link.slug for link in found.nearest]) == ((), ["Qwen/Qwen3-8B"])
    assert replace(found, slug="") != found and catalog.find(found.slug)


def test_two_firsts_of_one_day_name_each_other():
    """GLM-5.3-Flash and Qwen3.8-Flash-Next came on the same day, both with an indexer over pooled keys."""
    glm, qwen = of("zai-org/GLM-5.3-Flash"), of("Qwen/Qwen3.8-Flash-Next")
    assert glm.tagline.startswith(
        "First in the catalogue with an indexer over pooled keys (like Qwen3.8-Flash-Next 125B-A6B, released "
        "the same day). Next to GLM-4.7 Flash: KDA in three of four layers, hyper-connections, no MTP"
    )
    assert qwen.items[0].pill == "first here, together with GLM-5.3-Flash"


def test_tables_of_ngrams_came_with_longcat():
    """They count in front of the first layer as well as inside layers: Qwen3.8-Flash-Next is second."""
    assert of("meituan-longcat/LongCat-Flash-Lite").tagline.startswith(
        "First in the catalogue with n-gram embeddings (BLT had it earlier). Next to LongCat Flash 560B: 256 "
    )
    later = next(item for item in of("Qwen/Qwen3.8-Flash-Next").items if item.key == "ngrams")
    assert (later.pill, later.earlier) == ("new for Alibaba Cloud; 2nd here", ("meituan-longcat/LongCat-Flash-Lite",))
    assert places(catalog.spec("meituan-longcat/LongCat-Flash-Lite"), "ngrams") == (("tower", "embed"),)


def test_two_shared_experts_are_two_wherever_a_page_names_them():
    """DeepSeekMoE's list of mechanisms, its numbered item, and what a later model has beside or without them."""
    found = of("deepseek-ai/deepseek-moe-16b-base")
    assert dict(found.mechanisms)["shared-expert"] == "two shared experts"
    assert [one.word for one in found.items if one.key == "shared-expert"] == ["Two shared experts"]
    spec = catalog.spec("deepseek-ai/deepseek-moe-16b-base")
    assert dict(relate_undated(catalogue_lineage(), spec).mechanisms)["shared-expert"] == "two shared experts"


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"vocab_size": 2, "norms": 1}, "Same mechanisms and sizes as A; vocabulary differs."),
        ({"vocab_size": 1, "norms": 2}, "Same mechanisms and sizes as A; norms differ."),
        ({"vocab_size": 2, "norms": 2}, "Same mechanisms and sizes as A; vocabulary and norms differ."),
        ({"vocab_size": 1, "norms": 1}, "Same mechanisms and sizes as A; other weights."),
        ({"vocab_size": 1, "norms": 1, "hidden_size": 3}, "Same mechanisms as A; sizes differ."),
    ],
)
def test_equal_mechanisms_are_told_apart_by_what_else_differs(other, said):
    """One thing differs, several differ, and norms are several."""
    one, two = (SimpleNamespace(facts=frozenset(said.items())) for said in ({"vocab_size": 1, "norms": 1}, other))
    link = SimpleNamespace(slug="a", title="A")
    assert headline.describe_equal(SimpleNamespace(entries={"a": two}), one, link) == said


def test_who_had_it_earlier_is_one_or_several():
    """An earlier model, or earlier models; of a model without facts nothing is light."""
    assert novelty.before_it(["A"]) == " An earlier model with this mechanism: A."
    assert novelty.before_it(["A", "B"]) == " Earlier models with this mechanism: A and B."
    light = frozenset({("vocab_size", 1)})
    assert (only_light(light, frozenset()), only_light(light, light)) == (False, True)
