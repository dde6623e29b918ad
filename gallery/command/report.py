"""A spec -> what the command line prints about it: plain lines in aligned columns, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import prod
from typing import Any

from cutaway.gallery.counting.kv_cache import KINDS, STORAGES
from cutaway.gallery.counting.memory import PER_TOKEN, LayerMemory, Memory, kv_bytes_per_token, memory
from cutaway.gallery.counting.parameters import parameters
from cutaway.gallery.counting.stored_bytes import stored_bytes, stored_mtp_bytes
from cutaway.gallery.counting.weights import Weight, weights
from cutaway.gallery.drawing import wiring_words
from cutaway.gallery.drawing.pictures import short_of
from cutaway.gallery.drawing.words import count, layers, others, runs, size
from cutaway.gallery.running.proofs import proof
from cutaway.gallery.spec import ModelSpec

PLAIN_CONTEXTS = {8_192: "8k", 131_072: "128k", 1_048_576: "1M"}


def printable(text: object) -> str:
    """Text from a config as it may go to a terminal: no escape sequences, no line breaks."""
    return "".join(c if c.isprintable() else "?" for c in str(text))


def table(rows: Iterable[Sequence[object]], right: Sequence[int] = ()) -> list[str]:
    """Rows as lines with aligned columns; `right` lists the columns set flush right."""
    cells = [[printable(cell) for cell in row] for row in rows]
    if not cells:
        return []
    widths = [max(len(row[i]) for row in cells if i < len(row)) for i in range(max(map(len, cells)))]
    lines = []
    for row in cells:
        parts = [cell.rjust(widths[i]) if i in right else cell.ljust(widths[i]) for i, cell in enumerate(row)]
        lines.append("  ".join(parts).rstrip())
    return lines


def kinds(spec: ModelSpec) -> list[tuple[str, list[int]]]:
    """Layer kinds in words, with their layers, in the order they first appear."""
    found: dict[str, list[int]] = {}
    for layer in spec.layers:
        halves = [short_of(half) for half in (layer.mixer, layer.mlp) if half is not None]
        found.setdefault(" + ".join(halves) or "empty", []).append(layer.index)
    return list(found.items())


def which(groups: Sequence[list[int]], of: int) -> list[str]:
    """Which layers each group has; of those without a short rule the largest is "the others", as on a card."""
    found = [layers(indices, of) for indices in groups]
    scattered = [indices for words, indices in zip(found, groups, strict=True) if not words]
    rest = max(scattered, key=len) if scattered and len(groups) > 1 else None
    long = [others(indices) if indices is rest else layer_ranges(indices) for indices in groups]
    return [words or more for words, more in zip(found, long, strict=True)]


def layer_ranges(indices: list[int]) -> str:
    """Every run of layers: layers 0–2, 4, 6–8."""
    return "layers " + ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in runs(indices))


# ---------------------------------------------------------------- facts


def facts_json(spec: ModelSpec, lacks: Sequence[str] = (), dtype_named: bool = True) -> dict:
    """Everything `facts` prints, for programs; `lacks`: sentences on what the copy of the config has not."""
    counted = parameters(spec)
    return {
        "model_type": spec.model_type,
        "architecture": spec.architecture,
        **{name: getattr(spec, name) for name in ("hidden_size", "vocab_size", "num_hidden_layers", "dtype")},
        "dtype_assumed": not dtype_named,
        "max_position_embeddings": spec.max_position_embeddings,
        "has_head": spec.has_head,
        "bidirectional": spec.bidirectional,
        "tie_word_embeddings": spec.tie_word_embeddings,
        "loops": spec.loops,
        "layers": [{"kind": kind, "layers": indices} for kind, indices in kinds(spec)],
        "parameters": {
            **{name: getattr(counted, name) for name in ("total", "active", "looked_up", "by_part", "mtp", "towers")},
        },
        "kv_bytes_per_token": {way: kv_bytes_per_token(spec, way) for way in PER_TOKEN},
        "towers": [asdict(tower) for tower in spec.towers],
        "quantization": asdict(spec.quantization) if spec.quantization else None,
        "stored_bytes": stored_bytes(spec),
        "stored_mtp_bytes": stored_mtp_bytes(spec),
        "wiring": dict(wiring_words.rows(spec)),
        "read_from_keys": spec.read_from_keys,
        "not_understood": list(spec.not_understood),
        "contradictions": list(spec.contradictions),
        "notes": [*spec.notes, *lacks],
        "unread": list(spec.unread),
    }


def _shape_rows(spec: ModelSpec) -> list[tuple[str, str]]:
    name = spec.model_type or "not stated"
    rows = [("model_type", f"{name} ({spec.architecture})" if spec.architecture else name)]
    found = kinds(spec)
    where = which([i for _, i in found], spec.num_hidden_layers)
    words = [f"{len(i)} x {kind}  ({own})" for (kind, i), own in zip(found, where, strict=True)]
    rows.append(
        ("num_hidden_layers", f"{spec.num_hidden_layers:,}" + (f", run {spec.loops} times" if spec.loops > 1 else ""))
    )
    rows += [("" if i else "layers", text) for i, text in enumerate(words[:12])]
    if len(words) > 12:
        rows.append(("", f"and {len(words) - 12} further kinds"))
    rows += [("hidden_size", f"{spec.hidden_size:,}"), ("vocab_size", f"{spec.vocab_size:,}")]
    limit = spec.max_position_embeddings
    rows.append(("max_position_embeddings", f"{limit:,}" if limit else "not stated"))
    return rows


def _count_rows(spec: ModelSpec) -> list[tuple[str, str]]:
    counted = parameters(spec)
    share = f" ({counted.active / counted.total:.1%})" if counted.total else ""
    tied = ", head tied to the embedding" if spec.tie_word_embeddings else ""
    head = tied if spec.has_head else f", no LM head in {printable(spec.architecture)}"
    rows = [("parameters", f"{count(counted.total)}  ({counted.total:,}){head}")]
    if counted.active != counted.total:
        rows.append(("active per token", f"{'at most ' * counted.at_most}{count(counted.active)}{share}"))
    if counted.looked_up:
        rows.append(("lookup tables", f"{count(counted.looked_up)}, of which a token reads a few rows; not active"))
    if counted.mtp:
        rows.append(("multi-token prediction", f"{count(counted.mtp)}, apart"))
    for tower in spec.towers:
        much = count(tower.parameters) if tower.parameters else "parameters not countable from the config"
        rows.append(("encoder", f"{tower.name}: {much}"))
    return rows


def rest_words(one: Memory) -> str:
    """What does not grow: "and 12.6 MB fixed"; of windows alone, what they hold once full: "then 537 MB in all"."""
    held = size(one.fixed_bytes)
    return f"and {held} fixed" if one.growth[0] == one.per_token_bytes else f"then {held} in all"


def _memory_rows(spec: ModelSpec) -> list[tuple[str, str]]:
    at = {context: memory(spec, context) for context in PLAIN_CONTEXTS}
    first = at[8_192]
    fixed = first.fixed_bytes
    if spec.bidirectional:
        return [("kept while decoding", "nothing: bidirectional, no cache")]
    each, words = first.growth
    rows = [("kept while decoding", f"{size(each)} of {words}, BF16{f', {rest_words(first)}' if fixed else ''}")]
    every = kv_bytes_per_token(spec, "all")
    if every != kv_bytes_per_token(spec, "growing"):
        rows.append(("", f"{size(every)} per token if no layer had a window"))
    rows.append(("", ", ".join(f"{size(m.total_bytes)} at {PLAIN_CONTEXTS[c]}" for c, m in at.items())))
    return rows


def _quantization_rows(spec: ModelSpec, dtype_named: bool) -> list[tuple[str, str]]:
    rows = [("dtype", spec.dtype + ("" if dtype_named else ", assumed: the config at hand names no dtype"))]
    if q := spec.quantization:
        block = " x ".join("all" if n == 0 else str(n) for n in q.block_shape)
        words = [q.scheme, q.element, f"blocks of {block}" if block else "", f"{q.scale} scales" if q.scale else ""]
        rows.append(("quantization", ", ".join(word for word in (*words, q.method) if word not in ("", "unknown"))))
    rows.append(("weights as stored", "unknown" if (total := stored_bytes(spec)) is None else size(total)))
    if total is not None and (ahead := stored_mtp_bytes(spec)):
        rows.append(("", f"and {size(ahead)} of multi-token prediction: {size(total + ahead)} in its files"))
    return rows


def caveats(spec: ModelSpec, lacks: Sequence[str] = ()) -> list[tuple[str, str]]:
    """What a reader has to know before trusting the rest; `lacks`: sentences on what the copy of the config has not."""
    rows = []
    if spec.read_from_keys:
        rows.append(("read from keys alone", f"model_type {printable(spec.model_type)!r} is unknown here"))
    rows += [("not understood yet", text) for text in spec.not_understood]
    rows += [("contradiction", text) for text in spec.contradictions]
    rows += [("to know", text) for text in (*spec.notes, *lacks)]
    if spec.unread:
        shown = ", ".join(spec.unread[:20]) + (f" and {len(spec.unread) - 20} more" if len(spec.unread) > 20 else "")
        rows.append((f"{len(spec.unread)} keys not read" if len(spec.unread) > 1 else "1 key not read", shown))
    return rows


def facts_lines(spec: ModelSpec, lacks: Sequence[str] = (), dtype_named: bool = True) -> list[str]:
    """The fact sheet."""
    rows = _shape_rows(spec) + _count_rows(spec) + _memory_rows(spec) + _quantization_rows(spec, dtype_named)
    rows += [(what.lower(), words) for what, words in wiring_words.rows(spec)]
    return table([*rows, ("wiring", proof(spec).words.removeprefix("wiring ")), *caveats(spec, lacks)])


# ---------------------------------------------------------------- weights


def weights_json(spec: ModelSpec) -> list[dict]:
    return [{"name": w.name, "shape": list(w.shape), "part": w.part, "layer": w.layer} for w in weights(spec)]


def _groups(listed: Sequence[Weight]) -> list[tuple[list[int], list[Weight]]]:
    """Layers whose tensors have the same names and shapes, together."""
    per_layer: dict[int, list[Weight]] = {}
    for weight in listed:
        if weight.layer is not None:
            per_layer.setdefault(weight.layer, []).append(weight)
    found: dict[tuple, tuple[list[int], list[Weight]]] = {}
    for index, own in per_layer.items():
        key = tuple((w.name.replace(f".{index}.", ".N.", 1), w.shape) for w in own)
        found.setdefault(key, ([], own))[0].append(index)
    return list(found.values())


def _weight_rows(group: Sequence[Weight], index: int | None) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for w in group:
        name = w.name.replace(f".{index}.", ".N.", 1) if index is not None else w.name
        rows.append(("  " + name, " x ".join(f"{n:,}" for n in w.shape), w.part, f"{prod(w.shape):,}"))
    return rows


def weights_lines(spec: ModelSpec, layer: int | None = None) -> list[str]:
    """Every tensor once per kind of layer, or those of one layer; totals below."""
    every = weights(spec)
    rows: list[Sequence[object]] = [("  tensor", "shape", "part", "numbers")]
    if layer is not None:
        own = [w for w in every if w.layer == layer]
        rows.append((f"layer {layer}", "", "", f"{sum(prod(w.shape) for w in own):,}"))
        return table([*rows, *_weight_rows(own, None)], right=(3,))
    rows += _weight_rows([w for w in every if w.layer is None], None)
    groups = _groups(every)
    for where, (indices, own) in zip(which([i for i, _ in groups], spec.num_hidden_layers), groups, strict=True):
        each = sum(prod(w.shape) for w in own)
        rows.append((f"{where}: {count(each)} each", "", "", f"{each:,}"))
        rows += _weight_rows(own, indices[0])
    rows.append((f"{len(every):,} tensors", "", "total", f"{parameters(spec).total:,}"))
    return table(rows, right=(3,))


# ---------------------------------------------------------------- memory


def memory_json(spec: ModelSpec, contexts: Sequence[int], **choices: Any) -> dict:
    """Bytes of the whole batch; what grows per token and what is fixed are of one sequence."""
    found = [memory(spec, context, **choices) for context in contexts]
    one = found[0]
    return {
        **{name: getattr(one, name) for name in ("cache_dtype", "convention", "batch")},
        "per_token_bytes": one.per_token_bytes,
        "fixed_bytes": one.fixed_bytes,
        "kv_bytes_per_token": {way: kv_bytes_per_token(spec, way, one.cache_dtype) for way in PER_TOKEN},
        "contexts": [{"context": m.context, "total_bytes": m.total_bytes, "by_kind": batch_bytes(m, m)} for m in found],
        "layers": [
            {**layer._asdict(), "bytes": layer.bytes * one.batch, "by_kind": batch_bytes(found[-1], layer)}
            for layer in found[-1].layers
        ],
    }


def batch_bytes(whole: Memory, part: Memory | LayerMemory) -> dict[str, int]:
    """What each kind takes for all sequences of the batch, so that the kinds add up to the total."""
    return {kind: each * whole.batch for kind, each in part.by_kind.items()}


def memory_lines(spec: ModelSpec, contexts: Sequence[int], per_layer: bool = False, **choices: Any) -> list[str]:
    """Bytes of the whole batch by context and kind; with `per_layer`, what each layer keeps at the last context."""
    found = [memory(spec, context, **choices) for context in contexts]
    one = found[0]
    how = STORAGES[one.cache_dtype].words if one.cache_dtype in STORAGES else one.cache_dtype
    grown, words = one.growth
    head = f"{size(grown)} of {words}, {rest_words(one)}, per sequence; {how}"
    used = [kind for kind in KINDS if any(kind in m.by_kind for m in found)]
    rows: list[Sequence[object]] = [("context", *(KINDS[kind] for kind in used), f"total, batch {one.batch}")]
    for m in found:
        each = batch_bytes(m, m)
        rows.append((f"{m.context:,}", *(size(each.get(kind, 0)) for kind in used), size(m.total_bytes)))
    lines = [head, "", *table(rows, right=range(len(rows[0])))]
    if per_layer:
        per = [(f"{layer.index}", size(layer.bytes * one.batch), layer.what) for layer in found[-1].layers]
        lines += ["", *table([("layer", f"at {found[-1].context:,}", "what"), *per], right=(0, 1))]
    return lines
