"""The live app in a process of its own, as a reader starts it, with a small server in the Hub's place."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(url: str, **headers: str):
    """(status, headers, body) of an address, redirects not followed."""
    opener = urllib.request.build_opener(NoRedirect)
    try:
        with opener.open(urllib.request.Request(url, headers=headers), timeout=20) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


@contextmanager
def served(*options: str, log: Path, hub: str = "http://127.0.0.1:9", **more: str):
    """`panel serve app/` with these options and `more` in its environment.

    Yields (address with its prefix, seconds from start to first answer).
    """
    port = free_port()
    start = time.perf_counter()
    process = serve(port, *options, log=log, hub=hub, more=more)
    try:
        url = f"http://127.0.0.1:{port}"
        root = url + "/" + options[options.index("--prefix") + 1] if "--prefix" in options else url
        yield root, wait(root, process, log, start)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(10)


def serve(
    port: int, *options: str, log: Path, hub: str = "http://127.0.0.1:9", program=("panel",), more=()
) -> subprocess.Popen:
    """The server's process, in a group of its own; `program` is a module, with its first arguments, that serves.

    `more` is added to its environment.
    """
    where = ["serve", "app/", "--address", "127.0.0.1", "--port", str(port)]
    command = [sys.executable, "-m", *program, *where, *options]
    own = {"HF_ENDPOINT": hub, "HF_HOME": str(log.parent / "hf"), "PYTHONUNBUFFERED": "1"}
    environment = {**os.environ, **own, **dict(more)}
    with log.open("a") as out:
        return subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )


def wait(url: str, process: subprocess.Popen, log: Path, start: float) -> float:
    """Seconds until / answers; fails with the log when it does not."""
    while time.perf_counter() - start < 90:
        assert process.poll() is None, log.read_text()
        try:
            if get(url + "/")[0] == 200:
                return time.perf_counter() - start
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.05)
    raise AssertionError(log.read_text())
