"""Explainers -> /learn/<name>/ pages, their modules and styles."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from functools import cache, partial

from markupsafe import Markup

from cutaway import explainers
from cutaway.app.embed import frames
from cutaway.app.embed.page import of_explainer, seed
from cutaway.app.learn import cards
from cutaway.app.learn import places as learn_places
from cutaway.app.site import TEMPLATES, style_sheet
from cutaway.app.site.pages import Page
from cutaway.app.site.places import Place
from cutaway.app.site.translated import path_in
from cutaway.explainers import beats_html, bundles, first, languages

NAV = (40, "Learn", "/learn/")
WORKER_POLICY = "default-src 'none'"  # where a server sends policies with scripts: a worker asks for nothing


def pages(site) -> Iterator[Page]:
    """Everything under /learn/, and the files the pages load."""
    for language, path in site.versions("/learn/"):
        yield Page(path, partial(index_page, site, path, language.code))
    yield Page("/assets/cards.css", cards.style, "text/css")
    for name in explainers.names():
        yield from explainer_pages(site, name)


def places(site) -> Iterator[Place]:
    """Explainers, their steps, and the formats that two of them show."""
    yield from learn_places.of_explainers()
    yield from learn_places.of_formats()


def translated(code: str) -> Iterator[str]:
    """The list is in every language, an explainer where its words are there."""
    yield "/learn/"
    yield from (f"/learn/{name}/" for name in explainers.names() if explainers.translated(name, code))


def explainer_pages(site, name: str) -> Iterator[Page]:
    """One explainer: its page, its module and its style."""
    path = f"/learn/{name}/"
    yield Page(path, lambda: learn_page(site, name))
    for language, address in site.versions(path)[1:]:
        yield Page(address, partial(learn_page, site, name, language.code))
    yield Page(f"/assets/explainers/{name}.js", lambda: script(name), "text/javascript")
    yield Page(f"/assets/explainers/{name}.css", lambda: page_style(name), "text/css")
    if has_worker(name):
        yield Page(f"/assets/explainers/{name}/worker.js", lambda: worker(name), "text/javascript", csp=WORKER_POLICY)
    for part in explainers.separate_files(name):  # what a widget fetches when it needs it
        body = lambda part=part: base64.b64decode(explainers.data(name)["apart"][part])  # noqa: E731
        yield Page(f"/assets/explainers/{name}/{part}.bin", body, "application/octet-stream")


def index_page(site, path: str = "/learn/", code: str = "") -> str:
    """All explainers by group, each with a picture of its own."""
    style = f"/assets/cards.css?v={cards.digest()}"
    return site.render("learn/index.html", path, groups=groups(code), paths=paths(code), style=style)


def paths(code: str = "") -> list[tuple[str, str, list[explainers.Explainer]]]:
    """(key, name, its pages in reading order) of every path."""
    _ = languages.translations(code).gettext
    return [
        (key, _(words), [explainers.in_language(name, code) for name in explainers.on_path(key)])
        for key, words in explainers.PATHS.items()
    ]


def groups(code: str = "") -> list[tuple[str, str, str, list[tuple[explainers.Explainer, Markup]]]]:
    """(name, heading, what it is about, [(explainer, picture)]) of every group, in the order of learning."""
    loaded = [explainers.in_language(name, code) for name in explainers.names()]
    _ = languages.translations(code).gettext
    listed = [
        (group, _(heading), _(line), [(one, cards.picture(one)) for one in loaded if one.group == group])
        for group, (heading, line) in explainers.GROUPS.items()
    ]
    return [row for row in listed if row[3]]


def learn_page(site, name: str, code: str = "") -> str:
    """The page of one explainer, in a language that it is translated to."""
    one = explainers.load(name, code)
    path = path_in(languages.BY_CODE[code], f"/learn/{name}/")
    embed = of_explainer(name)
    known = [explainers.in_language(other, code) for other in one.next if other in explainers.names()]
    return site.render(
        "learn/page.html",
        path,
        **told(one),
        one=one,
        group=languages.translations(code).gettext(explainers.GROUPS[one.group][0]),
        words=Markup(one.html),
        picture=Markup(first.unbound(explainers.first_picture(name, code=code))),
        seed=seed(name),
        related=known,
        order=neighbours(name, code),
        paths=steps(name, code),
        sources=[Markup(linked(source)) for source in one.sources],
        module=f"/assets/explainers/{name}.js?v={digest(name)}",
        style=f"/assets/explainers/{name}.css?v={digest(name)}",
        models=models(site, one),
        frame=frames.snippet(embed, site.address(embed.path, path)),
        element=frames.element(embed, site.address("/embed.js", path), state=True),
    )


def neighbours(name: str, code: str = "", among: tuple[str, ...] | None = None) -> list[explainers.Explainer | None]:
    """The page before and the page after, of all or of a path's; None at an end."""
    return [explainers.in_language(one, code) if one else None for one in explainers.beside(name, among)]


def steps(name: str, code: str = "") -> list[tuple[str, str, int, int, explainers.Explainer | None]]:
    """(key, name, which page of it this is, of how many, the next one) of every path that a page is on."""
    on = [(key, explainers.on_path(key)) for key in explainers.load(name).paths]
    _ = languages.translations(code).gettext
    return [
        (key, _(explainers.PATHS[key]), row.index(name) + 1, len(row), neighbours(name, code, row)[1])
        for key, row in sorted(on, key=lambda one: list(explainers.PATHS).index(one[0]))
    ]


def told(one: explainers.Explainer) -> dict:
    """What a page shows besides the widget: its beats, its rail, its goals."""
    return {
        "counted": beats_html.check_counts(one),
        "rail": beats_html.rail(one),
        "beats": [Markup(beat) for beat in beats_html.sections(one.name, one.code)],
        "goals": [{**goal, "words": Markup(goal["words"])} for goal in beats_html.goals(one)],
        "rows": beats_html.as_json(beats_html.rows(one)),
    }


@cache
def page_style(name: str) -> str:
    """The page's style, what it has of classes and no more, in one file, which is smaller than three."""
    one = explainers.load(name)
    written = "".join((TEMPLATES / file).read_text("utf-8") for file in ("learn/page.html", "learn/share.html"))
    html = written.replace("{{ one.subject }}", one.subject) + "".join(told(one)["beats"]) + one.html
    used_in = html + script(name) + explainers.first_picture(name)
    learn = explainers.tight(style_sheet("learn"))
    return explainers.used_styles(learn, used_in) + explainers.page_css(name, used_in)


def script(name: str) -> str:
    """The page's own module: its beats, its lab, and what they use of the kit."""
    return bundles.text(f"explainers/{name}.js")


def has_worker(name: str) -> bool:
    """Whether the page computes beside its own thread."""
    return f"workers/{name}.js" in bundles.names("workers")


def worker(name: str) -> str:
    """What runs there, with all that it uses."""
    return bundles.text(f"workers/{name}.js")


def models(site, one: explainers.Explainer) -> list[dict]:
    """The model pages an explainer leads back to: those of its list that the gallery has."""
    found = catalogued()
    return [{**row, "title": found[row["slug"]]} for row in one.models if row["slug"] in found]


@cache
def catalogued() -> dict[str, str]:
    """slug -> title of every model in the catalog; nothing before there is one."""
    try:
        from cutaway.gallery import catalog
    except ImportError:
        return {}
    return {model.slug: model.title for model in catalog.KNOWN}


def linked(source: str) -> str:
    """A source as HTML: "words https://..." becomes a link on the words; an arXiv number becomes one too."""
    from html import escape

    found = re.fullmatch(r"(.+?)\s+(https?://\S+)", source)
    if found:
        return f'<a href="{escape(found[2])}">{escape(found[1])}</a>'
    text = escape(source)
    return re.sub(r"arXiv (\d{4}\.\d{4,5})", r'<a href="https://arxiv.org/abs/\1">arXiv \1</a>', text)


@cache
def digest(name: str) -> str:
    """The version in the addresses of a page's module and style: another when these or its worker change."""
    beside = worker(name) if has_worker(name) else ""
    return bundles.version(script(name) + beside + page_style(name))
