"""The built pages speak the field's language: a term in the first lines, and no word that is ours alone."""

from __future__ import annotations

import re

import pytest

from cutaway import explainers
from tests.words import sample

TERMS = {  # page: one of these stands in its h1 or in the line below
    "/learn/next-token/": ("next-token prediction",),
    "/learn/attention/": ("attention",),
    "/learn/paged-cache/": ("PagedAttention",),
    "/learn/speculative/": ("speculative decoding",),
    "/learn/heads/": ("grouped-query attention", "KV cache"),
    "/learn/mla-numbers/": ("multi-head latent attention",),
    "/learn/masks/": ("sliding-window",),
    "/learn/flash/": ("FlashAttention",),
    "/learn/long-context/": ("long-context",),
    "/learn/sparse/": ("sparse attention",),
    "/learn/delta-rule/": ("linear attention", "delta rule"),
    "/learn/linear-family/": ("linear attention",),
    "/learn/position/": ("RoPE", "rotary position embedding"),
    "/learn/norms/": ("residual stream", "norms"),
    "/learn/loops/": ("looped layers", "hyper-connections"),
    "/learn/decoder/": ("attention", "hybrid"),
    "/learn/experts/": ("mixture of experts",),
    "/learn/expert-parallel/": ("expert parallelism", "all-to-all"),
    "/learn/roofline/": ("roofline",),
    "/learn/bits/": ("floating-point formats",),
    "/learn/blocks/": ("MXFP4", "NVFP4", "block formats"),
    "/learn/matrix/": ("quantization error",),
    "/learn/activations/": ("activation quantization",),
    "/learn/rounding/": ("rounding",),
    "/learn/collectives/": ("all-reduce",),
    "/learn/data-parallel/": ("data parallelism", "FSDP"),
    "/learn/tensor-parallel/": ("tensor parallelism",),
    "/learn/pipeline/": ("pipeline parallelism",),
    "/learn/context-parallel/": ("context parallelism", "ring attention"),
    "/learn/which-axis/": ("parallelism",),
    "/learn/": ("language models",),
    "/models/": ("models",),
    "/lineage/": ("lineage",),
    "/trends/": ("open models",),
    "/poster/": ("residual stream",),
    "/design/": ("KV cache", "config.json"),
    "/plan/": ("parallelism", "planner"),
    "/roofline/": ("roofline",),
    "/glossary/": ("glossary",),
    "/config/": ("config.json",),
    "/config/rope_theta/": ("RoPE",),
    "/data/": ("data", "catalogue"),
    "/docs/": ("documentation",),
    "/docs/api/": ("Python API",),
    "/docs/commands/": ("commands",),
    "/docs/json/": ("JSON",),
    "/docs/tutorial/": ("tutorial",),
    "/verify/": ("numbers", "checked"),
}
# Words of ours for what has a term: `tests/words/terms.md` says which term.
PRIVATE = re.compile(
    r"\b(dealt out|deals? out|hands? out|handed out|reads? off|out of one house|favourites?|who talks|talks? to"
    r"|meetings?|meets?|at work on a token|a half|two halves|both halves|all halves)\b"
)


@pytest.mark.parametrize("path", TERMS)
def test_the_first_lines_hold_a_term_of_the_field(site_dir, path):
    """In the heading or right below it: who searched for it knows that this is the page."""
    main = sample.visible((site_dir / path.strip("/") / "index.html").read_text("utf-8"))
    heading = main.find("h1")
    below = heading.find_next("p") if heading else main.find("p")
    said = " ".join(one.get_text(" ") for one in (heading, below) if one).lower()
    assert any(term.lower() in said for term in TERMS[path]), said


def test_every_explainer_is_held_to_its_terms():
    """A new page names the terms that its first lines must have."""
    assert {f"/learn/{name}/" for name in explainers.names()} <= set(TERMS)


def test_no_page_has_a_word_that_is_ours_alone(site_dir):
    """A term of the field stands for each of them."""
    found = [
        (path, said[0], text[:90])
        for path, main in sample.pages(site_dir, word=PRIVATE)
        for text in sample.blocks(main)
        if (said := PRIVATE.search(text))
    ]
    assert found == []
