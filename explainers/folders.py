"""explainers/<folder>/page.md -> one explainer's words: front matter checked, beats and prose parsed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from cutaway.explainers import languages
from cutaway.explainers.beats import Beat, Goal, Told, parse
from cutaway.explainers.translation import held_to, inherited, joined

HERE = Path(__file__).parent
GROUPS = {  # in the order of learning: heading, and what its pages are about
    "start": ("Start here", "What a model computes to generate one token."),
    "attention": ("Attention and the KV cache", "What each token stores, and how far back attention looks."),
    "speed": ("Speed", "Whether memory bandwidth or compute limits a step, and how to read memory less."),
    "context": ("Long context", "Some models keep a cache that grows with the text, others a state of fixed size."),
    "experts": (
        "Experts, loops and streams",
        "Layers with many MLPs, layers that run again, and several residual streams.",
    ),
    "formats": ("Number formats", "How few bits a number needs, and what is lost."),
    "parallelism": ("Parallelism", "How a model is split across many GPUs, and what the GPUs send each other."),
}
PATHS = {  # what a reader came for -> its chip on /learn/; a page names its paths, and `order` is its place in each
    "new": "New to transformers",
    "serving": "Serving",
    "training": "Training",
    "context": "Long context",
    "precision": "Low precision",
}
MOVED = {"around-the-block": ("norms", "loops")}  # an earlier address -> the pages that have its beats, in order
FILES = ("page.md", "reference.py", "widget.js", "widget.css")


class Explainer(NamedTuple):
    """One explainer's words; `html` is the rendered body of page.md."""

    name: str
    title: str  # the field's term
    question: str  # what a reader comes with, below the title
    terms: tuple[str, ...]  # what a reader may search for who should find this page first
    group: str
    order: int  # its place among all pages: no two share one, and groups follow one another
    paths: tuple[str, ...]  # keys of PATHS
    summary: str
    card: dict[
        str, int
    ]  # its picture in /learn/: the figure of `beat`, laid out `room` pixels wide, cut at x, y, width
    sources: tuple[str, ...]
    next: tuple[str, ...]
    models: tuple[dict[str, str], ...]  # model pages it leads back to: {"slug", "words"}
    heights: dict[int, int]  # of the embed, in CSS pixels: {from this width on: so tall}
    html: str
    beats: tuple[Beat, ...]
    goals: tuple[Goal, ...]
    controls: dict[str, dict[str, Any]] | None = None  # of beats, by name: what kit/controls.js takes, and `kind`
    code: str = ""  # of its language; "" is English
    subject: str = "full"  # the role whose colour the page's answers have


@cache  # of those that are there; a page asks thousands of times
def folder(name: str) -> Path:
    """The folder of an explainer; a LookupError names the ones there are."""
    if name in MOVED:
        raise LookupError(f"“{name}” was divided; its steps are in {' and '.join(MOVED[name])}.")
    if name not in names():
        raise LookupError(f"There is no explainer “{name}”. There are: {', '.join(names())}.")
    return HERE / name.replace("-", "_")


def folder_path(name: str) -> str:
    """An explainer's folder as messages name it: "delta-rule" -> explainers/delta_rule."""
    return f"explainers/{name.replace('-', '_')}"


def names() -> tuple[str, ...]:
    """Every folder with the four files, in reading order: group, then order, then name."""
    whole = (page.parent for page in HERE.glob("*/page.md") if all((page.parent / file).is_file() for file in FILES))
    return _in_order(tuple(sorted(path.name.replace("_", "-") for path in whole)))


@cache
def _in_order(found: tuple[str, ...]) -> tuple[str, ...]:
    groups = list(GROUPS)
    return tuple(sorted(found, key=lambda name: (groups.index(load(name).group), load(name).order, name)))


def on_path(path: str) -> tuple[str, ...]:
    """The pages of a path, in reading order."""
    return tuple(name for name in names() if path in load(name).paths)


def beside(name: str, among: tuple[str, ...] | None = None) -> tuple[str, str]:
    """(the page before, the page after) in reading order, "" at an end; of all pages, or of a path's."""
    row = ("", *(names() if among is None else among), "")
    at = row.index(name)
    return row[at - 1], row[at + 1]


def moved_beats(old: str) -> list[tuple[str, int]]:
    """(page, beat) of every beat that an earlier page had."""
    return [(name, beat.n) for name in MOVED[old] for beat in load(name).beats]


def translated(name: str, code: str) -> bool:
    """Whether an explainer has its words in a language: page.<code>.md beside page.md."""
    return bool(code) and (folder(name) / f"page.{code}.md").is_file()


def in_language(name: str, code: str) -> Explainer:
    """The words of an explainer in a language, or in English where they are not translated."""
    return load(name, code if translated(name, code) else "")


def terms_elsewhere(name: str) -> tuple[str, ...]:
    """What a reader searches for in languages other than English."""
    found = [load(name, one.code).terms for one in languages.LANGUAGES if translated(name, one.code)]
    return tuple(dict.fromkeys(term for terms in found for term in terms if term not in load(name).terms))


@cache
def load(name: str, code: str = "") -> Explainer:
    """The words of an explainer, in English or as page.<code>.md has them: front matter checked, body rendered.

    A translation leaves out of its front matter what is no words, and a ValueError names what its beats change of that.
    """
    here = f"{folder_path(name)}/page{'.' * bool(code)}{code}.md"
    front, told = parts_of(name, code, here)
    try:
        if front["group"] not in GROUPS:
            raise KeyError("group")
        if not set(front.get("paths", ())) <= set(PATHS):
            raise KeyError("paths")
        one = Explainer(
            name=name,
            code=code,
            title=front["title"],
            question=front["question"],
            terms=tuple(front["terms"]),
            group=front["group"],
            order=int(front["order"]),
            paths=tuple(front.get("paths", ())),
            card=front["card"],
            summary=" ".join(front["summary"].split()),
            sources=tuple(front["sources"]),
            next=tuple(front.get("next", ())),
            models=tuple(front.get("models", ())),
            heights={int(width): int(height) for width, height in front.get("heights", {320: 900}).items()},
            html=markdown(told.prose),
            beats=told.beats,
            goals=told.goals,
            controls={key: {"key": key, **row} for key, row in front.get("controls", {}).items()},
            subject=front.get("subject", "full"),
        )
    except KeyError as missing:
        raise ValueError(f"{here}: front matter lacks a good {missing}.") from None
    if code:
        held_to(load(name), one, here)
    return one


def parts_of(name: str, code: str, here: str) -> tuple[dict[str, Any], Told]:
    """(front matter, with what a translation leaves to page.md; beats, goals and prose) of the file `here`."""
    import frontmatter

    page = frontmatter.load(str(HERE.parent / here))
    told = parse(joined(page.content) if code else page.content, here)
    if not told.beats:
        raise ValueError(f"{here}: no `::: beat` was found; a page has 4 to 8 (explainers/README.md).")
    front: dict[str, Any] = page.metadata
    if code:
        front = inherited(frontmatter.load(str(folder(name) / "page.md")).metadata, front, here)
    return front, told


def markdown(text: str) -> str:
    """Markdown with $math$ -> HTML with MathML; raw HTML in the text stays text."""
    from latex2mathml.converter import convert
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def render(latex: str, options: dict[str, Any]) -> str:
        if not options["display_mode"]:
            return convert(latex)
        return convert(latex, display="block").replace("<math ", '<math tabindex="0" ', 1)  # a wide one scrolls by keys

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").use(dollarmath_plugin, renderer=render)
    scrolls = '<div class="learn-scroll" tabindex="0" role="region" aria-label="Table">'  # where a phone is too narrow
    return reader.render(text).replace("<table>", f"{scrolls}<table>").replace("</table>", "</table></div>")
