"""The grammar of the `cutaway` command: what may be typed, and the help that says so."""

from __future__ import annotations

import argparse
from typing import Any

from cutaway.gallery.command.examples import ABOUT, EXAMPLES, group_lines
from cutaway.gallery.command.grammar import (
    Parser,
    add_command,
    add_output,
    add_source,
    add_what,
    model_command,
    one_of,
)
from cutaway.gallery.command.listing_words import SORTS
from cutaway.gallery.command.plan_arguments import plan_command
from cutaway.gallery.command.values import contexts, index, port, positive, scale

DESCRIPTION = """\
See inside an open-weight language model: draw it, count it, and know what it keeps in memory.

MODEL is a Hub repo id (openai/gpt-oss-20b, openai/gpt-oss-20b@main), any Hub URL, a config.json or a
folder that holds one, or - for standard input."""

EPILOG = """\
exit codes:
  0 done   1 a fault of ours   2 wrong arguments   3 the config cannot be read
  4 the Hub does not give it   5 a file cannot be read or written   130 interrupted

environment:
  HF_TOKEN for gated repos, HF_ENDPOINT for another Hub, HF_HUB_OFFLINE=1 to use cache and snapshots only,
  NO_COLOR=1 for plain headings, CUTAWAY_USE_TOKEN=1 for serve --use-token, CUTAWAY_COLD=1 for a server that
  works nothing out before it is asked for

`cutaway COMMAND --help` says what a command takes, and ends with examples."""

SHELLS = ("bash", "zsh", "fish")


def _draw_command(commands: Any) -> None:
    draw = model_command(commands, "draw", "draw a model as a standalone SVG, as PNG or PDF", json_too=False)
    draw.add_argument("--dark", action="store_true", help="the dark theme")
    draw.add_argument("--narrow", action="store_true", help="the three parts stacked, for narrow pages")
    draw.add_argument("--title", help="the heading; default: the model's name")
    draw.add_argument(
        "--scale", type=scale, default=2.0, metavar="N", help="pixels of a PNG for each unit of the SVG (default 2)"
    )


def _poster_command(commands: Any) -> None:
    sheet = add_command(commands, "poster", ABOUT["poster"])
    add_what(sheet, nargs="*")
    add_source(sheet)
    add_output(sheet, json_too=False)
    sheet.add_argument("--dark", action="store_true", help="the dark theme")


def add_cache(parser: Any) -> None:
    """At which contexts a cache is counted, and in which format."""
    from cutaway.gallery.counting.kv_cache import STORAGES

    parser.add_argument(
        "--context", type=contexts, default="8k,128k,1M", metavar="N", help="tokens: 8192, 8k (8,192), or 8k,128k,1M"
    )
    packed = ", ".join(STORAGES)
    parser.add_argument(
        "--cache-dtype", default="bfloat16", metavar="D", help=f"a format such as fp8, float4_e2m1fn, or {packed}"
    )


def _memory_command(commands: Any) -> None:
    from cutaway.gallery.counting.kv_cache import CONVENTIONS

    kept = model_command(commands, "memory", ABOUT["memory"])
    add_cache(kept)
    kept.add_argument("--batch", type=positive, default=1, metavar="N", help="sequences at once (default 1)")
    kept.add_argument(
        "--convention", default="window", help="what a window keeps between steps", **one_of(list(CONVENTIONS))
    )
    kept.add_argument("--layers", action="store_true", help="layer by layer too")


def _flops_command(commands: Any) -> None:
    work = model_command(commands, "flops", ABOUT["flops"])
    work.add_argument(
        "--context", type=contexts, default="8k,128k", metavar="N", help="tokens: 8192, 8k (8,192), or 8k,128k"
    )
    work.add_argument("--prefill", action="store_true", help="the whole prompt instead of the token after it")


def _compare_command(commands: Any) -> None:
    compare = add_command(commands, "compare", ABOUT["compare"])
    add_what(compare, nargs="+")
    add_source(compare)
    add_output(compare)
    add_cache(compare)
    compare.add_argument(
        "--svg", metavar="FILE", help="also draw towers, blocks and differences; .png and .pdf too, as with -o"
    )
    compare.add_argument("--dark", action="store_true", help="the dark theme")
    compare.add_argument("--scale", type=scale, default=2.0, metavar="N", help="pixels of a PNG for each unit")


def _list_command(commands: Any) -> None:
    listed = add_command(commands, "list", ABOUT["list"])
    listed.add_argument(
        "words",
        metavar="WORD",
        nargs="*",
        help="what a name, a company, a year or a mechanism begins with: qwen, moe, mla, 2025; all must hold",
    )
    listed.add_argument("--sort", default="date", help="by which column (default: date)", **one_of(list(SORTS)))
    add_output(listed)


def _serve_command(commands: Any) -> None:
    serve = add_command(commands, "serve", ABOUT["serve"])
    serve.add_argument("--port", type=port, default=5006)
    serve.add_argument("--address", default="127.0.0.1")
    serve.add_argument(
        "--allow-websocket-origin",
        action="append",
        default=[],
        metavar="HOST",
        help="another name it goes by, such as cutaway.example.org; may be given again",
    )
    serve.add_argument(
        "--use-token", action="store_true", help="lend the Hub token of this machine to visitors from elsewhere too"
    )


def _build_command(commands: Any) -> None:
    build = add_command(commands, "build", ABOUT["build"])
    build.add_argument("--out", metavar="DIR", help="default: _site")
    build.add_argument("--base", metavar="URL", help="where it will be hosted: sitemap, feed, the 404 page")


def _snapshot_command(commands: Any) -> None:
    snap = model_command(commands, "snapshot", ABOUT["snapshot"], json_too=False, edit=False)
    snap.add_argument("--reconstructed", action="store_true", help="the file is not the Hub's own")
    snap.add_argument("--slug", help="owner/name of a row of the catalogue; default: the repo id or the file's name")


def parser() -> Parser:
    """The command line's grammar; help lists the commands by what they are for."""
    raw = argparse.RawDescriptionHelpFormatter
    shown = "\n".join(["examples:", *(f"  {rows[0][0]}" for rows in EXAMPLES.values())])
    epilog = "\n".join([*group_lines(), shown, "", EPILOG])
    top = Parser("cutaway", usage="cutaway COMMAND ...", description=DESCRIPTION, epilog=epilog, formatter_class=raw)
    top.add_argument("--version", action="version", version=f"cutaway {_version()}")
    commands = top.add_subparsers(
        prog="cutaway", dest="command", metavar="COMMAND", required=True, help=argparse.SUPPRESS
    )
    _draw_command(commands)
    _poster_command(commands)
    model_command(commands, "facts", ABOUT["facts"])
    listed = model_command(commands, "weights", ABOUT["weights"])
    listed.add_argument("--layer", type=index, metavar="N", help="only this layer")
    _memory_command(commands)
    _flops_command(commands)
    _compare_command(commands)
    model_command(commands, "lineage", ABOUT["lineage"])
    plan_command(commands)
    _list_command(commands)
    _serve_command(commands)
    _build_command(commands)
    add_command(commands, "completion", ABOUT["completion"]).add_argument("shell", metavar="SHELL", **one_of(SHELLS))
    _snapshot_command(commands)
    top.commands = commands.choices
    return top


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("cutaway")
    except PackageNotFoundError:
        return "(not installed)"
