"""`cutaway serve` and `cutaway build`: what stands beside this package, run in the command's own process."""

from __future__ import annotations

import argparse
import importlib.util
import os
import runpy
import socket
import sys
from pathlib import Path

from cutaway.gallery.command.grammar import UsageError
from cutaway.gallery.command.streams import say

OK = 0
ROOT = Path(__file__).resolve().parents[2]  # the checkout, or in a wheel the package


def run_serve(args: argparse.Namespace) -> int:
    if not (ROOT / "app" / "app_hooks.py").exists():
        raise UsageError(
            "The app is not installed here: pip install cutaway, or clone the repository and run make serve."
        )
    _free(args.address, args.port)
    # In this process, so that a signal to the command is one to the server, and nobody is left behind.
    hosts = [word for host in args.allow_websocket_origin for word in ("--allow-websocket-origin", host)]
    sys.argv = ["panel", "serve", str(ROOT / "app"), "--address", args.address, "--port", str(args.port), *hosts]
    if args.use_token:
        os.environ["CUTAWAY_USE_TOKEN"] = "1"
    say(f"http://{args.address}:{args.port}/ (Ctrl-C stops)")
    runpy.run_module("panel", run_name="__main__")
    return OK


def _free(address: str, port: int) -> None:
    """UsageError where nobody can listen at the address."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as asked:
            asked.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            asked.bind(where)
    except (OSError, OverflowError, UnicodeError) as problem:
        reason = getattr(problem, "strerror", None) or "no port or host goes by it"
        raise UsageError(f"{address}:{port} cannot be served ({reason}): give another --port or --address.") from None


def run_build(args: argparse.Namespace) -> int:
    script = ROOT / "build" / "site.py"
    if not script.exists():
        raise UsageError(
            "This installation has no build scripts; they are in the repository: clone it and run python build/site.py."
        )
    # By its path: "build" is the name of a package that many have installed.
    spec = importlib.util.spec_from_file_location("cutaway_build_site", script)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    more = ["--base", args.base] if args.base else []
    return made.main(["--out", str(Path(args.out or "_site").resolve()), *more])
