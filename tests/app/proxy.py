"""A small reverse proxy on loopback, as one stands before a hosted server: X-Forwarded-* added, sockets passed on."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

HEAD_END = b"\r\n\r\n"


def _head(line: socket.socket) -> tuple[bytes, bytes]:
    """(the head of a request, what came of its body)."""
    data = b""
    while HEAD_END not in data:
        if not (more := line.recv(65536)):
            return b"", b""
        data += more
    head, _, rest = data.partition(HEAD_END)
    return head, rest


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


def _forwarded(head: bytes, upstream: tuple[str, int], keep_host: bool) -> bytes:
    """The request's head as the proxy sends it on."""
    first, *lines = head.split(b"\r\n")
    host = next(line for line in lines if line.lower().startswith(b"host:"))
    name = host.partition(b":")[2].strip()
    added = [b"X-Forwarded-For: 203.0.113.7", b"X-Forwarded-Proto: https", b"X-Forwarded-Host: " + name]
    lines = [line for line in lines if not line.lower().startswith((b"host:", b"connection: keep-alive"))]
    named = host if keep_host else f"Host: {upstream[0]}:{upstream[1]}".encode()
    closing = [] if any(line.lower().startswith(b"upgrade:") for line in lines) else [b"Connection: close"]
    return b"\r\n".join([first, named, *added, *closing, *lines]) + HEAD_END


def _serve(line: socket.socket, upstream: tuple[str, int], keep_host: bool) -> None:
    with line, contextlib.suppress(OSError), socket.create_connection(upstream) as behind:
        head, rest = _head(line)
        if head:
            behind.sendall(_forwarded(head, upstream, keep_host) + rest)
            back = threading.Thread(target=_pass_on, args=(line, behind), daemon=True)
            back.start()
            _pass_on(behind, line)


@contextlib.contextmanager
def proxy(upstream_port: int, keep_host: bool = True) -> Iterator[str]:
    """The proxy's address; `keep_host` says whether the reader's Host header is passed on or rewritten."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    line, _ = listening.accept()
                    work = (line, ("127.0.0.1", upstream_port), keep_host)
                    threading.Thread(target=_serve, args=work, daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
