"""A spec -> the sheet from which app/model_page/what-if-sheet.js works out parameters and cache for any edits.

    fields    [[id, key, words, who, value, least, most], ...]        rules   [[kind, a, b, called, num, den], ...]
    stays     {field: why}        longest, loops, keeps               outside: parameters that stand in no layer
    looked_up   of these, numbers in tables of which a token reads rows
    layers    [first, period, last]: places in `kinds`, how the stack goes on
    kinds     [[parameters beside the halves, experts' of these, [part, ...] of the mixer, of the MLP, [row, ...],
              numbers in lookup tables], ...]
    parts     [{total: [[factor, field, ...], ...], each, k: terms of experts and per token, kept: [[kind, numbers, bits
              of one, every, cap, fixed, [[bits a number, besides, per 128 begun], ...]], ...], usual, role, short,
              how}, ...]

A field stands as its place in `fields`; -1 - place is 1 where that field is 0. A cap is null, [place] or tokens.
"""

from __future__ import annotations

from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.counting.kv_cache import Rules, cache_outside_mixer, rules_for
from cutaway.gallery.counting.parameters import experts_in, parameters, sum_parts, tables_in, tables_outside
from cutaway.gallery.counting.weights import by_kind
from cutaway.gallery.editing.form import Form, form
from cutaway.gallery.editing.parts import NO_SHAPE, Part, describe_part
from cutaway.gallery.editing.sums import NONE, Sums, evaluate_sums
from cutaway.gallery.sublayers import parts_of

Sheet = dict[str, Any]
CHOICE = ("num_experts", "num_experts_per_tok")


class Writer:
    """Gathers the parts and kinds of one model."""

    def __init__(self, spec: s.ModelSpec) -> None:
        self.spec, self.form = spec, form(spec)
        self.place = {one.id: place for place, one in enumerate(self.form.fields)}
        self.rules: Rules = rules_for(spec)
        self.parts: list[dict[str, Any]] = []
        self.kinds: list[list[Any]] = []
        self.known: dict[int, int] = {}
        self.sizes: list[int] = []

    def fields_of(self, part: Any) -> dict[str, str]:
        """Attribute -> field of a part."""
        return {name: one for (ident, name), one in self.form.of.items() if ident == id(part)}

    def part(self, part: Any) -> int:
        """Its place in `parts`."""
        if id(part) not in self.known:
            of = self.fields_of(part)
            zeros = tuple((name, self.form.get(one).least == 0) for name, one in of.items())
            found = describe_part(part, self.spec.hidden_size, zeros, self.rules.model_bits)
            row = self.row(part, found, of)
            if row not in self.parts:
                self.parts.append(row)
                self.sizes.append(evaluate_sums(found.total, {name: getattr(part, name) for name in of}))
            self.known[id(part)] = self.parts.index(row)
        return self.known[id(part)]

    def row(self, part: Any, found: Part, of: dict[str, str]) -> dict[str, Any]:
        """A part as the script reads it."""
        row: dict[str, Any] = {"total": self.sums(found.total, of), "role": found.role, "short": found.short}
        if found.each:
            row |= {"each": found.each, "k": [self.term(part, name, of) for name in CHOICE]}
        if found.kept and self.rules.keeps:
            row["kept"] = [self.cache_row(one, of) for one in found.kept]
        if usual := self.usual(part, of):
            row["usual"] = usual
        if found.how:
            row["how"] = self.how(part, found.how, of)
        return row

    def sums(self, found: Sums, of: dict[str, str]) -> list[list[int]]:
        """Sums on places of fields."""

        def place(word: str) -> int:
            at = self.place[of[word.removesuffix(NONE)]]
            return -1 - at if word.endswith(NONE) else at

        return [[factor, *map(place, words)] for factor, words in found]

    def cache_row(self, one: Any, of: dict[str, str]) -> list[Any]:
        cap: Any = [self.place[of[one.cap]]] if isinstance(one.cap, str) else self.rules.window(one.cap)
        numbers = self.sums(one.numbers, of)
        return [one.kind, numbers, one.bits, one.every, cap, int(one.fixed), list(map(list, one.packed))]

    def usual(self, part: Any, of: dict[str, str]) -> list[Any] | None:
        """The heads and the width that the common formula takes from it, as growth.usual does."""
        if isinstance(part, s.LatentAttention):
            return [self.term(part, "num_attention_heads", of), part.v_head_dim]
        if isinstance(part, s.CompressedAttention):
            return [[1], part.head_dim]
        if getattr(part, "num_key_value_heads", 0) and not getattr(part, "cross", False):
            return [self.term(part, "num_key_value_heads", of), part.head_dim]
        return None

    def term(self, part: Any, name: str, of: dict[str, str]) -> list[int]:
        """One term of a sum: the field, or the number where it is none."""
        return [1, self.place[of[name]]] if name in of else [getattr(part, name, 0)]

    def how(self, part: Any, rule: str, of: dict[str, str]) -> list[Any]:
        """What a mixer's colour and name follow from: its window and what that is called, heads, KV heads, whether an
        indexer of its own, or any, chooses, and how the name ends."""
        chunk = bool(getattr(part, "attention_chunk_size", 0))
        window = self.term(part, NO_SHAPE[chunk], of)
        heads, kv = (self.term(part, name, of) for name in ("num_attention_heads", "num_key_value_heads"))
        indexer = getattr(part, "indexer", None)
        chooses = 0 if not indexer else 1 if indexer.shared else 2
        return [rule, window, "chunks" if chunk else "window", heads, kv, chooses, name_suffix(part, rule)]

    # ------------------------------------------------------------ layers

    def kind(self, layer: s.Layer, size: int, foreign: int) -> int:
        """Its place in `kinds`."""
        halves = [[self.part(one) for one in parts_of(half)] for half in (layer.mixer, layer.mlp)]
        beside = size - sum(self.sizes[one] for half in halves for one in half)
        around = [
            [one.kind, [[one.bits]], 1, one.every, one.cap, int(one.fixed), []]
            for one in cache_outside_mixer(self.spec, layer, self.rules)
        ]
        row = [beside, foreign, *halves, around, tables_in(self.spec, layer)]
        if row not in self.kinds:
            self.kinds.append(row)
        return self.kinds.index(row)

    def layers(self) -> list[int]:
        """The kind of every layer."""
        lists, seen, out = by_kind(self.spec, self.spec.layers), {}, []
        for layer, tensors in zip(self.spec.layers, lists, strict=True):
            key = (id(tensors), id(layer.mixer), id(layer.mlp))
            if key not in seen:
                size = sum(sum_parts(tensors).values())
                seen[key] = self.kind(layer, size, foreign(layer))
            out.append(seen[key])
        return out


def foreign(layer: s.Layer) -> int:
    """Experts that stand beside the MLP (images' own): counted at rest with those of the router."""
    from math import prod

    if not experts_in(layer.mlp):
        return 0
    return sum(prod(shape) for extra in layer.extras for name, shape in extra.tensors if "{expert}" in name)


def name_suffix(part: Any, rule: str) -> str:
    """How the name ends whatever the fields are."""
    if rule != "plain":
        return ""
    return (", shared KV" if part.kv_source is not None else "") + (", NoPE" if part.position == "nope" else "")


def sheet(spec: s.ModelSpec) -> Sheet:
    """All of it."""
    made = Writer(spec)
    every = made.layers()
    counted = parameters(spec)
    fields = [list(one) for one in made.form.fields]
    return {
        "fields": fields, "rules": [list(rule) for rule in made.form.rules], "stays": made.form.stays,
        "longest": spec.max_position_embeddings, "loops": spec.loops,
        "outside": counted.total - sum(counted.per_layer), "looked_up": tables_outside(spec),
        "layers": [[every[one] for one in part] for part in lay_out_depth(made.form, len(every))],
        "kinds": made.kinds, "parts": made.parts,
    }  # fmt: skip


def lay_out_depth(told: Form, depth: int) -> tuple[tuple[int, ...], ...]:
    """First, period, last; where their number stays, all layers are first."""
    if told.stays:
        return tuple(range(depth)), (), ()
    return told.pattern.first, told.pattern.period, told.pattern.last
