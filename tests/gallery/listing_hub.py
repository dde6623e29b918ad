"""A fake Hub that lists models as well: what /api/models answers, in front of fake_hub's files."""

from __future__ import annotations

import contextlib
import json
from urllib.parse import parse_qs, urlsplit

from tests.gallery import fake_hub


def listed(slug: str, **more: object) -> dict:
    """A model as the Hub lists it, of its own and used."""
    files = [{"rfilename": "config.json"}]
    made = {"id": slug, "createdAt": "2026-11-18T09:00:00.000Z", "downloads": 5000, "siblings": files}
    return {**made, "gated": False, "tags": ["license:apache-2.0"], **more}


@contextlib.contextmanager
def listing_hub(models: list[dict]):
    """The server; `.asked` has the queries of every listing."""
    with fake_hub.fake_hub() as server:
        files, server.asked = fake_hub.Handler.do_GET, []

        class Listing(fake_hub.Handler):
            def do_GET(self):
                where = urlsplit(self.path)
                if where.path != "/api/models":
                    return files(self)
                self.server.asked.append(parse_qs(where.query))
                return self.answer(200, json.dumps(models).encode(), Content_Type="application/json")

            do_HEAD = do_GET

        server.RequestHandlerClass = Listing
        yield server
