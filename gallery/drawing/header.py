"""The figures at the top of a drawing: parameters, layers, context, cache, the format of the weights."""

from __future__ import annotations

from collections import Counter
from math import prod

from cutaway.gallery.counting.cache import Rules, kept_around, kept_by
from cutaway.gallery.counting.parameters import Parameters
from cutaway.gallery.counting.stored_bytes import stored
from cutaway.gallery.counting.weights import weights
from cutaway.gallery.drawing.census import Tally
from cutaway.gallery.drawing.pictures import role_of
from cutaway.gallery.drawing.words import count, figures, size
from cutaway.gallery.formats.scalar import FORMATS, label
from cutaway.gallery.formats.schemes import SCHEMES
from cutaway.gallery.spec import ModelSpec

ROLES = {"full": "attention", "latent": "MLA", "window": "window", "linear": "linear", "ssm": "Mamba",
         "sparse": "sparse"}  # fmt: skip


def cache(spec: ModelSpec, tallies: list[Tally], rules: Rules) -> tuple[float, int]:
    """(bytes per token for long contexts, fixed bytes): what memory.memory says, summed over distinct layers."""
    slope, fixed = 0.0, 0
    for layer, indices in tallies:
        for kept in (*kept_by(layer.mixer, rules), *kept_around(spec, layer, rules)):
            slope += len(indices) * float(kept.slope_bits)
            fixed += len(indices) * -(-kept.fixed_bits // 8)
    return slope * spec.loops / 8, fixed * spec.loops


def key_figures(spec: ModelSpec, tallies: list[Tally], counted: Parameters, rules: Rules) -> list[tuple[str, str]]:
    """(value, what it is), the most telling first."""
    out = [(total_words(counted.total), "parameters")]
    if counted.active != counted.total:
        out.append((count(counted.active), "active per token"))
    out.append(layer_figure(spec, tallies))
    if spec.max_position_embeddings:
        out.append((f"{spec.max_position_embeddings:,}", "context"))
    slope, fixed = cache(spec, tallies, rules)
    if slope:
        out.append((size(slope), "cache per token"))
    if not rules.keeps:
        out.append(("none", "cache: bidirectional"))
    if fixed:
        out.append((size(fixed), "fixed state" if not slope else "fixed on top"))
    return [*out, weight_format(spec)]


def weight_format(spec: ModelSpec) -> tuple[str, str]:
    """FP8 E4M3, weights in 128×128 blocks; where formats are mixed, that of most numbers, and the next beside it."""
    q = spec.quantization
    if not q:
        return label(spec.dtype), "weights"
    if q.scheme == "mixed":
        first, *others = mixed_formats(spec)
        return first, f"weights, with {others[0]}" if others else "weights"
    name = FORMATS[q.element].label if q.element in FORMATS else q.scheme.upper()[:12]
    return name, f"weights, {'×'.join(map(str, q.block_shape))} blocks" if q.block_shape and all(
        q.block_shape
    ) else "weights"


def mixed_formats(spec: ModelSpec) -> list[str]:
    """What the weights of a model with several schemes are stored in, that of most numbers first."""
    listed = weights(spec)
    numbers: Counter[str] = Counter()
    for weight, kept in zip(listed, stored(spec, listed), strict=True):
        if kept.row:
            numbers[format_of(kept.row)] += prod(weight.shape)
    return [words for words, _ in numbers.most_common()] or [label(spec.dtype)]


def format_of(row: str) -> str:
    """A row of SCHEMES without its block: FP8 E4M3, MXFP4."""
    scheme = SCHEMES[row]
    return label(scheme.element) if row.startswith("fp8_") else scheme.label


def layer_figure(spec: ModelSpec, tallies: list[Tally]) -> tuple[str, str]:
    """61 layers; 36 + 12 linear + attention layers where two kinds of mixers share the stack."""
    n = len(spec.layers)
    if spec.loops > 1:
        return f"{n} × {spec.loops}", "layers × loops"
    votes: Counter[str] = Counter()
    for layer, indices in tallies:
        votes[role_of(layer.mixer)] += len(indices)
    if len(votes) == 2 and all(role in ROLES for role in votes):
        (a, na), (b, nb) = votes.most_common()
        return f"{na} + {nb}", f"{ROLES[a]} + {ROLES[b]} layers"
    return f"{n}", "layers"


def total_words(value: int) -> str:
    """A total with four figures: 671.0 B, 8.030 B."""
    for step, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if value >= step:
            return f"{figures(value / step, 4)} {unit}"
    return f"{value:,}"
