"""A checkout's folders -> a folder with the package `cutaway` in it, by links: where Cutaway is not installed."""

from __future__ import annotations

from pathlib import Path

ROOMS = ("gallery", "explainers", "app", "static")


def linked(root: Path, folder: Path) -> Path:
    """Lay the package out as pyproject.toml maps it; the folder, for a PYTHONPATH."""
    package = folder / "cutaway"
    package.mkdir(parents=True)
    for path in (*(root / "cutaway").glob("*.py"), *(root / room for room in ROOMS)):
        (package / path.name).symlink_to(path)
    return folder
