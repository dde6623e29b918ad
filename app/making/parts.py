"""The files of each model that a build has made -> a folder beside the site, so that the next build goes on from there.

<out>.parts/<key>/<model>/ holds a model's files once all of them are written; the key is a hash of the settings, which
hold the version of the code and the catalogue. What another key made is removed at the start, everything when the site
is whole.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from cutaway.app.making.step import Files, Settings, model_files


class Parts:
    """The finished models of one build, shared by the processes that write them."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.own = folder / hashlib.sha256(repr(tuple(settings)).encode()).hexdigest()[:20]
        for old in folder.glob("*"):
            if old != self.own:
                shutil.rmtree(old, ignore_errors=True)
        for torn in self.own.glob("*.torn"):  # what a killed build was just writing
            shutil.rmtree(torn, ignore_errors=True)

    def place(self, slug: str) -> Path:
        """Where a model's files stand when they are whole."""
        return self.own / hashlib.sha256(slug.encode()).hexdigest()[:20]

    def read(self, slug: str) -> Files | None:
        """The files of a model that an earlier build finished, or None."""
        place = self.place(slug)
        if not place.is_dir():
            return None
        return {path_of(file, place): file.read_bytes() for file in place.rglob("*") if file.is_file()}

    def write(self, slug: str, files: Files) -> None:
        """Keep a model's files, all or none."""
        self.own.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(suffix=".torn", dir=self.own))
        for path, content in files.items():
            file = made / file_of(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        os.replace(made, self.place(slug))

    def remove(self) -> None:
        """The site is whole."""
        shutil.rmtree(self.folder, ignore_errors=True)


def file_of(path: str) -> str:
    """The name of a page's file in the site's folder."""
    return path.lstrip("/") + ("index.html" if path.endswith("/") else "")


def path_of(file: Path, folder: Path) -> str:
    """The path of the page that a file holds."""
    path = "/" + file.relative_to(folder).as_posix()
    return path.removesuffix("index.html") if path.endswith("/index.html") else path


def made(slug: str, settings: Settings, parts: Parts | None) -> Files:
    """A model's files: those that an earlier build kept, or new ones, kept for a later build."""
    if parts and (kept := parts.read(slug)):
        return kept
    files = model_files(slug, settings)
    if parts:
        parts.write(slug, files)
    return files
