"""Every script that esbuild bundles: which entries it starts from, and the options that they share."""

from __future__ import annotations

import json
import re
from typing import Any

from cutaway import explainers
from cutaway.app.embed.frames import BEAT_HEIGHTS
from cutaway.app.first import SCRIPTS
from cutaway.app.site import ROOT
from cutaway.explainers import entries

Entries = dict[str, dict[str, str]]


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
    frames |= {"js/fit": {"file": "./explainers/kit/fit.js"}}
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
    """The scripts that templates ask for as modules: load_module('js/<name>.js'), and the workbench's."""
    asked = [path.read_text("utf-8") for path in sorted((ROOT / "app").rglob("*.html"))]
    asked += [path.read_text("utf-8") for path in sorted((ROOT / "app").rglob("*.py"))]
    found = {name for text in asked for name in re.findall(r"""(?:asset|load_module)\(['"]js/([\w-]+)\.js""", text)}
    return sorted(found)
