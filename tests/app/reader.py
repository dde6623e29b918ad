"""One reader of the workbench without a browser: the page, its socket, and the words of BokehJS that matter here.

async with Reader(url) as reader:
    await reader.draw("meta/llama")
    status = await reader.until("status", lambda words: "is drawn" in words)
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import quote

from tornado.httpclient import AsyncHTTPClient, HTTPRequest, HTTPResponse
from tornado.websocket import WebSocketClientConnection, websocket_connect

T = TypeVar("T")
READY = {"type": "event", "name": "document_ready", "values": {"type": "map"}}
PATIENCE = 60.0


def finished(task: Coroutine[Any, Any, T]) -> T:
    """What a task returns, run in a thread of its own: Playwright's browser keeps a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, task).result()


async def fetch(url: str, **headers: str) -> HTTPResponse:
    """An answer, whatever its status; redirects not followed."""
    asked = HTTPRequest(
        url, headers=headers, follow_redirects=False, request_timeout=PATIENCE, decompress_response=True
    )
    return await AsyncHTTPClient().fetch(asked, raise_error=False)


async def socket(url: str, token: str, **headers: str) -> WebSocketClientConnection:
    """The workbench's socket; HTTPClientError where the server refuses it."""
    asked = HTTPRequest(url.replace("http", "ws", 1) + "/app/ws", headers=headers, request_timeout=PATIENCE)
    return await websocket_connect(asked, subprotocols=["bokeh", token], max_message_size=1 << 28)


def token_of(page: bytes) -> str:
    """The session's token, as the page carries it."""
    found = re.search(rb'"token":"([^"]+)"', page)
    assert found, page[:300]
    return found[1].decode()


def bench_of(part: object) -> dict:
    """The bridge's model, wherever a document holds it; {} where it does not."""
    if isinstance(part, dict) and re.fullmatch(r"Bench\d+", str(part.get("name"))) and "attributes" in part:
        return part
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return next(filter(None, map(bench_of, inner)), {})


class Reader:
    """A page that was opened, with its session's answers in `.seen`."""

    def __init__(self, url: str, model: str = "", **headers: str) -> None:
        self.url, self.query, self.headers = url, f"?model={quote(model, safe='')}" if model else "", headers
        self.numbers, self.seen, self.id = itertools.count(), {}, ""
        self.line: WebSocketClientConnection | None = None

    async def __aenter__(self) -> Reader:
        page = await fetch(self.url + "/app" + self.query, **self.headers)
        assert page.code == 200, page.body
        await self.connect(token_of(page.body))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.line is not None:
            self.line.close()

    async def connect(self, token: str) -> None:
        """Open the socket, read the document, and say that the page is there."""
        self.line = await socket(self.url, token, **self.headers)
        await self.hear()
        await self.say("PULL-DOC-REQ", {})
        bench = bench_of((await self.hear())["doc"]["roots"])
        self.id, self.seen = bench["id"], bench["attributes"]
        await self.patch({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": READY})

    async def say(self, kind: str, content: dict) -> None:
        for part in ({"msgid": f"r{next(self.numbers)}", "msgtype": kind}, {}, content):
            await self.line.write_message(json.dumps(part))

    async def patch(self, event: dict) -> None:
        await self.say("PATCH-DOC", {"events": [event]})

    async def hear(self) -> dict[str, Any]:
        """The next message's content; what it changes of the bridge is kept."""
        header, _, content = [json.loads(await self._part()) for _ in range(3)]
        for _ in range(2 * header.get("num_buffers", 0)):
            await self._part()
        for event in content.get("events", []):
            if event["kind"] == "ModelChanged" and event["model"]["id"] == self.id:
                self.seen[event["attr"]] = event["new"]
        return content

    async def _part(self) -> str | bytes:
        part = await self.line.read_message()
        if part is None:
            raise ConnectionError("the server closed the socket")
        return part

    async def set(self, **values: Any) -> None:
        for name, value in values.items():
            await self.patch({"kind": "ModelChanged", "model": {"id": self.id}, "attr": name, "new": value})

    async def draw(self, model: str) -> None:
        """Type a model into the form and press Draw."""
        await self.set(search=f"?model={quote(model, safe='')}")

    async def until(self, name: str, holds, seconds: float = PATIENCE) -> Any:
        """The value of a parameter of the bridge once `holds(value)`."""

        async def wait() -> Any:
            while not holds(self.seen.get(name)):
                await self.hear()
            return self.seen[name]

        return await asyncio.wait_for(wait(), seconds)
