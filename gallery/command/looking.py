"""The commands about models: arguments -> text, JSON or a picture."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from cutaway.gallery.command.grammar import UsageError
from cutaway.gallery.command.named_model import Named
from cutaway.gallery.command.streams import say, text_of, write, write_bytes
from cutaway.gallery.hub.repo_address import HubError
from cutaway.gallery.schema_version import VERSION
from cutaway.gallery.spec import ConfigError, ModelSpec

OK = 0


def load_named(args: argparse.Namespace, what: str | None = None) -> Named:
    """The config of the model that the arguments name."""
    from cutaway.gallery.command import named_model

    return named_model.load(args.what if what is None else what, args.revision, args.offline)


def read_named(args: argparse.Namespace) -> tuple[Named, ModelSpec]:
    """(what was named, its spec); with --edit the spec it would have, and a title that says so."""
    from cutaway import gallery
    from cutaway.gallery.editing.rules import EditError

    named, edits = load_named(args), ",".join(args.edit)
    spec = gallery.read(named.config)
    try:
        made = gallery.edit(spec, edits) if edits else spec
    except EditError as wrong:
        raise UsageError(str(wrong)) from None
    if made is spec:
        return named, spec
    return named._replace(title=f"{named.title}, edited: {edits}", edited=True), made


def heading(named: Named, plain: bool = True) -> str:
    """The model's name, and where its config is from; the name in bold, unless it is to be plain."""
    from cutaway.gallery.command.colour import bold
    from cutaway.gallery.command.report import printable

    title, source = printable(named.title), printable(named.source)
    return f"{title if plain else bold(title)}\n{source[:1].upper()}{source[1:]}\n"


def emit(args: argparse.Namespace, named: Named, lines: list[str], data: object) -> int:
    """What a command found, for people or as JSON."""
    if args.json:
        head = {"model": named.title, "repo": named.repo, "revision": named.revision, "source": named.source}
        body = data if isinstance(data, dict) else {"weights": data}
        emit_json({**head, **body}, args.output)
    else:
        write("\n".join([heading(named, bool(args.output)), *lines]), args.output)
    return OK


def emit_json(data: dict, output: str | None) -> None:
    """JSON for programs, after the version of its schema."""
    write(json.dumps({"schema": VERSION, **data}, ensure_ascii=False, indent=1), output, document=True)


def run_draw(args: argparse.Namespace) -> int:
    from cutaway import gallery
    from cutaway.gallery.command.named_model import lacks
    from cutaway.gallery.command.pictures import kind_of, picture
    from cutaway.gallery.command.report import caveats, table

    kind = kind_of(args.output or "")
    named, spec = read_named(args)
    title = text_of(args.title or named.title)
    options = {"dark": args.dark, "title": title, "width": "narrow" if args.narrow else "wide"}
    made, target = gallery.draw(spec, **options), args.output or file_for_terminal(named.title)
    if kind == "svg":
        write(made, target, document=True)
    else:
        write_bytes(picture(made, kind, args.scale), str(target))
    told = table(caveats(spec, lacks(named, spec)))
    say("\n".join([heading(named).rstrip(), *told, *([f"Written: {target}"] if target and not args.output else [])]))
    return OK


def file_for_terminal(title: str) -> str | None:
    """Where a drawing goes that nobody named a file for: a new .svg here if it would go to a terminal, else None."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    name = re.sub(r"[^\w.+-]+", "-", text_of(title)).strip("-.")[:80] or "model"
    names = (f"{name}{f'-{number}' if number > 1 else ''}.svg" for number in range(1, 1000))
    return next((one for one in names if not Path(one).exists()), f"{name}.svg")


def run_facts(args: argparse.Namespace) -> int:
    from cutaway.gallery import catalog
    from cutaway.gallery.catalog import published as figures
    from cutaway.gallery.command import report
    from cutaway.gallery.command.named_model import lacks
    from cutaway.gallery.reading.dtypes import names_dtype

    named, spec = read_named(args)
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
    return emit(args, named, lines, data)


def run_weights(args: argparse.Namespace) -> int:
    from cutaway.gallery.command import report

    named, spec = read_named(args)
    if args.layer is not None and not 0 <= args.layer < spec.num_hidden_layers:
        raise UsageError(f"There is no layer {args.layer}: layers go from 0 to {spec.num_hidden_layers - 1}.")
    data = [w for w in report.weights_json(spec) if args.layer is None or w["layer"] == args.layer] if args.json else []
    return emit(args, named, [] if args.json else report.weights_lines(spec, args.layer), data)


def run_memory(args: argparse.Namespace) -> int:
    from cutaway.gallery.command import report
    from cutaway.gallery.planning.layout_from_args import cache_format

    named, spec = read_named(args)
    choices = {"cache_dtype": cache_format(args.cache_dtype), "batch": args.batch, "convention": args.convention}
    try:
        lines = report.memory_lines(spec, args.context, args.layers, **choices)
    except ConfigError:
        raise
    except ValueError as problem:  # an unknown cache dtype: the message lists the known ones
        raise UsageError(str(problem)) from None
    return emit(args, named, lines, report.memory_json(spec, args.context, **choices) if args.json else {})


def run_flops(args: argparse.Namespace) -> int:
    from cutaway.gallery.command.flops_words import flops_json, flops_lines

    named, spec = read_named(args)
    asked = spec, args.context, args.prefill
    return emit(args, named, [] if args.json else flops_lines(*asked), flops_json(*asked) if args.json else {})


def run_compare(args: argparse.Namespace) -> int:
    """Words or JSON; a picture where -o or --svg names a file of one."""
    from cutaway.gallery.command import compare_words as told
    from cutaway.gallery.command.report import printable
    from cutaway.gallery.planning.layout_from_args import cache_format

    if not told.LEAST <= len(args.what) <= told.MOST:
        raise UsageError(f"A comparison takes {told.LEAST} to {told.MOST} models, not {len(args.what)}.")
    if args.what.count("-") > 1:
        raise UsageError("Standard input holds one config: give a file for the others.")
    found = [load_one(args, what) for what in args.what]
    models = [(printable(named.title), spec) for named, spec in found]
    drawn = (args.output or "").lower().endswith(PICTURES) and not args.json
    asked = args.context, cache_format(args.cache_dtype)
    try:
        data = told.compare_json(models, *asked) if args.json else {}
        lines = [] if args.json or drawn else [*told.compare_lines(models), "", *told.cache_lines(models, *asked)]
    except ConfigError:
        raise
    except ValueError as problem:  # an unknown cache dtype: the message lists the known ones
        raise UsageError(str(problem)) from None
    for target in filter(None, (args.svg, args.output if drawn else None)):
        write_comparison(models, target, args)
    if args.json:
        emit_json({**data, "sources": [named.source for named, _ in found]}, args.output)
    elif not drawn:
        write("\n".join(lines), args.output)
    return OK


PICTURES = (".svg", ".png", ".pdf")


def write_comparison(models: list[tuple[str, ModelSpec]], target: str, args: argparse.Namespace) -> None:
    """Towers, blocks and differences side by side, as a file of the kind that its ending says."""
    from cutaway.gallery.command.pictures import kind_of, picture
    from cutaway.gallery.drawing.side_by_side import draw_comparison

    kind = kind_of(target)
    write_bytes(picture(draw_comparison(models, args.dark), kind, args.scale), target)
    say(f"Written: {target}")


def load_one(args: argparse.Namespace, what: str) -> tuple[Named, ModelSpec]:
    """One of several models; what is wrong with it names it."""
    from cutaway import gallery

    try:
        named = load_named(args, what)
        return named, gallery.read(named.config)
    except HubError as error:
        raise HubError(error.kind, f"{what[:80]}: {error}") from None
    except ConfigError as error:
        raise ConfigError(f"{what[:80]}: {error}") from None


def run_lineage(args: argparse.Namespace) -> int:
    from cutaway.gallery.command.lineage_words import find_kin, lineage_json, lineage_lines

    named, spec = read_named(args)
    kin = find_kin(spec, named.title, named.page)
    return emit(args, named, lineage_lines(kin), lineage_json(kin))


def run_plan(args: argparse.Namespace) -> int:
    from cutaway.gallery.command import plan_json, plan_words, planning, report
    from cutaway.gallery.command.named_model import lacks
    from cutaway.gallery.planning.planner_model import make_planner_model

    named, spec = read_named(args)
    model = make_planner_model(spec)
    found, told = planning.make_plan(model, args), report.caveats(spec, lacks(named, spec))
    if args.json:
        return emit(args, named, [], plan_json.as_json(model, found, named.page, args.sort, told))
    return emit(args, named, plan_words.lines(model, found, told, args.sort if args.layouts else ""), {})
