"""The kit's and an explainer's style sheets -> what a page, an embed or a widget is sent of them."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from cutaway.explainers.folders import HERE, folder

KIT_CSS, BEATS_CSS = "kit.css", "kit-beats.css"
OF_PAGE = ("widget.css", "beats.css")  # an explainer's own; frames of the lab have the first alone


def css(name: str, used_in: str = "", more: tuple[str, ...] = (), own: tuple[str, ...] = ("widget.css",)) -> str:
    """The kit's style and the widget's; tokens come from the page (or `tokens()` where there is none).

    With `used_in`, a text that names classes, only those rules of the shared files that it needs; an explainer's own
    files stay whole, since its classes may come from its data.
    """
    shared = shared_css(KIT_CSS, *more)
    return (used_styles(shared, used_in) if used_in else shared) + own_css(name, *own)


def shared_css(*files: str) -> str:
    """The kit's style sheets."""
    return tight("\n".join((HERE / file).read_text("utf-8") for file in files))


def own_css(name: str, *files: str) -> str:
    """An explainer's own style sheets, of those that it has."""
    own = (folder(name) / file for file in files)
    return tight("\n".join(file.read_text("utf-8") for file in own if file.is_file()))


@lru_cache(8)  # a page asks twice with a script of 100 KB
def words_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """(the words that may be classes, the beginnings of those that a script puts together) in a text."""
    begun = set(re.findall(r"(?<![.\w-])([\w-]+)\$\{", text)) - {"cw-"}
    return frozenset(re.findall(r"[\w-]+", text)), frozenset(begun)


def used_styles(style: str, *used_in: str) -> str:
    """The rules of which at least one selector has only classes that occur in some texts, if only as `cell-${kind}`.

    `cw-${name}` is the root of an explainer, which also occurs whole: it makes no class of every word.
    """
    words, starts = zip(*map(words_in, used_in), strict=True)
    known, begun = frozenset().union(*words), tuple(frozenset().union(*starts))

    def occurs(name: str) -> bool:
        ends = (name.removeprefix(one) for one in begun if name.startswith(one))
        return name in known or any(end.isdigit() or end in known for end in ends)

    def needed(rule: str) -> bool:
        selector, brace, _ = rule.partition("{")
        return not brace or any(all(map(occurs, re.findall(r"\.([a-zA-Z][\w-]*)", one))) for one in selector.split(","))

    def kept(line: str) -> str | None:
        at, brace, first = line.partition("{") if line.startswith("@") else ("", "", line)
        return line if needed(first) else f"{at}{{" if brace else None

    lines = [text for line in style.split("\n") if (text := kept(line)) is not None]
    return re.sub(r"^@[^{}]+\{\n\}\n", "", "\n".join(lines), flags=re.M)


@cache
def tight(style: str) -> str:
    """CSS without comments and without the spaces that only a reader needs, a rule a line."""
    bare = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", style, flags=re.S)).strip()
    return re.sub(r" ?([{};,]) ?", r"\1", re.sub(r": ", ":", bare)).replace("}", "}\n")


def page_css(name: str, used_in: str = "") -> str:
    """The same for the page: with the style of the machine, and what the drawings of its beats add (beats.css)."""
    return css(name, used_in, (BEATS_CSS,), OF_PAGE)


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
