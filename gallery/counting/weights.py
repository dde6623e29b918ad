"""ModelSpec -> every weight tensor: checkpoint name, shape, part, layer. The single truth for counts, bytes and shards.

Experts are one stacked tensor per projection with the expert count leading; `{expert}` in the name stands for its
number, unless the checkpoint itself stores them stacked. Tied heads are not listed. MTP layers and buffers stand apart.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from cutaway.gallery import graph, wiring
from cutaway.gallery.counting.naming import Tensor, rename
from cutaway.gallery.spec import ConfigError, Layer, ModelSpec
from cutaway.gallery.wiring import layer_graph

PARTS = ("embedding", "head", "attention", "indexer", "linear", "ssm", "conv", "dense", "experts", "shared", "router",
         "norm", "residual", "other")  # fmt: skip


MOST_TENSORS = 200_000  # of one model; published ones stay under 3,000, where experts are one stacked tensor


class Weight(NamedTuple):
    """One tensor of the checkpoint."""

    name: str  # as in the checkpoint
    shape: tuple[int, ...]  # rows first, as PyTorch stores it
    part: str  # attention, dense, routed experts, norm and so on
    layer: int | None  # None: outside the layers

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)


def own_tensors(spec: ModelSpec, layer: Layer) -> list[Tensor]:
    """All tensors of a layer under our own names, before a family renames them: its graph's and the extras'."""
    found = {t.name: (t.name, t.shape, t.part) for t in layer_graph(spec, layer).tensors() if is_counted(t, layer)}
    for extra in layer.extras:
        for name, shape in extra.tensors:
            found.setdefault(name, (name, shape, extra.part))
    return list(found.values())


def is_counted(tensor: graph.Tensor, layer: Layer) -> bool:
    """Whether a tensor of a layer's graph is a parameter of this layer."""
    return tensor.part != "buffer" and tensor.of in (None, layer.index)


def kind_of(layer: Layer) -> tuple:
    """What makes two layers hold the same tensors: everything but their index."""
    return (layer.mixer, layer.mlp, layer.norms, layer.extras)


def by_kind(spec: ModelSpec, layers: tuple[Layer, ...]) -> list[list[Tensor]]:
    """For each layer its tensors under our names; layers that share all their parts share one list. Made once."""
    known, lists = spec.listed.get(id(layers), (None, []))
    if known is not layers:
        lists = list_by_kind(spec, layers)
        spec.listed[id(layers)] = (layers, lists)
    return lists


def list_by_kind(spec: ModelSpec, layers: tuple[Layer, ...]) -> list[list[Tensor]]:
    """What by_kind says, made anew."""
    tells = getattr(spec.residual, "tells", None)  # what the residual scheme adds to what makes two layers differ
    seen: dict[tuple, list[Tensor]] = {}
    out = []
    for layer in layers:
        told = tells(layer.index) if tells else None
        key = (id(layer.mixer), id(layer.mlp), id(layer.norms), layer.parallel, id(layer.extras), told)
        if (tensors := seen.get(key)) is None:
            tensors = seen[key] = own_tensors(spec, layer)
        out.append(tensors)
    return out


def model_tensors(spec: ModelSpec) -> tuple[list[Tensor], list[Tensor]]:
    """(before the layers, after the layers) under our own names."""
    first = {t.name: t[:3] for t in wiring.opening_graph(spec).tensors() if t.part != "buffer"}
    for extra in spec.extras:
        for name, shape in extra.tensors:
            first.setdefault(name, (name, shape, extra.part))
    last = [t[:3] for t in wiring.closing_graph(spec).tensors() if t.part != "buffer" and t.name not in first]
    return list(first.values()), last


def split_rules(spec: ModelSpec) -> tuple[tuple, tuple, str]:
    """(rules inside a layer, rules for the model, where the layers stand)."""
    model = tuple(rule for rule in spec.names if rule[0].startswith(("model", "lm_head")))
    stack = next((rule[1] for rule in model if rule[0] == "model.layers"), "model.layers")
    for ours, theirs, *_ in model:
        if ours == "model" and stack.startswith("model."):
            stack = theirs + stack[5:] if theirs else stack[6:]
    return tuple(rule for rule in spec.names if rule not in model), model, stack


def stamp(
    layers: tuple[Layer, ...], lists: list[list[Tensor]], rules: tuple, stack: str, places: tuple[str, ...] = ()
) -> list[Weight]:
    """Names and indices put on every layer's tensors."""
    out: list[Weight] = []
    renamed: dict[int, list[Tensor]] = {}
    new = tuple.__new__
    for layer, tensors in zip(layers, lists, strict=True):
        local = renamed.get(id(tensors))
        if local is None:
            local = renamed[id(tensors)] = rename(list(tensors), rules)
        index = layer.index
        prefix = f"{places[index]}." if places else f"{stack}.{index}."
        out += [new(Weight, (prefix + name, shape, part, index)) for name, shape, part in local]
    return out


def weights(spec: ModelSpec) -> tuple[Weight, ...]:
    """Every weight of the language model, in the order in which a token meets it."""
    inside, outside, stack = split_rules(spec)
    before, after = model_tensors(spec)
    lists = by_kind(spec, spec.layers)
    refuse_many(sum(map(len, lists)) + len(before) + len(after))
    out = [Weight(name, shape, part, None) for name, shape, part in rename(before, outside)]
    out += stamp(spec.layers, lists, inside, stack, spec.places)
    return (*out, *(Weight(name, shape, part, None) for name, shape, part in rename(after, outside)))


def refuse_many(tensors: int) -> None:
    """A list of weights that nobody could read."""
    if tensors > MOST_TENSORS:
        raise ConfigError(
            f"This model would have {tensors:,} tensors; at most {MOST_TENSORS:,} are listed here. Correct the count "
            "in the config that makes them, such as num_hidden_layers."
        )


def mtp(spec: ModelSpec) -> tuple[Weight, ...]:
    """The weights of the multi-token-prediction layers, which no total of ours includes."""
    inside, _, stack = split_rules(spec)
    out = stamp(spec.mtp, by_kind(spec, spec.mtp), inside, stack)
    for layer, extra in zip(spec.mtp, spec.mtp_extras, strict=False):
        prefix = f"{stack}.{layer.index}."
        out += [Weight(prefix + name, shape, extra.part, layer.index) for name, shape in extra.tensors]
    return tuple(out)


def buffers(spec: ModelSpec) -> tuple[Weight, ...]:
    """Tensors that a checkpoint stores although nothing trains them: in no count of ours."""
    return tuple(Weight(name, shape, "other", None) for name, shape in spec.buffers)


for _name, _value in (("mtp", mtp), ("buffers", buffers), ("PARTS", PARTS)):
    setattr(weights, _name, _value)  # so that `from cutaway.gallery import weights` reaches them
