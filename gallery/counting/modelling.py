"""ModelSpec -> its tensors layer by layer under the names of the transformers modelling code, for the oracle."""

from __future__ import annotations

from cutaway.gallery.counting.naming import Tensor, rename
from cutaway.gallery.counting.weights import Weight, weights
from cutaway.gallery.spec import ModelSpec


def local(spec: ModelSpec) -> dict[int, list[Tensor]]:
    """The checkpoint's tensors of each layer, under their names inside the layer."""
    out: dict[int, list[Tensor]] = {layer.index: [] for layer in spec.layers}
    for weight in weights(spec):
        if weight.layer is not None:
            out[weight.layer].append((name_in_layer(weight), weight.shape, weight.part))
    return out


def name_in_layer(weight: Weight) -> str:
    """The part of a name after the number of its layer; a second stack of layers may count from 0 again (HRM-Text)."""
    words, number = weight.name.split("."), str(weight.layer)
    at = words.index(number) if number in words else next(at for at, word in enumerate(words) if word.isdigit())
    return ".".join(words[at + 1 :])


def to_modelling(spec: ModelSpec) -> list[dict[str, tuple[int, ...]]]:
    """For each layer {name in the modelling code: shape}."""
    return [{name: shape for name, shape, _ in rename(tensors, spec.state_names)} for tensors in local(spec).values()]
