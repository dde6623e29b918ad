"""The site: templates, relative links and what every page may ask for (the catalog, the navigation, assets).

Pages get it as `site`; templates also get `url`, `address`, `asset` and `path`, bound to the page they render.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from cutaway.app.model.view import ModelView
from cutaway.app.site import translated
from cutaway.app.site.environment import environment, month_in, unindented
from cutaway.app.site.pages import BEFORE_PAINT, STRICT, Page, modules
from cutaway.explainers import bundles, languages
from cutaway.gallery import catalog

ROOT = Path(__file__).resolve().parent.parent.parent
STATIC = ROOT / "static"
TEMPLATES = ROOT / "app"  # each in its feature's folder
# frame-ancestors cannot stand in a <meta>; everything else can.
META_CSP = Markup(STRICT)  # an apostrophe needs no escape between double quotes


class Site:
    """One site: `base` is where it will be hosted and `issues` where faults are reported, "" if that is not known.

    `live` says whether the app is behind it.
    """

    def __init__(self, base: str = "", live: bool = False, issues: str = ""):
        self.base = base.rstrip("/") + "/" if base else ""
        self.live, self.issues = live, issues.rstrip("/")
        self.rows: Sequence[catalog.CatalogModel] = catalog.MODELS  # the models that have pages
        self.cards: dict[str, Page] = {}  # path of a page -> the picture for links to it, where it has one of its own
        self._views: dict[str, ModelView] = {}
        self._envs: dict[str, Environment] = {}
        self.known: dict[str, Any] = {}  # what functions that are asked `once_for_each` site said

    @cached_property
    def env(self) -> Environment:
        """The environment of English pages."""
        return self.env_in("")

    def env_in(self, code: str) -> Environment:
        """The environment of pages in a language: {% trans %} and _() answer in it."""
        if code not in self._envs:
            made = environment(FileSystemLoader(TEMPLATES), extensions=["jinja2.ext.i18n"])
            made.install_gettext_translations(languages.translations(code), newstyle=True)  # type: ignore[attr-defined]
            made.filters["month"] = month_in(code)
            self._envs[code] = made
        return self._envs[code]

    # ------------------------------------------------------------ links

    @staticmethod
    def url(path: str, from_: str) -> str:
        """The relative URL of a page or file of the site, seen from the page at `from_`; ?query and #part are kept."""
        end = min((path.find(mark) for mark in "?#" if mark in path), default=len(path))
        target, rest = path[:end], path[end:]
        folders, words = from_.split("/")[1:-1], target.split("/")[1:] or [""]
        same = 0  # folders that both are in
        while same < min(len(folders), len(words) - 1) and folders[same] == words[same]:
            same += 1
        return ("../" * (len(folders) - same) + "/".join(words[same:]) or "./") + rest

    def address(self, path: str, from_: str) -> str:
        """The whole URL of a page where the host is known, for what other sites read; else the relative one."""
        return self.base + path.lstrip("/") if self.base else self.url(path, from_)

    def card(self, path: str) -> str:
        """The address of the picture that a link to the page is shown with."""
        return self.address(self.cards[path].path if path in self.cards else "/assets/card.png", path)

    @staticmethod
    def asset(name: str, from_: str) -> str:
        """The relative URL of a file under /assets/, with its content in the query so that caches notice a change."""
        return f"{Site.url('/assets/' + name, from_)}?v={_digest(name)}"

    # ------------------------------------------------------------ what pages may ask for

    @cached_property
    def translations(self) -> dict[str, frozenset[str]]:
        """Language -> the pages that it has, by their English paths: a page module joins them with translated(code)."""
        able = [module.translated for module in modules() if hasattr(module, "translated")]
        return {one.code: frozenset(path for paths in able for path in paths(one.code)) for one in languages.LANGUAGES}

    def versions(self, path: str) -> list[translated.Version]:
        """A page in every language that has it, English first; none of one that is only in English."""
        found = list(translated.versions(self.translations, path))
        return found if len(found) > 1 else []

    @cached_property
    def nav(self) -> list[tuple[str, str]]:
        """(word, path) of the top navigation: a page module joins it with NAV = (order, word, path)."""
        entries = [module.NAV for module in modules() if hasattr(module, "NAV")]
        return [entry[1:] for entry in sorted(entries + ([(90, "Workbench", "/app")] if self.live else []))]

    @cached_property
    def findable(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """(path, name, what a reader may type) of pages that the search finds: a page module joins them with SEARCH."""
        return [module.SEARCH for module in modules() if hasattr(module, "SEARCH")]

    hints = ("MLA", "sliding window", "sparse", "sinks", "MTP", "MoE")  # what an empty search suggests

    @cached_property
    def slugs(self) -> dict[str, catalog.CatalogModel]:
        """The same by their slugs."""
        return {row.slug: row for row in self.rows}

    @cached_property
    def twins(self) -> dict[str, list[catalog.CatalogModel]]:
        """Slug of a model -> its packings and trainings."""
        return catalog.twins()

    def view(self, slug: str) -> ModelView:
        """A catalogued model with everything a page says about it; read once."""
        if slug not in self._views:
            self._views[slug] = ModelView(self.slugs[slug])
        return self._views[slug]

    def forget(self, slugs: Iterable[str]) -> None:
        """Let the views of some models be made anew, and what was made of all of them: a snapshot has changed."""
        for slug in slugs:
            self._views.pop(slug, None)
        self.known.clear()

    @property
    def views(self) -> list[ModelView]:
        return [self.view(row.slug) for row in self.rows]

    @cached_property
    def explainers(self) -> frozenset[str]:
        """Names of the explainers that have a page; link to /learn/<name>/ only if it is one of these."""
        return frozenset(path.parent.name.replace("_", "-") for path in (ROOT / "explainers").glob("*/page.md"))

    # ------------------------------------------------------------ rendering

    def render(self, template: str, path: str, **context) -> str:
        """A template as text for the page at `path`, in the language that its path says."""
        language = translated.language_of(path)
        env = self.env_in(language.code) if language.code else self.env
        html = unindented(env.get_template(template).render(**self.bound(path, language), **context))
        if not language.code:
            return html
        return translated.mark_english(html, path, languages.translations(language.code).gettext("English"))

    def bound(self, path: str, language: languages.Language) -> dict[str, Any]:
        """What every template may ask for, bound to the page it renders."""
        known = self.translations[language.code] if language.code else frozenset()

        def url(target: str) -> str:
            if self.base and path == "/404.html":  # shown at any depth: relative links would miss
                return urlsplit(self.base).path.rstrip("/") + target
            here = language.code and re.split("[?#]", target)[0] in known
            return self.url(translated.path_in(language, target) if here else target, path)

        return {
            "site": self,
            "path": path,
            "here": translated.english_path(path),
            "language": language,
            "english": Markup(' hreflang="en"' if language.code else ""),  # of links that nothing need mark
            "spoken": Markup(' lang="en"' if language.code else ""),  # of what is not translated
            "csp": META_CSP,
            "url": url,
            "address": lambda target: self.address(target, path),
            "asset": lambda name: f"{url('/assets/' + name)}?v={_digest(name)}",
            "before_paint": Markup(BEFORE_PAINT),
            "load_module": module_tags(url),
        }

    def page(self, template: str, path: str, **context) -> Page:
        """A page that renders when it is asked for."""
        return Page(path, lambda: self.render(template, path, **context))


def module_tags(url: Callable[[str], str]) -> Callable[[str], Markup]:
    """For one page: js/gallery.js -> the tags that load the module, and beside it what it imports.

    A browser learns of an import only when it has the module. Each import is named once a page.
    """
    named: set[str] = set()

    def tags(name: str) -> Markup:
        new = [one for one in bundles.imports(name) if one not in named]
        named.update(new)
        beside = [f'<link rel="modulepreload" href="{url("/assets/" + one)}">' for one in new]
        return Markup(
            "\n".join([*beside, f'<script type="module" src="{url("/assets/" + name)}?v={_digest(name)}"></script>'])
        )

    return tags


@cache
def files() -> dict[str, Path]:
    """What is sent under /assets/ but scripts: static/ as it lies there, and each feature's styles as css/<name>."""
    static = (path for path in sorted(STATIC.rglob("*")) if path.is_file())
    found = {path.relative_to(STATIC).as_posix(): path for path in static}
    own = {f"css/{path.name}": path for path in sorted(TEMPLATES.glob("*/*.css"))}
    return {name: path for name, path in (found | own).items() if not name.startswith("bundles")}


def style_sheet(name: str) -> str:
    """The text of a style, by its name without .css."""
    return files()[f"css/{name}.css"].read_text("utf-8")


@cache
def sent(name: str) -> bytes:
    """A file as it is sent: a bundled script, a style with those it imports in their place, what static/ has."""
    if name.startswith("js/"):
        return bundles.text(name).encode()
    data = files()[name].read_bytes()
    if not name.endswith(".css"):
        return data
    return re.sub(rb'^@import url\("([\w.-]+)"\);$', lambda m: sent(f"css/{m[1].decode()}"), data, flags=re.M)


@cache
def _digest(name: str) -> str:
    return bundles.version(sent(name))
