"""The command line of build/site.py -> what to build, and where; what cannot be built is said at once."""

from __future__ import annotations

import argparse
from pathlib import Path
from urllib.parse import urlsplit

from cutaway import explainers
from cutaway.app.making.folders import replaceable, unwritable
from cutaway.app.making.processes import cores
from cutaway.app.rebuild import ASSETS
from cutaway.app.site import ROOT
from cutaway.gallery import catalog


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


def known(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """--only names models of the catalogue, explainers or assets, and goes into a site."""
    if options.images:
        parser.error("--only leaves the pictures for link previews as they are: leave out --images")
    if strange := [name for name in options.only if name not in {*catalog.BY_SLUG, *explainers.names(), ASSETS}]:
        parser.error(f"{strange[0]} is no model of the catalogue, no explainer, and not {ASSETS!r}")
    if not (options.out / "index.html").is_file():
        parser.error(f"{options.out} is no site yet: build one without --only first")
