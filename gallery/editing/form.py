"""A spec -> the form that edits it: fields with values and bounds, what holds between them, how its layers go on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.drawing.words import layers as layers_words
from cutaway.gallery.editing.depth import Pattern, pattern, stays
from cutaway.gallery.editing.table import BY_ID, LAYERS, ROWS, Row, has_field, smallest_value
from cutaway.gallery.sublayers import parts_of

MOST_VALUES = 12  # of one attribute: a model where it differs more often is not edited in it


class Field(NamedTuple):
    """One number that can be edited."""

    id: str  # "heads", or "heads@16" where layers have several
    key: str  # the config's own
    words: str
    who: str  # "" = all layers that have it
    value: int
    least: int
    most: int

    @property
    def name(self) -> str:
        """What a sentence calls it."""
        return f"{self.key} of {self.who}" if self.who else self.key


class Rule(NamedTuple):
    """What must hold: `a` is a multiple of `b`, or at most `b` × num / den. A number as `b` stands under a name."""

    kind: str  # "multiple" | "most"
    a: str
    b: str | int
    called: str = ""
    num: int = 1
    den: int = 1


@dataclass(frozen=True, slots=True)
class Form:
    """All that an editor needs of one model."""

    fields: tuple[Field, ...]
    rules: tuple[Rule, ...]
    stays: dict[str, str]  # field that this model has and cannot edit -> why
    pattern: Pattern
    of: dict[tuple[int, str], str] = field(repr=False)  # (id of a part, attribute) -> field

    def get(self, id: str) -> Field:
        return next(one for one in self.fields if one.id == id)

    @property
    def values(self) -> dict[str, int]:
        return {one.id: one.value for one in self.fields}


def single_parts(spec: s.ModelSpec, half: str) -> Iterator[tuple[int, Any]]:
    """(layer, part) of every single mixer or MLP."""
    for layer in spec.layers:
        for part in parts_of(getattr(layer, half)):
            yield layer.index, part


def form(spec: s.ModelSpec) -> Form:
    """Its fields in the order of the table."""
    fields, of = [], {}
    why = stays(spec)
    if not why:
        row = BY_ID[LAYERS]
        depth = len(spec.layers)
        fields.append(Field(LAYERS, row.key, row.words, "", depth, 1, max(row.most, depth)))
    for row in ROWS[1:]:
        found = values_of(spec, row)
        if len(found) > MOST_VALUES:
            continue
        for value, group in found.items():
            one = group_field(spec, row, value, group, found)
            fields.append(one)
            of.update({(id(part), row.held[type(part)]): one.id for _, part in group})
    kept = {LAYERS: why} if why else {}
    return Form(tuple(fields), tuple(rules(spec, of)), kept, pattern(spec), of)


def values_of(spec: s.ModelSpec, row: Row) -> dict[int, list[tuple[int, Any]]]:
    """Each value of an attribute -> (layer, part) of those that have it; none where some cannot be edited in it."""
    found: dict[int, list[tuple[int, Any]]] = {}
    for index, part in single_parts(spec, row.half):
        if has_field(row, part):
            found.setdefault(getattr(part, row.held[type(part)]), []).append((index, part))
        elif row.id in ("heads", "kv") and type(part) in row.held:
            return {}
    return found


def group_field(spec: s.ModelSpec, row: Row, value: int, group: list[tuple[int, Any]], every: dict[int, Any]) -> Field:
    """The field of all layers that have one value."""
    several = len(every) > 1
    ident, whose = (f"{row.id}@{value}", name_group(spec, group, every)) if several else (row.id, "")
    lowest = max(smallest_value(row, part) for _, part in group)
    return Field(ident, row.key, row.words, whose, value, lowest, max(row.most, value))


def name_group(spec: s.ModelSpec, group: list[tuple[int, Any]], every: dict[int, list[tuple[int, Any]]]) -> str:
    """The layers of a group: by how far they see where that tells them apart, else by their numbers."""
    sights = {frozenset(map(sight, (part for _, part in one))) for one in every.values()}
    own = {sight(part) for _, part in group}
    if len(own) == 1 and len(sights) == len(every) and all(len(one) == 1 for one in sights):
        return f"{own.pop()} layers"
    places = sorted({index for index, _ in group})
    return layers_words(places, len(spec.layers)) or f"{len(places):,} layers"


def sight(part: Any) -> str:
    """How far a mixer sees."""
    if getattr(part, "attention_chunk_size", 0):
        return "chunked"
    return "sliding" if getattr(part, "sliding_window", 0) else "full"


def rules(spec: s.ModelSpec, of: dict[tuple[int, str], str]) -> list[Rule]:
    """What holds between its fields, each once."""
    found: dict[Rule, None] = {}
    seen: set[int] = set()
    for half in ("mixer", "mlp"):
        for _, part in single_parts(spec, half):
            if id(part) not in seen:
                seen.add(id(part))
                found.update(dict.fromkeys(rules_of(part, lambda name, own=part: of.get((id(own), name), ""))))
    return [rule for rule in found if rule.a]


def rules_of(part: Any, of: Any) -> Iterator[Rule]:
    """What holds inside one mixer or MLP; `of` gives the field of an attribute, "" where it cannot be edited."""
    if isinstance(part, s.Attention):
        yield Rule("multiple", of("num_attention_heads"), of("num_key_value_heads") or part.num_key_value_heads,
                   "num_key_value_heads")  # fmt: skip
        if part.differential:
            yield Rule("multiple", of("num_key_value_heads"), 2, "the two halves that are subtracted")
    if isinstance(part, s.CompressedAttention):
        yield Rule("multiple", of("num_attention_heads"), part.o_groups, "o_groups")
    if isinstance(part, s.LightningAttention) and part.groups > 1:
        yield Rule("multiple", of("num_heads"), part.groups, "group_norm_size")
    if isinstance(part, s.Mamba2):
        yield Rule("multiple", of("num_heads"), part.n_groups, "n_groups")
    if isinstance(part, s.GatedDeltaNet):
        yield Rule("multiple", of("linear_num_value_heads"), of("linear_num_key_heads"))
    if isinstance(part, s.MoE):
        if part.n_group > 1:
            yield Rule("multiple", of("num_experts"), part.n_group, "n_group")
        yield Rule("most", of("num_experts_per_tok"), of("num_experts"), "", part.topk_group, part.n_group)
