"""A spec -> how its layers would go on: the first and the last that stand alone, and the period between them; or why
their number has to stay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.residuals import RESTACKS
from cutaway.gallery.residuals.stacking import FixedDepth
from cutaway.gallery.sublayers import parts_of

MOST_ALONE = 12  # layers at either end that no period takes in


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which of a model's own layers stands at each place of a deeper or shallower one."""

    first: tuple[int, ...]
    period: tuple[int, ...]
    last: tuple[int, ...]

    def sources(self, count: int) -> list[int]:
        """The layers whose copies `count` layers are; with nothing between the ends, the last give way."""
        last = self.last if count > len(self.first) + len(self.last) else ()
        between = count - len(self.first) - len(last)
        repeated = [self.period[place % len(self.period)] for place in range(between)]
        return [*self.first[:count], *repeated, *last]


def stays(spec: s.ModelSpec) -> str:
    """Why the number of layers cannot be changed; "" where it can."""
    parts = [part for layer in spec.layers for half in (layer.mixer, layer.mlp) for part in parts_of(half)]
    norms = {norm for layer in spec.layers for norm in layer.norms}
    if any(getattr(part, "kv_source", None) is not None for part in parts):
        return "layers read keys and values of earlier ones"
    if any(getattr(part, "weights_of", None) is not None for part in parts) or any(n.of is not None for n in norms):
        return "layers use the weights of others"
    if any(getattr(part, "router_from", -1) >= 0 for part in parts):
        return "routers read what those of earlier layers found"
    try:
        restack_residual(spec, range(len(spec.layers)))
    except FixedDepth as why:
        return str(why)
    return "layers run in an order that is written down" if spec.course or spec.places else ""


def restack_residual(spec: s.ModelSpec, sources: Sequence[int]) -> Any:
    """The residual scheme of a stack whose layers are copies of these; FixedDepth where there is none."""
    return RESTACKS[type(spec.residual)](spec.residual, sources)


def layer_classes(spec: s.ModelSpec) -> list[int]:
    """A number for each layer; equal ones for layers that differ in nothing but their place."""
    seen: dict[Any, int] = {}
    held: dict[int, Any] = {}

    def plain(half: Any) -> Any:
        if id(half) not in held:
            held[id(half)] = replace(half, differential=1.0) if getattr(half, "differential", 0.0) else half
        return held[id(half)]

    keys = [(plain(one.mixer), plain(one.mlp), one.norms, one.parallel, one.extras) for one in spec.layers]
    return [seen.setdefault(key, len(seen)) for key in keys]


def pattern(spec: s.ModelSpec) -> Pattern:
    """The shortest: a period that is there twice at least, with as little as possible beside it."""
    kinds = layer_classes(spec)
    whole = len(kinds)
    for last in range(min(MOST_ALONE, whole // 2) + 1):
        for first in range(min(MOST_ALONE, whole // 2) + 1):
            body = kinds[first : whole - last]
            if period := repeats(body):
                places = range(whole)
                return Pattern(*map(tuple, (places[:first], places[first : first + period], places[whole - last :])))
    return Pattern((), tuple(range(whole)), ())


def repeats(body: list[int]) -> int:
    """The smallest period that stands in it twice at least; 0 = none."""
    most = len(body) // 2
    return next((size for size in range(1, most + 1) if body[size:] == body[:-size]), 0)


def place_mixer(mixer: Any, index: int, source: int, depths: tuple[int, int]) -> Any:
    """A mixer at another place of a stack of another depth: what follows from either is worked out anew."""
    if getattr(mixer, "differential", 0.0) and index != source:
        return replace(mixer, differential=0.8 - 0.6 * math.exp(-0.3 * index))  # as the family's class does
    if isinstance(mixer, s.LightningAttention) and mixer.layers == depths[0]:
        return replace(mixer, layers=depths[1])
    return mixer
