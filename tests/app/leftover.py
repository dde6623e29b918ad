"""Sessions that come and go in this process -> what of them is still there, by class, as JSON on standard output."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from collections import Counter
from types import SimpleNamespace

from bokeh.command.util import build_single_handler_application
from bokeh.document import Document
from bokeh.events import DocumentReady
from bokeh.server.contexts import ApplicationContext
from bokeh.server.tornado import BokehTornado
from bokeh.util.token import generate_jwt_token, generate_session_id
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine
from tornado.ioloop import IOLoop

OURS = (
    "cutaway.app.workbench.session",
    "cutaway.app.workbench.bridge",
    "cutaway.app.workbench.plot",
    "cutaway.app.model.view",
    "cutaway.app.learn.widgets",
)


async def visit(context: ApplicationContext, query: str) -> None:
    """Open /app, have the page say that it is there, and go."""
    line = RequestStartLine("GET", f"/app{query}", "HTTP/1.1")
    connection = SimpleNamespace(context=SimpleNamespace(remote_ip="127.0.0.1", protocol="http"))
    request = HTTPServerRequest(headers=HTTPHeaders({"Host": "localhost"}), connection=connection, start_line=line)
    name = generate_session_id()
    session = await context.create_session_if_needed(name, request, generate_jwt_token(name))
    session.document.callbacks.trigger_event(DocumentReady())
    await asyncio.sleep(0.05)
    session.request_expiration()
    await context._cleanup_sessions(0)


def held() -> Counter[str]:
    gc.collect()
    kinds = [type(one) for one in gc.get_objects()]
    return Counter(kind.__qualname__ for kind in kinds if kind is Document or kind.__module__ in OURS)


async def main() -> None:
    server = BokehTornado({"/app": build_single_handler_application("app")})
    server.initialize(IOLoop.current())
    context = server._applications["/app"]
    for query in sys.argv[1:]:
        await visit(context, query)
    before = held()
    for query in sys.argv[1:] * 3:
        await visit(context, query)
    json.dump(held() - before, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())
