"""Catalogued models -> what each layer keeps, what the next token reads of it, and the arithmetic of a token.

A model is COLUMNS: `kinds` are its distinct layers, each [name, row, ...] by places in `names` and `rows`; `stack` has
a letter for each layer; `reads` is arithmetic over past entries, each [0 indexer | 1 reading, FLOP, every, at most].
FLOP are in `units`. A row is a Row, a thing that a layer keeps; its bits are gallery.counting.cache_growth's, FLOP
those of gallery.counting.flops.
"""

from __future__ import annotations

from collections import Counter
from math import gcd
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.counting.flops import MATRICES, flops_by_layer
from cutaway.gallery.counting.kv_cache import rules_for
from cutaway.gallery.operations import OPERATIONS
from cutaway.gallery.sublayers import parts_of
from cutaway.gallery.wiring import layer_graph

COLUMNS = ("slug", "title", "longest", "weights", "states", "loops", "kinds", "stack", "reads")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
PACKED = ("fp8_ds_mla", "fp8_bf16rope_fp4index")
CHUNK = -1  # it reads back to the last border


class Row(NamedTuple):
    """One thing that a layer keeps: an entry for every so many tokens, at most `cap` of them (0: no end), or one."""

    kind: str  # "kv" | "compressed" | "index" | "state" | "conv"
    numbers: int  # in the cache's format
    bits: int  # in a format of their own
    every: int
    cap: int
    fixed: int
    packed: int  # bits in the first of PACKED, 0 where that is eight a number
    mixed: int  # in the second
    top: int  # entries that a token reads, 0: all; CHUNK
    lent: int  # 1: kept by another layer


# ---------------------------------------------------------------- what a layer is called

STATES = (
    (s.Mamba2, "Mamba-2", "ssm"), (s.Mamba1, "Mamba", "ssm"), (s.GatedDeltaNet, "Gated DeltaNet", "linear"),
    (s.KimiDelta, "KDA", "linear"), (s.LightningAttention, "lightning attention", "linear"),
    (s.RwkvTimeMix, "RWKV-7", "linear"), (s.RwkvMean, "RWKV-4", "linear"), (s.RGLRU, "RG-LRU", "linear"),
    (s.MatrixLSTM, "mLSTM", "linear"),
)  # fmt: skip
NONE = ("no mixer", "dense", 0)
ORDER = ("full", "latent", "sparse", "window", "linear", "ssm", "dense")


def indexer_reads(mixer: Any) -> str:
    """What an indexer lets a token read."""
    one = mixer.indexer
    if one.shared:
        return f"an earlier indexer’s {one.index_topk:,}"
    if one.style == "minimax_m3":
        return f"indexer, {one.index_topk:,} blocks of {one.block_size}"
    over = f" by means of {one.block_size}" if one.style in ("means", "pools") else ""
    return f"indexer, top {one.index_topk:,}{over}"


def compressed_kinds(mixer: s.CompressedAttention) -> tuple[str, str, int]:
    """V4's three kinds."""
    if not mixer.compress_ratio:
        return f"window of {mixer.sliding_window:,}", "window", 0
    if mixer.indexer:
        return f"CSA, top {mixer.indexer.index_topk:,} of {mixer.compress_ratio}", "sparse", 1
    return f"HCA, all of {mixer.compress_ratio}", "sparse", 1


def attention(mixer: Any, rules: Any) -> tuple[str, str, int]:
    """A softmax over tokens: how far it sees, or how many key and value heads it keeps."""
    if getattr(mixer, "cross", False):
        return "reads an image", "dense", 0
    if size := getattr(mixer, "attention_chunk_size", 0):
        return f"chunk of {size:,}", "window", 0
    if span := rules.window(getattr(mixer, "sliding_window", 0)):
        return f"window of {span:,}", "window", 0
    if getattr(mixer, "indexer", None):
        return indexer_reads(mixer), "sparse", 1
    if isinstance(mixer, s.LatentAttention):
        return "latent (MLA)", "latent", 1
    heads = mixer.num_key_value_heads
    return f"full, {heads:,} KV head{'' if heads == 1 else 's'}", "full", 1


def describe_mixer(mixer: Any, rules: Any) -> tuple[str, str, int]:
    """(what a mixer is called, its role, 1 if it can read the first token)."""
    for kind, name, role in STATES:
        if isinstance(mixer, kind):
            return f"state ({name})", role, 0
    if isinstance(mixer, s.ShortConv):
        return "short convolution", "dense", 0
    if isinstance(mixer, s.CompressedAttention):
        return compressed_kinds(mixer)
    if isinstance(mixer, s.LinearMixer | s.NotUnderstood):
        return NONE
    name, role, reach = attention(mixer, rules)
    return (f"{name}, lent" if getattr(mixer, "kv_source", None) is not None else name), role, reach


def layer_name(layer: s.Layer, rules: Any) -> tuple[str, str, int]:
    """A layer's name: of several mixers, all; its role is that of the one that reads furthest."""
    parts = [describe_mixer(part, rules) for part in parts_of(layer.mixer)] or [NONE]
    roles = sorted((role for _, role, _ in parts), key=ORDER.index)
    return " + ".join(dict.fromkeys(name for name, _, _ in parts)), roles[0], max(reach for _, _, reach in parts)


# ---------------------------------------------------------------- what it keeps and reads


def row(one: list, top: int = 0, lent: int = 0) -> Row:
    """A row of the growth sheet, and how much of it a token reads."""
    kind, numbers, bits, every, cap, fixed, others = one
    usual = bits + 8 * numbers
    packed, mixed = (others.get(name, usual) for name in PACKED)
    return Row(
        kind, numbers, bits, every, cap or 0, fixed, packed - usual and packed, mixed - usual and mixed, top, lent
    )


def count_read(one: list, mixer: Any) -> int:
    """How many entries of a row a token reads."""
    parts = parts_of(mixer)
    if one[cache_growth.KIND] == "kv" and any(getattr(part, "attention_chunk_size", 0) for part in parts):
        return CHUNK
    entries = "compressed" if any(isinstance(part, s.CompressedAttention) for part in parts) else "kv"
    if one[cache_growth.KIND] != entries:
        return 0
    return max((part.indexer.at_most for part in parts if getattr(part, "indexer", None)), default=0)


def borrowed_rows(spec: s.ModelSpec, kept: list, mixer: Any) -> list[Row]:
    """Keys and values of an earlier layer that this one reads."""
    found = []
    for part in parts_of(mixer):
        source = getattr(part, "kv_source", None)
        if source is not None:
            top = part.indexer.at_most if part.indexer else 0
            found += [row(one, top, 1) for one in kept[source] if one[cache_growth.KIND] == "kv"]
    return found


def layers(spec: s.ModelSpec) -> list[tuple]:
    """Each layer as (name, rows)."""
    rules, kept, found = rules_for(spec), cache_growth.growth_rows(spec), []
    for layer, own in zip(spec.layers, kept, strict=True):
        rows = [row(one, count_read(one, layer.mixer)) for one in own]
        found.append((layer_name(layer, rules), (*rows, *borrowed_rows(spec, kept, layer.mixer))))
    return found


def flops_over_past(spec: s.ModelSpec) -> list[list[int]]:
    """Arithmetic of a new token for each past entry, over all layers."""
    found: Counter = Counter()
    one_of = {layer.made_of: layer for layer in spec.layers}
    for kind, many in Counter(layer.made_of for layer in spec.layers).items():
        for node in layer_graph(spec, one_of[kind]).nodes:
            reads = OPERATIONS[node.op].reads
            for one in reads(node) if reads else ():
                if one.when in ("", "decode"):
                    found[int(one.what != "indexer scores"), one.every, one.cap or 0] += one.flops * spec.loops * many
    return [[kind, total, every, cap] for (kind, every, cap), total in sorted(found.items())]


def model(spec: s.ModelSpec) -> dict[str, Any]:
    """All of one model, names and rows written out."""
    each = layers(spec)
    kinds = list(dict.fromkeys(each))
    before = flops_by_layer(spec, 0)  # no past yet: what is left is the same for every token
    weights = sum(one.by_what.get(what, 0) for one in before for what in MATRICES)
    return {
        "longest": spec.max_position_embeddings or 0,
        "weights": weights,
        "states": sum(one.flops for one in before) - weights,
        "loops": spec.loops,
        "kinds": kinds,
        "stack": "".join(LETTERS[kinds.index(one)] for one in each) if len(kinds) <= len(LETTERS) else "",
        "reads": flops_over_past(spec),
    }


def shorten_flops(models: list[list]) -> list[int]:
    """FLOP of weights, and of what is done over the past, in the largest units that all are whole multiples of."""
    weights, reads = COLUMNS.index("weights"), COLUMNS.index("reads")
    units = [gcd(*(one[weights] for one in models)), gcd(*(two[1] for one in models for two in one[reads]))]
    for one in models:
        one[weights] //= units[0]
        one[reads] = [[kind, flop // units[1], every, cap] for kind, flop, every, cap in one[reads]]
    return units


def table() -> dict[str, Any]:
    """Every catalogued decoder, a packing or a further training only where its numbers differ from its base's."""
    from cutaway.gallery import catalog

    own = [row for row in catalog.gallery_rows() if not row.config_of]
    made = {row.slug: model(catalog.spec(row.slug)) for row in own if not catalog.spec(row.slug).bidirectional}
    names: dict[tuple, int] = {}
    rows: dict[Row, int] = {}
    models = []
    for one in own:
        found = made.get(one.slug)
        if not found or not found["stack"] or (one.variant_of and made.get(one.variant_of) == found):
            continue
        kinds = [
            [names.setdefault(name, len(names)), *(rows.setdefault(kept, len(rows)) for kept in all_kept)]
            for name, all_kept in found["kinds"]
        ]
        told = {**found, "slug": one.slug, "title": one.title, "kinds": kinds}
        models.append([told[column] for column in COLUMNS])
    models.sort(key=lambda m: (m[0].split("/")[0].lower(), m[1].lower()))
    units = shorten_flops(models)
    columns = {name: [one[place] for one in models] for place, name in enumerate(COLUMNS)}
    return {
        "models": columns, "units": units,
        "names": [list(name) for name in names], "rows": [list(one) for one in rows],
    }  # fmt: skip
