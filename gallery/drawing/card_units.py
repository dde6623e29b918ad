"""The graph of a layer -> the units of its card, and the ways through them.

A unit folds the nodes of one box; FOLDS lists which nodes that no box of their own is drawn for go where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from cutaway.gallery.drawing.annotations import norm_words, step_words
from cutaway.gallery.drawing.layer_kinds import Kind
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
