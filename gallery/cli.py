"""The `cutaway` command: arguments -> text, JSON or SVG on standard output, or one sentence on standard error."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gallery.address import HubError
from gallery.spec import ConfigError

OK, UNEXPECTED, USAGE, CONFIG, HUB, FILE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
ROOT = Path(__file__).resolve().parent.parent

DESCRIPTION = """\
See inside an open-weight language model: draw it, count it, and know what it keeps in memory.

WHAT is a Hub repo id (openai/gpt-oss-20b, openai/gpt-oss-20b@main), any Hub URL, a config.json or a
folder that holds one, or - for standard input."""

EPILOG = """\
examples:
  cutaway draw deepseek-ai/DeepSeek-V3 -o v3.svg        the whole model as one SVG
  cutaway draw ./config.json --dark > mine.svg          a config of your own; nothing is uploaded
  cutaway facts openai/gpt-oss-20b                      the fact sheet
  cutaway facts Qwen/Qwen3-8B --json | jq .parameters   the same for programs
  cutaway weights Qwen/Qwen3-8B --layer 0               every tensor of one layer
  cutaway memory google/gemma-3-27b-it --context 8k,128k --cache-dtype float8_e4m3fn
  curl -s $URL | cutaway facts -                        from standard input
  cutaway snapshot mistralai/Mixtral-8x7B-v0.1          add a model to the catalogue
  cutaway serve                                         the site and the live app on this machine

exit codes:
  0 done   1 a fault of ours   2 wrong arguments   3 the config cannot be read
  4 the Hub does not give it   5 a file cannot be read or written   130 interrupted

environment:
  HF_TOKEN for gated repos, HF_ENDPOINT for another Hub, HF_HUB_OFFLINE=1 to use cache and snapshots only"""


# ---------------------------------------------------------------- arguments


def contexts(text: str) -> list[int]:
    """ "8k,128k,1M" -> token counts; k and M are powers of 1,024."""
    found = []
    for piece in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,15})\s*([kKmM]?)\s*", piece)
        if not match:
            raise argparse.ArgumentTypeError(
                f"{piece!r} is no number of tokens: give 8192, 8k, 128k or 1M, with commas"
            )
        found.append(int(match[1]) * {"": 1, "k": 1024, "m": 1024**2}[match[2].lower()])
    return found


def _positive(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _model_command(commands, name: str, run: Callable, words: str, json_too: bool = True) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
    parser.add_argument("what", metavar="WHAT", help="repo id, Hub URL, path, or -")
    parser.add_argument("--revision", help="branch, tag or commit on the Hub")
    parser.add_argument("--offline", action="store_true", help="use the catalogue's snapshot, ask nobody")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to standard output")
    if json_too:
        parser.add_argument("--json", action="store_true", help="JSON for programs")
    parser.set_defaults(run=run)
    return parser


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    from gallery.kept import CONVENTIONS, STORAGES

    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser("cutaway", description=DESCRIPTION, epilog=EPILOG, formatter_class=raw)
    top.add_argument("--version", action="version", version=f"cutaway {_version()}")
    commands = top.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    draw = _model_command(commands, "draw", run_draw, "draw a model as a standalone SVG", json_too=False)
    draw.add_argument("--dark", action="store_true", help="the dark theme")
    draw.add_argument("--narrow", action="store_true", help="the three parts stacked, for narrow pages")
    draw.add_argument("--title", help="the heading; default: the model's name")
    _model_command(commands, "facts", run_facts, "print layers, parameters, memory, and what was not read")
    listed = _model_command(commands, "weights", run_weights, "list every weight tensor: checkpoint name, shape, part")
    listed.add_argument("--layer", type=int, metavar="N", help="only this layer")
    kept = _model_command(commands, "memory", run_memory, "print what decoding keeps: KV cache and states, in bytes")
    kept.add_argument(
        "--context", type=contexts, default="8k,128k,1M", metavar="N", help="tokens: 8192, 8k (8,192), or 8k,128k,1M"
    )
    packed = ", ".join(STORAGES)
    kept.add_argument(
        "--cache-dtype", default="bfloat16", metavar="D", help=f"a format such as float8_e4m3fn, or {packed}"
    )
    kept.add_argument("--batch", type=_positive, default=1, metavar="N", help="sequences at once (default 1)")
    kept.add_argument(
        "--convention", choices=list(CONVENTIONS), default="window", help="what a window keeps between steps"
    )
    kept.add_argument("--layers", action="store_true", help="layer by layer too")
    serve = commands.add_parser("serve", help="serve the site and the live app on this machine")
    serve.add_argument("--port", type=_positive, default=5006)
    serve.add_argument("--address", default="127.0.0.1")
    serve.set_defaults(run=run_serve)
    build = commands.add_parser("build", help="write the static site")
    build.add_argument("--out", metavar="DIR", help="default: _site")
    build.set_defaults(run=run_build)
    snap = _model_command(commands, "snapshot", run_snapshot, "write a model's facts for the catalogue", json_too=False)
    snap.add_argument("--reconstructed", action="store_true", help="the file is not the Hub's own")
    snap.add_argument("--slug", help="owner/name of the catalogue row; default: the repo id or the file's name")
    return top


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("cutaway")
    except PackageNotFoundError:
        return "(not installed)"


# ---------------------------------------------------------------- commands


def _named(args: argparse.Namespace):
    from gallery import source

    return source.load(args.what, args.revision, args.offline)


def _write(text: str, output: str | None) -> None:
    text = text if text.endswith("\n") else text + "\n"
    if output is None or output == "-":
        sys.stdout.write(text)
        return
    path = Path(output)
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        from gallery.source import SourceError

        raise SourceError(f"{path} cannot be written: {error.strerror}.") from None


def _heading(named) -> str:
    from gallery.report import printable

    source = printable(named.source)
    return f"{printable(named.title)}\n{source[:1].upper()}{source[1:]}\n"


def _emit(args: argparse.Namespace, named, lines: list[str], data: object) -> int:
    if args.json:
        head = {"model": named.title, "repo": named.repo, "revision": named.revision, "source": named.source}
        body = data if isinstance(data, dict) else {"weights": data}
        _write(json.dumps({**head, **body}, ensure_ascii=False, indent=1), args.output)
    else:
        _write("\n".join([_heading(named), *lines]), args.output)
    return OK


def run_draw(args: argparse.Namespace) -> int:
    import gallery
    from gallery.report import caveats, table

    named = _named(args)
    spec = gallery.read(named.config)
    options = {"dark": args.dark, "title": args.title or named.title, "width": "narrow" if args.narrow else "wide"}
    _write(gallery.draw(spec, **options), args.output)
    for line in [f"{named.title}, from {named.source}", *table(caveats(spec))]:
        print(line, file=sys.stderr)
    return OK


def run_facts(args: argparse.Namespace) -> int:
    import gallery
    from gallery import catalog, figures, report

    named = _named(args)
    spec = gallery.read(named.config)
    lines, data = report.facts_lines(spec), report.facts_json(spec)
    row = catalog.find(named.repo or args.what)
    if row is not None:
        found = figures.compare(row, spec)
        data["published_contradicts"] = [one._asdict() for one in found]
        told = [(f"published {one.figure}", f"{one.published}, ours {one.ours}: {one.reason}") for one in found]
        lines += ["", *report.table(told)] if told else []
        data["links"] = row.links
        lines += ["", *report.table(row.links.items())] if row.links else []
    return _emit(args, named, lines, data)


def run_weights(args: argparse.Namespace) -> int:
    import gallery
    from gallery import report

    named = _named(args)
    spec = gallery.read(named.config)
    if args.layer is not None and not 0 <= args.layer < spec.num_hidden_layers:
        raise UsageError(f"There is no layer {args.layer}: layers go from 0 to {spec.num_hidden_layers - 1}.")
    data = [w for w in report.weights_json(spec) if args.layer is None or w["layer"] == args.layer] if args.json else []
    return _emit(args, named, [] if args.json else report.weights_lines(spec, args.layer), data)


def run_memory(args: argparse.Namespace) -> int:
    import gallery
    from gallery import report

    named = _named(args)
    spec = gallery.read(named.config)
    choices = {"cache_dtype": args.cache_dtype, "batch": args.batch, "convention": args.convention}
    try:
        lines = report.memory_lines(spec, args.context, args.layers, **choices)
    except ConfigError:
        raise
    except ValueError as problem:  # an unknown cache dtype: the message lists the known ones
        raise UsageError(str(problem)) from None
    return _emit(args, named, lines, report.memory_json(spec, args.context, **choices) if args.json else {})


def run_snapshot(args: argparse.Namespace) -> int:
    from gallery import snapshot

    named = _named(args)
    kind = "reconstructed" if args.reconstructed else "file" if named.kind == "file" else "hub"
    if named.kind == "snapshot":
        raise HubError("offline", f"A snapshot is not made from a snapshot. {named.source}")
    slug = args.slug or named.repo or named.title
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", slug):
        raise UsageError(f"{slug!r} is no slug: give --slug owner/name.")
    today = datetime.date.today().isoformat()
    made = snapshot.dumps(snapshot.snapshot(named.config, kind, today, named.repo, revision=named.revision))
    target = args.output or str(snapshot.path_of(slug))
    _write(made, target)
    if target != "-":
        print(
            f"{target} written ({len(made.encode()):,} bytes). Add or check its row in gallery/models.py.",
            file=sys.stderr,
        )
    return OK


def run_serve(args: argparse.Namespace) -> int:
    if not (ROOT / "app" / "app_hooks.py").exists():
        raise UsageError(
            "The app is not installed here: pip install cutaway, or clone the repository and run make serve."
        )
    command = [sys.executable, "-m", "panel", "serve", "app/", "--address", args.address, "--port", str(args.port)]
    print(f"http://{args.address}:{args.port}/ (Ctrl-C stops)", file=sys.stderr)
    return subprocess.call(command, cwd=ROOT)


def run_build(args: argparse.Namespace) -> int:
    script = ROOT / "build" / "site.py"
    if not script.exists():
        raise UsageError(
            "This installation has no build scripts; they are in the repository: clone it and run python build/site.py."
        )
    more = ["--out", str(Path(args.out).resolve())] if args.out else []
    return subprocess.call([sys.executable, str(script), *more], cwd=ROOT)


# ---------------------------------------------------------------- the edge


class UsageError(Exception):
    """Arguments that fit the grammar but not the model: one sentence."""


def _failure(error: Exception) -> int:
    from gallery.source import SourceError

    rows = ((UsageError, USAGE), (ConfigError, CONFIG), (HubError, HUB), (SourceError, FILE))
    return next((code for kind, code in rows if isinstance(error, kind)), UNEXPECTED)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the return value is the exit code."""
    args = parser().parse_args(argv)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal without Unicode gets "?", not a traceback
    try:
        code = args.run(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # `| head` has seen enough: end quietly, and keep Python's exit from flushing again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        code = _failure(error)
        if code == UNEXPECTED and os.environ.get("CUTAWAY_TRACEBACK"):
            raise
        text = " ".join(str(error).split()) or type(error).__name__
        if code == UNEXPECTED:
            text = f"a fault of ours, {type(error).__name__}: {text} (CUTAWAY_TRACEBACK=1 shows where)"
        print(f"cutaway: {text}", file=sys.stderr)
        return code


if __name__ == "__main__":
    sys.exit(main())
