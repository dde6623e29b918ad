"""Explainers: a folder becomes words, a reference, one import-free module and its style.

    explainers/<name>/page.md       front matter and words
    explainers/<name>/reference.py  the truth, in numpy
    explainers/<name>/widget.js     written against kit.js
    explainers/<name>/widget.css    every selector starts with .cw-<name>

A module shares code by concatenation: kit.js, kit-controls.js, kit-time.js, then the folder's own files. So one text
runs unchanged in a page, in Panel, in a file opened from disk and in a notebook.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from explainers import permalink, shake
from explainers.beats import KINDS, Beat, Goal, parse

HERE = Path(__file__).parent
GROUPS = {"formats": "Number formats", "attention": "Attention", "parallelism": "Parallelism"}
FILES = ("page.md", "reference.py", "widget.js", "widget.css")
MORE = "<!--more-->"
KIT = ("kit.js", "kit-controls.js", "kit-time.js")
EXPORT = re.compile(r"^export (?=(async )?(function|const|let|class)\b)", re.M)
MACHINE = ("kit-bets.js", "kit-beats.js", "kit-told.js")  # what makes beats live


class Explainer(NamedTuple):
    """One explainer's words; `html` is the rendered body of page.md."""

    name: str
    title: str
    short: str  # a few words, for lists of links
    group: str
    order: int
    summary: str
    sources: tuple[str, ...]
    next: tuple[str, ...]
    models: tuple[dict[str, str], ...]  # model pages it leads back to: {"slug", "words"}
    heights: dict[int, int]  # of the embed, in CSS pixels: {from this width on: so tall}
    js: tuple[str, ...]
    html: str
    beats: tuple[Beat, ...]
    goals: tuple[Goal, ...]
    controls: dict[str, dict[str, Any]] | None = None  # of beats, by name: what kit-controls.js takes, and `kind`
    subject: str = "full"  # the role whose colour the page's answers have


def folder(name: str) -> Path:
    """The folder of an explainer; a LookupError names the ones there are."""
    if name not in names():
        raise LookupError(f"There is no explainer “{name}”. There are: {', '.join(names())}.")
    return HERE / name


def names() -> tuple[str, ...]:
    """Every folder with the four files, in reading order: group, then order, then name."""
    whole = (page.parent for page in HERE.glob("*/page.md") if all((page.parent / file).is_file() for file in FILES))
    return _ordered(tuple(sorted(path.name for path in whole)))


@cache
def _ordered(found: tuple[str, ...]) -> tuple[str, ...]:
    groups = list(GROUPS)
    return tuple(sorted(found, key=lambda name: (groups.index(load(name).group), load(name).order, name)))


@cache
def load(name: str) -> Explainer:
    """The words of an explainer: front matter checked, body rendered."""
    import frontmatter

    page = frontmatter.load(str(HERE / name / "page.md"))
    told = parse(page.content, f"explainers/{name}/page.md")
    if not told.beats:
        raise ValueError(f"explainers/{name}/page.md: no `::: beat` was found; a page has 4 to 6 (CONTRIBUTING.md).")
    try:
        if page["group"] not in GROUPS:
            raise KeyError("group")
        return Explainer(
            name=name,
            title=page["title"],
            short=page.get("short", page["title"]),
            group=page["group"],
            order=int(page.get("order", 99)),
            summary=" ".join(page["summary"].split()),
            sources=tuple(page["sources"]),
            next=tuple(page.get("next", ())),
            models=tuple(page.get("models", ())),
            heights={int(width): int(height) for width, height in page.get("heights", {320: 900}).items()},
            js=tuple(page.get("js", ("widget.js",))),
            html=markdown(told.prose),
            beats=told.beats,
            goals=told.goals,
            controls={key: {"key": key, **row} for key, row in page.get("controls", {}).items()},
            subject=page.get("subject", "full"),
        )
    except KeyError as missing:
        raise ValueError(f"explainers/{name}/page.md: front matter lacks a good {missing}.") from None


def markdown(text: str) -> str:
    """Markdown with $math$ -> HTML with MathML; raw HTML in the text stays text."""
    from latex2mathml.converter import convert
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def render(latex: str, options: dict[str, Any]) -> str:
        return convert(latex, display="block" if options["display_mode"] else "inline")

    return (
        MarkdownIt("commonmark", {"html": False}).enable("table").use(dollarmath_plugin, renderer=render).render(text)
    )


def script(name: str) -> str:
    """The explainer's own JavaScript, its files in the order of the front matter."""
    return "\n".join((folder(name) / file).read_text("utf-8") for file in load(name).js)


def page_script(name: str) -> str:
    """What only the page loads: beats.js, with `export const beats = {answers, captions, goals, figures}`."""
    own = folder(name) / "beats.js"
    return own.read_text("utf-8") if own.is_file() else ""


def page_module(name: str) -> str:
    """The module of the page: the widget's, the beats' own part, and the kit for kit-beats.js."""
    calls = f"{kit_text(*MACHINE)} {controls_of(name)}"
    whole = "\n".join((kit_text(*KIT), script(name), page_script(name)))
    return shake.packed(shake.reached(whole, calls_of("kit", calls))) + "\nexport { kit };\n"


def controls_of(name: str) -> str:
    """kit.slider kit.segmented ...: the controls of a page's beats, which the machine calls by name."""
    one = load(name)
    rows = [*(one.controls or {}).values(), *(c for beat in one.beats for c in beat.controls if isinstance(c, dict))]
    kinds = {row["kind"] for row in rows} | set(re.findall(r'\bkind: "(\w+)"', page_script(name)))
    return " ".join(f"kit.{kind}" for kind in sorted(kinds))


def kit_text(*files: str) -> str:
    """Files of the kit, one after the other."""
    return "\n".join((HERE / file).read_text("utf-8") for file in files)


def module(name: str) -> str:
    """The whole import-free AFM module: of the kit what the widget calls, then the widget."""
    return squeeze(shake.reached(kit_text(*KIT) + "\n" + script(name), ""))


def squeeze(source: str) -> str:
    """JS or CSS without its comments and indentation: manuals are for the source, not for the wire.

    Line by line, so it stays readable in a debugger. A string may not span lines (tests/explainers/test_pattern.py).
    """
    source = re.sub(r"^[ \t]*/\*.*?\*/[ \t]*\n?", "", source, flags=re.S | re.M)
    source = re.sub(r"(?<=[;{},)>]) // [^\n\"'`]*$", "", source, flags=re.M)
    return "\n".join(line.strip() for line in source.splitlines() if line.strip()) + "\n"


def inline_module(name: str) -> str:
    """The module as plain statements for a single file: its default export is the constant `widget`."""
    text, count = re.subn(r"^export default \{", "const widget = {", module(name), flags=re.M)
    if count != 1:
        raise ValueError(f"explainers/{name}: expected one line starting `export default {{`, found {count}.")
    return shake.packed(EXPORT.sub("", text))


def calls_of(name: str, text: str) -> str:
    """kit.h kit.set: the functions of one object that another module calls; its own names are another scope."""
    return " ".join(dict.fromkeys(re.findall(rf"\b{name}\.\w+", text)))


def beat_module(name: str, figure: str, calls: str) -> str:
    """What one beat of a page needs, as plain statements for a single file: the constant `widget`, without the lab.

    `calls` is the text that calls functions of the kit besides the explainer's own drawings.
    """
    own = re.sub(r"^export default ", "const the_lab = ", script(name), flags=re.M)  # which nothing here calls
    told = shake.entries(shake.entries(page_script(name), "goals", ""), "figures", figure)
    whole = EXPORT.sub("", "\n".join((kit_text(*KIT), own, told)))
    needed = shake.reached(whole, f"compute check settle beats {calls_of('kit', calls)}")
    given = "kit, compute, check, beats" + (", settle" if re.search(r"\bfunction settle\b", needed) else "")
    return shake.packed(f"const widget = (() => {{\n{needed}return {{ {given} }};\n}})();")


def css(name: str) -> str:
    """The kit's style and the widget's; tokens come from the page (or `tokens()` where there is none)."""
    shared, own = (HERE / "kit.css").read_text("utf-8"), (folder(name) / "widget.css").read_text("utf-8")
    if not any(
        "cw-rank" in file.read_text("utf-8") for file in folder(name).iterdir() if file.suffix in (".js", ".py")
    ):
        shared = re.sub(r"^.*\.cw-rank.*\n", "", shared, flags=re.M)  # sixteen colours that few widgets have
    return tight(shared + "\n" + own)


def tight(style: str) -> str:
    """CSS without comments and without the spaces that only a reader needs."""
    return re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r":\s+", ":", squeeze(style))).replace("}", "}\n")


def page_css(name: str) -> str:
    """The style of the page: the widget's, and what the drawings of its beats add (beats.css, not in the embed)."""
    own = folder(name) / "beats.css"
    return css(name) + tight(machine_css(load(name)) + (own.read_text("utf-8") if own.is_file() else ""))


def machine_css(one: Explainer) -> str:
    """The style of the machine, without other pages' colours and without the kinds of bet that this page has not."""
    shared = (HERE / "kit-beats.css").read_text("utf-8")
    shared = re.sub(rf"^\.told-(?!{one.subject}\b)\w+ \{{ --subject:.*\n", "", shared, flags=re.M)
    for kind in set(KINDS) - {beat.bet.kind for beat in one.beats if beat.bet}:
        shared = re.sub(rf"^[^,{{\n]*\.bet-{kind}\b[^,{{\n]*\{{.*\}}\n", "", shared, flags=re.M)
    return shared


def tokens(scope: str = "", used_in: str = "") -> str:
    """The colour and type tokens; with a scope (":host", ".cw") only the names, and light or dark stays the page's.

    With `used_in`, a text that refers to them, only those it needs.
    """
    text = (HERE.parent / "static" / "css" / "tokens.css").read_text("utf-8")
    if used_in:
        needed = used_in + "".join(re.findall(r"^\s*--[\w-]+:.*var\(.*$", text, flags=re.M))
        text = re.sub(
            r"^\s*(--[\w-]+):[^;]*;\n",
            lambda row: row[0] if re.search(rf"{row[1]}\b(?!-)", needed) else "",
            text,
            flags=re.M,
        )
    if not scope:
        return text
    return scope + " {\n" + "\n".join(re.findall(r"^\s*--[\w-]+:[^;]+;", text, flags=re.M)) + "\n}\n"


def reference(name: str) -> ModuleType:
    """The reference module: STATE, data(), check(), compute(), picture(), cases()."""
    return load_file(folder(name) / "reference.py")


_LOADING = threading.RLock()


def load_file(path: str | Path) -> ModuleType:
    """Import a file by its path (folder names with a dash are no identifiers); references load siblings with it."""
    path = Path(path).resolve()
    qualified = f"{__name__}.{path.parent.name.replace('-', '_')}.{path.stem}"
    with _LOADING:  # a server warms up in a thread: nobody may see a module that is still being executed
        if qualified in sys.modules:
            return sys.modules[qualified]
        spec = importlib.util.spec_from_file_location(qualified, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise LookupError(f"There is no module at {path}.")
        made = importlib.util.module_from_spec(spec)
        sys.modules[qualified] = made
        try:
            spec.loader.exec_module(made)
        except BaseException:
            del sys.modules[qualified]
            raise
        return made


def checker(name: str) -> Callable[[dict[str, Any]], str]:
    """state -> the sentence that says what is legal, or "": the reference's check, with the data if it asks for it."""
    check = reference(name).check
    return (lambda state: check(state, data(name))) if len(inspect.signature(check).parameters) > 1 else check


def settler(name: str) -> Callable[[dict[str, Any], list[str]], dict[str, Any]] | None:
    """The reference's settle(state, keys that a link set) -> state, if it has one: see permalink.read."""
    settle = getattr(reference(name), "settle", None)
    return settle and (lambda state, given: settle(state, given, data(name)))


@cache
def data(name: str) -> dict[str, Any]:
    """The constants a widget reads, JSON-plain."""
    return json.loads(json.dumps(reference(name).data(), allow_nan=False))


def first_picture(name: str, brief: bool = False) -> str:
    """What the page shows before any script: the reference's picture inside the widget's own root.

    An embed is brief: it shows what stands before the picture's MORE mark, if there is one.
    """
    made = reference(name)
    picture = made.picture(made.STATE, data(name))
    first, _, more = picture.partition(MORE)
    below = f'<div class="cw-below">{more}</div>' if more and not brief else ""
    return f'<div class="cw cw-{name}">{first}{below}</div>'


def notebook(name: str, **state: Any) -> Any:
    """The widget in a notebook: explainers.notebook("bits", typed="0.1"). Needs the notebook extra (anywidget)."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise ImportError('A notebook widget needs anywidget: pip install "cutaway[notebook]".') from None
    made = reference(name)
    permalink.write(made.STATE, state)  # names every wrong key
    fields = {key: traitlets.Any(default).tag(sync=True) for key, default in made.STATE.items()}
    fields["data"] = traitlets.Dict(data(name)).tag(sync=True)
    body = {"_esm": module(name), "_css": tokens(".cw") + css(name), **fields}
    return type(class_name(name), (anywidget.AnyWidget,), body)(**state)


def class_name(name: str) -> str:
    """delta-rule -> DeltaRuleExplainer: each widget class has its own name."""
    return "".join(part.capitalize() for part in name.split("-")) + "Explainer"
