"""A model's view -> the rows of its page's tables: facts, parts, weights, cache. Numbers and words, no markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from cutaway.app.model.once import once_for_each
from cutaway.app.model.view import CONTEXT_WORDS, CONTEXTS, ModelView, SpecView, size
from cutaway.app.words.storage import format_words
from cutaway.explainers import fmt
from cutaway.gallery.counting.memory import KINDS
from cutaway.gallery.counting.stored_bytes import Stored
from cutaway.gallery.drawing import wiring_words
from cutaway.gallery.drawing.tower import mtp_words
from cutaway.gallery.drawing.words import layers as layers_words
from cutaway.gallery.drawing.words import shape_words
from cutaway.gallery.formats.schemes import SCHEMES
from cutaway.gallery.spec import ModelSpec

# What each part of the ledger is called, and the colour token of its bar.
PART_WORDS = {
    "embedding": ("Token embedding", "embed"),
    "head": ("Output head", "embed"),
    "attention": ("Attention", "full"),
    "indexer": ("Indexer", "sparse"),
    "linear": ("Linear attention", "linear"),
    "ssm": ("State space", "ssm"),
    "conv": ("Convolutions", "linear"),
    "dense": ("Dense MLP", "dense"),
    "experts": ("Routed experts", "moe"),
    "shared": ("Shared expert", "moe"),
    "router": ("Router", "moe"),
    "norm": ("Normalisation", "dense"),
    "residual": ("Residual scheme", "dense"),
    "other": ("Other", "dense"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One row of the parameter ledger."""

    words: str
    role: str
    count: int
    share: float


def parts(view: SpecView) -> list[Part]:
    """Parameters by part, largest first."""
    total = view.parameters.total
    found = []
    for key, count in sorted(view.parameters.by_part.items(), key=lambda pair: -pair[1]):
        words, role = PART_WORDS.get(key, (key, "dense"))
        if key == "attention":
            role = attention_role(view)
        found.append(Part(words, role, count, count / total if total else 0))
    return found


def attention_role(view: SpecView) -> str:
    """Attention weights wear the colour of the attention most layers use."""
    from cutaway.gallery.spec import CompressedAttention, LatentAttention

    latent = sum(isinstance(layer.mixer, LatentAttention | CompressedAttention) for layer in view.spec.layers)
    return "latent" if latent * 2 > len(view.spec.layers) else "full"


def head_words(spec: ModelSpec) -> tuple[str, str]:
    """(what stands below and above the layers, the key that says so)."""
    if not spec.has_head:
        return "only an embedding, no output head", "architectures"
    return "tied: one table" if spec.tie_word_embeddings else "untied: two tables", "tie_word_embeddings"


def written_in(view: SpecView) -> tuple[str, str]:
    """(the format of what nothing else describes, the key that says so)."""
    said = format_words(view.spec.dtype)
    return (said, "dtype") if view.dtype_named else (f"{said} assumed, because our copy of the config has no dtype", "")


UNKNOWN = "unknown"


def bytes_words(total: int | None) -> str:
    """What the weights take, or the word for what cannot be counted."""
    return UNKNOWN if total is None else fmt.in_bytes(total)


def all_bytes_words(view: SpecView) -> str:
    """What the weights take, and with the MTP layers in the files what these hold."""
    own, ahead = view.stored_bytes, view.stored_mtp_bytes
    if not ahead or own is None:
        return bytes_words(own)
    both = fmt.in_bytes(own + ahead)
    return f"{fmt.in_bytes(own)}; the files take {both}, including the MTP layers ({fmt.in_bytes(ahead)})"


def facts(view: SpecView) -> list[tuple[str, str, str]]:
    """(what, value, the config key it came from): what a reader looks up first."""
    spec, context = view.spec, view.spec.max_position_embeddings
    again = ", with the final norm after every run" if spec.loop_norm else ""
    loops = f", run {spec.loops} times{again}" if spec.loops > 1 else ""
    rows = [
        ("Family", spec.model_type, "model_type"),
        ("Architecture", spec.architecture, "architectures"),
        ("Layers", f"{spec.num_hidden_layers:,}{loops}", "num_hidden_layers"),
        ("Width of the residual stream", f"{spec.hidden_size:,}", "hidden_size"),
        ("Vocabulary", f"{spec.vocab_size:,}", "vocab_size"),
        ("Context", f"{context:,} tokens" if context else "", "max_position_embeddings"),
        ("Embedding and head", *head_words(spec)),
        (
            "Attention mask",
            "bidirectional: every token attends to every other, no KV cache" if spec.bidirectional else "",
            "",
        ),
        ("Data type", *written_in(view)),
        ("Weights as stored", all_bytes_words(view), ""),
    ]
    if spec.mtp:
        rows.append(("Multi-token prediction", f"{mtp_words(spec)}, {fmt.count(view.parameters.mtp)}", ""))
    for tower in spec.towers:
        known = fmt.count(tower.parameters) if tower.parameters else "size not in the config"
        which = f": {tower.name.removesuffix('_config')}" if len(spec.towers) > 1 else ""
        what = f"Encoder{which}"
        rows.append((what, f"{tower.model_type or tower.name}, {known}", tower.name))
    return [row for row in rows if row[1]]


def wiring(view: SpecView) -> list[tuple[str, str]]:
    """(what, words): how the model is wired, as its graphs say, and whether that was proved."""
    return [*wiring_words.rows(view.spec), ("Wiring", view.proof.words.removeprefix("wiring "))]


# ---------------------------------------------------------------- weights


@dataclass(frozen=True, slots=True)
class Row:
    """One tensor of a weights table."""

    name: str
    shape: str
    count: int
    part: str
    stored: str  # the format it is stored in; where its layers differ, that of most, and which ones are otherwise
    bytes: int | None  # in that format; None where it is unknown
    id: str  # its name in the first layer of its kind: what an address can ask for


class WeightTable(NamedTuple):
    """The tensors of one layer kind, or of no layer at all."""

    words: str
    where: str
    layers: int
    rows: list[Row]
    each: int


ADAPTER = re.compile(r"(_adapter_list)\.\d+")  # Zamba2: layers that share their weights have one each


def weight_tables(view: SpecView) -> list[WeightTable]:
    """One table for what stands outside the layers, one for each distinct kind of layer, with {} for its number."""
    by_name = {one.name: one for one in view.stored}

    def row(weight, indices: list[int]) -> Row:
        first = f".{indices[0]}." if indices else ""
        name = weight.name.replace(first, ".{layer}.", 1) if indices else weight.name
        name = ADAPTER.sub(r"\1.{adapter}", name) if len(indices) > 1 else name
        alike = {index: by_name.get(weight.name.replace(first, f".{index}.", 1)) for index in indices}
        stored, kept = stored_words(view.spec, alike or {0: by_name[weight.name]})
        part = PART_WORDS.get(weight.part, (weight.part,))[0]
        taken = None if weight.name in view.unknown else kept.bytes
        words = UNKNOWN if taken is None else stored
        return Row(name, shape_words(weight.shape), size(weight), part, words, taken, weight.name)

    outside = [row(weight, []) for weight in view.outside]
    found = [WeightTable("Outside the layers", "", 1, outside, sum(one.count for one in outside))]
    for kind in view.kinds:
        rows = [row(weight, kind.indices) for weight in kind.weights]
        found.append(WeightTable(kind.words, kind.where, kind.count, rows, kind.each))
    return found


def stored_words(spec: ModelSpec, alike: Mapping[int, Stored | None]) -> tuple[str, Stored]:
    """(how most layers store a weight, and which ones otherwise, what one of the most takes)."""
    by_row: dict[str, list[int]] = {}
    for index, kept in alike.items():
        if kept:
            by_row.setdefault(kept.row, []).append(index)
    (_, most), *others = sorted(by_row.items(), key=lambda pair: -len(pair[1]))
    kept = alike[most[0]]
    assert kept
    words = [stored_as(spec, kept.row)]
    for row, indices in others:
        where = layers_words(indices, spec.num_hidden_layers) or f"{len(indices)} layers"
        words.append(f"{stored_as(spec, row)} in {where}")
    return "; ".join(words), kept


def stored_as(spec: ModelSpec, row: str) -> str:
    """A row of SCHEMES in words; "" is the model's own format."""
    return SCHEMES[row].label if row else format_words(spec.dtype)


class StoredRow(NamedTuple):
    """What one format, or one colour of a drawing, holds of a quantized model."""

    words: str
    tensors: int
    numbers: int
    bytes: int | None  # None where nobody knows
    code: str = ""  # the colour's

    @property
    def bits(self) -> float | None:
        return None if self.bytes is None else 8 * self.bytes / self.numbers


def stored_rows(view: SpecView) -> list[StoredRow]:
    """The weights by the format they are stored in, heaviest first."""
    sums: dict[str, list[int]] = {}
    for weight, kept in zip(view.weights, view.stored, strict=True):
        words = UNKNOWN if weight.name in view.unknown else stored_as(view.spec, kept.row)
        row = sums.setdefault(words, [0, 0, 0])
        row[0], row[1], row[2] = row[0] + 1, row[1] + size(weight), row[2] + kept.bytes
    return heaviest_first(StoredRow(words, row[0], row[1], row[2]) for words, row in sums.items())


def heaviest_first(rows: Iterable[StoredRow]) -> list[StoredRow]:
    """Rows by their bytes; of unknown ones, which come first, none is told."""
    told = (row._replace(bytes=None) if row.words == UNKNOWN else row for row in rows)
    return sorted(told, key=lambda row: (row.bytes is not None, -(row.bytes or 0)))


# ---------------------------------------------------------------- cache


class CacheRow(NamedTuple):
    """What decoding keeps at one context."""

    context: int
    words: str
    total: int
    by_kind: dict[str, int]
    beyond: bool  # longer than the model was made for


class Cache(NamedTuple):
    """The cache table: its columns, as (key, words), and its rows."""

    kinds: list[tuple[str, str]]
    rows: list[CacheRow]


def cache(view: SpecView, contexts: tuple[int, ...] = CONTEXTS) -> Cache:
    """8k, 128k and a million tokens."""
    most = view.spec.max_position_embeddings
    rows = []
    for context in contexts:
        kept = view.memory(context)
        beyond = bool(most and context > most)
        rows.append(
            CacheRow(context, CONTEXT_WORDS.get(context, f"{context:,}"), kept.total_bytes, kept.by_kind, beyond)
        )
    return Cache([(kind, words) for kind, words in KINDS.items() if any(kind in row.by_kind for row in rows)], rows)


class Bar(NamedTuple):
    """One model of the comparison, `share` of the longest bar."""

    title: str
    slug: str
    total: int
    share: float
    own: bool


# What most readers have run or read about; each shows another way to keep less.
BESIDE = (
    "meta-llama/Llama-3.1-70B",
    "Qwen/Qwen3-32B",
    "google/gemma-3-27b-it",
    "openai/gpt-oss-120b",
    "deepseek-ai/DeepSeek-V3",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "moonshotai/Kimi-Linear-48B-A3B-Instruct",
    "deepseek-ai/DeepSeek-V4-Flash",
)


BARS_AT = 128 * 1024  # tokens


@once_for_each
def kept_bytes(view: SpecView) -> int:
    """A model's cache at BARS_AT; that of the few that stand beside every model stays with their views."""
    return view.memory(BARS_AT).total_bytes


def bars(view: ModelView, site, beside: tuple[str, ...] = BESIDE) -> list[Bar]:
    """This model's cache at BARS_AT beside a few others', largest first."""
    views = [view] + [site.view(slug) for slug in beside if slug != view.slug and slug in site.slugs]
    kept = {one.slug: kept_bytes(one) for one in views if one.spec}
    most = max(kept.values()) or 1
    rows = [Bar(one.title, one.slug, kept[one.slug], kept[one.slug] / most, one is view) for one in views if one.spec]
    return sorted(rows, key=lambda bar: -bar.total)


def numbers(view: SpecView) -> dict:
    """What /data/<slug>.json says besides the catalog's row."""
    kept = {str(row.context): {"total_bytes": row.total, **row.by_kind} for row in cache(view).rows}
    return {
        "model_type": view.spec.model_type,
        "parameters": {
            "total": view.parameters.total,
            "active": view.parameters.active,
            "looked_up": view.parameters.looked_up,
            "mtp": view.parameters.mtp,
            "by_part": view.parameters.by_part,
        },
        "layers": [{"kind": kind.words, "indices": kind.indices, "parameters_each": kind.each} for kind in view.kinds],
        "stored_bytes": view.stored_bytes,
        "stored_mtp_bytes": view.stored_mtp_bytes,
        "cache": {
            "per_token_bytes": view.per_token_bytes,
            "fixed_bytes": view.fixed_bytes,
            "filling_per_token_bytes": view.memory(0).filling_bytes,
            "windows_full_at_tokens": view.memory(0).full_at,
            "at_context": kept,
        },
        "unread_keys": list(view.spec.unread),
        "not_understood": list(view.spec.not_understood),
        "contradictions": list(view.spec.contradictions),
        "notes": [*view.notes],
    }
