"""The `cutaway` command: arguments -> text, JSON or SVG on standard output, or one sentence on standard error."""

from __future__ import annotations

import argparse
import datetime
import io
import json
import os
import re
import sys
from collections.abc import Sequence

from cutaway.gallery.command.arguments import UsageError, parser
from cutaway.gallery.command.hosting import ROOT, run_build, run_serve
from cutaway.gallery.command.named_model import SourceError
from cutaway.gallery.command.streams import finish, say, text_of, write
from cutaway.gallery.hub.repo_address import HubError
from cutaway.gallery.schema_version import VERSION
from cutaway.gallery.spec import ConfigError

OK, UNEXPECTED, USAGE, CONFIG, HUB, FILE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

# ---------------------------------------------------------------- commands


def _load_named(args: argparse.Namespace):
    from cutaway.gallery.command import named_model as source

    return source.load(args.what, args.revision, args.offline)


def _read_named(args: argparse.Namespace):
    """(what was named, its spec); with --edit the spec it would have, and a title that says so."""
    from cutaway import gallery
    from cutaway.gallery.editing.rules import EditError

    named, edits = _load_named(args), ",".join(args.edit)
    spec = gallery.read(named.config)
    try:
        made = gallery.edit(spec, edits) if edits else spec
    except EditError as wrong:
        raise UsageError(str(wrong)) from None
    if made is spec:
        return named, spec
    return named._replace(title=f"{named.title}, edited: {edits}", edited=True), made


def _print_heading(named) -> str:
    from cutaway.gallery.command.report import printable

    source = printable(named.source)
    return f"{printable(named.title)}\n{source[:1].upper()}{source[1:]}\n"


def _emit(args: argparse.Namespace, named, lines: list[str], data: object) -> int:
    if args.json:
        head = {
            "schema": VERSION,
            "model": named.title,
            "repo": named.repo,
            "revision": named.revision,
            "source": named.source,
        }
        body = data if isinstance(data, dict) else {"weights": data}
        write(json.dumps({**head, **body}, ensure_ascii=False, indent=1), args.output, document=True)
    else:
        write("\n".join([_print_heading(named), *lines]), args.output)
    return OK


def run_draw(args: argparse.Namespace) -> int:
    from cutaway import gallery
    from cutaway.gallery.command.named_model import lacks
    from cutaway.gallery.command.report import caveats, table

    named, spec = _read_named(args)
    title = text_of(args.title or named.title)
    options = {"dark": args.dark, "title": title, "width": "narrow" if args.narrow else "wide"}
    write(gallery.draw(spec, **options), args.output, document=True)
    say("\n".join([_print_heading(named).rstrip(), *table(caveats(spec, lacks(named, spec)))]))
    return OK


def run_facts(args: argparse.Namespace) -> int:
    from cutaway.gallery import catalog
    from cutaway.gallery.catalog import published as figures
    from cutaway.gallery.command import report
    from cutaway.gallery.command.named_model import lacks
    from cutaway.gallery.reading.dtypes import names_dtype

    named, spec = _read_named(args)
    copy = lacks(named, spec), names_dtype(named.config)
    lines, data = report.facts_lines(spec, *copy), report.facts_json(spec, *copy)
    row = catalog.find(named.repo or args.what)
    if row is not None and not args.edit:
        found = figures.compare(row, spec)
        data["published_contradicts"] = [one._asdict() for one in found]
        told = [(f"published {one.figure}", f"{one.published}, ours {one.ours}: {one.reason}") for one in found]
        lines += ["", *report.table(told)] if told else []
        data["links"] = row.links
        lines += ["", *report.table(row.links.items())] if row.links else []
    return _emit(args, named, lines, data)


def run_weights(args: argparse.Namespace) -> int:
    from cutaway.gallery.command import report

    named, spec = _read_named(args)
    if args.layer is not None and not 0 <= args.layer < spec.num_hidden_layers:
        raise UsageError(f"There is no layer {args.layer}: layers go from 0 to {spec.num_hidden_layers - 1}.")
    data = [w for w in report.weights_json(spec) if args.layer is None or w["layer"] == args.layer] if args.json else []
    return _emit(args, named, [] if args.json else report.weights_lines(spec, args.layer), data)


def run_memory(args: argparse.Namespace) -> int:
    from cutaway.gallery.command import report
    from cutaway.gallery.planning.layout_from_args import cache_format

    named, spec = _read_named(args)
    choices = {"cache_dtype": cache_format(args.cache_dtype), "batch": args.batch, "convention": args.convention}
    try:
        lines = report.memory_lines(spec, args.context, args.layers, **choices)
    except ConfigError:
        raise
    except ValueError as problem:  # an unknown cache dtype: the message lists the known ones
        raise UsageError(str(problem)) from None
    return _emit(args, named, lines, report.memory_json(spec, args.context, **choices) if args.json else {})


def run_plan(args: argparse.Namespace) -> int:
    from cutaway.gallery.command import plan_json, plan_words, planning, report
    from cutaway.gallery.command.named_model import lacks
    from cutaway.gallery.planning.planner_model import make_planner_model

    named, spec = _read_named(args)
    model = make_planner_model(spec)
    found, told = planning.make_plan(model, args), report.caveats(spec, lacks(named, spec))
    if args.json:
        return _emit(args, named, [], plan_json.as_json(model, found, named.page, args.sort, told))
    return _emit(args, named, plan_words.lines(model, found, told, args.sort if args.layouts else ""), {})


def run_snapshot(args: argparse.Namespace) -> int:
    from cutaway.gallery.catalog import snapshot

    named = _load_named(args)
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
    row = catalog.find(slug) or next((row for row in catalog.MODELS if row.repo == slug), None)
    if row is None:
        raise UsageError(
            f"No row of gallery/catalog/models.py is called {slug}, so no page would read its facts: add it first, "
            "or give --slug owner/name of one; -o FILE writes them elsewhere."
        )
    if row.config_of:
        raise UsageError(f"{row.slug} is drawn from the config of {row.config_of}: give --slug {row.config_of}.")
    return str(snapshot.path_of(row.slug))


# ---------------------------------------------------------------- the edge


COMMANDS = {
    "draw": run_draw,
    "facts": run_facts,
    "weights": run_weights,
    "memory": run_memory,
    "plan": run_plan,
    "serve": run_serve,
    "build": run_build,
    "snapshot": run_snapshot,
}


def _failure(error: Exception) -> tuple[int, str]:
    """(exit code, sentence) of what a command raised."""
    rows = ((UsageError, USAGE), (ConfigError, CONFIG), (HubError, HUB), (OSError, FILE))
    code = next((code for kind, code in rows if isinstance(error, kind)), UNEXPECTED)
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, OSError) and not isinstance(error, SourceError):
        text = f"{error.filename or 'a file'} cannot be used ({error.strerror or text})."
    if code == UNEXPECTED:
        text = f"a fault of ours, {type(error).__name__}: {text} (CUTAWAY_TRACEBACK=1 shows where)"
    return code, text


def _question(argv: Sequence[str] | None) -> int:
    grammar = parser()
    if not (sys.argv[1:] if argv is None else argv):
        say(grammar.format_help())
        return USAGE
    try:
        args = grammar.parse_args(argv)
    except SystemExit as told:  # help, the version, or what is wrong with the arguments has been printed
        return int(told.code or OK)
    return COMMANDS[args.command](args)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the return value is the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without Unicode gets "?", not a traceback
    try:
        code = _question(argv)
        finish()
        return code
    except BrokenPipeError:  # `| head` has seen enough: end quietly
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        code, text = _failure(error)
        if code == UNEXPECTED and os.environ.get("CUTAWAY_TRACEBACK"):
            raise
        say(f"cutaway: {text}")
        return code


if __name__ == "__main__":
    sys.exit(main())
