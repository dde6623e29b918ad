"""Models without a date: relatives and what is rare in them, and nothing that only dates can decide."""

from __future__ import annotations

import re

from cutaway import gallery
from cutaway.gallery import catalog
from cutaway.gallery.comparing import catalogue_lineage, relatives_undated
from cutaway.gallery.comparing.entries import DOUBLING, HOUSE, MOST_APART
from cutaway.gallery.comparing.mechanisms import mechanisms
from cutaway.gallery.comparing.relatives import lineage
from tests.gallery.fake_hub import CONFIG

UNDATED = [row for row in catalog.drawable_rows() if not row.date and not row.variant_of]
HEADS = 111  # the fewest dated structures that the catalogue has had since this was written


def of(slug: str):
    row = catalog.find(slug)
    """As if neither it nor Zamba had a date."""
    kept = [one for one in catalogue_lineage().entries.values() if not one.slug.startswith(("Zyphra/Zamba", slug))]
    known = lineage(kept)
    return relatives_undated.relate_undated(known, catalog.spec(slug), slug, row.title, row.company)


def test_a_model_like_a_dated_one():
    """Its nearest relative by mechanisms, then by fields, then by house; no later ones, and no word of what is new."""
    found = of("zai-org/GLM-5.3")
    assert found.tagline == "Same mechanisms and sizes as GLM-5.2."
    assert found.rest == "Its release date is unknown, so nothing in it is called new."
    assert [(link.slug, link.words, link.same_company) for link in found.nearest][:2] == [
        ("zai-org/GLM-5.2", "same mechanisms", True), ("zai-org/GLM-5", "1 difference", True),
    ]  # fmt: skip
    assert found.later == ()
    assert [step.title for step in found.descent][-2:] == ["GLM-5.2", "GLM-5.3"]
    assert found.descent[-1].added == ()


def test_what_no_dated_model_has():
    """It is said so, and not that it is new."""
    found = of("Zyphra/Zamba2-1.2B")
    assert found.tagline == (
        "No dated model of the catalogue has shared layers with LoRA adapters and a transformer block shared "
        "between layers."
    )
    assert [(item.number, item.key, item.pill) for item in found.items][:2] == [
        (1, "lora-shared", "no other model here has it"), (2, "shared-block", "no other model here has it"),
    ]  # fmt: skip
    assert found.items[2].pill == f"2 of {len(catalogue_lineage().structures) - 2} models here have it"
    assert "lora-shared" in found.descent[-1].added


def test_a_config_of_nobody():
    """A pasted config has a name of the page's choice, no house and no slug."""
    found = relatives_undated.relate_undated(catalogue_lineage(), gallery.read(CONFIG), title="Your config")
    assert found.tagline == (
        "InternLM3 8B with 2 layers of 64 instead of 48 of 4,096, a vocabulary of 1,000 instead of 128,512 and a "
        "narrower MLP."
    )
    assert not any(link.same_company for link in found.nearest)
    assert (found.slug, found.descent[-1].title) == ("", "Your config")


def test_a_config_stands_beside_the_near_clone_of_its_size():
    """Llama 3.2 1B without its name: the nearest of Llama 3.1 and 3.2's sizes is the 1B, not the 405B."""
    spec = catalog.spec("meta-llama/Llama-3.2-1B")
    found = relatives_undated.relate_undated(catalogue_lineage(), spec)
    assert "meta-llama/Llama-3.2-1B" in [link.slug for link in found.nearest]
    assert not [link for link in found.nearest if "405B" in link.slug]


def test_a_catalogued_model_pasted_finds_itself():
    """First of its relatives is the model that it is, and no other weights are claimed."""
    found = relatives_undated.relate_undated(catalogue_lineage(), catalog.spec("openai/gpt-oss-120b"))
    assert found.tagline == "Same mechanisms and sizes as GPT-OSS 120B."
    assert found.nearest[0].slug == "openai/gpt-oss-120b" and found.nearest[0].share == 1


def test_what_is_said_of_every_undated_model():
    """Never "first", "new" or "earlier"; at most six items, the rarest first; each has what is said; steps are had."""
    known = catalogue_lineage()
    assert UNDATED and len(known.structures) >= HEADS
    for row in UNDATED:
        found = relatives_undated.relate_undated(known, catalog.spec(row.slug), row.slug, row.title, row.company)
        assert not re.search(r"\b(first|new|earlier|other weights)\b", found.tagline.lower()), found.tagline
        counts = [sum(key in one.head.mechanisms for one in known.structures) for key in (i.key for i in found.items)]
        assert counts == sorted(counts) and len(counts) <= 6
        assert all(count * 10 <= len(known.structures) for count in counts)
        assert [len(item.earlier) for item in found.items] == counts
        assert not any(item.kind != "rare" or "first" in item.pill for item in found.items)
        best = max(known.share(mechanisms(catalog.spec(row.slug)), one.head.mechanisms) for one in known.structures)
        assert found.nearest[0].share >= best - HOUSE - MOST_APART * DOUBLING  # the farthest that the rule corrects by
        had = {key for key, _ in found.mechanisms}
        assert all(had.issuperset(step.added) for step in found.descent)
        assert all(step.added for step in found.descent[1:-1])
