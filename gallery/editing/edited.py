"""A spec and edits -> the spec that has them; EditError, in one sentence with the nearest legal values, if none can."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.editing import address
from cutaway.gallery.editing.depth import place_mixer, restack_residual
from cutaway.gallery.editing.form import Form, form
from cutaway.gallery.editing.rules import EditError, problems
from cutaway.gallery.editing.table import LAYERS


def edit(spec: s.ModelSpec, changes: Mapping[str, Any] | str) -> s.ModelSpec:
    """The spec with {"heads": 64, "layers": 40}, or with the same as an address writes it: "heads:64,layers:40".

    A number may be one in text, "40", or of numpy; EditError says what is none, and what cannot be.
    """
    told = form(spec)
    changes = address.read_edits(told, changes) if isinstance(changes, str) else check_edits(told, changes)
    wrong = problems(told, changes)
    if wrong:
        raise EditError(wrong[0].sentence, wrong[0].field)
    return apply_edits(spec, told, changes) if changes else spec


def check_edits(told: Form, changes: Mapping[str, Any]) -> dict[str, int]:
    """Edits that are known fields and whole numbers, without those that change nothing."""
    found = {name: parse_integer(told, name, value) for name, value in changes.items()}
    return {name: value for name, value in found.items() if value != told.values[name]}


def parse_integer(told: Form, name: str, value: Any) -> int:
    """A whole number of any library, or the text of one; EditError for what is none, and for an unknown field."""
    number = exact(value)
    text = str(value).strip().replace("_", "") if number is None else "1"
    if why := address.explain_refusal(told, str(name), True, text, "", {}):
        raise EditError(why, str(name))
    return int(text) if number is None else number


def exact(value: Any) -> int | None:
    """What Python takes as a whole number, numpy's too; None for all else, true and false among them."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def apply_edits(spec: s.ModelSpec, told: Form, changes: Mapping[str, int]) -> s.ModelSpec:
    """Every half changed once, then as many layers as there are to be."""
    made: dict[int, Any] = {}

    def half(one: Any) -> Any:
        if id(one) not in made:
            made[id(one)] = edit_sublayer(one, told, changes, spec.hidden_size)
        return made[id(one)]

    before = len(spec.layers)
    count = changes.get(LAYERS, before)
    sources = told.pattern.sources(count) if count != before else list(range(before))
    layers: list[s.Layer] = []
    moved: dict[Any, Any] = {}
    for index, source in enumerate(sources):
        layer = spec.layers[source]
        mixer = place_mixer(half(layer.mixer), index, source, (before, count))
        mixer = moved.setdefault(mixer, mixer)
        layers.append(replace(layer, index=index, mixer=mixer, mlp=half(layer.mlp)))
    return replace(spec, layers=tuple(layers), **update_spec(spec, tuple(layers), sources))


def update_spec(spec: s.ModelSpec, layers: tuple[s.Layer, ...], sources: list[int]) -> dict[str, Any]:
    """What else of a spec says how many layers there are, or what is in them."""
    shift = len(layers) - len(spec.layers)
    found: dict[str, Any] = {
        "num_hidden_layers": spec.num_hidden_layers + shift,
        "buffers": buffers(spec, layers, sources),
    }
    if shift:
        found["mtp"] = tuple(replace(layer, index=layer.index + shift) for layer in spec.mtp)
        found["residual"] = restack_residual(spec, sources)
    return found


def buffers(spec: s.ModelSpec, layers: tuple[s.Layer, ...], sources: list[int]) -> tuple:
    """What is stored beside the weights: the biases that choose experts anew, others as those of the layer copied."""
    from cutaway.gallery.reading.read import router_buffers

    biases = {name for name, _ in router_buffers(spec.names, spec.layers)}
    out: list[tuple[str, tuple[int, ...]]] = []
    inside: dict[int, list] = {}
    for name, shape in spec.buffers:
        found = re.match(r"(.*?layers\.)(\d+)(\..*)", name)
        if found and name not in biases:
            inside.setdefault(int(found[2]), []).append((found[1], found[3], shape))
        elif not found:
            out.append((name, shape))
    for index, source in enumerate(sources):
        out += [(f"{start}{index}{end}", shape) for start, end, shape in inside.get(source, ())]
    return (*out, *(router_buffers(spec.names, layers) if biases else ()))


def edit_sublayer(half: Any, told: Form, changes: Mapping[str, int], h: int) -> Any:
    """A half with its edits; the same object where it has none."""
    if isinstance(half, s.Combined):
        parts = tuple(edit_sublayer(part, told, changes, h) for part in half.parts)
        return half if all(a is b for a, b in zip(parts, half.parts, strict=True)) else replace(half, parts=parts)
    own = {name: changes[at] for (ident, name), at in told.of.items() if ident == id(half) and at in changes}
    return change_part(half, own, h) if own else half


def change_part(part: Any, values: Mapping[str, int], h: int) -> Any:
    """A mixer or an MLP with other numbers, and with what follows from them."""
    more: dict[str, Any] = dict(values)
    rank = values.get("q_lora_rank")
    if rank is not None:
        indexer = getattr(part, "indexer", None)
        if indexer and not indexer.input_norm and indexer.q_rank == part.q_lora_rank:
            more["indexer"] = replace(indexer, q_rank=rank)
        more |= latent_scale(part, "q_scale", part.q_lora_rank, rank, h)
    if "kv_lora_rank" in values:
        more |= latent_scale(part, "kv_scale", part.kv_lora_rank, values["kv_lora_rank"], h)
    return replace(part, **more)


def latent_scale(part: Any, name: str, was: int, rank: int, h: int) -> dict[str, float]:
    """A latent's scale where it is √(hidden_size / rank): it follows."""
    scale = getattr(part, name, 1.0)
    if was and rank and scale != 1.0 and math.isclose(scale, math.sqrt(h / was)):
        return {name: math.sqrt(h / rank)}
    return {}
