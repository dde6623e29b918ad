"""An explainer -> the JavaScript that each of its bundles begins with: page, beat, widget alone, first pictures.

build/bundles.py gives these texts to esbuild; none of them is a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cutaway import explainers
from cutaway.explainers import beats_html

BEATS = ("answers", "captions", "goals", "controls")


def import_names(file: str, names: Iterable[str]) -> str:
    """An import of some names; nothing where there are none."""
    wanted = sorted(set(names))
    return f'import {{ {", ".join(wanted)} }} from "../kit/{file}.js";\n' if wanted else ""


def part_of(name: str) -> str:
    """The module of an explainer that a single file starts from: all of its widget, or the part that fits."""
    return "embedded" if (explainers.folder(name) / "embedded.js").is_file() else "widget"


def begin_entry(
    name: str, start: str, kinds: set[str], tools: set[str], figures: str, beats: tuple[str, ...], own_from="widget"
) -> str:
    """An entry that begins an explainer's page or one beat of it, with no more than it uses."""
    own = explainers.folder(name) / "beats.js"
    told = own.read_text("utf-8") if own.is_file() else ""
    parts = [part for part in beats if re.search(rf"^export const {part}\b", told, re.M)]
    shown = ", ".join([*(f"{part}: beats.{part}" for part in parts), *(["figures"] if figures else [])])
    lines = [
        import_names("controls", kinds),
        import_names("bets", tools),
        'import * as beats from "./beats.js";\n' if parts else "",
        figures,
        f'import * as own from "./{own_from}.js";\n',
        start,
    ]
    given = f"check: own.check, compute: own.compute, settle: own.settle, beats: {{ {shown} }}"
    return "".join(lines).replace(
        "EXPLAINER", f"{given}, controls: {{ {', '.join(sorted(kinds))} }}, tools: {{ {', '.join(sorted(tools))} }}"
    )


def kinds_of(one: explainers.Explainer) -> set[str]:
    """The kinds of controls that the beats of a page use."""
    rows = [*(one.controls or {}).values(), *(c for beat in one.beats for c in beat.controls if isinstance(c, dict))]
    own = explainers.folder(one.name) / "beats.js"
    made = re.findall(r'\bkind: "(\w+)"', own.read_text("utf-8")) if own.is_file() else []
    return {row["kind"] for row in rows} | set(made)


def page_entry(one: explainers.Explainer) -> str:
    """The script of /learn/<name>/."""
    start = 'import { beginPage } from "../kit/page.js";\nbeginPage({ widget: own.default, EXPLAINER });\n'
    tools = {beat.bet.kind for beat in one.beats if beat.bet}
    figures = 'import * as figures from "./figures.js";\n' if has_figures(one.name) else ""
    return begin_entry(one.name, start, kinds_of(one), tools, figures, BEATS)


def has_figures(name: str) -> bool:
    return (explainers.folder(name) / "figures.js").is_file()


def beat_entry(one: explainers.Explainer, n: int) -> str:
    """The script of /embed/<name>/beat-<n>/: one beat, its figure and its controls."""
    beat = one.beats[n - 1]
    start = 'import { beginBeat } from "../kit/embed-beat.js";\nbeginBeat({ EXPLAINER });\nimport "../kit/fit.js";\n'
    kinds = {kind for given in beat.controls if (kind := beats_html.control(one, given).get("kind"))}
    if len(kinds) < len(beat.controls):  # one of them is made by the page's own script
        kinds |= kinds_of(one)
    drawn = (
        beat.figure
        and has_figures(one.name)
        and re.search(rf"\b{beat.figure}\b", (explainers.folder(one.name) / "figures.js").read_text("utf-8"))
    )
    figures = (
        f'import {{ {beat.figure} }} from "./figures.js";\nconst figures = {{ {beat.figure} }};\n' if drawn else ""
    )
    return begin_entry(
        one.name, start, kinds, {beat.bet.kind} if beat.bet else set(), figures, ("answers", "captions", "controls"),
        part_of(one.name),
    )  # fmt: skip


def first_entry(one: explainers.Explainer) -> str:
    """What build/render.mjs runs: render(what explainers/first.py asks for) -> what a page has before its scripts."""
    start = (
        'import { renderFirst } from "../kit/first.js";\n'
        "export const render = (asked) => renderFirst({ widget: own.default, EXPLAINER }, asked);\n"
    )
    figures = 'import * as figures from "./figures.js";\n' if has_figures(one.name) else ""
    return begin_entry(one.name, start, set(), set(), figures, BEATS)


def lab_entry(one: explainers.Explainer) -> str:
    """The script of /embed/<name>/: the widget alone, or the part of it that fits into a single file."""
    given = "widget: own.default, check: own.check, settle: own.settle"
    return (
        f'import * as own from "./{part_of(one.name)}.js";\nimport {{ beginLab }} from "../kit/embed-lab.js";\n'
        f'beginLab({{ {given} }}, {len(one.beats)});\nimport "../kit/fit.js";\n'
    )
