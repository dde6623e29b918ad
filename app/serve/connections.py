"""Connections that have to get on: half a request, or half a body, is not waited for without end."""

from __future__ import annotations

from tornado.http1connection import HTTP1Connection
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop

IDLE_SECONDS = 20.0  # for a request's head to be there, after the connection or the request before
BODY_SECONDS = 20.0  # for a body that no page asks for
BODY_BYTES = 65_536  # of such a body; the questions of /compare/ set their own limits
STALL_SECONDS = 15.0  # without any byte of a body that is wanted


class PatientServer(HTTPServer):
    """Tornado's server with these limits, where whoever starts it names no others. An open WebSocket has none."""

    def initialize(self, *args, **options) -> None:
        options.setdefault("idle_connection_timeout", IDLE_SECONDS)
        options.setdefault("body_timeout", BODY_SECONDS)
        options.setdefault("max_body_size", BODY_BYTES)
        super().initialize(*args, **options)


class Stall:
    """Closes a connection whose body has stopped coming."""

    def __init__(self, connection: HTTP1Connection) -> None:
        self.connection, self.loop = connection, IOLoop.current()
        self.timer: object | None = None
        self.again()

    def again(self) -> None:
        """Something came."""
        self.over()
        self.timer = self.loop.call_later(STALL_SECONDS, self.connection.close)

    def over(self) -> None:
        """All of it is here, or nobody waits for it."""
        if self.timer is not None:
            self.loop.remove_timeout(self.timer)
        self.timer = None
