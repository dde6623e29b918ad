"""The site as a list of pages: the same list is written to disk by build/site.py and served live at /.

To add a page: a module in a feature's folder with `pages(site) -> Iterator[Page]`, named in MODULES.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path


def source_hash(text: str) -> str:
    """How a Content-Security-Policy names an inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# The one inline script of every page, without its comment and its indents.
BEFORE_PAINT = "".join(
    line.strip() for line in (Path(__file__).parent / "before-paint.js").read_text("utf-8").splitlines()[1:]
)
# Everything from our own host; no other inline script, no inline style, no plugin, no other origin.
STRICT = (
    f"default-src 'none'; script-src 'self' '{source_hash(BEFORE_PAINT)}'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'"
)

MODULES = (
    "home.page",
    "model_page.page",
    "packed.page",
    "compare.page",
    "lineage.page",
    "trends.page",
    "formats.page",
    "poster.page",
    "data.page",
    "glossary.page",
    "config_keys.page",
    "learn.page",
    "learn.moved",
    "docs.page",
    "plan_page.page",
    "your_model.page",
    "design.page",
    "embed.page",
    "embed.beats",
    "verify.page",
    "roofline.page",
    "site.places",
    "site.feeds",
    "site.assets",
)


@dataclass(frozen=True, slots=True)
class Page:
    """One file of the site.

    `path` starts with "/"; one that ends with "/" is written as its index.html. `body` may be a function of no
    arguments: live serving calls it when the page is asked for, a build when it writes it. `csp` goes out as the
    Content-Security-Policy header of live serving (another one for a single-file page that carries its own script); it
    may be a function too. `model` is the slug of the model that it is about, if it is about one. `follows`, of a page
    about many, says what it shows of the catalogue, where that is known sooner than the page is made: while that is
    equal, a watching build leaves the page alone.
    """

    path: str
    body: str | bytes | Callable[[], str | bytes]
    type: str = "text/html"
    csp: str | Callable[[], str] = STRICT
    model: str = ""
    follows: Callable[[], object] | None = None

    @property
    def policy(self) -> str:
        return self.csp() if callable(self.csp) else self.csp

    def content(self) -> bytes:
        body = self.body() if callable(self.body) else self.body
        return body.encode() if isinstance(body, str) else body


def modules() -> list:
    """The page modules that exist: a part of the site that has not been built is simply not there."""
    found = []
    for name in MODULES:
        try:
            found.append(import_module(f"cutaway.app.{name}"))
        except ModuleNotFoundError as missing:
            if not f"cutaway.app.{name}".startswith(str(missing.name)):
                raise
    return found


def all_pages(site) -> Iterator[Page]:
    """Every page of the site, modules in order."""
    for module in modules():
        yield from module.pages(site)
