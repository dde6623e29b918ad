"""The panels of a figure: every distinct mixer and MLP once, opened; what its picture leaves out is listed under it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from cutaway.gallery.counting.kv_cache import Rules
from cutaway.gallery.counting.weights import split_rules
from cutaway.gallery.drawing.card_units import units_of
from cutaway.gallery.drawing.layer_kinds import MOST_CARDS, Kind, Tally, owners_of, parts_in, picture_key
from cutaway.gallery.drawing.node_items import Parts
from cutaway.gallery.drawing.panel_content import PanelContent
from cutaway.gallery.drawing.pictures import picture_of
from cutaway.gallery.drawing.words import shape_words, size
from cutaway.gallery.spec import Dense, Layer, ModelSpec, MoE
from cutaway.gallery.sublayers import graph_of, parts_of

MOST_PANELS = 10


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
