"""How weights are stored -> the drawing's second colours, their legend in words, and what a checkpoint holds for each.

The drawing stays one: each drawn matrix carries `data-q`, and css/precision.css paints by it while the switch is on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from math import prod
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app.model.tables import UNKNOWN
from cutaway.app.model.view import SpecView
from cutaway.app.model.weight_rows import StoredRow, heaviest_first, stored_as
from cutaway.gallery.counting.checkpoint_names import Names
from cutaway.gallery.counting.naming import rename
from cutaway.gallery.counting.stored_bytes import transposed_names
from cutaway.gallery.drawing.words import shape_words
from cutaway.gallery.formats.bits import BITS
from cutaway.gallery.formats.schemes import SCHEMES
from cutaway.gallery.formats.stored_tensors import expected_tensors
from cutaway.gallery.graph import Graph
from cutaway.gallery.reading.quantization import SILENT
from cutaway.gallery.reading.quantization_words import Meaning, decode_keys
from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph

PLAIN, MIXED = "16", "mix"
TAGS = re.compile(
    r'<g(?: data-(?P<kind>[gn])="(?P<names>[^"]*)")?(?P<rest>[^>]*)>(?:<title>(?P<title>[^<]*)</title>)?|</g>'
)
TITLE = re.compile(r"(\S+)(?: \(\d[\d,]* of them\))?: ")
SCOPE = re.compile(r"layer(\d+)(?:\.(.+))?")


class Tensors(NamedTuple):
    """What a checkpoint holds for one weight, as an example of all that are stored alike."""

    words: str
    weight: str
    rows: list[tuple[str, str, str, str, str]]  # (name, shape, dtype, what it does, note)
    source: str


def code(row: str) -> str:
    """The colour of a row of SCHEMES: by the family and width of its codes."""
    if not row:
        return PLAIN
    element = SCHEMES[row].element
    return f"{'i' if 'int' in element else 'f'}{BITS[element]}"


def legend(view: SpecView) -> list[StoredRow]:
    """The colours that the drawing can wear, the heaviest first: rows that share one stand together in words."""
    found: dict[str, tuple[dict[str, bool], list[int]]] = {}
    for weight, kept in zip(view.weights, view.stored, strict=True):
        lost = weight.name in view.unknown
        words, sums = found.setdefault(UNKNOWN if lost else code(kept.row), ({}, [0, 0, 0]))
        words[UNKNOWN if lost else stored_as(view.spec, kept.row)] = True
        sums[0], sums[1], sums[2] = sums[0] + 1, sums[1] + prod(weight.shape), sums[2] + kept.bytes
    return heaviest_first(
        StoredRow(" and ".join(words), sums[0], sums[1], sums[2], key) for key, (words, sums) in found.items()
    )


# ---------------------------------------------------------------- the drawing


class Rows:
    """Node of a drawn graph -> the row of SCHEMES that its matrix is stored by."""

    def __init__(self, view: SpecView) -> None:
        self.spec = view.spec
        self.rows = {one.name: one.row for one in view.stored}
        self.names = Names(view.spec)
        self.known: dict[str, dict[str, set[str]]] = {}
        self.alone: dict[str, str] = {}

    def of(self, scope: str) -> dict[str, set[str]]:
        """The nodes of a scope of the drawing that hold matrices."""
        if scope not in self.known:
            self.known[scope] = self.found(scope)
        return self.known[scope]

    def said(self, group: Group) -> set[str]:
        """The rows that a group's title names, else those of its nodes."""
        known = self.of(group.scope) if group.scope else {}
        titled = TITLE.match(group.title)
        if titled and (rows := known.get(f"title {titled[1]}")):
            return rows
        return {row for node in group.nodes for row in known.get(node, ())}

    def found(self, scope: str) -> dict[str, set[str]]:
        if scope == "model":
            graph = Graph((*opening_graph(self.spec).nodes, *closing_graph(self.spec).nodes), "")
            return self.named(graph, partial(self.names.of, None))
        match = SCOPE.fullmatch(scope)
        if not match or match[2] is None or int(match[1]) >= len(self.spec.layers):
            return {}  # a layer's card has boxes, no matrices
        return self.inside_layers(int(match[1]), match[2])

    def inside_layers(self, index: int, part: str) -> dict[str, set[str]]:
        """A drawn mixer or MLP stands for all layers that have it: as most of them store it."""
        half = part.partition(".")[0]
        own = getattr(self.spec.layers[index], half)
        votes: dict[str, Counter[frozenset[str]]] = {}
        for layer in self.spec.layers:
            if getattr(layer, half) == own:
                graph, prefix = layer_graph(self.spec, layer), self.names.prefix(layer.index)
                for node, found in self.named(graph, partial(self.names.of, layer.index)).items():
                    if node.startswith(f"{part}."):
                        votes.setdefault(node[len(part) + 1 :], Counter())[frozenset(found)] += 1
                for ours, name in self.names.inside(layer.index).items():
                    for titled in {ours, self.apart(ours), name} if prefix + name in self.rows else ():
                        votes.setdefault(f"title {titled}", Counter())[frozenset((self.rows[prefix + name],))] += 1
        return {node: set(counted.most_common(1)[0][0]) for node, counted in votes.items()}

    def apart(self, ours: str) -> str:
        """What a tensor would be called on its own: a fused one is drawn in parts."""
        if ours not in self.alone:
            self.alone[ours] = rename([(ours, (1, 1), "")], self.names.rules)[0][0]
        return self.alone[ours]

    def named(self, graph: Graph, name_of) -> dict[str, set[str]]:
        """Node -> rows of its matrices; a router's bias or a table of indices is none."""
        found: dict[str, set[str]] = {}
        for node in graph.nodes:
            matrices = [one for word, one in node.tensors.items() if len(one.shape) > 1 and not word.endswith("bias")]
            rows = {self.rows[name] for tensor in matrices if (name := name_of(tensor)) in self.rows}
            if rows:
                found[node.name] = rows
        return found


class Group(NamedTuple):
    """A group of the drawing that may stand for matrices."""

    end: int  # where its opening tag ends
    scope: str
    nodes: list[str]
    title: str


def groups(figure: str) -> list[Group]:
    """Those that hold no other group with nodes of its own, in the order in which they begin."""
    open_: list[list] = []  # [its scope, whether a group inside has nodes, the group if it may be one]
    found = []
    for tag in TAGS.finditer(figure):
        if tag[0] == "</g>":
            _, has, group = open_.pop() if open_ else ("", True, None)
            if group and not has:
                found.append(group)
            continue
        scope = open_[-1][0] if open_ else ""
        if tag["kind"] == "n":
            for outer in open_:
                outer[1] = True
        nodes = tag["names"].split() if tag["kind"] == "n" else []
        title = tag["title"] or ""
        group = Group(tag.start("rest"), scope, nodes, title) if nodes or title else None
        open_.append([tag["names"] if tag["kind"] == "g" else scope, False, group])
    return sorted(found)


def painted(figure: str, view: SpecView) -> Markup:
    """The drawing with `data-q` on every part that stands for matrices; unchanged where nothing is quantized."""
    if view.spec.quantization is None:
        return Markup(figure)
    rows, out, last = Rows(view), [], 0
    for group in groups(figure):
        codes = {code(row) for row in rows.said(group)}
        if codes:
            out += [figure[last : group.end], f' data-q="{codes.pop() if len(codes) == 1 else MIXED}"']
            last = group.end
    return Markup("".join([*out, figure[last:]]))


# ---------------------------------------------------------------- what a checkpoint holds


def checkpoint(view: SpecView) -> list[Tensors]:
    """For each row of SCHEMES that is used, the tensors of the first weight that follows it."""
    quant, seen, out = view.spec.quantization, set(), []
    if quant is None:
        return []
    for weight, kept in zip(view.weights, view.stored, strict=True):
        if not kept.row or kept.row in seen:
            continue
        seen.add(kept.row)
        static = quant.activations == "static"
        group = quant.group_size if kept.row == quant.row else 0
        found, source = expected_tensors(quant.method, kept.row, weight.name, laid(view, weight), group, static)
        rows = [(one.name, shape_words(one.shape) or "one number", one.dtype, one.does, one.note) for one in found]
        out.append(Tensors(SCHEMES[kept.row].label, weight.name, rows, source))
    return out


def laid(view: SpecView, weight) -> tuple[int, ...]:
    """A weight's shape with its rows before its columns, where the checkpoint has it the other way round."""
    turned = any(name in weight.name for name in transposed_names(view.spec))
    return (*weight.shape[:-2], weight.shape[-1], weight.shape[-2]) if turned else weight.shape


def config_of(view: SpecView) -> object:
    """The quantization_config that was read: the language model's own, else the whole model's."""
    config = view.config or {}
    text = config.get("text_config")
    inner = text.get("quantization_config") if isinstance(text, dict) else None
    return inner or config.get("quantization_config") or config.get("compression_config")


def shortened(head: Mapping) -> list[str]:
    """What a copy's quantization_config lacks, from the head of its snapshot: one sentence each."""
    found = head.get("shortened")
    return [shortened_words(key, whole, left) for key, (whole, left) in found.items()] if found else []


def shortened_words(key: str, whole: int | None, left: int) -> str:
    """By how much a list of names was shortened, or that nobody here has seen the whole file."""
    if whole is None:
        return f"Our copy keeps {left} keys of {key}; the number in the original file is unknown."
    return f"{key} has {whole:,} entries in the original file; our copy writes them as {left:,} patterns."


def meanings(view: SpecView) -> list[Meaning]:
    """The keys of quantization_config in plain English."""
    return decode_keys(config_of(view), SILENT)
