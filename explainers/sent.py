"""An explainer's folder and the kit -> what is sent: modules and styles of the page, an embed, a beat, a notebook."""

from __future__ import annotations

import re
from functools import cache

from explainers import shake
from explainers.folders import HERE, folder, load

KIT = ("kit.js", "kit-controls.js", "kit-time.js", "kit-mesh.js")
MACHINE = ("kit-bets.js", "kit-beats.js", "kit-told.js")  # what makes beats live
CALLED = "kit widget check compute settle beats"  # from outside of a module
EXPORT = re.compile(r"^export (?=(async )?(function|const|let|class)\b)", re.M)


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
    return shake.packed(shake.reached(whole, calls_of("kit", calls)), CALLED) + "\nexport { kit };\n"


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
    return squeeze(needed(name))


def needed(name: str) -> str:
    """The same as it is written."""
    return shake.reached(kit_text(*KIT) + "\n" + script(name), "")


def squeeze(source: str) -> str:
    """JS or CSS without its comments and indentation: manuals are for the source, not for the wire.

    Line by line, so it stays readable in a debugger. A string may not span lines (tests/explainers/test_pattern.py).
    """
    source = re.sub(r"^[ \t]*/\*.*?\*/[ \t]*\n?", "", source, flags=re.S | re.M)
    source = re.sub(r"(?<=[;{},)>]) // [^\n\"'`]*$", "", source, flags=re.M)
    return "\n".join(line.strip() for line in source.splitlines() if line.strip()) + "\n"


def inline_module(name: str) -> str:
    """The module as plain statements for a single file: its default export is the constant `widget`."""
    text, count = re.subn(r"^export default \{", "const widget = {", needed(name), flags=re.M)
    if count != 1:
        raise ValueError(f"explainers/{name}: expected one line starting `export default {{`, found {count}.")
    return shake.packed(EXPORT.sub("", text), CALLED)


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
    return shake.packed(f"const widget = (() => {{\n{needed}return {{ {given} }};\n}})();", CALLED)


def css(name: str, used_in: str = "", more: tuple[str, ...] = (), own: tuple[str, ...] = ("widget.css",)) -> str:
    """The kit's style and the widget's; tokens come from the page (or `tokens()` where there is none).

    With `used_in`, a text that names classes, only those rules of the shared files that it needs; an explainer's own
    files stay whole, since its classes may come from its data.
    """
    shared = tight(kit_text("kit.css", *more))
    files = (folder(name) / file for file in own)
    mine = tight("\n".join(file.read_text("utf-8") for file in files if file.is_file()))
    return (shake.styled(shared, used_in) if used_in else shared) + mine


@cache
def tight(style: str) -> str:
    """CSS without comments and without the spaces that only a reader needs."""
    return re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r":\s+", ":", squeeze(style))).replace("}", "}\n")


def page_css(name: str, used_in: str = "") -> str:
    """The same for the page: with the style of the machine, and what the drawings of its beats add (beats.css)."""
    return css(name, used_in, ("kit-beats.css",), ("widget.css", "beats.css"))


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
