"""ModelSpec -> for each tensor of its graphs the checkpoint's name, fused ones under the name of the whole."""

from __future__ import annotations

from cutaway.gallery.counting.naming import trace_names
from cutaway.gallery.counting.weights import by_kind, model_tensors, split_rules
from cutaway.gallery.graph import Tensor
from cutaway.gallery.spec import ModelSpec


class Names:
    """Worked out once for layers that hold the same tensors."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self.rules, outside, self.stack = split_rules(spec)
        first, last = model_tensors(spec)
        self.model = trace_names([name for name, *_ in (*first, *last)], outside)
        self.layers = by_kind(spec, spec.layers)
        self.known: dict[int, dict[str, str]] = {}

    def prefix(self, index: int) -> str:
        """What stands in front of the names of a layer's tensors."""
        return f"{self.spec.places[index]}." if self.spec.places else f"{self.stack}.{index}."

    def inside(self, index: int) -> dict[str, str]:
        """Our names of a layer's tensors -> the checkpoint's, without what is in front."""
        tensors = self.layers[index]
        if id(tensors) not in self.known:
            self.known[id(tensors)] = trace_names([name for name, *_ in tensors], self.rules)
        return self.known[id(tensors)]

    def of(self, index: int | None, tensor: Tensor) -> str:
        """The name of a tensor that a layer's graph, or (None) the model's, uses."""
        if index is None:
            return self.model.get(tensor.name, tensor.name)
        index = index if tensor.of is None else tensor.of
        return self.prefix(index) + self.inside(index).get(tensor.name, tensor.name)
