"""Published figures about long contexts -> the same from configs: those of gallery.catalog.published_cache, and V4's
arithmetic.

V4's report counts FLOP “in equivalent FP8 FLOPs” (introduction; 2.3.4: the indexer runs in FP4). Which precision the
rest has it does not say: here an indexer in FP4 counts half, scores and values twice, as in BF16.
"""

from __future__ import annotations

from typing import Any

from cutaway.explainers.long_context import counting

V32, PRO, FLASH = (f"deepseek-ai/DeepSeek-{name}" for name in ("V3.2", "V4-Pro", "V4-Flash"))
MILLION = 2**20
REPORT = ("DeepSeek-V4 report, introduction", "https://huggingface.co/deepseek-ai/DeepSeek-V4-Pro")
ARITHMETIC = "of V3.2’s arithmetic for a token, at a million tokens"
PLAIN = "two FLOP per multiply-add in any format"
IN_FP8 = "in FP8 FLOP: V4’s FP4 indexer counts half, and scores and values count double (our interpretation)"
GQA8 = 2 * 8 * 128 * 2  # bytes of a token and layer: eight pairs of 128 in BF16


def flop(model: dict, index: float = 1, core: float = 1) -> float:
    """Of a new token at a million, each kind of work weighed."""
    indexer, reading = counting.work(model, MILLION)
    return model["weights"] + model["states"] + index * indexer + core * reading


def in_fp8(model: dict) -> float:
    """V3.2's indexer runs in FP8, V4's in FP4."""
    return flop(model, 1 if model["slug"] == V32 else 0.5, 2)


def about_v4(data: dict, find: Any) -> list[tuple]:
    """(slug, what, published, ours, how, source, link)."""
    made, old = [], find(V32, data)
    percent = lambda share: f"{100 * share:.1f} %"  # noqa: E731
    for slug, published in ((PRO, "27 %"), (FLASH, "10 %")):
        new = find(slug, data)
        made.append((slug, ARITHMETIC, published, percent(flop(new) / flop(old)), PLAIN, *REPORT))
        made.append((slug, ARITHMETIC, published, percent(in_fp8(new) / in_fp8(old)), IN_FP8, *REPORT))
    pro = find(PRO, data)
    share = counting.cache_bytes(pro, data, MILLION, "mixed") / (GQA8 * len(pro["stack"]) * MILLION)
    says = "of the cache of the same number of layers with 8 KV heads of 128 in BF16"
    how = "FP8, the rotated part in BF16, indexer keys in FP4"
    return [*made, (PRO, says, "about 2 %", percent(share), how, "DeepSeek-V4 report, 2.3.4", REPORT[1])]


def rows(data: dict, find: Any) -> list[list[str]]:
    """[model, what is claimed, as published, as counted here, how, source, link]."""
    from cutaway.gallery import catalog
    from cutaway.gallery.catalog.published_cache import CLAIMS

    found = []
    for claim in CLAIMS:
        slug = next((slug for slug in claim.slugs if (row := catalog.find(slug)) and row.snapshot), None)
        if slug:
            ours = claim.shown(claim.ours(catalog.spec(slug)))
            found.append((slug, claim.says, claim.published, ours, claim.how, claim.source, claim.link))
    found += about_v4(data, find)
    return [[catalog.BY_SLUG[slug].title, *rest] for slug, *rest in found]
