"""Who may talk to this server, as what it counts a visitor, and the headers that every answer carries.

`Guarded` is Bokeh's Tornado application with these three in front of every path, the pages' and Bokeh's own.
"""

from __future__ import annotations

import ipaddress
import os
import re
import struct
import zlib
from functools import cache, lru_cache

from bokeh.document import Document
from bokeh.server.tornado import BokehTornado
from bokeh.server.util import match_host
from bokeh.settings import settings
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import GZipContentEncoding, OutputTransform, RequestHandler

from cutaway.app.compare.request import BODY_BYTES

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
HOST = re.compile(r"(?P<name>\[[0-9a-f:.]{2,45}\]|[^\s\[\]:@/?#,]{1,253})(?::\d{1,5})?")
# A proxy that stands in front says so in one of these: https://www.rfc-editor.org/rfc/rfc7239 and common usage.
PROXIED = ("Forwarded", "Via", "X-Real-Ip", "X-Scheme", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip")
ORIGIN = re.compile(r"https?://[a-z0-9.-]{1,253}(:\d{1,5})?")
GZIP_HEAD, GZIP_END = b"\x1f\x8b\x08" + bytes(6) + b"\xff", b"\x03\0"  # RFC 1952; the last block of RFC 1951, empty
MESSAGE_BYTES = BODY_BYTES + 65_536  # of a session: a pasted text, as bench.js bounds it, and the words around it
EVERYWHERE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}
FOREIGN = (
    "This server does not go by the name {host}. If it should, start it with --allow-websocket-origin {host} "
    "(panel serve and cutaway serve both take it); on this machine it is localhost or 127.0.0.1.\n"
)


def name(host: str) -> str:
    """The name in a Host header, without its port; "" for what is no host."""
    found = HOST.fullmatch(host.lower())
    return found["name"] if found else ""


def answers_to(host: str, origins: list[str]) -> bool:
    """Whether a Host header names this server: loopback, or what was allowed, on whichever port a proxy listens."""
    asked = name(host)
    allowed = (origin.lower().rsplit(":", 1)[0] for origin in origins)
    return asked in LOOPBACK or (asked != "" and any(match_host(asked, pattern) for pattern in allowed))


def is_local(request: HTTPServerRequest, origins: list[str]) -> bool:
    """Whether the visitor sits at this machine: no proxy in between, and nobody from elsewhere was invited."""
    proxied = any(header in PROXIED or header.startswith("X-Forwarded-") for header in request.headers)
    hosted = any(not answers_to(origin, []) for origin in origins)
    return not proxied and not hosted and _loopback(request.remote_ip or "")


def client(request: HTTPServerRequest) -> str:
    """Whose turn a request takes: the address that it came from, or that the proxy in front of us says it came from.

    A proxy is whoever asks from this machine or its own network. An IPv6 visitor is the /64 that providers hand out.
    """
    address = request.remote_ip or ""
    found = _ip(address)
    if found is None or found.is_private:
        address = request.headers.get("X-Forwarded-For", address).rpartition(",")[2].strip()
        found = _ip(address)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return str(found or request.remote_ip)


def session_client(document: Document) -> str:
    """Whose turn a session's drawings take; find_handler has looked."""
    request = getattr(document.session_context, "request", None)
    return getattr(request, "client", "")


def _loopback(address: str) -> bool:
    found = _ip(address)
    return found is not None and found.is_loopback


def _ip(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address, an IPv4 one that is written as IPv6 as what it is; None for what is none."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def may_use_token(document: Document) -> bool:
    """Whether the reader of a session may have the Hub asked with the owner's token; find_handler has looked."""
    request = getattr(document.session_context, "request", None)
    return getattr(request, "may_use_token", False)


class Foreign(RequestHandler):
    """403 for a name that is not ours: a page of another site may have had its name pointed here (DNS rebinding)."""

    def prepare(self) -> None:
        self.set_status(403)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        host = self.request.host if name(self.request.host) else "it was asked for"
        self.finish(FOREIGN.format(host=host))


@cache
def framed_by() -> tuple[str, ...]:
    """Who may frame a page: this site, and the origins that CUTAWAY_FRAMED_BY names, as a Space's host has to."""
    named = os.environ.get("CUTAWAY_FRAMED_BY", "").split()
    if strange := [origin for origin in named if not ORIGIN.fullmatch(origin)]:
        raise ValueError(f"CUTAWAY_FRAMED_BY holds {strange[0]!r}, which is no origin such as https://huggingface.co.")
    return ("'self'", *named)


class Headers(OutputTransform):
    """What every answer says: its type is not to be guessed, who may frame it, and not who wrote it."""

    def transform_first_chunk(self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool):
        for key, value in EVERYWHERE.items():
            headers[key] = value
        policy = headers.get("Content-Security-Policy", "")
        if "frame-ancestors" not in policy:
            headers["Content-Security-Policy"] = f"{policy}; frame-ancestors {' '.join(framed_by())}".lstrip("; ")
        headers.pop("Server", None)
        return status_code, headers, chunk


@lru_cache(128)
def deflated(piece: bytes) -> bytes:
    """A piece of a file, packed so that pieces may be put in a row: every new reader wants the same megabytes."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)


class Packed(GZipContentEncoding):
    """gzip for whole answers that are not packed already; a file that comes in pieces is packed once for all."""

    pieces, check, size = False, 0, 0

    def transform_first_chunk(self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool):
        if status_code != 200 or "Vary" in headers:
            self._gzipping = False
            return status_code, headers, chunk
        self.pieces = not finishing
        status_code, headers, chunk = super().transform_first_chunk(status_code, headers, chunk, finishing)
        return status_code, headers, GZIP_HEAD + chunk if self.pieces and self._gzipping else chunk

    def transform_chunk(self, chunk: bytes, finishing: bool) -> bytes:
        if not (self.pieces and self._gzipping):
            return super().transform_chunk(chunk, finishing)
        self.check, self.size = zlib.crc32(chunk, self.check), self.size + len(chunk)
        return deflated(chunk) + (GZIP_END + struct.pack("<LL", self.check, self.size) if finishing else b"")


class Guarded(BokehTornado):
    """Bokeh's application, which looks at the Host of every request before any handler does."""

    def __init__(self, *args, **more) -> None:
        size = "websocket_max_message_size_bytes"
        more[size] = min(more.get(size, MESSAGE_BYTES), MESSAGE_BYTES)
        framed_by()  # a wrong one ends the server as it starts
        super().__init__(*args, **more)
        self.transforms += [Headers, Packed]
        self._websocket_origins = {origin.lower() for origin in self._websocket_origins}

    def find_handler(self, request: HTTPServerRequest, **more):
        origins = list(settings.allowed_ws_origin() or self.websocket_origins)
        if not answers_to(request.host, origins):
            return self.get_handler_delegate(request, Foreign)
        vars(request)["client"] = client(request)
        vars(request)["may_use_token"] = is_local(request, origins) or os.environ.get("CUTAWAY_USE_TOKEN") == "1"
        return super().find_handler(request, **more)
