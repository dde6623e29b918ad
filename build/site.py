"""Every page of the site -> files in _site/. The old site stays until the new one is whole.

python build/site.py [--out DIR] [--base https://host/prefix/ [--images]] [--jobs N] [--issues URL] [--rendered N]
                     [--executor processes | --executor dask [--scheduler ADDRESS]]
                     [--only NAME ... | --watch]

--only takes models (owner/name), explainers, and assets: the scripts and styles. --watch does so by itself: it writes a
model's pages when its snapshot changes, and bundles anew when a script, a style or an explainer's words change.

A build works in a folder of its own beside the site, <out>.build-<letters>/, and holds it by a lock that ends with the
process: what a killed build left there has none, and the next build sweeps it away. The models that a build finished
stand in <out>.parts/ until the site is whole; the next build goes on from them if code and catalogue are the same.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

from cutaway import explainers
from cutaway.app import first
from cutaway.app.docs import commands
from cutaway.app.making import on_dask, step
from cutaway.app.making.arguments import arguments
from cutaway.app.making.folders import swap, workshop
from cutaway.app.making.page_files import place, rewrite, write_file
from cutaway.app.making.parts import Parts, kept, made
from cutaway.app.making.processes import Turns, helpers, loaded_for_good
from cutaway.app.packed import page as packed
from cutaway.app.rebuild import ASSETS, KIT, Watched, WatchedSources, changes
from cutaway.app.site import Site, cards
from cutaway.app.site.pages import Page, all_pages
from cutaway.app.site.translated import english_path
from cutaway.explainers import stored_results
from cutaway.gallery import catalog, comparing

ROOT = Path(__file__).resolve().parent.parent
WARNING = (
    "No --base: the site does not know its address. Left out: sitemap.xml, oEmbed, canonical addresses, pictures for "
    "link previews; the feed's links are relative."
)
WORTH = 200  # files that are worth a process of their own
STAYS = "lists and other models' pages say what they said: build the whole before it is published"
LISTS_TOO = "explainers and other models' pages say what they said: build the whole before it is published"


def write(site: Site, folder: Path, say, jobs: int = 1, parts: Parts | None = None, by_dask: str | None = None) -> int:
    """Write every page, and say how far it is: models' pages by Dask if there is an address ("" = this machine's own).

    Further processes, forked, write the rest.
    """
    groups = by_model(list(all_pages(site)))
    total = sum(map(len, groups))
    processes = min(jobs, total // WORTH)
    if processes > 1:
        prepare(processes)
    turn = Turns(len(groups))
    settings = step.settings_of(site)
    step.keep(settings, site, (page for group in groups for page in group))

    def put(files: step.Files) -> None:
        for path, content in files.items():
            write_file(place(folder, path), content)
            say(f"{turn.count()} of {total} files: {path}")

    def work(last: bool = False) -> None:
        while (at := turn.take(last)) is not None:
            page = groups[at][0]
            put(made(page.model, settings, parts) if page.model else {page.path: page.content()})

    if by_dask is not None:
        slugs = [group[0].model for group in groups if group[0].model]
        for files in on_dask.made(slugs, settings, parts, scheduler=by_dask, workers=jobs):
            put(files)
        groups = [group for group in groups if not group[0].model]
        turn.last.value = len(groups)
    with loaded_for_good(), helpers(work, processes):
        work(last=processes > 1)
    return total


def prepare(processes: int) -> None:
    """Work out what every process will ask for: what can be stored, each by one of them; the lineage before they
    are forked."""
    shared = [commands.commands, *(partial(explainers.data, name) for name in explainers.names())]
    turn = Turns(len(shared))

    def work() -> None:
        while (at := turn.take(last=False)) is not None:
            shared[at]()

    if stored_results.FOLDER:
        with helpers(work, processes):
            comparing.catalogue_lineage()
            work()


def part_of(page: Page) -> str:
    """What --only calls it: a model, an explainer, ASSETS; "" for a page about many."""
    folder, name = (*english_path(page.path).strip("/").split("/"), "")[:2]
    if page.model or folder == ASSETS:
        return page.model or ASSETS
    return name if folder in ("learn", "embed") and name in explainers.names() else ""


def by_model(pages: list[Page]) -> list[list[Page]]:
    """All pages of a model together, and each that is about many behind them."""
    found: dict[str, list[Page]] = {}
    for page in pages:
        found.setdefault(page.model, []).append(page)
    rest = found.pop("", [])
    return [*found.values(), *([page] for page in rest)]


def progress(text: str) -> None:
    """One line that rewrites itself on a terminal, and stays silent in a log."""
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        sys.stderr.write(f"\r\x1b[2K{text[: shutil.get_terminal_size().columns - 1]}")
        sys.stderr.flush()


def illustrate(site: Site) -> None:
    """Pictures for link previews; without a browser the site has one for all pages."""
    try:
        site.cards = cards.made(site, progress)
    except cards.NoBrowser as why:
        print(f"--images: {why}; every page has the same picture.", file=sys.stderr)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    out = options.out.resolve()
    start = time.perf_counter()
    catalog.render_first(options.rendered)
    if not options.base:
        print(WARNING, file=sys.stderr)
    if options.only or options.watch:
        render_missing()
    if options.only:
        pages = all_pages(Site(options.base, issues=options.issues))
        packs = {path for name in options.only if packed.slug_at(f"/models/{name}/") for path in packed.paths_of(name)}
        count = rewrite([page for page in pages if part_of(page) in options.only or page.path in packs], out)
        print(f"{count} files of {', '.join(options.only)} in {out}, {time.perf_counter() - start:.1f} s; {STAYS}")
        return 0
    with workshop(out) as folder:
        new = folder / "site"
        new.mkdir()
        site = Site(options.base, issues=options.issues)
        if options.images:
            illustrate(site)
        with kept(out, site) as parts:
            by_dask = options.scheduler if options.executor == "dask" else None
            try:
                count = write(site, new, progress, options.jobs, parts, by_dask)
            except (on_dask.NoCluster, step.OtherVersion) as why:
                raise SystemExit(str(why)) from None
            progress("")
            swap(new, out)
    print(f"{count} files in {out}, {time.perf_counter() - start:.1f} s")
    if options.watch:
        with suppress(KeyboardInterrupt):
            follow(site, out)
    return 0


def render_missing() -> None:
    """In a checkout, render the first pictures of models whose data has changed since static/bundles/ was made."""
    path = ROOT / "build" / "bundles.py"
    if path.is_file():
        spec = importlib.util.spec_from_file_location("build_bundles", path)
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        first.render = made.render_pieces


def follow(site: Site, out: Path) -> None:
    """Rewrite what follows from a file whenever it changes; a snapshot that cannot be read says why."""
    watched, sources = Watched(site), WatchedSources()
    watched.note()
    many = f"{len(watched.files)} snapshots, {len(sources.files)} scripts and styles"
    print(f"watching {many}; Ctrl-C stops", flush=True)
    for slug in changes(watched, sources):
        if slug in (ASSETS, KIT, *explainers.names()):
            rebundle(slug, site, out)
            continue
        start = time.perf_counter()
        try:
            count = rewrite(watched.renewed(slug), out)
            print(f"{count} files of {slug}, {time.perf_counter() - start:.2f} s", flush=True)
            count = rewrite(watched.due(slug), out, changed=True)
            print(f"{count} lists that changed, {time.perf_counter() - start:.2f} s; {LISTS_TOO}", flush=True)
        except (ValueError, LookupError) as fault:  # the snapshot as it was saved is none
            print(f"{slug}: {fault!r}", file=sys.stderr, flush=True)


def rebundle(part: str, site: Site, out: Path) -> None:
    """Bundle anew and rewrite a part of the site, in processes of their own: this one knows the old scripts."""
    parts = explainers.names() if part == KIT else [part]
    script = [sys.executable, str(ROOT / "build" / "bundles.py")]
    where = ["--out", str(out), "--base", site.base, "--issues", site.issues]
    rewritten = [sys.executable, str(ROOT / "build" / "site.py"), *where]
    if subprocess.run(script).returncode == 0:
        subprocess.run([*rewritten, "--only", *dict.fromkeys((*parts, ASSETS))])


if __name__ == "__main__":
    sys.exit(main())
