"""One kind of layer -> its card: the graph of the layer from bottom to top, its halves hung into the stream.

A unit folds the nodes of one box; FOLDS lists which nodes that no box of their own is drawn for go where. The longest
way through the layer stands on one axis. What skips a part of it runs up on rails at the right, what runs beside it
stands in a column at the left; nothing crosses. card_marks.py draws it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from cutaway.gallery.drawing.annotations import norm_words, step_words
from cutaway.gallery.drawing.layer_kinds import Kind
from cutaway.gallery.drawing.measure import ellipsize, wide, wrap
from cutaway.gallery.drawing.pictures import picture_of
from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.spec import Combined, Layer, ModelSpec
from cutaway.gallery.sublayers import parts_of
from cutaway.gallery.wiring import layer_graph

FOLDS = (  # nodes whose whole name matches -> the unit they are part of, and what its box says
    (r"(attn|ffn)_hc_(?:flat|norm|fn|in|collapse)", r"\1_collapse", "streams → 1"),
    (r"(attn|ffn)_hc_(?:out|expand|mix|mixed)", r"\1_expand", "1 → streams"),
    (r"(attn|mlp)_hyper_connection\.(?:flat|hc_norm|down|down_scaled|act|up|gate|gated|mean)", r"\1_collapse",
     "streams → 1"),
    (r"(attn|mlp)_hyper_connection\.(?:inject|inject_scaled|share|expand)", r"\1_expand", "1 → streams"),
    (r"active|predict.*|prediction_coefs", "predict", "AltUp predicts"),
    (r"correct_.*|correction_coefs|correct", "correct", "AltUp corrects"),
    (r"laurel\..*", "laurel", "LAuReL"),
    (r"per_layer\..*", "per_layer", "per layer"),
    (r"ple\..*", "ple", "n-grams"),
    (r"(.*_norm)_(?:fc1|fc1_act|fc2|gate|gated)", r"\1", ""),
    (r"(.*)_(?:shifted|scaled)", r"\1_scaled", ""),
)  # fmt: skip
PLACES = {"mixer_add": "mixer_expand", "mlp_add": "mlp_expand"}  # where streams are several


@dataclass(slots=True)
class Unit:
    """One thing of a card."""

    name: str
    kind: str  # "half" | "norm" | "sign" | "pill"
    words: str = ""
    nodes: list[Node] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)  # other units, "stream"
    reads: list[str] = field(default_factory=list)  # values of elsewhere
    part: object = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.nodes)


def unit_of(node: Node, layer: Layer, streams: bool) -> tuple[str, str]:
    """(unit, its words) of a node."""
    word, dot, rest = node.name.partition(".")
    if dot and word in ("mixer", "mlp"):
        return (f"{word}.{rest.partition('.')[0]}" if isinstance(getattr(layer, word), Combined) else word), ""
    if streams and node.name in PLACES:
        return PLACES[node.name], "1 → streams"
    return fold_name(node.name)


@lru_cache(1024)
def fold_name(name: str) -> tuple[str, str]:
    """(unit, its words) of a node that stands for itself or goes with others."""
    for pattern, unit, words in FOLDS:
        if found := re.fullmatch(pattern, name):
            return found.expand(unit).replace("attn_", "mixer_").replace("ffn_", "mlp_"), words
    return name, ""


def part_of(layer: Layer, unit: str) -> object | None:
    """The mixer or MLP that a unit is, if it is one."""
    word, _, place = unit.partition(".")
    if word not in ("mixer", "mlp") or place in ("sum", "sum_scaled"):
        return None
    found = parts_of(getattr(layer, word))
    return found[int(place)] if place.isdigit() else found[-1] if found else None


def units_of(kind: Kind, spec: ModelSpec) -> tuple[Graph, list[Unit]]:
    """The graph of a kind's layer and its units, made once."""
    if kind.wired is None:
        kind.wired = units(spec, kind.layer)
    return kind.wired


def units(spec: ModelSpec, layer: Layer) -> tuple[Graph, list[Unit]]:
    """The layer's graph and its units in running order; the last one is what leaves the layer."""
    graph = layer_graph(spec, layer)
    streams = hasattr(spec.residual, "streams") and any(
        fold_name(node.name)[1] == "streams → 1" for node in graph.nodes
    )
    found: dict[str, Unit] = {}
    home: dict[str, str] = {}
    for node in graph.nodes:
        name, words = unit_of(node, layer, streams)
        unit = found.setdefault(name, Unit(name, "", words))
        unit.nodes.append(node)
        home[node.name] = name
    for unit in found.values():
        dress(unit, layer)
        for node in unit.nodes:
            for value in node.inputs:
                if value in home and home[value] != unit.name and home[value] not in unit.inputs:
                    unit.inputs.append(home[value])
                elif value == "stream" and "stream" not in unit.inputs:
                    unit.inputs.append("stream")
                elif value not in home and value != "stream" and value not in unit.reads:
                    unit.reads.append(value)
    last = {node.name: i for i, node in enumerate(graph.nodes)}
    return graph, merge_sums(sorted(found.values(), key=lambda unit: last[unit.nodes[-1].name]))


def dress(unit: Unit, layer: Layer) -> None:
    """What kind of thing a unit is, and what it says."""
    node = unit.nodes[-1]
    unit.part = part_of(layer, unit.name)
    if unit.part is not None:
        unit.kind = "half"
    elif unit.nodes[0].op == "norm" and not unit.words:
        unit.kind, unit.words = "norm", norm_words(unit.nodes[0]).replace(", no weight", "")
    elif len(unit.nodes) == 1 and node.op in ("add", "gated_sum"):
        unit.kind, unit.words = "sign", "plus"
    else:
        unit.kind = "pill"
        unit.words = unit.words or node.words.partition(",")[0] or ", ".join(step_words(one) for one in unit.nodes)
        if node.op == "concat":
            unit.words = "beside the embedding"
        if node.op == "linear" and len(unit.nodes) == 1:
            unit.words = node.name
        if node.op == "add_to":
            unit.words = "+ others"


def merge_sums(found: list[Unit]) -> list[Unit]:
    """Sums of sums become one sign."""
    out = list(found)
    for unit in found:
        for value in list(unit.inputs):
            inner = next((one for one in out if one.name == value), None)
            users = sum(value in one.inputs for one in out)
            if inner and users == 1 and unit.kind == inner.kind == "sign" and unit in out:
                unit.nodes = inner.nodes + unit.nodes
                unit.inputs = [*inner.inputs, *(name for name in unit.inputs if name not in (value, *inner.inputs))]
                out.remove(inner)
    return out


def spine(found: list[Unit]) -> list[Unit]:
    """The longest way from the stream to what leaves the layer; halves count most."""
    best: dict[str, tuple[int, list[Unit]]] = {"stream": (0, [])}
    for unit in found:
        ways = [best[name] for name in unit.inputs if name in best]
        weight, way = max(ways, key=lambda pair: pair[0], default=(0, []))
        here = {"half": 100 if unit.name.startswith("mixer") else 90}.get(unit.kind, 1)
        best[unit.name] = (weight + here, [*way, unit])
    return best[found[-1].name][1] if found else []


def chains(found: list[Unit], main: list[Unit]) -> list[tuple[str, list[Unit], Unit]]:
    """(where it leaves the spine, units, the unit of the spine it joins) of everything beside the spine, and of
    every edge that skips part of it (no units)."""
    own = {unit.name for unit in main}
    out: list[tuple[str, list[Unit], Unit]] = []
    before = "stream"
    for unit in main:
        for name in unit.inputs:
            if name == before:
                continue
            beside: list[Unit] = []
            while name not in own and name != "stream":
                step = next(one for one in found if one.name == name)
                beside.insert(0, step)
                ways = [one for one in step.inputs if one not in own and one != "stream"] or step.inputs
                name = ways[0] if ways else "stream"
            out.append((name, beside, unit))
        before = unit.name
    return out


HIGH = {"half": 46, "norm": 24, "sign": 18, "pill": 20}


# ---------------------------------------------------------------- the card


class Card:
    """The card of one kind of layer; `stretch` adds to its height, spread over the edges."""

    def __init__(self, kind: Kind, spec: ModelSpec, w: int, stretch: int = 0) -> None:
        self.kind, self.spec, self.w, self.stretch, self.full = kind, spec, w, stretch, kind.full
        self.graph, found = units_of(kind, spec)
        self.units, self.main = found, spine(found)
        self.place = {unit.name: i for i, unit in enumerate(self.main)} | {"stream": -1}
        self.order = {unit.name: i for i, unit in enumerate(found)}
        self._sort(chains(found, self.main))
        several = any(unit.name.endswith("_collapse") for unit in self.main)
        self.streams = getattr(spec.residual, "streams", 0) if several else 0
        self.tops: dict[int, tuple[float, float]] = {}  # unit on the axis -> its top, and where it forks
        self.x = self.y = 0.0  # once drawn
        self.spots: dict[int, tuple[float, float, float]] = {}  # id of a mixer or MLP -> where its fan begins
        self.boxes: dict[str, tuple[float, float, float, float]] = {}  # unit -> left, top, right, bottom, once drawn
        drawn = {tensor.name for tensor in self.graph.tensors()}
        others = [one for one in kind.layer.extras if any(name not in drawn for name, _ in one.tensors)]
        self.extras = list(dict.fromkeys(extra.label for extra in others))[:4]
        self.says = self._says()
        self.h: float = self._full_height() if self.full else self._compact_height()

    def _sort(self, found: list[tuple[str, list[Unit], Unit]]) -> None:
        """What skips a part goes on rails at the right; what runs beside it, into a column at the left."""
        self.rails: list[tuple[int, list[Unit], int]] = []
        self.beside: list[tuple[int, list[Unit], int]] = []
        for start, between, end in sorted(found, key=lambda one: len(one[1])):
            a, b = self.place[start], self.place[end.name]
            taken = any(other == b for *_, other in self.rails)
            side = any(unit.kind == "half" for unit in between) or (taken and bool(between))
            (self.beside if side else self.rails).append((a, between, b))

    @property
    def wiring(self) -> list[str]:
        """What stands on the axis and beside it, apart from what the halves are."""
        return [*(unit.name for unit in self.main), *(f"{a} {b}" for a, _, b in (*self.rails, *self.beside))]

    def fold(self) -> None:
        """Make the card compact."""
        self.full, self.h = False, self._compact_height()

    def _compact_height(self) -> int:
        return 40 + 16 * len(self.says)

    def _says(self) -> list[str]:
        """The words under the count in one line if they fit, else in two."""
        room = self.w - 24
        brief = self.kind.says.removesuffix(" each")
        if wide(brief, "label") <= room:
            return [self.kind.says if wide(self.kind.says, "label") <= room else brief]
        lines = wrap(self.kind.says, "label", room)
        return lines if len(lines) < 3 else [lines[0], ellipsize(" ".join(lines[1:]), "label", room)]

    def _full_height(self) -> float:
        self.edges = len(self.main) + 1
        body = sum(HIGH[unit.kind] for unit in self.main)
        head = 52 + 16 * len(self.says) + 16 * len(self.extras)
        return head + 26 + body + self.edges * 14 + 8 * self._sums() + self.stretch

    def _sums(self) -> int:
        """Where the stream goes on behind a sum, its words and forks need some room more."""
        return len({a for a, *_ in (*self.rails, *self.beside)})

    # ---------------------------------------------------------------- where things stand

    def measure(self) -> None:
        """The axis, the widths of boxes, the x of every rail, once the card has its place."""
        depth = [1] * len(self.rails)
        order = sorted(range(len(self.rails)), key=lambda i: self.rails[i][2] - self.rails[i][0])
        for i in order:
            a, _, b = self.rails[i]
            inner = [depth[j] for j in order if j != i and a <= self.rails[j][0] and self.rails[j][2] <= b
                     and self.rails[j][2] - self.rails[j][0] < b - a]  # fmt: skip
            depth[i] = 1 + max(inner, default=0)
        deepest = max(depth, default=1)
        pills = [unit for _, between, _ in self.rails for unit in between]
        self.pill_w = max((self._pill_width(unit) for unit in pills), default=0)
        need = self.pill_w + 18 if pills else 22 + 12 * (deepest - 1) + (4 if deepest > 1 else 0)
        right = self.x + self.w - (10 + self.pill_w / 2 if pills else 22 if deepest == 1 else 14)
        self.rail_x = [round(right - 12 * (deepest - d)) for d in depth]
        if self.beside:
            self.box_w = (self.w - need - 22 - 16) / 2
            self.left = round(self.x + 8 + self.box_w / 2)
            self.axis = round(self.x + 16 + self.box_w * 1.5)
        elif pills or deepest > 1:
            self.box_w = min(178, self.w - 12 - need - 12)
            self.axis = round(self.x + 12 + self.box_w / 2)
        else:
            self.axis = round(self.x + self.w / 2 - 18)
            self.box_w = min(178, 2 * (self.axis - self.x - 12))

    def _pill_width(self, unit: Unit) -> float:
        return min(wide(unit.words, "small") + 14, 84)

    def lines(self) -> list[str]:
        """The outline of the card, steps from bottom to top, then what runs beside them."""
        out = [f"{len(self.kind.indices)} × {self.kind.which}: {self.kind.says}"]
        out.append("  " + " → ".join(self._words(unit) for unit in self.main))
        for start, between, end in (*self.beside, *self.rails):
            source = self._place(start)
            way = "".join(f" → {self._words(unit)}" for unit in between)
            out.append(f"    {source}{way} → {self._place(end)}")
        return out + [
            f"  with {extra.label}: " + ", ".join(f"{n} {'×'.join(map(str, s))}" for n, s in extra.tensors)
            for extra in self.kind.layer.extras
        ]

    def _words(self, unit: Unit) -> str:
        if unit.part is not None:
            picture = picture_of(unit.part)
            return f"{picture.name(unit.part)} ({picture.small(unit.part)})"
        return "+" if unit.kind == "sign" else unit.words

    def _place(self, i: int) -> str:
        """A unit by its name: the stream, or what the graph calls it."""
        return "residual stream" if i < 0 else self.main[i].name
