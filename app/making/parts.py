"""The files of each model that a build has made -> a folder beside the site, so that the next build goes on from there.

<out>.parts/<key>/<model> holds a model's files in one, whole or not at all; the key is a hash of the settings, which
hold the version of the code and the catalogue. What another key made is removed at the start, everything when the site
is whole.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cutaway.app.making.folders import hold
from cutaway.app.making.step import Files, Settings, model_files, settings_of
from cutaway.app.site import Site


class Parts:
    """The finished models of one build, shared by the processes that write them."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.own = folder / hashlib.sha256(repr(tuple(settings)).encode()).hexdigest()[:20]
        for old in folder.glob("*"):
            if old != self.own:
                shutil.rmtree(old, ignore_errors=True)

    def place(self, slug: str) -> Path:
        """Where a model's files stand."""
        return self.own / hashlib.sha256(slug.encode()).hexdigest()[:20]

    def read(self, slug: str) -> Files | None:
        """The files of a model that an earlier build finished, or None."""
        try:
            return marshal.loads(self.place(slug).read_bytes())
        except FileNotFoundError:
            return None

    def write(self, slug: str, files: Files) -> None:
        """Keep a model's files; what a killed build was just writing has another name."""
        self.own.mkdir(parents=True, exist_ok=True)
        made = self.place(slug).with_suffix(f".{os.getpid()}")
        made.write_bytes(marshal.dumps(files))
        made.replace(self.place(slug))

    def remove(self) -> None:
        """The site is whole."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def kept(out: Path, site: Site) -> Iterator[Parts | None]:
    """What an unfinished build made; None while another build of the same site holds it. Gone when all is well."""
    folder = out.with_name(f"{out.name}.parts")
    folder.mkdir(exist_ok=True)
    if (lock := hold(folder)) is None:
        yield None
        return
    parts = Parts(folder, settings_of(site))
    try:
        yield parts
        parts.remove()
    finally:
        with suppress(OSError):
            folder.rmdir()  # nothing was kept
        os.close(lock)


def file_of(path: str) -> str:
    """The name of a page's file in the site's folder."""
    return path.lstrip("/") + ("index.html" if path.endswith("/") else "")


def made(slug: str, settings: Settings, parts: Parts | None) -> Files:
    """A model's files: those that an earlier build kept, or new ones, kept for a later build."""
    if parts and (kept := parts.read(slug)):
        return kept
    files = model_files(slug, settings)
    if parts:
        parts.write(slug, files)
    return files
