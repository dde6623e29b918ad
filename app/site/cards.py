"""Pages -> the pictures that a link to them is shown with (Open Graph, 1200 x 630), drawn by a browser at build.

`build/site.py --images --base ...` makes them; without a browser, or without --images, every page has static/card.png.
A picture is kept in .make/cards/ under the hash of what it was drawn from.
`python -m cutaway.app.site.cards` makes static/card.png, favicon.ico and touch-icon.png anew.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from html import escape
from pathlib import Path

from cutaway import explainers
from cutaway.app.model import figures
from cutaway.app.model.view import ModelView
from cutaway.app.site import ROOT, STATIC, Site, style_sheet
from cutaway.app.site.pages import Page
from cutaway.explainers import fmt

WIDTH, HEIGHT = 1200, 630
CACHE = ROOT / ".make" / "cards"
FACES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "msedge")
ARGS = ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"]
SHOWN = "Qwen/Qwen3-Next-80B-A3B-Instruct"  # on the card of a page that is about no model of its own


class NoBrowser(Exception):
    """In a sentence: why there is none."""


# ---------------------------------------------------------------- what a card shows


def cards(site: Site) -> Iterator[tuple[str, Callable[[], str]]]:
    """(path of a page, its card as HTML) for every page that has one of its own."""
    for row in site.rows:
        if row.snapshot:
            yield f"/models/{row.slug}/", partial(card_of_model, site, row.slug)
    for name in explainers.names():
        yield f"/learn/{name}/", partial(learn_card, name)


def card_of_model(site: Site, slug: str) -> str:
    """The card of a model, which is read when the card is made."""
    return model_card(site.view(slug))


def model_card(view: ModelView) -> str:
    """Its name, four figures, and its tower."""
    active, called = view.at_work
    rows = [
        (fmt.count(view.parameters.total), "parameters"),
        (fmt.count(active), called.replace("active", "active per token")),
        view.layer_tile,
        (fmt.in_bytes(view.cache_growth[0]), view.cache_growth[1]),
    ]
    tiles = "".join(f"<div><dd>{escape(value)}</dd><dt>{escape(words)}</dt></div>" for value, words in rows)
    words = f"<h1>{escape(view.title)}</h1><p>{escape(figures.subtitle(view))}</p><dl>{tiles}</dl>"
    return html(words, figures.thumbnail(view), "tower", "")


def learn_card(name: str) -> str:
    """Its title, its question, and the top of its picture."""
    one = explainers.load(name)
    group = escape(explainers.GROUPS[one.group][0])
    words = f"<p>Learn · {group}</p><h1>{escape(one.title)}</h1><p>{escape(one.question)}</p>"
    return html(words, explainers.first_picture(name, brief=True), "picture", explainers.css(name))


def site_card(site: Site) -> str:
    """For a page that has no card of its own."""
    says = "See inside open-weight language models: drawings from their configs, numbers that tests recompute."
    return html(f"<h1>Cutaway</h1><p>{says}</p>", figures.thumbnail(site.view(SHOWN)), "tower", "")


def html(words: str, picture: str, kind: str, more: str) -> str:
    """A whole page that needs nothing else."""
    own = "".join(style_sheet(name) for name in ("figure", "card"))
    style = explainers.tokens() + face() + own + more
    head = f'<meta charset="utf-8"><title>A card</title><style>{style}</style>'
    body = f'<main>{words}<footer>Cutaway</footer></main><div class="{kind}">{picture}</div>'
    return f'<!doctype html><html lang="en" data-theme="light"><head>{head}</head><body>{body}</body></html>'


@cache
def face() -> str:
    data = base64.b64encode((STATIC / "fonts" / "Inter.woff2").read_bytes()).decode()
    return f'@font-face {{ font-family: "Inter"; src: url("data:font/woff2;base64,{data}"); font-weight: 400 700; }}\n'


# ---------------------------------------------------------------- drawing them


def made(site: Site, say: Callable[[str], None]) -> dict[str, Page]:
    """Path of a page -> its card as a page of the site; draws those that .make/cards/ does not hold yet."""
    found, wanted = {}, {path: draw() for path, draw in cards(site)}
    files = {path: CACHE / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.png" for path, text in wanted.items()}
    missing = [path for path in wanted if not files[path].exists()]
    if missing:
        CACHE.mkdir(parents=True, exist_ok=True)
        with painter() as paint:
            for count, path in enumerate(missing, 1):
                keep(files[path], paint(wanted[path], WIDTH, HEIGHT))
                say(f"{count} of {len(missing)} cards: {path}")
    for path, file in files.items():
        found[path] = Page(f"/cards{path.rstrip('/')}.png", file.read_bytes, "image/png")
    return found


def keep(file: Path, png: bytes) -> None:
    """Whole or not at all."""
    part = file.with_suffix(f".{os.getpid()}")
    part.write_bytes(png)
    part.replace(file)


@contextmanager
def painter() -> Iterator[Callable[[str, int, int], bytes]]:
    """paint(html, width, height) -> PNG, by the machine's Chromium."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoBrowser("playwright is not installed (pip install playwright)") from None
    with sync_playwright() as playwright:
        browser = launched(playwright)
        page = browser.new_page(java_script_enabled=False)

        def paint(text: str, width: int, height: int) -> bytes:
            page.set_viewport_size({"width": width, "height": height})
            page.set_content(text)
            return page.screenshot(omit_background=True)

        try:
            yield paint
        finally:
            browser.close()


def launched(playwright):
    """A browser: $CHROMIUM_PATH, Playwright's own, or one on the PATH."""
    named = [os.environ.get("CHROMIUM_PATH", ""), playwright.chromium.executable_path, *map(shutil.which, FACES)]
    for path in filter(None, named):
        if Path(path).exists():
            return playwright.chromium.launch(executable_path=path, args=ARGS)
    raise NoBrowser("there is no Chromium (python -m playwright install chromium)")


def icons() -> None:
    """static/card.png, favicon.ico and touch-icon.png."""
    icon = (STATIC / "icon.svg").read_text("utf-8")
    page = "<!doctype html><style>body {{ margin: 0; {} }} svg {{ display: block; width: 100vw; }}</style>" + icon
    with painter() as paint:
        (STATIC / "card.png").write_bytes(paint(site_card(Site()), WIDTH, HEIGHT))
        (STATIC / "touch-icon.png").write_bytes(paint(page.format("background: white"), 180, 180))
        small = paint(page.format(""), 32, 32)
    entry = bytes((32, 32, 0, 0, 1, 0, 32, 0)) + len(small).to_bytes(4, "little") + (22).to_bytes(4, "little")
    (STATIC / "favicon.ico").write_bytes(bytes((0, 0, 1, 0, 1, 0)) + entry + small)


if __name__ == "__main__":
    icons()
