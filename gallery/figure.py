"""ModelSpec -> Figure: what is drawn, before anyone asks where. Header words, tower, kinds of layers, opened insides, bar.

Every number comes from the spec, from count.parameters or from memory.memory; equal parts are looked at once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cmp_to_key

from .count import Parameters, parameters
from .drawing.bar import Segment, segments
from .drawing.block import Kind
from .drawing.parts import Inside, Parts
from .drawing.pictures import parts_of, picture_of, role_of, short_of
from .drawing.words import count, figures, layers, shape_words, size
from .kept import kept_by, rules_for
from .spec import Combined, Dense, Layer, ModelSpec, MoE
from .weights import split_rules

MOST_CARDS, MOST_PANELS = 7, 10
SCHEMES = {"float8_e4m3fn": "FP8 E4M3", "float8_e5m2": "FP8 E5M2", "float4_e2m1fn": "FP4 E2M1", "bfloat16": "BF16",
           "float16": "FP16", "float32": "FP32", "int4": "INT4", "int8": "INT8", "nf4": "NF4"}  # fmt: skip


@dataclass(slots=True)
class Figure:
    """A whole drawing, not yet placed."""

    spec: ModelSpec
    title: str
    subtitle: str
    keys: list[tuple[str, str]]  # (value, what it is)
    kinds: list[Kind]  # cards, top to bottom
    panels: list[tuple[object, Inside]]  # (mixer or MLP, its inside), top to bottom
    bar: list[Segment]
    counted: Parameters
    notes: list[tuple[str, str]]  # (alarm or ghost, words): other towers, marks, what is not understood


def figure(spec: ModelSpec, title: str = "", subtitle: str = "") -> Figure:
    """What the drawing of a spec shows."""
    counted = parameters(spec)
    kinds = ordered(kinds_of(spec, counted), len(spec.layers))
    panels = opened(spec, kinds)
    return Figure(
        spec,
        title or spec.architecture or spec.model_type or "A language model",
        subtitle or described(spec),
        key_figures(spec, counted),
        kinds,
        panels,
        segments(spec, counted),
        counted,
        notes_of(spec),
    )


def described(spec: ModelSpec) -> str:
    """The subtitle where nobody gave one."""
    experts = any(isinstance(part, MoE) for layer in spec.layers for part in parts_of(layer.mlp))
    words = [spec.model_type, "decoder-only", "mixture of experts" if experts else "dense"]
    return " · ".join(word for word in words if word)


# ---------------------------------------------------------------- kinds of layers


def alike(layer: Layer) -> tuple:
    """What makes two layers one kind: everything but the index and the layers they point at."""
    extras = tuple((extra.label, tuple(shape for _, shape in extra.tensors)) for extra in layer.extras)
    return (same(layer.mixer), same(layer.mlp), layer.norms, layer.parallel, extras)


def same(half: object) -> object:
    """A half without what does not change its picture: which layer it borrows from, how experts are scored."""
    if isinstance(half, Combined):
        return replace(half, parts=tuple(same(part) for part in half.parts))
    if isinstance(half, MoE):
        return replace(half, scoring="")
    if getattr(half, "weights_of", None) is not None:
        half = replace(half, weights_of=None)
    return replace(half, kv_source=-1) if getattr(half, "kv_source", None) is not None else half


def roughly(layer: Layer) -> tuple:
    """A coarser kind for models in which nearly every layer differs in size (Nemotron-NAS)."""
    return tuple(tuple((type(p), picture_of(p).role(p)) for p in parts_of(half)) for half in (layer.mixer, layer.mlp))


def grouped(spec: ModelSpec, key) -> list[Kind]:
    """Layers by kind, in order of first appearance."""
    quick: dict[tuple, Kind] = {}
    exact: dict[tuple, Kind] = {}
    for layer in spec.layers:
        ident = (id(layer.mixer), id(layer.mlp), id(layer.norms), layer.parallel, id(layer.extras))
        kind = quick.get(ident)
        if kind is None:
            kind = quick[ident] = exact.setdefault(key(layer), Kind(layer, []))
        kind.indices.append(layer.index)
    return list(exact.values())


def kinds_of(spec: ModelSpec, counted: Parameters) -> list[Kind]:
    """The kinds of layers with the words of their cards."""
    kinds = grouped(spec, alike)
    coarse = len(kinds) > MOST_CARDS
    if coarse:
        kinds = grouped(spec, roughly)
    mixers = {role_of(kind.layer.mixer) for kind in kinds}
    n = len(spec.layers)
    for kind in kinds:
        mixer, mlp = kind.layer.mixer, kind.layer.mlp
        kind.role = (role_of(mixer) if len(mixers) > 1 or mlp is None else role_of(mlp)) or role_of(mlp) or "plain"
        kind.which = layers(kind.indices, n)
        sizes = [counted.per_layer[i] for i in kind.indices]
        each = (
            f"{count(min(sizes))} each" if min(sizes) == max(sizes) else f"{count(min(sizes))} to {count(max(sizes))}"
        )
        halves = [short_of(half) for half in (mixer, mlp) if half is not None]
        kind.says = " · ".join([" + ".join(halves) or "nothing", each])
        if any(shares(spec.layers[i]) for i in kind.indices):
            kind.marks.append(f"one set of weights, used {len(kind.indices)} times")
    return kinds


def shares(layer: Layer) -> bool:
    """Whether the layer runs on another layer's weights."""
    return any(
        getattr(part, "weights_of", None) not in (None, layer.index)
        for half in (layer.mixer, layer.mlp)
        for part in parts_of(half)
    )


def ordered(kinds: list[Kind], n: int) -> list[Kind]:
    """Cards top to bottom: kinds that lie wholly above others stand above them, else the rarest is on top."""

    def above(a: Kind, b: Kind) -> int:
        if a.indices[0] > b.indices[-1]:
            return -1
        if b.indices[0] > a.indices[-1]:
            return 1
        return len(a.indices) - len(b.indices) or b.indices[-1] - a.indices[-1]

    kinds = sorted(kinds, key=cmp_to_key(above))
    seen: set[str] = set()
    full = 0
    for kind in sorted(kinds, key=lambda k: -len(k.indices)):
        mixer = short_of(kind.layer.mixer) or short_of(kind.layer.mlp)
        kind.full = full < 3 and mixer not in seen
        seen.add(mixer)
        full += kind.full
    return kinds


def opened(spec: ModelSpec, kinds: list[Kind]) -> list[tuple[object, Inside]]:
    """Every distinct mixer and MLP once, in the order of the boxes that open them."""
    names = split_rules(spec)[0]
    rules = rules_for(spec)
    found: set[object] = set()
    panels = []
    for kind in kinds:
        layer = kind.layer
        for half in (layer.mlp, layer.mixer):
            for part in reversed(parts_of(half)):
                if (key := same(part)) in found or len(panels) >= MOST_PANELS:
                    continue
                found.add(key)
                inside = inside_of(part, spec.hidden_size, names, rules)
                inside.says += variants(spec, part)
                inside.chips += beside(layer, inside)
                panels.append((part, inside))
                kind.opened.append(part)
    return panels


MIXER_PARTS = ("attention", "indexer", "linear", "ssm", "conv")


def beside(layer: Layer, inside: Inside) -> list[str]:
    """Tensors of the layer's extras that count as part of this mixer or MLP."""
    mixer = inside.role not in ("dense", "moe")
    return [
        f"{extra.label}: {name.removesuffix('.weight').rpartition('.')[2]} {shape_words(shape)}"
        for extra in layer.extras
        if extra.part not in ("residual", "norm", "embedding", "other") and (extra.part in MIXER_PARTS) is mixer
        for name, shape in extra.tensors
    ]


def variants(spec: ModelSpec, part: object) -> str:
    """What else stands in the place of an opened part, where the panel speaks for all of them."""
    if isinstance(part, MoE):
        other = sorted(
            {p.scoring for layer in spec.layers for p in parts_of(layer.mlp) if isinstance(p, MoE)} - {part.scoring}
        )
        n = sum(isinstance(p, MoE) and p.scoring in other for layer in spec.layers for p in parts_of(layer.mlp))
        return f" · in {n} layers chosen by {', '.join(other)}" if other else ""
    if isinstance(part, Dense):
        widths = {p.intermediate_size for layer in spec.layers for p in parts_of(layer.mlp) if isinstance(p, Dense)}
        if len(widths) > MOST_CARDS:
            return f" · one of {len(widths)} widths, {min(widths):,} to {max(widths):,}"
    return ""


def inside_of(part: object, h: int, names: tuple, rules) -> Inside:
    """One opened mixer or MLP, with everything its picture left out listed under it."""
    parts = Parts(part, h, names, rules)
    inside = picture_of(part).inside(parts)
    inside.parameters = parts.total
    inside.chips += parts.chips()
    return inside


# ---------------------------------------------------------------- numbers of the header


def cache(spec: ModelSpec) -> tuple[float, int]:
    """(bytes per token for long contexts, fixed bytes): sums over what each distinct mixer keeps."""
    rules = rules_for(spec)
    known: dict[int, tuple] = {}
    slope, fixed = 0, 0
    for layer in spec.layers:
        key = id(layer.mixer)
        if key not in known:
            kept = kept_by(layer.mixer, rules)
            known[key] = (sum(k.slope_bits for k in kept), sum(k.fixed_bits for k in kept))
        slope += known[key][0]
        fixed += known[key][1]
    return float(slope) * spec.loops / 8, fixed * spec.loops // 8


def key_figures(spec: ModelSpec, counted: Parameters) -> list[tuple[str, str]]:
    """The figures at the top right."""
    out = [(count4(counted.total), "parameters")]
    if counted.active != counted.total:
        out.append((count(counted.active), "active per token"))
    out.append(layer_figure(spec))
    if spec.max_position_embeddings:
        out.append((f"{spec.max_position_embeddings:,}", "context"))
    slope, fixed = cache(spec)
    if slope:
        out.append((size(slope), "KV cache per token"))
    if fixed:
        out.append((size(fixed), "fixed state" if not slope else "fixed on top"))
    q = spec.quantization
    name = SCHEMES.get(q.element, q.scheme.upper()[:12]) if q else SCHEMES.get(spec.dtype, spec.dtype[:12])
    blocks = f", {'×'.join(map(str, q.block_shape))} blocks" if q and q.block_shape and all(q.block_shape) else ""
    out.append((name, f"weights{blocks}"))
    return out


ROLES = {
    "full": "attention",
    "latent": "MLA",
    "window": "window",
    "linear": "linear",
    "ssm": "Mamba",
    "sparse": "sparse",
}


def layer_figure(spec: ModelSpec) -> tuple[str, str]:
    """61 layers; 36 + 12 linear + attention layers where two kinds of mixers share the stack."""
    votes = Counter(role_of(layer.mixer) for layer in spec.layers if layer.mixer is not None)
    if spec.loops > 1:
        return f"{len(spec.layers)} × {spec.loops}", "layers × loops"
    if len(votes) == 2 and all(role in ROLES for role in votes) and sum(votes.values()) == len(spec.layers):
        (a, na), (b, nb) = votes.most_common()
        return f"{na} + {nb}", f"{ROLES[a]} + {ROLES[b]} layers"
    return f"{len(spec.layers)}", "layers"


def count4(value: int) -> str:
    """A total with four figures: 671.0 B, 8.030 B."""
    for step, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if value >= step:
            return f"{figures(value / step, 4)} {unit}"
    return f"{value:,}"


def notes_of(spec: ModelSpec) -> list[tuple[str, str]]:
    """Boxes beside the layers: other towers, things with weights of their own, and what was not understood."""
    out = []
    if spec.read_from_keys:
        out.append(("alarm", f"read from keys alone: model_type {spec.model_type[:40] or 'missing'} is not known here"))
    out += [("alarm", "not understood yet: " + words[:160]) for words in spec.not_understood[:4]]
    out += [
        ("ghost", f"{extra.label}: " + ", ".join(f"{'×'.join(f'{n:,}' for n in s)}" for _, s in extra.tensors[:3]))
        for extra in spec.extras
    ]
    for tower in spec.towers:
        words = [tower.name.removesuffix("_config")[:30] + " tower", tower.model_type[:40]]
        words += [f"{tower.num_hidden_layers} layers"] if tower.num_hidden_layers else []
        words += [f"{count(tower.parameters)} parameters" if tower.parameters else "parameters not in the config"]
        out.append(("ghost", " · ".join(word for word in words if word)))
    if spec.mtp:
        out.append(
            ("ghost", f"{len(spec.mtp)} MTP layer{'s' if len(spec.mtp) > 1 else ''} above the tower, counted apart")
        )
    return out
