"""Published figures against ours: where they differ by more than their digits allow, both values and the reason.

A figure others print is a text such as "671B" or "68.6 KiB"; it may be off by half a unit of its last digit. A reason
is a row of `REASONS`: another way to count that gives the published value. What no row explains is "not explained".
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from decimal import Decimal
from itertools import chain
from math import prod
from typing import NamedTuple

from cutaway.gallery import catalog
from cutaway.gallery.catalog.model_row import CatalogModel
from cutaway.gallery.counting.memory import kv_bytes_per_token
from cutaway.gallery.counting.parameters import Parameters, parameters
from cutaway.gallery.spec import Attention, ModelSpec
from cutaway.gallery.sublayers import parts_of

UNITS = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12, "KiB": 1024, "MiB": 1024**2}
NOT_EXPLAINED = "the difference is unexplained"


class Contradiction(NamedTuple):
    figure: str  # "total" | "active" | "kv" | "context" | "vocab" | "layers"
    published: str
    ours: str
    reason: str


class Subject(NamedTuple):
    """What the ways to count below may look at."""

    spec: ModelSpec
    counted: Parameters
    row: CatalogModel


def span(text: str) -> tuple[Decimal, Decimal] | None:
    """The values that round to a printed figure: "671B" -> 670.5e9 to 671.5e9. "128,000" stands for 128K either way."""
    found = re.match(r"\s*([\d,]+(?:\.\d+)?)\s*([A-Za-z]*)", text)
    if not found or found[2] not in UNITS:
        return None
    digits = found[1].replace(",", "")
    places = len(digits.partition(".")[2])
    value, unit = Decimal(digits), UNITS[found[2]]
    half = Decimal(1) / 2 / 10**places if found[2] else Decimal(0)
    low, high = (value - half) * unit, (value + half) * unit
    if not found[2] and digits.endswith("000"):  # K may mean 1,000 or 1,024
        high = max(high, value / 1000 * 1024)
    return low, high


def agrees(text: str, value: float | None) -> bool:
    """Whether a value of ours rounds to the printed figure; a figure that is no number agrees with anything."""
    bounds = span(text)
    return bounds is None or value is None or bounds[0] <= Decimal(value) <= bounds[1]


# ---------------------------------------------------------------- ours, and the other ways to count


def _embedding(s: Subject) -> int:
    return s.counted.by_part.get("embedding", 0)


def _with_embedding(s: Subject) -> int | None:
    """Where no other table is looked up."""
    return s.counted.touched if s.counted.looked_up == _embedding(s) else None


def _without_head(s: Subject) -> int:
    """A tied head is the embedding."""
    return s.counted.active - (s.counted.by_part.get("head", 0) or _embedding(s))


def _tied_copy(s: Subject) -> int | None:
    return s.counted.total + _embedding(s) if s.spec.tie_word_embeddings else None


def _bare_with_mtp(s: Subject) -> int | None:
    """GLM-4.5's report counts so."""
    tables = (shape for extra in s.spec.mtp_extras for _, shape in extra.tensors if shape[0] == s.spec.vocab_size)
    ends = _embedding(s) + s.counted.by_part.get("head", 0)
    return s.counted.total - ends + s.counted.mtp - sum(map(prod, tables)) if s.counted.mtp else None


def _with_towers(s: Subject) -> int | None:
    return s.counted.total + s.counted.towers if s.counted.towers else None


def _kv(way: str, dtype: str = "bfloat16") -> Callable[[Subject], float]:
    return lambda s: kv_bytes_per_token(s.spec, way, dtype)


def _attentions(s: Subject) -> list[Attention]:
    return [layer.mixer for layer in s.spec.layers if isinstance(layer.mixer, Attention)]


def _every_layer_alike(s: Subject) -> float | None:
    """Keys and values of the first attention layer, times the number of layers."""
    layers = _attentions(s)
    if not layers:
        return None
    least = min(m.num_key_value_heads * (m.head_dim + m.v_head_dim) * 2 for m in layers)
    return least * len(layers)


def _values_like_keys(s: Subject) -> float | None:
    """As before, with keys and values of the same width."""
    layers = _attentions(s)
    return min((m.num_key_value_heads * m.head_dim * 4 for m in layers), default=0) * len(layers)


def _with_mtp(s: Subject) -> float | None:
    """All attention layers and the MTP layers, none windowed."""
    extra = dataclasses.replace(s.spec, layers=s.spec.layers + s.spec.mtp, mtp=())
    return kv_bytes_per_token(extra, "all") if s.spec.mtp else None


def _without_sharing(s: Subject) -> float | None:
    """Layers that reuse another's keys counted as if they kept their own, all at the width of the narrowest."""
    mixers = _attentions(s)
    if all(m.kv_source is None for m in mixers):
        return None
    return sum(min(2 * m.num_key_value_heads * 2 * m.head_dim for m in mixers) for _ in mixers)


def _equal_kv_once(s: Subject) -> float | None:
    """Global layers whose keys are the values, kept once."""
    mixers = _attentions(s)
    if not any(m.k_eq_v for m in mixers):
        return None
    return sum(2 * m.num_key_value_heads * (m.head_dim if m.k_eq_v else m.head_dim + m.v_head_dim) for m in mixers)


OURS: dict[str, Callable[[Subject], float | None]] = {
    "total": lambda s: s.counted.total,
    "active": lambda s: s.counted.active,
    "kv": _kv("growing"),
    "context": lambda s: s.spec.max_position_embeddings,
    "vocab": lambda s: s.spec.vocab_size,
    "layers": lambda s: s.spec.num_hidden_layers,
}

REASONS: tuple[tuple[str, str, Callable[[Subject], float | None]], ...] = (
    (
        "total",
        "the published figure counts the multi-token-prediction layers too",
        lambda s: s.counted.total + s.counted.mtp,
    ),
    ("total", "the published figure includes the vision or audio encoder", _with_towers),
    ("total", "the published figure counts the tied head as a separate copy", _tied_copy),
    (
        "total",
        "the published figure excludes embedding and head",
        lambda s: s.counted.total - _embedding(s) - s.counted.by_part.get("head", 0),
    ),
    ("total", "the published figure counts the MTP layers too, and excludes all embeddings and heads", _bare_with_mtp),
    ("active", "the published figure counts the input embedding too", _with_embedding),
    ("active", "the published figure excludes the head", _without_head),
    (
        "active",
        "the published figure counts a multi-token-prediction layer too",
        lambda s: s.counted.active + s.counted.mtp,
    ),
    ("kv", "the published figure counts every attention layer as if it had no window", _kv("all")),
    ("kv", "the published figure counts the indexer keys too", _kv("growing+index")),
    (
        "kv",
        "the published figure counts windows as if they grew, and counts keys that are also values once",
        _equal_kv_once,
    ),
    (
        "kv",
        "the published figure counts layers that reuse other layers' keys as if they kept their own",
        _without_sharing,
    ),
    ("kv", "the published figure assumes the heads of the narrowest layer in all layers", _every_layer_alike),
    (
        "kv",
        "the published figure assumes the global layers' heads in all layers, and values as wide as keys",
        _values_like_keys,
    ),
    ("kv", "the published figure counts windows as if they grew, and the multi-token-prediction layers too", _with_mtp),
    (
        "layers",
        "the published figure counts the multi-token-prediction layers too",
        lambda s: s.spec.num_hidden_layers + len(s.spec.mtp),
    ),
    (
        "layers",
        "the published figure counts each pass of a looped stack",
        lambda s: s.spec.num_hidden_layers * s.spec.loops,
    ),
)


def _cut_off(s: Subject, text: str, ours: float) -> bool:
    bounds = span(text)
    return bounds is not None and bounds[0] < ours <= bounds[1] + (bounds[1] - bounds[0]) / 2


def _whole_cut_off(s: Subject, text: str, ours: float) -> bool:
    return (whole := _with_embedding(s)) is not None and _cut_off(s, text, whole)


def _tens(s: Subject, text: str, ours: float) -> bool:
    """ "230B" for 228.7B: the last digit is a nought that was not counted."""
    found = re.fullmatch(r"(\d+)0B", text)
    return found is not None and abs(int(found[1]) * 10 - ours / 10**9) <= 5


def _below(s: Subject, text: str, ours: float) -> bool:
    bounds = span(text)
    return bounds is not None and ours < bounds[0]


def _placeless(s: Subject, text: str, ours: float) -> bool:
    """More is published, and no mixer turns or marks what it reads by its position (Nemotron 3)."""
    mixers = [part for layer in s.spec.layers for part in parts_of(layer.mixer)]
    placed = any(getattr(m, "rope", None) or getattr(m, "position", "nope") not in ("nope", "rope") for m in mixers)
    return _below(s, text, ours) and not placed


def _above(s: Subject, text: str, ours: float) -> bool:
    bounds = span(text)
    return bounds is not None and ours > bounds[1]


def _uncounted_towers(s: Subject, text: str, ours: float) -> bool:
    return bool(s.spec.towers) and s.counted.towers is None and _below(s, text, ours)


def _padded(s: Subject, text: str, ours: float) -> bool:
    bounds = span(text)
    return bounds is not None and bounds[0] < ours < float(bounds[0]) * 1.02


Other = tuple[str, Callable[[Subject, str, float], bool], str]  # (figure, what must hold, words)
# A total that is ours with fewer digits needs no other way to count, even where one happens to give it.
PLAIN_REASONS: tuple[Other, ...] = (
    ("total", _cut_off, "the published figure is truncated, not rounded"),
    ("total", _tens, "the published figure is rounded to tens of billions"),
)
# Reasons that are no other way to count, asked last.
OTHER_REASONS: tuple[Other, ...] = (
    (
        "total",
        lambda s, text, ours: bool(s.spec.not_understood),
        "this model has a part that Cutaway does not understand yet",
    ),
    (
        "active",
        lambda s, text, ours: bool(s.spec.not_understood),
        "this model has a part that Cutaway does not understand yet",
    ),
    ("active", _cut_off, "the published figure is truncated, not rounded"),
    ("active", _whole_cut_off, "the published figure counts the input embedding too, and is truncated, not rounded"),
    ("active", _tens, "the published figure is rounded to tens of billions"),
    ("total", _uncounted_towers, "the published figure includes an encoder whose size this config does not give"),
    ("vocab", _padded, "the embedding table in the config has extra rows beyond the vocabulary"),
    ("context", _above, "the published figure is the supported context; the config allows more"),
    (
        "context",
        _placeless,
        "the published figure is the supported context; attention without position encoding has no limit",
    ),
    ("context", _below, "the published figure is the supported context; the config allows less"),
)
YARN = "the published figure includes YaRN, which the model card explains how to switch on"
# What holds for one model alone: (slug, figure) -> words.
ONE_MODEL = {
    **{(f"Qwen/Qwen3-{size}", "context"): YARN for size in ("8B", "32B", "30B-A3B", "235B-A22B")},
    ("HuggingFaceTB/SmolLM3-3B-Base", "context"): YARN,
    ("deepseek-ai/DeepSeek-V3.2", "total"): "the published figure repeats that of DeepSeek V3, which has no indexers",
    ("sarvamai/sarvam-30b", "total"): "the published figure excludes embedding and head, as does the active figure",
    ("Qwen/Qwen3.8-Flash-Next", "total"): "the published figure excludes the n-gram tables, and is truncated, not "
    "rounded",
    ("Qwen/Qwen3.8-Flash-Next", "active"): "the published figure excludes the head",
    ("zai-org/GLM-5.2", "total"): "the published figure repeats that of GLM-5; shared indexers have fewer weights",
    ("zai-org/GLM-5.3-Flash", "total"): "the published figure counts the multi-token-prediction layer and the vision "
    "tower too",
    ("zai-org/GLM-5.3-Flash", "active"): "the published figure counts the multi-token-prediction layer too",
    ("thinkingmachines/Inkling", "total"): "the published figure assumes 66 sparse layers; two of them are dense in "
    "the config",
    ("mistralai/Mistral-Large-3-675B-Instruct-2512", "active"): "the published figure counts the vision tower too",
    (
        "meituan-longcat/LongCat-Flash-Lite",
        "active",
    ): "the published figure is for a token for which many experts only return their input",
    ("meituan-longcat/LongCat-Flash-Lite", "kv"): "the published figure assumes 28 layers of two sublayers; the "
    "config has 14",
    ("meituan-longcat/LongCat-Flash-Lite", "layers"): "the published figure counts each layer's two sublayers",
    ("LiquidAI/LFM2.5-8B-A1B", "total"): "the published figure repeats that of LFM2-8B-A1B, whose vocabulary is half "
    "as large",
    ("LiquidAI/LFM2.5-8B-A1B", "active"): "the published figure repeats that of LFM2-8B-A1B, whose vocabulary is "
    "half as large",
    ("meta-models/Muse-Spark-Open-816B-A42B", "total"): "the published figure excludes embedding and head, and is "
    "truncated, not rounded",
    ("meta-models/Muse-Spark-Open-816B-A42B", "active"): "the published figure excludes the head, and is truncated, "
    "not rounded",
    ("MiniMaxAI/MiniMax-M3", "active"): "the published figure excludes the head, and is truncated, not rounded",
}


# ---------------------------------------------------------------- the comparison


def in_printed_unit(figure: str, value: float) -> str:
    """A value of ours in the unit its figure is printed in."""
    if figure == "kv":
        return f"{value / 1024:,.1f} KiB".replace(".0 KiB", " KiB")
    if figure in ("total", "active"):
        return f"{value / 10**9:,.3f}B"
    return f"{int(value):,}"


def _reason(figure: str, text: str, ours: float, subject: Subject) -> str:
    if (subject.row.slug, figure) in ONE_MODEL:
        return ONE_MODEL[subject.row.slug, figure]
    ways = (
        words
        for name, words, way in REASONS
        if name == figure and (value := way(subject)) is not None and agrees(text, value)
    )
    plain, others = (
        (words for name, holds, words in rows if name == figure and holds(subject, text, ours))
        for rows in (PLAIN_REASONS, OTHER_REASONS)
    )
    unknown = f"{NOT_EXPLAINED}; this config is reconstructed" if subject.row.reconstructed else NOT_EXPLAINED
    return next(chain(plain, ways, others), unknown)


def compare(row: CatalogModel, spec: ModelSpec) -> tuple[Contradiction, ...]:
    """The published figures of a row that a spec denies."""
    subject = Subject(spec, parameters(spec), row)
    found = []
    for figure, text in row.published.items():
        ours = OURS[figure](subject)
        if ours is not None and not agrees(text, ours):
            found.append(
                Contradiction(figure, text, in_printed_unit(figure, ours), _reason(figure, text, ours, subject))
            )
    return tuple(found)


def contradictions(slug: str) -> tuple[Contradiction, ...]:
    """The published figures of a catalogued model that its own config denies; none where it has no snapshot."""
    row = catalog.find(slug)
    return compare(row, catalog.spec(slug)) if row is not None and row.snapshot else ()
