"""A model and the settings of a site -> the model's files: one step of a build, the same wherever it runs.

The files follow from the two arguments alone: `Settings.version` is a hash of the code and of the whole catalogue,
since a model's page names others too (its relatives, who had its mechanisms first). A process that has loaded another
version refuses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cutaway.app.site import ROOT, Site
from cutaway.app.site.pages import Page, all_pages
from cutaway.gallery import catalog
from cutaway.gallery.catalog import snapshot

FOLDERS = ("app", "explainers", "gallery", "static")  # all that pages are made from
Files = dict[str, bytes]  # the path of a page -> its content


class Settings(NamedTuple):
    """What a site's files follow from besides the model; it can be pickled, hashed and compared."""

    base: str
    version: str  # of the code and the catalogue
    pictures: tuple[tuple[str, str], ...] = ()  # the path of a page -> the path of the picture for links to it
    issues: str = ""  # where faults are reported
    rendered: int = catalog.RENDERED  # so many models have pages


class Loaded(NamedTuple):
    """A site, and the pages of each of its models by slug."""

    site: Site
    pages: dict[str, list[Page]]


class OtherVersion(ValueError):
    """A worker has loaded other code or another catalogue than the build."""


LOADED: dict[Settings, Loaded] = {}  # of this process


def model_files(slug: str, settings: Settings) -> Files:
    """All files of a model by their paths."""
    site, pages = load(settings)
    made = {page.path: page.content() for page in pages[slug]}
    if slug in site.slugs:
        site.view(slug).lighten()
    return made


def load(settings: Settings) -> Loaded:
    """The site of these settings, loaded once in a process; OtherVersion where its code or catalogue is another."""
    if settings not in LOADED:
        if (own := version()) != settings.version:
            raise OtherVersion(
                f"This process has version {own[:10]} of the code and the catalogue, and the build asks for "
                f"{settings.version[:10]}: install the same cutaway on every worker, and start the workers anew."
            )
        catalog.render_first(settings.rendered)
        site = Site(settings.base, issues=settings.issues)
        site.cards = {path: Page(picture, b"", "image/png") for path, picture in settings.pictures}
        keep(settings, site, all_pages(site))
    return LOADED[settings]


def keep(settings: Settings, site: Site, pages: Iterable[Page]) -> None:
    """Let this process, and those that it forks, make the models' files from a site that is there."""
    own: dict[str, list[Page]] = {}
    for page in pages:
        if page.model:
            own.setdefault(page.model, []).append(page)
    LOADED[settings] = Loaded(site, own)


def settings_of(site: Site) -> Settings:
    """What makes the same site in another process."""
    pictures = tuple((path, page.path) for path, page in sorted(site.cards.items()))
    rendered = sum(row.snapshot is not None for row in site.rows)
    return Settings(site.base, version(), pictures, site.issues, rendered)


@cache
def version() -> str:
    """SHA-256 of the code, the templates, the bundles, the catalogue's rows and its snapshots."""
    found = hashlib.sha256(repr(catalog.KNOWN).encode())
    for folder in (*(ROOT / name for name in FOLDERS), snapshot.CONFIGS):
        for path in sources(folder):
            data = path.read_bytes()
            found.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode() + data)
    return found.hexdigest()


def sources(folder: Path) -> Iterator[Path]:
    """The files in a folder, in order, without what Python and editors leave there."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and not path.name.endswith("~"):
            yield path
