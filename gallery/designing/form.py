"""A config -> the fields that can be edited in it: where each stands, its value, its bounds, and rules between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.designing.class_rules import HEADS_DIVIDE_HIDDEN, held_fields
from cutaway.gallery.designing.places import Path, Place, at, places, text_path
from cutaway.gallery.designing.strip import Strip, strip
from cutaway.gallery.designing.table import BY_ID, LAYERS, MIX, ROWS, Row
from cutaway.gallery.editing.depth import stays
from cutaway.gallery.editing.form import Rule
from cutaway.gallery.sublayers import parts_of


class Field(NamedTuple):
    """One number, or one yes or no, that can be edited."""

    row: Row
    key: str  # the config's own
    value: int
    paths: tuple[Path, ...]
    least: int
    most: int
    step: int

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def name(self) -> str:
        """What a sentence calls it."""
        return self.key


@dataclass(frozen=True)
class Form:
    """All that can be edited of one config."""

    spec: s.ModelSpec
    fields: tuple[Field, ...]
    rules: tuple[Rule, ...]
    strip: Strip
    stays: dict[str, str]  # field that the config has and cannot be edited -> why
    even: (
        str  # what heads of a width that follows are called where RoPE rotates pairs of it; "" = they need not be even
    )
    class_type: str  # the model_type whose class is built: of the file, not of its text part

    def get(self, id: str) -> Field:
        return next(one for one in self.fields if one.id == id)

    @property
    def values(self) -> dict[str, int]:
        return {one.id: one.value for one in self.fields}


def form(config: Mapping, spec: s.ModelSpec) -> Form:
    """The fields of a config, in the order of the table."""
    found = {name: several for name, several in places(config).items() if is_number(several[0])}
    rows = [row for row in ROWS if row.name in found and is_read(row, spec)]
    ids = {row.id for row in rows}
    kept = held_fields(spec.model_type, at(config, text_path(config)), "head" in ids)
    if why := stays(spec):
        kept[LAYERS] = f"{why}"
    painted = strip(config, spec)
    if MIX in kept:
        painted = painted._replace(words={}, writing=None)
    kept = {id: why for id, why in kept.items() if id in ids}
    fields = tuple(make_field(row, found[row.name], found, spec) for row in rows if row.id not in kept)
    derived = {"hidden", "heads"} <= ids - kept.keys() and "head" not in ids and has_derived_heads(spec)
    class_type = str(config.get("model_type") or spec.model_type)
    limits = tuple(rules(fields, found, spec, derived))
    even = "hidden_size / num_attention_heads" if derived and rotates(spec) else ""
    return Form(spec, fields, limits, painted, kept, even, class_type)


def is_number(place: Place) -> bool:
    """Whether a key says one number, or yes or no."""
    value = place.value
    return isinstance(value, bool | int) or (isinstance(value, float) and value == int(value))


def mixers(spec: s.ModelSpec) -> list[Any]:
    """Every mixer of a model."""
    return [part for layer in spec.layers for part in parts_of(layer.mixer)]


def is_read(row: Row, spec: s.ModelSpec) -> bool:
    """Whether a key says something of this model: MLA has no KV heads of its own, and no head size that is read."""
    latent = any(isinstance(part, s.LatentAttention) for part in mixers(spec))
    plain = any(isinstance(part, s.Attention) for part in mixers(spec))
    if row.id in ("kv", "head"):
        return plain or not latent
    if row.id in ("window", "chunk"):
        name = "sliding_window" if row.id == "window" else "attention_chunk_size"
        return any(getattr(part, name, 0) for part in mixers(spec))
    if row.part in ("moe",) or row.id == "dense_first":
        return any(isinstance(part, s.MoE) for layer in spec.layers for part in parts_of(layer.mlp))
    return True


def make_field(row: Row, several: list[Place], said: Mapping[str, list[Place]], spec: s.ModelSpec) -> Field:
    """The field of a row; its bounds take its own value in. MLA's KV heads, which a class wants equal, follow heads."""
    value = int(several[0].value)
    same = tuple(place.path for place in several if place.value == several[0].value)
    if row.id == "tied" and len(same[0]) > 1:  # a class around a text part reads its own
        same += (same[0][-1:],)
    if row.id == "heads" and not is_read(BY_ID["kv"], spec):
        same += tuple(one.path for one in said.get("num_key_value_heads", ()) if one.value == value)
    step = row.step if value % row.step == 0 else 1
    least = min(row.least, value)
    if row.id == LAYERS:
        least = 2 if len(spec.layers) > 1 else 1
    return Field(row, several[0].key, value, same, least, max(row.most, value), step)


def rules(fields: tuple[Field, ...], said: Mapping[str, list[Place]], spec: s.ModelSpec, derived: bool) -> list[Rule]:
    """What holds between the fields of a config."""
    ids = {one.id for one in fields}
    number = {name: int(several[0].value) for name, several in said.items()}
    found = []
    if {"heads", "kv"} <= ids:
        found.append(Rule("multiple", "heads", "kv"))
    if {"hidden", "heads"} <= ids and (derived or spec.model_type in HEADS_DIVIDE_HIDDEN):
        found.append(Rule("multiple", "hidden", "heads"))
    if {"key_heads", "value_heads"} <= ids:
        found.append(Rule("multiple", "value_heads", "key_heads"))
    if "state_heads" in ids and number.get("n_groups", 1) > 1:
        found.append(Rule("multiple", "state_heads", number["n_groups"], said["n_groups"][0].key))
    if {"experts", "active"} <= ids:
        groups, chosen = number.get("n_group", 1) or 1, number.get("topk_group", 1) or 1
        if groups > 1:
            found.append(Rule("multiple", "experts", groups, "n_group"))
        found.append(Rule("most", "active", "experts", "", chosen if groups > 1 else 1, groups))
    if {"dense_first", "layers"} <= ids:
        found.append(Rule("most", "dense_first", "layers"))
    return found


def rotates(spec: s.ModelSpec) -> bool:
    """Whether RoPE rotates pairs of a head."""
    return any(getattr(part, "rope", None) is not None for part in mixers(spec))


def has_derived_heads(spec: s.ModelSpec) -> bool:
    """Whether a head is hidden_size / num_attention_heads wide."""
    return any(
        getattr(part, "head_dim", 0) * getattr(part, "num_attention_heads", 0) == spec.hidden_size
        for part in mixers(spec)
        if isinstance(part, s.Attention)
    )
