"""static/ -> the files at /assets/, without what the workbench alone loads where there is none."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator

from app.pages import Page
from app.site import STATIC

TYPES = {".js": "text/javascript", ".woff2": "font/woff2", ".svg": "image/svg+xml", ".txt": "text/plain"}
LIVE = {"css/bench.css", "js/bench.js", "js/where.js"}


def pages(site) -> Iterator[Page]:
    for path in sorted(STATIC.rglob("*")):
        name = path.relative_to(STATIC).as_posix()
        if path.is_file() and (site.live or name not in LIVE):
            kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            yield Page(f"/assets/{name}", path.read_bytes, kind)
