"""Published claims about caches, reproduced from configs."""

from __future__ import annotations

import pytest

from cutaway.gallery import catalog
from cutaway.gallery import spec as s
from cutaway.gallery.catalog.published_cache import CLAIMS, claims_of, windowed_growth

ROWS = [(claim, slug) for claim in CLAIMS for slug in claim.slugs if catalog.find(slug).snapshot]
OURS = {
    "XiaomiMiMo/MiMo-V2-Flash": "1/5.3", "moonshotai/Kimi-Linear-48B-A3B-Instruct": "74.1 %",
    "deepseek-ai/DeepSeek-V4-Pro": "10.3 %", "deepseek-ai/DeepSeek-V4-Flash": "7.2 %",
    "deepseek-ai/DeepSeek-V3": "56.9 ×", "deepseek-ai/DeepSeek-R1": "56.9 ×", "deepseek-ai/DeepSeek-V2": "93.3 %",
}  # fmt: skip


@pytest.mark.parametrize(("claim", "slug"), ROWS, ids=[slug for _, slug in ROWS])
def test_a_claim_is_reproduced(claim, slug):
    """Our figure lies where the published words put it, and is the one that is kept here."""
    ours = claim.ours(catalog.spec(slug))
    assert claim.least <= ours <= claim.most
    assert claim.shown(ours) == OURS.get(slug, claim.shown(ours))


def test_claims_that_hold_are_counted(verified):
    """All claims whose model is drawn, for /verify/."""
    held = [claim.least <= claim.ours(catalog.spec(slug)) <= claim.most for claim, slug in ROWS]
    assert {slug for _, slug in ROWS} >= set(OURS)
    verified("published claims about cache sizes", len(held), held.count(False), "reports and model cards")


def test_ten_full_layers_of_seventy_keep_a_seventh():
    """MiMo-V2.5-Pro's 60 windows and 10 full layers, all with eight KV heads of 192 and 128, keep one seventh."""
    full = s.Attention(128, 8, 192, 128)
    window = s.Attention(128, 8, 192, 128, sliding_window=128)
    layers = tuple(s.Layer(i, full if i % 7 == 0 else window, None, ()) for i in range(70))
    spec = s.ModelSpec("x", "", 8, 8, 70, layers, 2**20, False, "bfloat16", None)
    claim = claims_of("XiaomiMiMo/MiMo-V2.5-Pro")[0]
    assert (claim.shown(windowed_growth(spec)), claim.least < windowed_growth(spec) < claim.most) == ("1/7", True)


def test_a_claim_names_its_source():
    """Every row has a link, and a sentence on how it is counted; models without a claim have none."""
    assert all(claim.link.startswith("https://") and len(claim.how) > 20 and claim.source for claim in CLAIMS)
    assert claims_of("openai-community/gpt2-xl") == ()
