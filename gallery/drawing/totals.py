"""A model's totals -> the figures at the top of a drawing, the bar under it and its legend."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod

from cutaway.gallery.counting.kv_cache import Rules, cache_of_mixer, cache_outside_mixer
from cutaway.gallery.counting.memory import say_growth
from cutaway.gallery.counting.parameters import Parameters
from cutaway.gallery.counting.stored_bytes import list_stored
from cutaway.gallery.counting.weights import weights
from cutaway.gallery.drawing.layer_kinds import Tally, parts_in
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide
from cutaway.gallery.drawing.pictures import PICTURES, role_of
from cutaway.gallery.drawing.words import count, figures, size
from cutaway.gallery.formats.scalar import FORMATS, label
from cutaway.gallery.formats.schemes import SCHEMES
from cutaway.gallery.spec import ModelSpec

ROLES = {"full": "attention", "latent": "MLA", "window": "window", "linear": "linear", "ssm": "Mamba",
         "sparse": "sparse"}  # fmt: skip


def cache(spec: ModelSpec, tallies: list[Tally], rules: Rules) -> tuple[float, int]:
    """(bytes per token for long contexts, fixed bytes): what memory.memory says, summed over distinct layers."""
    slope, fixed, _, _ = growth(spec, tallies, rules)
    return slope, fixed


def growth(spec: ModelSpec, tallies: list[Tally], rules: Rules) -> tuple[float, int, float, int]:
    """The same, and (bytes that each of the first tokens adds, tokens after which windows are full)."""
    slope, fixed, filling, full_at = 0.0, 0, 0.0, 0
    for layer, indices in tallies:
        for kept in (*cache_of_mixer(layer.mixer, rules), *cache_outside_mixer(spec, layer, rules)):
            slope += len(indices) * float(kept.slope_bits)
            fixed += len(indices) * -(-kept.fixed_bits // 8)
            filling += len(indices) * float(kept.first_bits)
            full_at = max(full_at, kept.full_at)
    return slope * spec.loops / 8, fixed * spec.loops, filling * spec.loops / 8, full_at


def key_figures(spec: ModelSpec, tallies: list[Tally], counted: Parameters, rules: Rules) -> list[tuple[str, str]]:
    """(value, what it is), the most telling first."""
    out = [(total_words(counted.total), "parameters")]
    if counted.active != counted.total:
        out.append((count(counted.active), "active per token"))
    out.append(layer_figure(spec, tallies))
    if spec.max_position_embeddings:
        out.append((f"{spec.max_position_embeddings:,}", "context"))
    slope, fixed, filling, full_at = growth(spec, tallies, rules)
    each, _ = say_growth(slope, filling, full_at)
    if each:
        out.append((size(each), "cache per token"))
    if not rules.keeps:
        out.append(("none", "cache: bidirectional"))
    if fixed:
        out.append((size(fixed), "fixed on top" if slope else f"full at {full_at:,}" if full_at else "fixed state"))
    return [*out, weight_format(spec)]


def weight_format(spec: ModelSpec) -> tuple[str, str]:
    """FP8 E4M3, weights in 128×128 blocks; where formats are mixed, that of most numbers, and the next beside it."""
    q = spec.quantization
    if not q:
        return label(spec.dtype), "weights"
    if q.scheme == "mixed":
        first, *others = mixed_formats(spec)
        return first, f"weights, with {others[0]}" if others else "weights"
    if q.scheme == "unknown":
        return "unknown", "weights"
    name = FORMATS[q.element].label if q.element in FORMATS else q.scheme.upper()[:12]
    return name, f"weights, {'×'.join(map(str, q.block_shape))} blocks" if q.block_shape and all(
        q.block_shape
    ) else "weights"


def mixed_formats(spec: ModelSpec) -> list[str]:
    """What the weights of a model with several schemes are stored in, that of most numbers first."""
    listed = weights(spec)
    numbers: Counter[str] = Counter()
    for weight, kept in zip(listed, list_stored(spec, listed), strict=True):
        if kept.row:
            numbers[format_of(kept.row)] += prod(weight.shape)
    lost = spec.quantization is not None and not spec.quantization.counted
    return [words for words, _ in numbers.most_common()] or ["unknown" if lost else label(spec.dtype)]


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


# ---------------------------------------------------------------- the bar under the drawing

FIXED = {
    "experts": ("moe", "routed experts"),
    "shared": ("moe", "shared experts"),
    "router": ("moe", "router"),
    "dense": ("dense", "dense"),
    "indexer": ("sparse", "indexer"),
    "embedding": ("embed", "embedding + head"),
    "head": ("embed", "embedding + head"),
    "norm": ("plain", "norms"),
    "residual": ("plain", "residual"),
    "conv": ("linear", "short conv"),
    "other": ("plain", "other"),
}

STYLES = {"shared": "half", "router": "box", "indexer": "half", "norm": "pill", "residual": "half", "other": "pill"}
LEAST = 0.0005  # share of all parameters below which a part counts as "other"


@dataclass(slots=True)
class Segment:
    """One part of the bar."""

    role: str
    name: str
    value: int
    style: str = "solid"


def segments(tallies: list[Tally], counted: Parameters) -> list[Segment]:
    """Parts from the largest to the smallest; embedding and head as one."""
    found: dict[tuple[str, str], Segment] = {}
    for part, value in counted.by_part.items():
        role, name = FIXED.get(part) or _mixers(tallies, part)
        if (role, name) in found:
            found[role, name].value += value
        else:
            found[role, name] = Segment(role, name, value, STYLES.get(part, "solid"))
    if ("embed", "embedding + head") in found and not counted.by_part.get("head"):
        found["embed", "embedding + head"].name = "embedding"
    return merge_small(sorted(found.values(), key=lambda s: -s.value), counted.total)


def merge_small(parts: list[Segment], total: int) -> list[Segment]:
    """Parts too small to see as one, at the end."""
    small = [part for part in parts if part.value < LEAST * total]
    if len(small) < 2:
        return parts
    rest = Segment("plain", "other", sum(part.value for part in small), STYLES["other"])
    return [part for part in parts if part.value >= LEAST * total] + [rest]


def _mixers(tallies: list[Tally], part: str) -> tuple[str, str]:
    """Role and word of the mixers whose weights count under `part`."""
    votes: Counter[tuple[str, str]] = Counter()
    for mixer, n in parts_in(tallies, ("mixer",)):
        picture = PICTURES[type(mixer)]
        role = picture.role(mixer)
        if part == (role if role in ("linear", "ssm") else "attention"):
            votes[role, "attention" if part == "attention" else picture.short(mixer)] += n
    return votes.most_common(1)[0][0] if votes else ("plain", part)


class Bar:
    """The bar with legend, `w` wide."""

    def __init__(self, parts: list[Segment], counted: Parameters, w: int) -> None:
        self.parts, self.counted, self.w = parts, counted, w
        self.legend: list[tuple[int, int, Segment]] = []
        x, row = 0, 0
        for part in parts:
            need = 15 + wide(self._words(part), "label") + 18
            if x and x + need > w:
                x, row = 0, row + 1
            self.legend.append((x, row, part))
            x += need
        need = 15 + wide(self.active_words(), "label")
        self.last = (x, row) if x + need <= w else (0, row + 1)
        self.h = 20 + 22 + 9 + 10 + (self.last[1] + 1) * 20

    @staticmethod
    def _words(part: Segment) -> str:
        return f"{part.name} {count(part.value)}"

    def active_words(self) -> str:
        share = 100 * self.counted.active / max(self.counted.total, 1)
        if self.counted.active == self.counted.total:
            return f"all {count(self.counted.total)} active for each token"
        most = "at most " if self.counted.at_most else ""
        return f"{most}{count(self.counted.active)} active for each token ({figures(share, 2)} %)"

    def put(self, m: Marks, x: float, y: float) -> None:
        total = max(self.counted.total, 1)
        m.text("label", x, y + 12, f"where the {count(total)} parameters are")
        at = x
        spare = self.w - 1.6 * len(self.parts)
        for part in self.parts:
            width = round(spare * part.value / total + 0.6, 1)
            m.open(f"{self._words(part)} ({100 * part.value / total:.3g} %)")
            m.rect(f"{part.style} {part.role}", round(at, 1), y + 20, width, 22, 1)
            m.close()
            at += width + 1
        m.open(self.active_words())
        m.rect("active", x, y + 45, max(2, round(self.w * self.counted.active / total, 1)), 5, 1)
        m.close()
        for left, row, part in self.legend:
            top = y + 60 + row * 20
            m.rect(f"{part.style} {part.role}", x + left, top, 10, 10, 2)
            m.text("label", x + left + 15, top + 9, self._words(part))
        left, row = self.last
        m.rect("active", x + left, y + 62.5 + row * 20, 10, 5, 1)
        m.text("label", x + left + 15, y + 69 + row * 20, self.active_words())

    def lines(self) -> list[str]:
        return ["parameters: " + ", ".join(self._words(part) for part in self.parts), self.active_words()]
