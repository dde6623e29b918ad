"""ModelSpec -> Figure: what is drawn, before anyone asks where: totals, tower, kinds of layers, opened panels.

Every number comes from the spec, from counting.parameters or from what counting.kv_cache says a mixer keeps.
`outline` is the whole figure as indented text, `alt` one sentence that stands for it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache

from cutaway.gallery.cached import Same
from cutaway.gallery.counting.kv_cache import Rules, rules_for
from cutaway.gallery.counting.parameters import Parameters, parameters
from cutaway.gallery.counting.weights import split_rules
from cutaway.gallery.drawing.annotations import step_words
from cutaway.gallery.drawing.card import Card, units_of
from cutaway.gallery.drawing.layer_kinds import (
    MOST_CARDS,
    Kind,
    Tally,
    census,
    kinds_of,
    owners_of,
    parts_in,
    picture_key,
)
from cutaway.gallery.drawing.node_items import Parts
from cutaway.gallery.drawing.panel_content import PanelContent
from cutaway.gallery.drawing.pictures import picture_of, short_of
from cutaway.gallery.drawing.totals import Bar, Segment, key_figures, segments
from cutaway.gallery.drawing.tower import MOST as MOST_SLABS
from cutaway.gallery.drawing.tower import Tower, mtp_words
from cutaway.gallery.drawing.words import count, shape_words, size
from cutaway.gallery.spec import Dense, Layer, ModelSpec, MoE
from cutaway.gallery.sublayers import graph_of, parts_of
from cutaway.gallery.wiring import closing_graph, opening_graph

MOST_PANELS = 10


@dataclass(slots=True)
class Figure:
    """A whole drawing, not yet placed."""

    spec: ModelSpec
    title: str
    subtitle: str
    keys: list[tuple[str, str]]  # (value, what it is)
    tallies: list[Tally]  # distinct layers
    kinds: list[Kind]  # cards, top to bottom
    panels: list[tuple[object, PanelContent]]  # (mixer or MLP, what its panel shows), top to bottom
    bar: list[Segment]
    counted: Parameters
    notes: list[tuple[str, str]]  # (alarm or ghost, words): other towers, marks, what is not understood


def figure(spec: ModelSpec, title: str = "", subtitle: str = "") -> Figure:
    """What the drawing of a spec shows."""
    made = untitled(Same(spec))
    return replace(made, title=title or made.title, subtitle=subtitle or made.subtitle)


@lru_cache(2)  # a page draws a model in three layouts, three more with a header, and as JSON and in words
def untitled(same: Same) -> Figure:
    """The same, under the name that its config gives it."""
    spec = same.spec
    counted, tallies, rules = parameters(spec), census(spec), rules_for(spec)
    kinds = kinds_of(spec, tallies, counted.per_layer)
    return Figure(
        spec,
        spec.architecture or spec.model_type or "A language model",
        default_subtitle(spec, tallies),
        key_figures(spec, tallies, counted, rules),
        tallies,
        kinds,
        open_panels(spec, tallies, kinds, rules),
        segments(tallies, counted),
        counted,
        notes_of(spec, counted),
    )


def default_subtitle(spec: ModelSpec, tallies: list[Tally]) -> str:
    """The subtitle where nobody gave one."""
    experts = any(isinstance(part, MoE) for part, _ in parts_in(tallies))
    words = [spec.model_type, "decoder-only", "mixture of experts" if experts else "dense"]
    return " · ".join(word for word in words if word)


# ---------------------------------------------------------------- panels


def open_panels(
    spec: ModelSpec, tallies: list[Tally], kinds: list[Kind], rules: Rules
) -> list[tuple[object, PanelContent]]:
    """Every distinct mixer and MLP once, in the order of the boxes that open them."""
    names = split_rules(spec)[0]
    found: set[object] = set()
    owners = owners_of(tallies)
    panels: list[tuple[object, PanelContent]] = []
    for kind in kinds:
        layer = kind.layer
        for part in halves_down(spec, kind):
            if (key := picture_key(part)) in found or len(panels) >= MOST_PANELS:
                continue
            found.add(key)
            usual, home = usual_part(tallies, part, layer)
            content = content_of(owners.get(key, usual), spec.hidden_size, names, rules)
            content.where = graph_name(home, usual)
            content.says += variants(tallies, usual)
            content.chips += extra_chips(layer, content, spec.hidden_size)
            panels.append((part, content))
            kind.opened.append(part)
    return panels


def halves_down(spec: ModelSpec, kind: Kind) -> list[object]:
    """The mixers and MLPs of a layer as its card shows them, from top to bottom."""
    return [unit.part for unit in reversed(units_of(kind, spec)[1]) if unit.part is not None]


def usual_part(tallies: list[Tally], part: object, layer: Layer) -> tuple[object, Layer]:
    """Of experts that differ in how they are chosen alone: those of most layers, and one of these layers."""
    if not isinstance(part, MoE):
        return part, layer
    rows = [
        (len(t.indices), one, t.layer)
        for t in tallies
        for one in parts_of(t.layer.mlp)
        if picture_key(one) == picture_key(part)
    ]
    most = max((sum(n for n, two, _ in rows if two == one), -place) for place, (_, one, _) in enumerate(rows))
    return rows[-most[1]][1:] if len(rows) > 1 else (part, layer)


def graph_name(layer: Layer, part: object) -> str:
    """What the graph of a mixer or an MLP is called inside the graphs of the model: layer3.mixer, layer0.mlp.1."""
    for word in ("mixer", "mlp"):
        found = parts_of(getattr(layer, word))
        for place, one in enumerate(found):
            if one is part:
                return f"layer{layer.index}.{word}" + (f".{place}" if len(found) > 1 else "")
    return f"layer{layer.index}"


def content_of(part: object, h: int, names: tuple, rules: Rules) -> PanelContent:
    """One opened mixer or MLP, with everything its picture left out listed under it; the caller may add to it."""
    content = picture(part, h, names, rules)
    return replace(content, chips=list(content.chips))


@lru_cache(512)
def picture(part: object, h: int, names: tuple, rules: Rules) -> PanelContent:
    """What inside_of starts from: equal halves of all models share it."""
    parts = Parts(part, h, names, rules)
    content = picture_of(part).content(parts)
    content.parameters = parts.total
    content.chips += parts.chips()
    for kept in parts.caches("conv") if parts.caches("state") else ():
        sizes = re.sub(r"\d+", lambda digits: f"{int(digits[0]):,}", kept.what.replace(" x ", " × "))
        words = f"{sizes} convolution columns" if sizes[:1].isdigit() else sizes
        content.chips.append(f"keeps {words}, {size(kept.bits / 8)}")
    return content


MIXER_PARTS = ("attention", "indexer", "linear", "ssm", "conv")


def extra_chips(layer: Layer, content: PanelContent, h: int) -> list[str]:
    """Tensors of the layer's extras that count as part of this mixer or MLP; what another half runs on is its."""
    mixer = content.role not in ("dense", "moe")
    own = {one.name for one in content.graph.tensors()} if content.graph else set()
    others = tensors_used(layer, h) - own
    return [
        f"{extra.label}: {name.removesuffix('.weight').rpartition('.')[2]} {shape_words(shape)}"
        for extra in layer.extras
        if extra.part not in ("residual", "norm", "embedding", "other") and (extra.part in MIXER_PARTS) is mixer
        for name, shape in extra.tensors
        if name not in others
    ]


def tensors_used(layer: Layer, h: int) -> set[str]:
    """Every tensor that the graphs of a layer's halves name."""
    halves = (*parts_of(layer.mixer), *parts_of(layer.mlp))
    return {one.name for half in halves for one in graph_of(half, h).tensors()}


def variants(tallies: list[Tally], part: object) -> str:
    """What else stands in the place of an opened part, where the panel speaks for all of them."""
    if isinstance(part, MoE):
        words = lambda p: "hash" if p.table_rows else p.scoring  # noqa: E731
        other = [(words(p), n) for p, n in parts_in(tallies) if isinstance(p, MoE) and words(p) != words(part)]
        return f" · in {sum(n for _, n in other)} layers chosen by {other[0][0][:24]}" if other else ""
    if isinstance(part, Dense):
        widths = {p.intermediate_size for p, _ in parts_in(tallies) if isinstance(p, Dense)}
        if len(widths) > MOST_CARDS:
            return f" · one of {len(widths)} widths, {min(widths):,} to {max(widths):,}"
    return ""


def around_words(spec: ModelSpec) -> list[str]:
    """What happens to the embedding before the first layer, and to the stream and the logits behind the last."""
    found = []
    for graph, what in ((opening_graph(spec), "embedding"), (closing_graph(spec), "logits")):
        for node in graph.nodes:
            words = next((said for start, said in AROUND if node.name.startswith(start)), None)
            words = step_words(node) if words is None else words
            found.append(f"{what} {words}" if node.name in WHERE else words)
    return [word for word in dict.fromkeys(found) if word][:5]


AROUND = (  # names of nodes begin so -> what is said of them together; "" = drawn, or said elsewhere
    ("embed_", None), ("embed", ""), ("head", ""), ("final_norm", ""),
    ("opening.positions", "learned positions"), ("opening.with_positions", ""),
    ("opening.embed_tokens_per_layer", "an embedding per layer"), ("opening.table_scaled", ""),
    ("opening.per_layer", ""), ("opening.own", ""), ("opening.both", ""),
    ("hc_head", "streams → 1 by learned weights"), ("streams", "the embedding in every stream"),
    ("stream", "the mean of the streams"), ("altup", ""), ("unembedded", ""), ("out.", "the gated mean of the streams"),
)  # fmt: skip
WHERE = ("embed_scaled", "logits_scaled", "logits_softcap")


MOST_SHAPES = 3  # of an extra's tensors, in a note


def tables_words(shapes: list[tuple[int, ...]]) -> str:
    """6 × 2,048×2,048: equal shapes once, and how many tensors the first shapes leave unsaid."""
    alike = Counter(shapes)
    said = [(f"{many} × " if many > 1 else "") + "×".join(f"{n:,}" for n in shape) for shape, many in alike.items()]
    more = sum(list(alike.values())[MOST_SHAPES:])
    return ", ".join(said[:MOST_SHAPES]) + (f" and {more} more" if more else "")


def notes_of(spec: ModelSpec, counted: Parameters) -> list[tuple[str, str]]:
    """Boxes beside the layers: other towers, things with weights of their own, and what was not understood."""
    out = []
    if len(spec.layers) > MOST_SLABS:
        out.append(("ghost", f"one slab stands for {-(-len(spec.layers) // MOST_SLABS)} layers"))
    if around := around_words(spec):
        out.append(("ghost", "around the layers: " + " · ".join(around)))
    if spec.bidirectional:
        out.append(("ghost", "bidirectional: every token sees every other, so no cache is kept"))
    if spec.read_from_keys:
        out.append(("alarm", f"read from keys alone: model_type {spec.model_type[:40] or 'missing'} is not known here"))
    out += [("alarm", "not understood yet: " + words[:160]) for words in spec.not_understood[:4]]
    out += [("ghost", f"{extra.label}: {tables_words([shape for _, shape in extra.tensors])}") for extra in spec.extras]
    for tower in spec.towers:
        words = [f"{tower_words(tower.name)} tower", tower_words(tower.model_type)]
        words += [f"{tower.num_hidden_layers} layers"] if tower.num_hidden_layers else []
        words += [f"{count(tower.parameters)} parameters" if tower.parameters else "parameters not in the config"]
        out.append(("ghost", " · ".join(word for word in words if word)))
    if spec.mtp:
        out.append(("ghost", f"{mtp_words(spec)} above the tower, {count(counted.mtp)} parameters apart"))
    return out


def tower_words(key: str) -> str:
    """What a config calls a tower or its class, without the underscores and what goes without saying: siglip."""
    return re.sub(r"_(config|cfg|tower|model|vision|audio|processor)(?=_|$)", "", key).replace("_", " ")[:40]


# ---------------------------------------------------------------- the figure in words


def outline(spec: ModelSpec, title: str = "") -> str:
    """Everything in the picture with its numbers, one thing per line, in reading order of the columns."""
    fig = figure(spec, title)
    out = [fig.title, *(f"  {what}: {value}" for value, what in fig.keys), "tower"]
    out += ["  " + line for line in Tower(spec).lines()]
    out.append("layers")
    for kind in fig.kinds:
        out += ["  " + line for line in Card(kind, spec, 248).lines()]
    out += ["  " + words for _, words in fig.notes]
    out.append("insides")
    for _, content in fig.panels:
        out += ["  " + line for line in content.lines()]
    out += Bar(fig.bar, fig.counted, 800).lines()
    return "\n".join(out) + "\n"


def alt_of(fig: Figure) -> str:
    """One sentence for the whole figure."""
    spec = fig.spec
    mixers: Counter[str] = Counter()
    mlps: Counter[str] = Counter()
    n = len(spec.layers)
    for layer, indices in fig.tallies:
        mixers[short_of(layer.mixer)] += len(indices)
        mlps[short_of(layer.mlp)] += len(indices)

    def join_counts(counter: Counter) -> str:
        few = [(word, number) for word, number in counter.most_common(5) if word][:4]
        return " and ".join(word if number == n else f"{number} × {word}" for word, number in few) or "none"

    return (
        f"{fig.title}: {n} layers, mixers {join_counts(mixers)}, MLPs {join_counts(mlps)}, "
        f"{count(fig.counted.total)} parameters, {count(fig.counted.active)} of them active for each token."
    )


def alt(spec: ModelSpec, title: str = "") -> str:
    """One sentence for the drawing of a spec."""
    return alt_of(figure(spec, title))
