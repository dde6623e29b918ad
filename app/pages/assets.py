"""static/ -> the files at /assets/."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator

from app.pages import Page
from app.site import STATIC

TYPES = {".js": "text/javascript", ".woff2": "font/woff2", ".svg": "image/svg+xml", ".txt": "text/plain"}


def pages(site) -> Iterator[Page]:
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            yield Page(f"/assets/{path.relative_to(STATIC).as_posix()}", path.read_bytes, kind)
