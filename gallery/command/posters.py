"""`cutaway poster`: models, or the whole catalogue, on one A2 sheet to scale."""

from __future__ import annotations

import argparse

from cutaway.gallery.command.grammar import UsageError
from cutaway.gallery.command.looking import OK, file_for_terminal, load_one
from cutaway.gallery.command.streams import say, write, write_bytes


def run_poster(args: argparse.Namespace) -> int:
    """SVG, PNG or PDF by the file's ending, as `cutaway draw`."""
    from cutaway.gallery.command.pictures import kind_of, picture
    from cutaway.gallery.drawing.poster import poster

    kind = kind_of(args.output or "")
    if args.what.count("-") > 1:
        raise UsageError("Standard input holds one config: give a file for the others.")
    entries = entries_of(args)
    made = poster(entries, args.dark)
    target = args.output or file_for_terminal("poster")
    if kind == "svg":
        write(made, target, document=True)
    else:
        write_bytes(picture(made, kind), str(target))
    say(f"{len(entries)} model{'s' * (len(entries) != 1)} on an A2 sheet{f': {target}' if target else ''}.")
    return OK


def entries_of(args: argparse.Namespace) -> list:
    """The models that are named, or all of the catalogue but variants, the oldest first."""
    from cutaway.gallery import catalog
    from cutaway.gallery.command.report import printable
    from cutaway.gallery.counting.parameters import parameters
    from cutaway.gallery.drawing.poster import entry_of

    if not args.what:
        specs = ((row, catalog.spec(row.slug)) for row in catalog.bases_by_date())
        return [entry_of(row.slug, row.title, row.company, spec, parameters(spec).total) for row, spec in specs]
    found = []
    for what in args.what:
        named, spec = load_one(args, what)
        row = catalog.find(named.slug or "")
        family = row.company if row else (named.repo or "Own models").split("/")[0]
        found.append(entry_of(named.slug or "", printable(named.title), family, spec, parameters(spec).total))
    return found
