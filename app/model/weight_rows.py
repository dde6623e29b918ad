"""A model's view -> its weights in rows: the tensors of each kind of layer, and what each stored format holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from cutaway.app.model.tables import PART_WORDS, UNKNOWN
from cutaway.app.model.view import SpecView, size
from cutaway.app.words.storage import format_words
from cutaway.gallery.counting.stored_bytes import Stored
from cutaway.gallery.drawing.words import layers as layers_words
from cutaway.gallery.drawing.words import shape_words
from cutaway.gallery.formats.schemes import SCHEMES
from cutaway.gallery.spec import ModelSpec


@dataclass(frozen=True, slots=True)
class Row:
    """One tensor of a weights table."""

    name: str
    shape: str
    count: int
    part: str
    stored: str  # the format it is stored in; where its layers differ, that of most, and which ones are otherwise
    bytes: int | None  # in that format; None where it is unknown
    id: str  # its name in the first layer of its kind: what an address can ask for


class WeightTable(NamedTuple):
    """The tensors of one layer kind, or of no layer at all."""

    words: str
    where: str
    layers: int
    rows: list[Row]
    each: int


ADAPTER = re.compile(r"(_adapter_list)\.\d+")  # Zamba2: layers that share their weights have one each


def weight_tables(view: SpecView) -> list[WeightTable]:
    """One table for what stands outside the layers, one for each distinct kind of layer, with {} for its number."""
    by_name = {one.name: one for one in view.stored}

    def row(weight, indices: list[int]) -> Row:
        first = f".{indices[0]}." if indices else ""
        name = weight.name.replace(first, ".{layer}.", 1) if indices else weight.name
        name = ADAPTER.sub(r"\1.{adapter}", name) if len(indices) > 1 else name
        alike = {index: by_name.get(weight.name.replace(first, f".{index}.", 1)) for index in indices}
        stored, kept = stored_words(view.spec, alike or {0: by_name[weight.name]})
        part = PART_WORDS.get(weight.part, (weight.part,))[0]
        taken = None if weight.name in view.unknown else kept.bytes
        words = UNKNOWN if taken is None else stored
        return Row(name, shape_words(weight.shape), size(weight), part, words, taken, weight.name)

    outside = [row(weight, []) for weight in view.outside]
    found = [WeightTable("Outside the layers", "", 1, outside, sum(one.count for one in outside))]
    for kind in view.kinds:
        rows = [row(weight, kind.indices) for weight in kind.weights]
        found.append(WeightTable(kind.words, kind.where, kind.count, rows, kind.each))
    return found


def stored_words(spec: ModelSpec, alike: Mapping[int, Stored | None]) -> tuple[str, Stored]:
    """(how most layers store a weight, and which ones otherwise, what one of the most takes)."""
    by_row: dict[str, list[int]] = {}
    for index, kept in alike.items():
        if kept:
            by_row.setdefault(kept.row, []).append(index)
    (_, most), *others = sorted(by_row.items(), key=lambda pair: -len(pair[1]))
    kept = alike[most[0]]
    assert kept
    words = [stored_as(spec, kept.row)]
    for row, indices in others:
        where = layers_words(indices, spec.num_hidden_layers) or f"{len(indices)} layers"
        words.append(f"{stored_as(spec, row)} in {where}")
    return "; ".join(words), kept


def stored_as(spec: ModelSpec, row: str) -> str:
    """A row of SCHEMES in words; "" is the model's own format."""
    return SCHEMES[row].label if row else format_words(spec.dtype)


class StoredRow(NamedTuple):
    """What one format, or one colour of a drawing, holds of a quantized model."""

    words: str
    tensors: int
    numbers: int
    bytes: int | None  # None where nobody knows
    code: str = ""  # the colour's

    @property
    def bits(self) -> float | None:
        return None if self.bytes is None else 8 * self.bytes / self.numbers


def stored_rows(view: SpecView) -> list[StoredRow]:
    """The weights by the format they are stored in, heaviest first."""
    sums: dict[str, list[int]] = {}
    for weight, kept in zip(view.weights, view.stored, strict=True):
        words = UNKNOWN if weight.name in view.unknown else stored_as(view.spec, kept.row)
        row = sums.setdefault(words, [0, 0, 0])
        row[0], row[1], row[2] = row[0] + 1, row[1] + size(weight), row[2] + kept.bytes
    return heaviest_first(StoredRow(words, row[0], row[1], row[2]) for words, row in sums.items())


def heaviest_first(rows: Iterable[StoredRow]) -> list[StoredRow]:
    """Rows by their bytes, heaviest first; before them those whose bytes are unknown, which get none."""
    told = (row._replace(bytes=None) if row.words == UNKNOWN else row for row in rows)
    return sorted(told, key=lambda row: (row.bytes is not None, -(row.bytes or 0)))
