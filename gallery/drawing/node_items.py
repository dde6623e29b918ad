"""One node of a graph -> the item that stands for it: a matrix to scale, a small step, a yellow box, an operation.

`Parts` are the tensors of one mixer or MLP, struck off one by one as a picture shows them, so that none is left
undrawn. Whatever a picture does not take is listed under it by name and shape.
"""

from __future__ import annotations

from math import prod
from typing import Any

from cutaway.gallery.counting.kv_cache import Rules, cache_of_mixer
from cutaway.gallery.counting.naming import rename
from cutaway.gallery.drawing.annotations import cache_words, lines_of, step_words, tag_words, value_name
from cutaway.gallery.drawing.dataflow import Op, State
from cutaway.gallery.drawing.head_items import CacheBox, Heads
from cutaway.gallery.drawing.items import Item, Matrix, Pill
from cutaway.gallery.drawing.measure import wide
from cutaway.gallery.drawing.words import count, shape_words, size
from cutaway.gallery.graph import Node, Tensor
from cutaway.gallery.sublayers import graph_of


class Parts:
    """What one half of a layer is made of: its graph, its tensors, those that no picture has shown yet."""

    def __init__(self, m: Any, h: int, names: tuple[tuple[str, str], ...], rules: Rules) -> None:
        self.m, self.h = m, h
        self.graph = graph_of(m, h)
        self.own = {t.name: t.shape for t in self.graph.tensors() if t.of is None and t.part != "buffer"}
        self.total = sum(prod(shape) for shape in self.own.values())
        self.names, self.rules = names, rules
        self.left = dict(self.own)
        self.renamed: dict[str, str] = {}
        self.slices: dict[str, list[str]] = {}
        self.shapes = {t.name: t.shape for t in self.graph.tensors()}

    def checkpoint_name(self, name: str) -> str:
        """The checkpoint's name, where a rule renames this tensor alone."""
        if not self.names:
            return name
        if name not in self.renamed:
            self.renamed[name] = rename([(name, self.shapes[name], "")], self.names)[0][0]
        return self.renamed[name]

    def caches(self, kind: str = "") -> list:
        """What this half keeps while decoding, of one kind or of all."""
        return [k for k in cache_of_mixer(self.m, self.rules) if not kind or k.kind == kind]

    def describe(self, tensor: Tensor) -> str:
        """A tensor in words, struck off the list of those that no picture shows."""
        self.left.pop(tensor.name, None)
        return f"{self.checkpoint_name(tensor.name)} {shape_words(tensor.shape)}"

    def chips(self) -> list[str]:
        """Every tensor that the picture did not show, and the whole of every matrix it showed in slices."""
        out = []
        for name, labels in self.slices.items():
            rows, columns = self.own[name]
            short = self.checkpoint_name(name).removesuffix(".weight").rpartition(".")[2]
            out.append(f"{short} {columns:,} → {rows:,} holds {', '.join(labels)}")
        out += self.fused_chips()
        for name, shape in self.left.items():
            words = [word for word in self.checkpoint_name(name).removesuffix(".weight").split(".") if word != "lora"]
            plain = words[-1] != "bias" and not words[-1].isdigit()
            short = words[-1] if plain else ".".join(words[-3:] if words[-2].isdigit() else words[-2:])
            out.append(f"{short} {shape_words(shape)}")
        return out

    def fused_chips(self) -> list[str]:
        """Matrices that the checkpoint stores together although the picture shows them apart."""
        if not any(" + " in ours for ours, *_ in self.names):
            return []
        whole = rename([(name, shape, "") for name, shape in self.own.items()], self.names)
        alone = {self.checkpoint_name(name) for name in self.own}
        return [
            f"stored fused: {name.removesuffix('.weight').rpartition('.')[2]} {shape_words(shape)}"
            for name, shape, _ in whole
            if name not in alone and not name.endswith("bias")
        ]


def cache_bytes(kept: list) -> str:
    """1,152 B per token, or what a capped or fixed thing takes in all."""
    slope = sum(float(k.slope_bits) for k in kept) / 8
    fixed = sum(k.fixed_bits for k in kept) / 8
    words = [f"{size(slope)} per token"] if slope else []
    caps = {k.cap for k in kept if k.cap}
    until = f" at {caps.pop():,} tokens" if len(caps) == 1 else ""
    return " + ".join(words + ([size(fixed) + until] if fixed else []))


def per_layer(parts: Parts) -> str:
    return f"{count(parts.total)} parameters per layer"


CENTRAL = {"attend", "glu", "experts"}  # beside every node that brings its own lines
MATRICES = {"linear", "per_head", "grouped_linear", "head_linear"}
SIGNS = {"multiply": "times", "add": "plus", "expert_outputs": "times"}


# ---------------------------------------------------------------- kinds of nodes


def is_central(node: Node) -> bool:
    """An operation that lanes run into."""
    return node.op in CENTRAL or "lines" in node.facts or any(k.kind == "state" for k in node.keeps)


def is_matrix(node: Node) -> bool:
    """A weight worth drawing to scale."""
    return node.op in MATRICES and len(node.inputs) == 1


def is_cache(node: Node) -> bool:
    """A growing cache: a yellow box."""
    return any(not keep.fixed for keep in node.keeps)


def is_silent(node: Node) -> bool:
    """Nothing a reader would see: a value passed on, put beside another, or kept nowhere."""
    return node.op in ("concat", "slice") or (node.op == "keep" and not node.keeps)


def learned_frequencies(node: Node) -> str:
    """The value that a rotation's frequencies are learned by; "" where they are fixed."""
    return node.facts["rope"].learned if node.op == "rope" else ""


# ---------------------------------------------------------------- items


def matrix_item(parts: Parts, node: Node, role: str, nodes: tuple[str, ...]) -> Matrix:
    """A whole matrix."""
    name, shape = node.tensors["weight"][:2]
    parts.left.pop(name, None)
    stored = parts.checkpoint_name(name)
    label = stored.removesuffix(".weight").rpartition(".")[2]
    if label.isdigit() or label == "layer" or wide(label, "mono") > 150:
        label = node.name.replace(".lora.", ".") if label.isdigit() else node.name.rpartition(".")[2]
    item = Matrix(role, label.replace("_with_mqa", ""), shape[-1], prod(shape[:-1]), stored, node.note)
    item.nodes, item.many = nodes, shape[0] if node.op == "per_head" else 1
    return item


def slice_item(parts: Parts, whole: Node, cut: Node, role: str, nodes: tuple[str, ...]) -> Matrix:
    """Some output rows of a fused matrix, drawn as a matrix of its own; the whole is named under the picture."""
    name, shape = whole.tensors["weight"][:2]
    parts.left.pop(name, None)
    label, rows = cut.words or value_name(cut.name), rows_of(whole, cut)
    parts.slices.setdefault(name, []).append(label)
    short = parts.checkpoint_name(name).removesuffix(".weight").rpartition(".")[2]
    brief = f"→ {cut.note}" if "×" in cut.note else f"→ {rows:,}"
    item = Matrix(role, label, shape[-1], rows, f"{label}, rows of {parts.checkpoint_name(name)}", f"in {short}", brief)
    item.nodes = nodes
    return item


def rows_of(whole: Node, cut: Node) -> int:
    """How many rows of the matrix a slice takes."""
    rows = whole.tensors["weight"].shape[-2]
    across = (whole.facts.get("split") or (rows,))[-1]
    start, stop = cut.facts.get("start"), cut.facts.get("stop")
    if start is None or stop is None:
        return int(cut.facts.get("rows", rows))
    return (stop - start) // cut.facts.get("step", 1) * (rows // max(across, 1))


def pill_item(parts: Parts, node: Node, nodes: tuple[str, ...], words: str = "") -> Pill:
    """A small step; its tensors are said when it is hovered, and in the outline."""
    said = []
    for name, shape, *_ in node.tensors.values():
        parts.left.pop(name, None)
        said.append(f"{parts.checkpoint_name(name)} {shape_words(shape)}")
    columns = node.facts.get("kernel", 0) if any(k.kind == "conv" for k in node.keeps) else 0
    words = words or step_words(node)
    if alpha := learned_frequencies(node):
        words, said = f"learned {words}", [*said, f"frequencies × exp({tag_words(alpha, None)})"]
    item = Pill(words, min(columns, 12), "; ".join(said))
    item.nodes = nodes
    if alpha:
        item.uses = (alpha,)
    return item


def join_pills(first: Pill, second: Pill) -> Pill | None:
    """Two steps in one pill, where they stay short."""
    text = f"{first.text}, {second.text}"
    if second.columns or len(text) > 18:
        return None
    item = Pill(text, first.columns, "; ".join(filter(None, (first.says_title, second.says_title))))
    item.nodes, item.uses = first.nodes + second.nodes, first.uses + second.uses
    return item


def cache_item(parts: Parts, node: Node, nodes: tuple[str, ...], high: bool, last: bool) -> CacheBox:
    """The yellow box; the last of its kind in a flow says the bytes of all of them."""
    keep = node.keeps[0]
    said = parts.caches(keep.kind) if last else []
    beside = ["cached", cache_bytes(said)] if said else []
    text = cache_words(node)
    heads = keep.words.removeprefix(keep.words.split(" ")[0] + " ").split(" × ")
    cells = int(heads[0].replace(",", "")) if len(heads) == 2 and heads[0].replace(",", "").isdigit() else 0
    least = 120 if keep.layout == "latent" and not keep.rotated else 0
    item = CacheBox(text, cells, beside, least, high=high, keeps=parts.rules.keeps)
    item.nodes = nodes
    return item


STATES = {"conv": "last tokens", "state": "state S"}  # of a Keep whose words are its shape alone


def heads_item(parts: Parts, role: str) -> Item | None:
    """Queries as cells, in groups that share a key."""
    m = parts.m
    if not hasattr(m, "num_key_value_heads"):
        return None
    heads, d = m.num_attention_heads, m.head_dim
    return Heads(role, heads, heads // max(m.num_key_value_heads, 1), f"{heads} heads × {d}")


def op_item(parts: Parts, node: Node, role: str, nodes: tuple[str, ...]) -> Op:
    """The central operation, with the state it keeps and the tensors it uses."""
    state, said = None, []
    for keep in node.keeps:
        if keep.fixed:
            title, _, sizes = keep.words.partition(" ")
            if title[0].isdigit():
                title, sizes = STATES.get(keep.kind, "state"), keep.words
            bits = sum(k.bits for k in parts.caches(keep.kind))
            fp32 = " FP32" if keep.dtype == "float32" else ""
            state = state or State(title, f"{sizes}{fp32} = {size(bits / 8)}")
    for word, (name, shape, *_) in node.tensors.items():
        parts.left.pop(name, None)
        if word != "sinks":  # a tag of their own
            said.append(f"{parts.checkpoint_name(name)} {shape_words(shape)}")
    op = Op(role, lines_of(node), state, "; ".join(said))
    op.nodes = nodes
    return op
