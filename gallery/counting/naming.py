"""From our tensor names to a checkpoint's, and from a checkpoint's to the modelling code's: one kind of rule for both.

A rule is (ours, theirs). `ours` is a module or a tensor, matched at a dot; several joined by " + " are fused along
their output rows into `theirs`. `theirs` may open with letters: "T " transposed (GPT-2's Conv1D, Llama 4's experts),
"F " the experts flattened into the rows (DBRX), "TF " both; "I8 " that fused parts alternate in 8 groups of rows
(GPT-NeoX: one group per head), which changes no shape. Rules run in order over the tensors of one layer, so that a
later rule sees the names an earlier one made. A third word is a condition: the rule holds only where that tensor is.
"""

from __future__ import annotations

Tensor = tuple[str, tuple[int, ...], str]  # name, shape, part


def hit(name: str, source: str) -> str | None:
    """What follows `source` in `name` if `source` ends at a dot or at the end of the name."""
    if name.startswith(source):
        rest = name[len(source) :]
        if not rest or rest[0] == ".":
            return rest
    return None


def lay_out(shape: tuple[int, ...], letters: str) -> tuple[int, ...]:
    """A shape as the letters of a rule lay it out."""
    if "T" in letters and len(shape) > 1:
        shape = (*shape[:-2], shape[-1], shape[-2])
    if "F" in letters and len(shape) > 2:
        shape = (shape[0] * shape[1], *shape[2:])
    return shape


def count_interleaved(letters: str) -> int:
    """In how many groups of rows the fused parts alternate; 1 = one after the other."""
    digits = "".join(letter for letter in letters if letter.isdigit())
    return int(digits) if "I" in letters and digits else 1


def _fuse(tensors: list[Tensor], sources: list[str], target: str, letters: str) -> list[Tensor]:
    """Concatenate the tensors of several modules along their output rows, wherever all of them are there."""
    groups: dict[str, dict[str, Tensor]] = {}
    for tensor in tensors:
        for source in sources:
            rest = hit(tensor[0], source)
            if rest is not None:
                groups.setdefault(rest, {})[source] = tensor
    out: list[Tensor] = []
    used: set[str] = set()
    for rest, found in groups.items():
        if len(found) == len(sources):
            used.update(tensor[0] for tensor in found.values())
            parts = [found[source] for source in sources]
            first = parts[0][1]
            axis = 1 if len(first) > 2 and first[1] > 1 else 1 if "{expert}" in parts[0][0] else 0
            shape = list(parts[0][1])
            shape[axis] = sum(part[1][axis] for part in parts)
            out.append((target + rest, lay_out(tuple(shape), letters), parts[0][2]))
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


def rename(tensors: list[Tensor], rules: tuple[tuple[str, ...], ...]) -> list[Tensor]:
    """The tensors under the names, and in the layout, that the rules give them. Changes the list it is given."""
    for ours, theirs, *where in rules:
        if where and not any(name == where[0] for name, _, _ in tensors):
            continue
        letters, _, target = theirs.rpartition(" ")
        if " + " in ours:
            tensors = _fuse(tensors, ours.split(" + "), target, letters)
            continue
        size = len(ours)
        for position, (name, shape, part) in enumerate(tensors):
            if name.startswith(ours) and (len(name) == size or name[size] == "."):
                tensors[position] = (target + name[size:], lay_out(shape, letters) if letters else shape, part)
    return tensors


def trace_names(names: list[str], rules: tuple[tuple[str, ...], ...]) -> dict[str, str]:
    """Each name -> the one that the rules give the tensor it becomes, or becomes a part of."""
    now = {name: name for name in names}
    for ours, theirs, *where in rules:
        if where and where[0] not in now.values():
            continue
        sources, target = ours.split(" + "), theirs.rpartition(" ")[2]
        rests = [{rest for name in now.values() if (rest := hit(name, source)) is not None} for source in sources]
        both = set.intersection(*rests)
        for own, name in now.items():
            found = next((rest for source in sources if (rest := hit(name, source)) in both), None)
            if found is not None:
                now[own] = target + found
    return now
