"""JavaScript written in a test -> one module with what it imports, for running single functions in an empty page."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

from cutaway import explainers
from cutaway.app.making.bundle_jobs import folder_of
from cutaway.app.making.node import find_node, install
from cutaway.explainers import entries

ROOT = Path(__file__).resolve().parent.parent


@cache
def maker() -> ModuleType:
    """build/bundles.py: build/ holds scripts and is no package."""
    spec = importlib.util.spec_from_file_location("build_bundles", ROOT / "build" / "bundles.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@cache
def bundled(source: str, folder: str = "explainers") -> str:
    """An entry's text, with its imports looked up from a folder of the checkout -> one ES module."""
    return sent({"entries": {"module": {"text": source, "dir": folder}}, "options": {"format": "esm"}}, "module.js")


def sent(job: dict, file: str) -> str:
    """One file of a job for build/bundle.mjs."""
    node = find_node()
    install(node)
    with tempfile.TemporaryDirectory() as out:
        asked = json.dumps({"root": str(ROOT), "outdir": out, "jobs": [job]})
        ran = subprocess.run([node, "build/bundle.mjs"], cwd=ROOT, input=asked, capture_output=True, text=True)
        assert not ran.returncode, ran.stderr
        return (Path(out) / file).read_text("utf-8")


@cache
def explainer(name: str) -> str:
    """Everything that an explainer's modules export, its widget as the default, its beats as `beats`."""
    folder = explainers.folder(name)
    files = sorted(path.name for path in folder.glob("*.js"))
    lines = [f'export * from "./{file}";' for file in files if file not in ("beats.js", "figures.js", "worker.js")]
    lines += ['export { default } from "./widget.js";']
    lines += [
        f'import * as {file.removesuffix(".js")} from "./{file}";'
        for file in files
        if file in ("beats.js", "figures.js")
    ]
    figures = "figures" if "figures.js" in files else "figures: {}"
    lines += [f"const told = {{ ...beats, {figures} }};\nexport {{ told as beats }};"] if "beats.js" in files else []
    return bundled("\n".join(lines), f"explainers/{folder.name}")


@cache
def kit() -> str:
    """The modules of the kit that need no page of ours, as one object `kit`."""
    parts = (
        "arrays",
        "dom",
        "model",
        "numbers",
        "controls",
        "time",
        "mesh",
        "schedules",
        "network",
        "bet-words",
        "bets",
        "first-words",
        "first-bets",
        "first-scale",
    )
    lines = [f'import * as part{i} from "./{part}.js";' for i, part in enumerate(parts)]
    lines.append(f"export const kit = {{ {', '.join(f'...part{i}' for i in range(len(parts)))} }};")
    return bundled("\n".join(lines), "explainers/kit")


def minified(name: str) -> str:
    """The script of an explainer's page as its sources are now."""
    one = explainers.load(name)
    job = {"entries": {"page": {"text": entries.page_entry(one), "dir": f"explainers/{explainers.folder(name).name}"}}}
    return sent(job | {"options": {"format": "esm", "minify": True}}, "page.js")


def worker(name: str) -> str:
    """What runs beside an explainer's page, as its sources are now."""
    file = f"./explainers/{explainers.folder(name).name}/worker.js"
    return sent({"entries": {"worker": {"file": file}}, "options": {"format": "iife", "minify": True}}, "worker.js")


def of_feature(file: str, text: str = 'export * from "./{}";') -> str:
    """A module of app/, by its file's name, as one script."""
    return bundled(text.format(file), folder_of(file.removesuffix(".js")))


def serve_modules(page, *names: str) -> None:
    """Modules of the features under /assets/js/, where a page has them bundled: a test imports them by their names."""

    def served(body: str):
        return lambda route: route.fulfill(content_type="text/javascript", body=body)

    for name in names:
        page.route(f"**/assets/js/{name}", served(of_feature(name)))
