"""/docs/: the library, the command and their JSON as pages; all but a few words is derived from the code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app.docs import api, commands, markdown, schema_rows, schemas, tutorial
from cutaway.app.docs.schemas.plan import GUIDE
from cutaway.app.site.pages import Page
from cutaway.app.site.places import Place
from cutaway.gallery.schema_version import VERSION

PATH, API, COMMANDS, JSON, PLAN = "/docs/", "/docs/api/", "/docs/commands/", "/docs/json/", "/docs/json/plan/"
START = Path(__file__).with_name("start.md")
SEARCH = (PATH, "Documentation", ("docs", "documentation", "install", "pip install", "getting started"))
KIND = "Documentation"
PAGES = (  # path, word, what it is, other names that find it
    (PATH, "Start", "", ()),
    (tutorial.PATH, "Tutorial", "a Jupyter notebook: open, count, edit, compare and plan a model", ("notebook",)),
    (API, "Python API", "every function of the library, and what it returns", ("API", "library", "import cutaway")),
    (
        COMMANDS,
        "Commands",
        "every command, its arguments, and what it prints",
        ("command line", "CLI", "cutaway --help"),
    ),
    (
        JSON,
        "JSON",
        "published files and --json, key by key, with a schema for each",
        ("JSON Schema", "--json", "schema"),
    ),
)
GROUPS = (("Functions", "function"), ("Classes", "class"), ("Exceptions", "exception"))


class Part(NamedTuple):
    """A heading of a page: its id, its words, what is said there, and the names under which it is found."""

    id: str
    words: str
    says: str = ""
    also: tuple[str, ...] = ()


def pages(site) -> Iterator[Page]:
    """The pages, the notebook with its pictures, and the schemas."""
    for path, make in (
        (PATH, start_page),
        (tutorial.PATH, tutorial_page),
        (API, api_page),
        (COMMANDS, commands_page),
        (JSON, json_page),
        (PLAN, plan_page),
    ):
        yield Page(path, partial(make, site))
    notebook = f"{tutorial.PATH}{tutorial.NOTEBOOK.name}"
    yield Page(notebook, tutorial.NOTEBOOK.read_bytes, "application/x-ipynb+json")
    for path, svg in tutorial.pictures().items():
        yield Page(path, svg, "image/svg+xml")
    for name in schemas.SCHEMAS:
        yield Page(schemas.path_of(name), partial(schemas.as_text, name), "application/json")


def places(site) -> Iterator[Place]:
    """Every page but the first, and every heading."""
    for path, word, says, also in PAGES[1:]:
        yield Place(path, word, KIND, says, also)
    for path, name, parts in (
        (PATH, "Documentation", headings(START.read_text("utf-8"))),
        (tutorial.PATH, "Tutorial", headings(tutorial.words())),
        (API, "Python API", api_parts()),
        (COMMANDS, "Commands", command_parts()),
        (JSON, "JSON", schema_parts()),
        (PLAN, "JSON of a plan", headings(GUIDE.read_text("utf-8"))),
    ):
        for part in parts:
            yield Place(f"{path}#{part.id}", part.words, KIND, part.says, part.also, name)


# ---------------------------------------------------------------- headings


def headings(text: str) -> list[Part]:
    """The headings of a Markdown text below its title."""
    return [Part(one.id, one.words) for one in markdown.headings(text) if one.level == 2]


def api_parts() -> list[Part]:
    """Every documented name; a function is found by its call, too."""
    return [Part(one.name, f"cutaway.{one.name}" if one.kind == "function" else one.name, one.says)
            for one in (*api.exported(), *api.returned())]  # fmt: skip


def command_parts() -> list[Part]:
    """Every command, by its short help: what the examples print is not needed for this."""
    return [Part(name, f"cutaway {name}", one.description or "")
            for name, one in commands.parser().commands.items()]  # fmt: skip


def schema_parts() -> list[Part]:
    """Every schema."""
    return [Part(f"schema-{name}", one["title"], one["description"]) for name, one in schemas.SCHEMAS.items()]


def contents(parts: list[Part]) -> list[tuple[str, str]]:
    """(id, words) at the side of a page."""
    return [(part.id, part.words) for part in parts]


# ---------------------------------------------------------------- pages


def render(site, template: str, path: str, parts: list[Part], **more) -> str:
    """A page of the documentation."""
    docs = [page[:2] for page in PAGES]
    return site.render(f"docs/{template}", path, docs=docs, contents=contents(parts), html=html_for(site, path),
                       inline=markdown.inline, **more)  # fmt: skip


def html_for(site, path: str):
    """Markdown -> HTML with links as seen from a page."""
    return lambda text: markdown.html(text, lambda target: site.url(target, path))


def body(text: str) -> str:
    """A Markdown text without its title, which the page has."""
    first, _, rest = text.partition("\n")
    return rest if first.startswith("# ") else text


def start_page(site) -> str:
    """How to install it, three lines, where to go next."""
    text = START.read_text("utf-8")
    return render(
        site, "start.html", PATH, headings(text), words=html_for(site, PATH)(text), pages=[row[:3] for row in PAGES[1:]]
    )


def tutorial_page(site) -> str:
    """The notebook."""
    cells = [cell._replace(words=body(cell.words)) if cell.words else cell for cell in tutorial.cells()]
    alt = {path: described(svg) for path, svg in tutorial.pictures().items()}
    return render(site, "tutorial.html", tutorial.PATH, headings(tutorial.words()), cells=cells, alt=alt)


def described(svg: str) -> str:
    """What a drawing says of itself."""
    return Markup(svg.partition("<desc>")[2].partition("</desc>")[0]).unescape()


def api_page(site) -> str:
    """Every function, and what it returns."""
    every = (*api.exported(), *api.returned())
    groups = [(heading, heading.lower(), [one for one in every if one.kind == kind]) for heading, kind in GROUPS]
    functions = sum(one.kind == "function" for one in every)
    about = html_for(site, API)(api.about())
    return render(site, "api.html", API, api_parts(), groups=groups, functions=functions, about=about)


def commands_page(site) -> str:
    """Every command."""
    tables = [(heading[0].upper() + heading[1:], markdown.slug(heading), lines) for heading, lines in commands.tables()]
    return render(site, "commands.html", COMMANDS, command_parts(), about=commands.about(), tables=tables,
                  commands=commands.commands())  # fmt: skip


def json_page(site) -> str:
    """Every schema, key by key."""
    rows = [(name, f"schema-{name}", one) for name, one in schemas.SCHEMAS.items()]
    return render(site, "json.html", JSON, schema_parts(), schemas=rows, rows=schema_rows.rows, version=VERSION)


def plan_page(site) -> str:
    """The JSON of a plan in words."""
    text = GUIDE.read_text("utf-8")
    heading = markdown.headings(text)[0].words.replace("`", "")
    says = "What each key of cutaway plan --json means: the layout, whether it fits, what each GPU holds and sends."
    words = html_for(site, PLAN)(body(text))
    return render(site, "text.html", PLAN, headings(text), heading=heading, says=says, words=words)
