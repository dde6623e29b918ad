"""A folder -> its address while a test runs: files on a free port of loopback, under a prefix where one is given."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Files(http.server.SimpleHTTPRequestHandler):
    """Files below a prefix alone, without a log."""

    prefix = ""

    def translate_path(self, path: str) -> str:
        inside = path.removeprefix(self.prefix) if path.startswith(f"{self.prefix}/") else "/no-such-place"
        return super().translate_path(inside)

    def send_error(self, code, message=None, explain=None) -> None:
        """What is not there is answered by the folder's 404.html, where it has one, as static hosts do."""
        missing = Path(self.directory) / "404.html"
        if code != 404 or not missing.is_file():
            return super().send_error(code, message, explain)
        content = missing.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *args) -> None:
        pass


@contextmanager
def served(folder: Path, prefix: str = "") -> Iterator[str]:
    """The address of a folder's files, without a trailing slash."""
    handler = functools.partial(type("Under", (Files,), {"prefix": prefix}), directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
        server.shutdown()
