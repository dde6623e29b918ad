"""A built site, its snapshots and its scripts -> what is to be written anew when one of them changes.

python build/site.py --watch keeps what a build has worked out, and forgets of it only what follows from the snapshot
that changed: its spec, its place among the others, and all that was looked up through these. A model's own pages come
first, then the lists whose content changes: each is made as a whole build makes it, of rows that stay with the views of
the other models (app/model/once.py). A packed model has no pages but its packs. What explainers and other models' pages
say of it stays as it is until the next whole build.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from cutaway import explainers
from cutaway.app.compare import model_file
from cutaway.app.lineage import page as lineage
from cutaway.app.model_page import novelty
from cutaway.app.packed import page as packed
from cutaway.app.site import ROOT, Site
from cutaway.app.site.pages import Page, all_pages
from cutaway.app.site.translated import english_path
from cutaway.explainers import bundles
from cutaway.gallery import catalog, comparing
from cutaway.gallery.catalog import snapshot

ASSETS, KIT = "assets", "kit"  # what is served under /assets/; what all explainers share
PAUSE = 0.1  # seconds between looks
# pages about no model that list none either, or only models of which no snapshot is watched
NO_LISTS = ("/learn/", "/embed/", "/docs/", "/assets/", "/your-model/", packed.FOLDER, "/404.html")
# what was worked out from specs
FOLLOWING = (comparing.catalogue_lineage, model_file.counted_pairs, novelty.picture, lineage.plan)


class Files:
    """Files, what each is part of, and what they were when they were last looked at."""

    def __init__(self, files: dict[Path, str]) -> None:
        self.files = files
        self.seen = self.now()

    def now(self) -> dict[Path, tuple[int, int]]:
        """When each file was written, and how long it is; a file that is just being replaced is not there."""
        return {path: (told.st_mtime_ns, told.st_size) for path in self.files if (told := stat(path))}

    def changed(self) -> list[str]:
        """The parts of which a file is another than at the last look."""
        now, before = self.now(), self.seen
        self.seen = {**before, **now}
        return sorted({self.files[path] for path in now if now[path] != before.get(path)})


class Watched(Files):
    """A site whose pages are listed once, and the snapshots of its models."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.pages: dict[str, list[Page]] = {}
        for page in all_pages(site):
            self.pages.setdefault(page.model, []).append(page)
        self.shown: dict[str, object] = {}  # what a list followed from when it was last looked at
        many = self.pages.get("", [])
        self.lists = [page for page in many if not english_path(page.path).startswith(NO_LISTS)]
        self.packs = [page for page in many if page.path.startswith(packed.FOLDER)]
        slugs = [row.slug for row in (*site.rows, *catalog.PACKED) if snapshot.exists(row.slug)]
        super().__init__({snapshot.path_of(slug): slug for slug in slugs})

    def changed(self) -> list[str]:
        """The models whose snapshot is another than at the last look, with those that have its config."""
        slugs = super().changed()
        rows = (*self.site.rows, *catalog.PACKED)
        return [row.slug for row in rows if row.slug in slugs or row.config_of in slugs]

    def note(self) -> None:
        """Look at what lists follow from, so that the first change is quick as well."""
        known = {follows: follows() for follows in {page.follows for page in self.lists if page.follows}}
        self.shown = {page.path: known[page.follows] for page in self.lists if page.follows}

    def due(self, slug: str) -> list[Page]:
        """The lists that may say something else of a model than when they were last looked at."""
        if slug not in self.site.slugs:
            return []
        before = self.shown
        self.note()
        return [page for page in self.lists if not page.follows or before.get(page.path) != self.shown[page.path]]

    def renewed(self, slug: str) -> list[Page]:
        """Its pages, to be made anew, or its packs."""
        source = catalog.BY_SLUG[slug].config_of or slug
        catalog.renew(source)
        if slug not in self.site.slugs:
            paths = packed.paths_of(slug)
            return [page for page in self.packs if page.path in paths]
        for known in FOLLOWING:
            known.cache_clear()
        changed = [row for row in self.site.rows if source in (row.slug, row.config_of)]
        self.site.forget({row.slug for row in changed} | {row.variant_of or row.slug for row in changed})
        return self.pages[slug]


def stat(path: Path):
    """What the disk says of a file, or None."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


class WatchedSources(Files):
    """Scripts, styles and explainers' words, and what is written anew when one changes: an explainer, KIT or ASSETS."""

    def __init__(self) -> None:
        part = {explainers.folder(name): name for name in explainers.names()} | {ROOT / "explainers" / "kit": KIT}
        found = [ROOT / name for name in bundles.manifest() if name.endswith((".js", ".md"))]
        found += [*ROOT.glob("app/*/*.css"), *ROOT.glob("static/css/*.css"), *ROOT.glob("explainers/*/*.css")]
        super().__init__({path: part.get(path.parent, ASSETS) for path in found})


def changes(*watched: Files, wait: Callable[[float], None] = time.sleep) -> Iterator[str]:
    """The slug of each model, and each part, that changes, until the reader presses Ctrl-C."""
    while True:
        for one in watched:
            yield from one.changed()
        wait(PAUSE)
