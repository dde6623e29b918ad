"""static/ -> the files at /assets/, styles and scripts without their comments; no workbench's files without one."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator

from app.pages import Page
from app.site import STATIC, sent
from explainers import squeeze

TYPES = {".js": "text/javascript", ".woff2": "font/woff2", ".svg": "image/svg+xml", ".txt": "text/plain"}
LIVE = {"css/bench.css", "js/bench.js", "js/where.js"}

# By pages, under these names.
UNUSED = {"css/card.css", "css/embed.css", "favicon.ico", "js/embed.js", "js/fit.js", "touch-icon.png"}


def pages(site) -> Iterator[Page]:
    """Files, the pictures of pages, and the icons where a browser looks for them unasked."""
    yield Page("/favicon.ico", (STATIC / "favicon.ico").read_bytes, "image/x-icon")
    yield Page("/apple-touch-icon.png", (STATIC / "touch-icon.png").read_bytes, "image/png")
    yield from site.cards.values()
    for path in sorted(STATIC.rglob("*")):
        name = path.relative_to(STATIC).as_posix()
        if (
            path.is_file()
            and name not in UNUSED
            and not name.startswith("js/plan/")
            and (site.live or name not in LIVE)
        ):
            kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            yield Page(f"/assets/{name}", squeezed(name) if path.suffix in (".css", ".js") else path.read_bytes, kind)


def squeezed(name: str) -> Callable[[], str]:
    return lambda: squeeze(sent(name).decode())
