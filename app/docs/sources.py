"""A dotted path of the package -> what its source says of it: parameters, docstring, fields, read by griffe."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import griffe


@cache
def module(name: str) -> griffe.Module:
    """A module of the package as griffe reads its file."""
    file = importlib.import_module(name).__file__
    path = Path(str(file))
    found = griffe.visit(name, filepath=path, code=path.read_text("utf-8"))
    if not isinstance(found, griffe.Module):
        raise TypeError(f"{name} was read as {found.kind.value}; a module was looked for.")
    return found


def find(path: str) -> griffe.Object:
    """What is defined at a path such as cutaway.gallery.spec.ModelSpec; LookupError where nothing is.

    Imports are followed to where the thing is defined.
    """
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:cut])
        try:
            found: griffe.Object | griffe.Alias = module(name)
        except ModuleNotFoundError:
            continue
        for word in parts[cut:]:
            if word not in found.members:
                raise LookupError(f"{name} defines no {'.'.join(parts[cut:])}.")
            found = found.members[word]
            if isinstance(found, griffe.Alias):
                return find(found.target_path)
        return found  # type: ignore[return-value] # no alias any more
    raise LookupError(f"No module of {path} can be imported.")


def comment(field: griffe.Object) -> str:
    """What the comment on a field's own line says, or on the lines above it; "" for none."""
    text = Path(str(field.filepath)).read_text("utf-8").splitlines()
    first, last = field.lineno or 1, field.endlineno or 1
    if said := re.search(r"#(?!\s*(?:type:|noqa|fmt:))\s*(.+)$", text[last - 1]):
        return re.split(r"\s+#\s*(?:noqa|fmt:|type:)", said[1])[0].strip()
    above: list[str] = []
    at = first - 2
    while at >= 0 and text[at].strip().startswith("#"):
        above.insert(0, text[at].strip().lstrip("# "))
        at -= 1
    return " ".join(above)


def docstring(found: griffe.Object) -> str:
    """Its docstring without the indentation."""
    return found.docstring.value.strip() if found.docstring else ""
