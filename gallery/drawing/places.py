"""A mechanism of a spec -> where on its drawing a mark for it goes, by the names that the drawing carries.

("tower", "3 mixer") is the left cell of layer 3, ("tower", "mtp") the ghosts above, "head", "embed" and "stack" the
rest of it. ("card", "layer3 mixer.q_proj") is the box of layer 3's card that stands for that node, in the SVG
[data-g="layer3"] [data-n~="mixer.q_proj"]. ("panel", "layer3.mixer") is the opened half, [data-g="layer3.mixer"].
"""

from __future__ import annotations

from gallery.comparing.finding import Hit
from gallery.comparing.mechanisms import found
from gallery.drawing.census import same
from gallery.drawing.figure import Figure, figure
from gallery.drawing.layer_kinds import Kind
from gallery.halves import parts_of
from gallery.spec import ModelSpec
from gallery.wiring import layer_graph

Place = tuple[str, str]
WHOLE = ("mtp", "head", "embed", "stack")  # parts of the tower that are no layer


def places(spec: ModelSpec, key: str, drawn: Figure | None = None, share: float = 0.5) -> tuple[Place, ...]:
    """Tower, card, panel; `share` says how far up among the layers that have it the cell stands."""
    drawn = drawn or figure(spec)
    out: list[Place] = []
    for hit in found(spec, key)[:1]:
        if hit.half in WHOLE:
            return (("tower", hit.half),)
        out += tower(hit, share) + card(spec, drawn, hit) + panel(spec, drawn, hit)
    return tuple(dict.fromkeys(out))


def tower(hit: Hit, share: float) -> list[Place]:
    """The cell of one of its layers."""
    index = hit.layers[min(int(len(hit.layers) * share), len(hit.layers) - 1)]
    return [("tower", f"{index} {'mlp' if hit.half == 'mlp' else 'mixer'}")]


def kind_of(drawn: Figure, hit: Hit) -> Kind | None:
    """The card that shows one of its layers; one whose own layer has it, if there is one."""
    own = set(hit.layers)
    shown = [kind for kind in drawn.kinds if own & set(kind.indices)]
    return next((kind for kind in shown if kind.layer.index in own), shown[0] if shown else None)


def card(spec: ModelSpec, drawn: Figure, hit: Hit) -> list[Place]:
    """The box on the card."""
    kind = kind_of(drawn, hit)
    if kind is None:
        return []
    names = [node.name for node in layer_graph(spec, kind.layer).nodes]
    start = f"{hit.half}.{hit.at}." if hit.at >= 0 else f"{hit.half}." if hit.half in ("mixer", "mlp") else hit.node
    mine = [name for name in names if start and name.startswith(start)]
    mine = mine or [name for name in names if not name.startswith(("mixer.", "mlp.")) and not name.endswith("_norm")]
    return [("card", f"layer{kind.layer.index} {mine[0]}")] if mine else []


def panel(spec: ModelSpec, drawn: Figure, hit: Hit) -> list[Place]:
    """The opened half."""
    if hit.half not in ("mixer", "mlp"):
        return []
    parts = [hit.part] if hit.part is not None else list(parts_of(getattr(spec.layers[hit.layers[0]], hit.half)))
    wanted = [same(part) for part in parts]
    return [
        ("panel", inside.where)
        for part, inside in drawn.panels
        if inside.graph is not None and same(part) in wanted and f".{hit.half}" in inside.where
    ][:1]
