"""static/, features' styles and bundles -> the files at /assets/; the workbench's own only where there is one."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator
from functools import partial

from cutaway.app.site import STATIC, files, sent
from cutaway.app.site.pages import Page
from cutaway.explainers import bundles, tight

TYPES = {".woff2": "font/woff2", ".svg": "image/svg+xml", ".txt": "text/plain"}
LIVE = {"css/bench.css", "js/connection.js", "js/is-local.js"}

# By pages, under these names.
UNUSED = {"css/card.css", "css/embed.css", "favicon.ico", "js/embed.js", "js/fit.js", "touch-icon.png"}


def pages(site) -> Iterator[Page]:
    """Files, scripts, the pictures of pages, and the icons where a browser looks for them unasked."""
    yield Page("/favicon.ico", (STATIC / "favicon.ico").read_bytes, "image/x-icon")
    yield Page("/apple-touch-icon.png", (STATIC / "touch-icon.png").read_bytes, "image/png")
    yield from site.cards.values()
    for name in bundles.names("js"):
        if name not in UNUSED and (site.live or name not in LIVE):
            yield Page(f"/assets/{name}", partial(bundles.text, name), "text/javascript")
    for name, path in files().items():
        if name not in UNUSED and (site.live or name not in LIVE):
            kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            yield Page(f"/assets/{name}", style(name) if path.suffix == ".css" else path.read_bytes, kind)


def style(name: str) -> Callable[[], str]:
    return lambda: tight(sent(name).decode())
