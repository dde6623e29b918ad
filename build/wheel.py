"""The checkout's folders -> one package: the wheel holds cutaway/, with gallery, explainers, app and static inside it.

Hatchling runs the hook below (pyproject.toml names this file). A line `from gallery.spec import Layer` of a checkout
says `from cutaway.gallery.spec import Layer` in the wheel: it takes no other name, and a gallery.py of the user's is
not meant by it. `python build/wheel.py DIR` writes DIR/cutaway, to be looked at.
"""

from __future__ import annotations

import ast
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "cutaway"
ROOMS = ("gallery", "explainers", "app")  # what is imported; they move into the package
BESIDE = ("static", "build/site.py")  # what the rooms read or run


def rewritten(source: str, name: str) -> str:
    """The module's text with every absolute import of a room led into the package; the lines stay where they are."""
    lines = source.encode().splitlines(keepends=True)  # ast counts columns in bytes
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in found:
        old, new = _moved(node, name)
        if old:
            line, at = lines[node.lineno - 1], node.col_offset
            if not line[at:].startswith(old.encode()):
                raise ValueError(f"{name}, line {node.lineno}: the import is not written plainly as {old!r}.")
            lines[node.lineno - 1] = line[:at] + line[at:].replace(old.encode(), new.encode(), 1)
    return b"".join(lines).decode()


def _moved(node: ast.Import | ast.ImportFrom, name: str) -> tuple[str, str]:
    """How the statement begins, and how it is to begin; ("", "") where it means no room."""
    if isinstance(node, ast.ImportFrom):
        inside = node.level == 0 and (node.module or "").split(".")[0] in ROOMS
        return (f"from {node.module} ", f"from {PACKAGE}.{node.module} ") if inside else ("", "")
    if not any(alias.name.split(".")[0] in ROOMS for alias in node.names):
        return "", ""
    if len(node.names) > 1 or "." in node.names[0].name:
        raise ValueError(f"{name}, line {node.lineno}: write `from room.module import name`, which can be moved.")
    return f"import {node.names[0].name}", f"from {PACKAGE} import {node.names[0].name}"


def lay(root: Path, target: Path) -> Path:
    """Write the package into target/cutaway, and return that folder."""
    package = target / PACKAGE
    skip = shutil.ignore_patterns("__pycache__", ".*", "*~")
    for name in (PACKAGE, *ROOMS, *BESIDE):
        old, new = root / name, package if name == PACKAGE else package / name
        new.parent.mkdir(parents=True, exist_ok=True)
        if old.is_dir():
            shutil.copytree(old, new, ignore=skip)
        else:
            shutil.copyfile(old, new)
    for path in package.rglob("*.py"):
        path.write_bytes(rewritten(path.read_bytes().decode(), str(path.relative_to(package))).encode())
    return package


def get_build_hook() -> type:
    """Hatchling's way in; hatchling itself is there only while a wheel is built."""
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface

    class Package(BuildHookInterface):
        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            if version != "editable":  # an editable install leads to the checkout itself
                self.folder = tempfile.mkdtemp(prefix="cutaway-wheel-")
                build_data["force_include"][str(lay(Path(self.root), Path(self.folder)))] = PACKAGE

        def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
            shutil.rmtree(getattr(self, "folder", ""), ignore_errors=True)

    return Package


if __name__ == "__main__":
    print(lay(ROOT, Path(sys.argv[1])))
