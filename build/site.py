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

import argparse
import gc
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from cutaway import explainers
from cutaway.app import first
from cutaway.app.docs import commands
from cutaway.app.making import on_dask, step
from cutaway.app.making.folders import hold, replaceable, swap, unwritable, workshop
from cutaway.app.making.parts import Parts, file_of, made
from cutaway.app.making.processes import Turns, cores, helpers
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


def target(folder: Path, page: Page) -> Path:
    """Where a page's file goes; a path that would leave the folder is a bug, not a file."""
    return place(folder, page.path)


def place(folder: Path, path: str) -> Path:
    """Where the file of a page at `path` goes."""
    name = file_of(path)
    if name.startswith("/") or ".." in name.split("/"):
        raise ValueError(f"the page {path!r} would be written outside {folder}")
    return folder / name


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


def write_file(file: Path, content: bytes) -> None:
    """A file, and the folders that it stands in where they are not there yet."""
    try:
        file.write_bytes(content)
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


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


@contextmanager
def loaded_for_good() -> Iterator[None]:
    """What is loaded by now stays meanwhile: to look through it for garbage takes a sixth of a build, and copies the
    memory that forked processes share."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextmanager
def kept(out: Path, site: Site) -> Iterator[Parts | None]:
    """What an unfinished build made; None while another build of the same site holds it. Gone when all is well."""
    folder = out.with_name(f"{out.name}.parts")
    folder.mkdir(exist_ok=True)
    if (lock := hold(folder)) is None:
        yield None
        return
    parts = Parts(folder, step.settings_of(site))
    try:
        yield parts
        parts.remove()
    finally:
        with suppress(OSError):
            folder.rmdir()  # nothing was kept
        os.close(lock)


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


def address(text: str) -> str:
    """--base as it was typed, if links can begin with it."""
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and parts.hostname and not parts.query and not parts.fragment
    except ValueError:
        good = False
    if text and not good:
        raise argparse.ArgumentTypeError(f"{text!r} is no address a site can have; it looks like https://host/prefix/")
    return text


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Write the static site.")
    parser.add_argument("--out", type=Path, default=ROOT / "_site", metavar="DIR", help="default: _site")
    where = "where it will be hosted: for sitemap, feed, oEmbed, link previews, the 404 page"
    parser.add_argument("--base", type=address, default="", metavar="URL", help=where)
    faults = "where faults are reported (https://host/owner/name/issues): model pages link to its form"
    parser.add_argument("--issues", type=address, default="", metavar="URL", help=faults)
    images = "draw a picture of each model and explainer for link previews; needs --base and a browser"
    parser.add_argument("--images", action="store_true", help=images)
    many = "processes that write pages; default: one for each core"
    parser.add_argument("--jobs", type=int, default=cores(), metavar="N", help=many)
    who = "who makes the models' pages: processes of this machine (default), or the workers of a Dask cluster"
    parser.add_argument("--executor", choices=("processes", "dask"), default="processes", help=who)
    which = "a Dask scheduler, as tcp://host:8786; default: a cluster of N processes of this machine, N from --jobs"
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help=which)
    some = parser.add_mutually_exclusive_group()
    few = "write these models, explainers or assets alone into the site that is there, built with the same --base"
    some.add_argument("--only", nargs="+", default=[], metavar="NAME", help=few)
    stay = "stay, and write again what follows from a snapshot, a script, a style or an explainer whenever it changes"
    some.add_argument("--watch", action="store_true", help=stay)
    own = "models that have pages of their own, in the catalogue's order; browsers draw the rest. Default: %(default)s"
    parser.add_argument("--rendered", type=int, default=catalog.RENDERED, metavar="N", help=own)
    options = parser.parse_args(argv)
    if options.rendered < 1:
        parser.error(f"--rendered {options.rendered}: at least one model has a page of its own")
    if options.images and not options.base:
        parser.error("--images needs --base: a picture for link previews has a whole address")
    if options.scheduler and options.executor != "dask":
        parser.error("--scheduler is the address of a Dask scheduler: add --executor dask")
    if options.only:
        known(parser, options)
    elif reason := unwritable(options.out.resolve().parent):
        parser.error(f"no site can be written to {options.out} ({reason}): name another folder")
    elif not replaceable(options.out):
        parser.error(f"{options.out} holds other things than a site, and would be replaced whole: name another folder")
    return options


def known(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """--only names models of the catalogue, explainers or assets, and goes into a site."""
    if options.images:
        parser.error("--only leaves the pictures for link previews as they are: leave out --images")
    if strange := [name for name in options.only if name not in {*catalog.BY_SLUG, *explainers.names(), ASSETS}]:
        parser.error(f"{strange[0]} is no model of the catalogue, no explainer, and not {ASSETS!r}")
    if not (options.out / "index.html").is_file():
        parser.error(f"{options.out} is no site yet: build one without --only first")


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
