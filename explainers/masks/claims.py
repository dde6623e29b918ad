"""A published sentence about a cache -> the ratio it must mean, with the arithmetic: MiMo's "1/7" and "nearly 6x".

Each row compares `full` + `windows` layers. `full_bytes` and `window_bytes` are one token's keys and values in a layer
of each kind; `all_bytes` is what the comparison lets every layer keep, 0 = each layer its own.
"""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.masks import words

BLOG = "MiMo-V2.5 inference blog https://mimo.xiaomi.com/blog/mimo-v2-5-inference"
CARD = "MiMo-V2-Flash model card https://huggingface.co/XiaomiMiMo/MiMo-V2-Flash"
# 5,120 = 8 key/value heads x (192 + 128) x 2 B; 2,560 = 4 of them (swa_num_key_value_heads and num_key_value_heads).
# V2.5-Pro: 70 layers, 10 of them full (blog); 358,400 B per token / 70 layers = 5,120 in each (reference gallery).
CLAIMS = [
    {"model": "MiMo-V2.5-Pro", "claim": "roughly 1/7", "source": BLOG,
     "way": "10 full and 60 window layers, compared with 70 full ones",
     "full": 10, "windows": 60, "window": 128, "full_bytes": 5120, "window_bytes": 5120, "all_bytes": 0},
    {"model": "MiMo-V2-Flash", "claim": "nearly 6x", "source": CARD,
     "way": "taking 5:1 literally: 8 of 48 layers are full",
     "full": 8, "windows": 40, "window": 128, "full_bytes": 2560, "window_bytes": 2560, "all_bytes": 0},
    {"model": "MiMo-V2-Flash", "claim": "", "source": CARD,
     "way": "9 of 48 layers are full in its config, compared with 48 full layers of 4 KV heads each",
     "full": 9, "windows": 39, "window": 128, "full_bytes": 2560, "window_bytes": 5120, "all_bytes": 2560},
    {"model": "MiMo-V2-Flash", "claim": "", "source": CARD,
     "way": "its config, compared with the same layers without windows, with 8 KV heads in the window layers",
     "full": 9, "windows": 39, "window": 128, "full_bytes": 2560, "window_bytes": 5120, "all_bytes": 0},
]  # fmt: skip


def compute(claims: list[dict], context: int) -> list[dict]:
    """The arithmetic of each claim at a context, and where it ends for long ones."""
    return [one(claim, context) for claim in claims]


def one(claim: dict, context: int) -> dict:
    full, windows = claim["full"], claim["windows"]
    held = min(context, claim["window"])
    kept = full * claim["full_bytes"] * context + windows * claim["window_bytes"] * held
    each = claim["all_bytes"]
    whole = (
        (full + windows) * each if each else full * claim["full_bytes"] + windows * claim["window_bytes"]
    ) * context
    limit = whole / context / (full * claim["full_bytes"])
    return {
        "kept": kept,
        "whole": whole,
        "ratio": whole / kept,
        "limit": limit,
        "one_in": f"1/{fmt.fixed(whole / kept, 2)}",
        "towards": f"1/{fmt.fixed(limit, 2)}",
        "who": claim["model"] + (f" “{claim['claim']}”" if claim["claim"] else ""),
        "way": claim["way"],
        "words": counts(claim, context, whole / kept, limit),
        "kept_words": f"{full} × {fmt.integer(claim['full_bytes'])} × {fmt.integer(context)} + "
        f"{windows} × {fmt.integer(claim['window_bytes'])} × {fmt.integer(held)}",
        "whole_words": whole_words(claim, context),
    }


def whole_words(claim: dict, context: int) -> str:
    full, windows = claim["full"], claim["windows"]
    if claim["all_bytes"] or claim["full_bytes"] == claim["window_bytes"]:
        return f"{full + windows} × {fmt.integer(claim['all_bytes'] or claim['full_bytes'])} × {fmt.integer(context)}"
    return (
        f"({full} × {fmt.integer(claim['full_bytes'])} + {windows} × {fmt.integer(claim['window_bytes'])}) "
        f"× {fmt.integer(context)}"
    )


def counts(claim: dict, context: int, ratio: float, limit: float) -> str:
    """What the published figure counts."""
    if not claim["claim"]:
        return ""
    full, windows = claim["full"], claim["windows"]
    return (
        f"“{claim['claim']}” counts layers: {full} of {full + windows} are full, 1/{fmt.fixed(limit, 2)}. "
        f"At {words.plural(context, 'token')}, the {windows} windows of {claim['window']} tokens change this to "
        f"1/{fmt.fixed(ratio, 2)}."
    )
