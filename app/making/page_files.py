"""The pages of a site -> their files in its folder."""

from __future__ import annotations

import os
from pathlib import Path

from cutaway.app.making.parts import file_of
from cutaway.app.site.pages import Page


def target(folder: Path, page: Page) -> Path:
    """Where a page's file goes; a path that would leave the folder is a bug, not a file."""
    return place(folder, page.path)


def place(folder: Path, path: str) -> Path:
    """Where the file of a page at `path` goes."""
    name = file_of(path)
    if name.startswith("/") or ".." in name.split("/"):
        raise ValueError(f"the page {path!r} would be written outside {folder}")
    return folder / name


def write_file(file: Path, content: bytes) -> None:
    """A file, and the folders that it stands in where they are not there yet."""
    try:
        file.write_bytes(content)
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def rewrite(pages: list[Page], out: Path, changed: bool = False) -> int:
    """Write some pages, or of these the changed ones, into the site that is there, each file whole or not at all."""
    made = [(target(out, page), page.content()) for page in pages]  # all first: a fault leaves the site as it is
    if changed:
        made = [(path, content) for path, content in made if not path.is_file() or path.read_bytes() != content]
    for path, content in made:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_bytes(content)
        part.replace(path)
    return len(made)
