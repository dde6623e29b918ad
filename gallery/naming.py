"""From our tensor names to a checkpoint's, and from a checkpoint's to the modelling code's: one kind of rule for both.

A rule is (ours, theirs). `ours` is a module or a tensor, matched at a dot; several joined by " + " are fused along their
output rows into `theirs`. A leading "T " on `theirs` says that it is stored transposed (GPT-2's Conv1D, Llama 4 experts).
Rules run in order over the tensors of one layer, so that a later rule sees the names an earlier one made.
"""

from __future__ import annotations

Tensor = tuple[str, tuple[int, ...], str]  # name, shape, part

_EXPERTS = "mlp.experts.{expert}."

# From checkpoint names to those of the transformers modelling code, 5.23: what the oracle calls a tensor.
MODELLING_EXPERTS = (
    ("mlp.experts.{expert}.gate_proj.weight + mlp.experts.{expert}.up_proj.weight", "mlp.experts.gate_up_proj"),
    ("mlp.experts.{expert}.down_proj.weight", "mlp.experts.down_proj"),
    ("mlp.experts.{expert}.up_proj.weight", "mlp.experts.up_proj"),
)


def _hit(name: str, source: str) -> str | None:
    """What follows `source` in `name` if `source` ends at a dot or at the end of the name."""
    if name.startswith(source):
        rest = name[len(source) :]
        if not rest or rest[0] == ".":
            return rest
    return None


def _transpose(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2]) if len(shape) > 1 else shape


def _fuse(tensors: list[Tensor], sources: list[str], target: str, flip: bool) -> list[Tensor]:
    """Concatenate the tensors of several modules along their output rows, wherever all of them are there."""
    groups: dict[str, dict[str, Tensor]] = {}
    for tensor in tensors:
        for source in sources:
            rest = _hit(tensor[0], source)
            if rest is not None:
                groups.setdefault(rest, {})[source] = tensor
    out, used = [], set()
    for rest, found in groups.items():
        if len(found) == len(sources):
            used.update(tensor[0] for tensor in found.values())
            parts = [found[source] for source in sources]
            axis = max(len(parts[0][1]) - 2, 0)
            shape = list(parts[0][1])
            shape[axis] = sum(part[1][axis] for part in parts)
            out.append((target + rest, _transpose(tuple(shape)) if flip else tuple(shape), parts[0][2]))
    return _replace(tensors, used, out)


def _replace(tensors: list[Tensor], used: set[str], new: list[Tensor]) -> list[Tensor]:
    """`new` stands where the first of the used tensors stood."""
    out, placed = [], False
    for tensor in tensors:
        if tensor[0] not in used:
            out.append(tensor)
        elif not placed:
            out.extend(new)
            placed = True
    return out


def rename(tensors: list[Tensor], rules: tuple[tuple[str, str], ...]) -> list[Tensor]:
    """The tensors under the names, and in the layout, that the rules give them."""
    for ours, theirs in rules:
        flip = theirs.startswith("T ")
        target = theirs[2:] if flip else theirs
        if " + " in ours:
            tensors = _fuse(tensors, ours.split(" + "), target, flip)
            continue
        size = len(ours)
        for position, (name, shape, part) in enumerate(tensors):
            if name.startswith(ours) and (len(name) == size or name[size] == "."):
                tensors[position] = (target + name[size:], _transpose(shape) if flip else shape, part)
    return tensors
