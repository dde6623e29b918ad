"""The commands about the catalogue, and what a shell completes."""

from __future__ import annotations

import argparse
import datetime
import re

from cutaway.gallery.command.grammar import UsageError
from cutaway.gallery.command.hosting import ROOT
from cutaway.gallery.command.looking import OK, emit_json, load_named
from cutaway.gallery.command.streams import say, write
from cutaway.gallery.hub.repo_address import HubError


def run_list(args: argparse.Namespace) -> int:
    from cutaway.gallery.command.listing_words import listed, listing_json, listing_lines

    rows = listed(args.words, args.sort)
    if args.json:
        emit_json(listing_json(rows), args.output)
    else:
        write("\n".join(listing_lines(rows, args.words)), args.output)
    return OK


def run_completion(args: argparse.Namespace) -> int:
    from argcomplete import shellcode

    write(shellcode(["cutaway"], shell=args.shell))
    return OK


def run_snapshot(args: argparse.Namespace) -> int:
    from cutaway.gallery.catalog import snapshot

    named = load_named(args)
    kind = "reconstructed" if args.reconstructed else "file" if named.kind == "file" else "hub"
    if named.kind == "snapshot":
        raise HubError("offline", f"A snapshot is not made from a snapshot. {named.source}")
    today = datetime.date.today().isoformat()
    target = args.output or _place(args.slug or named.repo or named.title)
    made = snapshot.dumps(snapshot.snapshot(named.config, kind, today, named.repo, revision=named.revision))
    write(made, target, document=True)
    if target != "-":
        say(f"{target} written ({len(made.encode()):,} bytes). Check its row in gallery/catalog/models.py.")
    return OK


def _place(slug: str) -> str:
    """Where the snapshot of a slug goes: beside the others, for a row that would read it; UsageError for none.

    A wheel's own files are nobody's to write in: there it goes where the reader stands.
    """
    from cutaway.gallery import catalog
    from cutaway.gallery.catalog import snapshot

    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", slug):
        raise UsageError(f"{slug!r} is no slug: give --slug owner/name.")
    if (ROOT / "__init__.py").exists():
        return snapshot.path_of(slug).name
    row = catalog.find(slug) or next((row for row in catalog.KNOWN if row.repo == slug), None)
    if row is None:
        raise UsageError(
            f"No row of gallery/catalog/models.py is called {slug}, so no page would read its facts: add it first, "
            "or give --slug owner/name of one; -o FILE writes them elsewhere."
        )
    if row.config_of:
        raise UsageError(f"{row.slug} is drawn from the config of {row.config_of}: give --slug {row.config_of}.")
    return str(snapshot.path_of(row.slug))
