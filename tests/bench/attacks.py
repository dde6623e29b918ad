"""What strangers could do to the live server -> how long others wait for it, and how much memory stays.

    python tests/bench/attacks.py [--site _site] [--only bodies|turns|crawl|half-open|upgrades] [--strict]

Starts `panel serve app/` on a free port of this machine. Attackers and the honest visitor are told apart as behind a
proxy, by X-Forwarded-For. `--site` is a built site, whose files are the addresses that a crawler asks for.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from rows import Row, quantile, show  # noqa: E402

from tests.app.conftest import free_port, serve, wait  # noqa: E402

WAIT_MS = 500  # the longest that anybody may wait for another
MEGABYTES = 512  # of a small host, for the server and its workers
ATTACKER, HONEST = "198.51.100.7", "203.0.113.5"  # https://www.rfc-editor.org/rfc/rfc5737
JSON = {"Content-Type": "application/json"}
HALF_OPEN_SECONDS = 25
QUIET_SECONDS = 45  # after which a burst is over, and idle workers have ended


class Server(NamedTuple):
    """A server that was started here."""

    port: int
    pid: int
    log: Path


@contextlib.contextmanager
def served(folder: Path) -> Iterator[Server]:
    """The live server, once it has answered and has worked out what it works out at its start."""
    port, log = free_port(), folder / "attacks.log"
    process = serve(port, log=log, more={"CUTAWAY_COLD": "0"})
    try:
        wait(f"http://127.0.0.1:{port}", process, log, time.perf_counter())
        made = Server(port, process.pid, log)
        settled(made)
        yield made
    finally:
        process.terminate()
        process.wait(60)


def settled(server: Server) -> None:
    """Wait until its processes are idle: no processor time for two seconds."""
    last, quiet = -1, 0
    while quiet < 4:
        now = sum(int(part) for pid in family(server.pid) for part in stat(pid)[11:13])
        quiet = quiet + 1 if now - last <= 2 else 0
        last = now
        time.sleep(0.5)


def stat(pid: int) -> list[str]:
    """The fields of /proc/<pid>/stat after the name; [] of a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def family(pid: int) -> list[int]:
    """A process and its children."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += (task / "children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *map(int, dict.fromkeys(found))]


def resident(pid: int) -> float:
    """Megabytes that a process and its children hold."""
    total = 0
    for one in family(pid):
        with contextlib.suppress(OSError):
            found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{one}/status").read_text())
            total += int(found[1]) if found else 0
    return total / 1000


# ---------------------------------------------------------------- one request


def ask(port: int, method: str, path: str, client: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    """(status, body) of an answer; status 0 where the connection was closed before there was one."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        line.request(method, path, body, {"X-Forwarded-For": client, **headers})
        answer = line.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        line.close()


def question(width: int, more: str = "") -> bytes:
    """A body of /compare/ask: a pasted config, which nobody has asked for before, beside a catalogued one."""
    config = {"model_type": "llama", "hidden_size": width, "num_hidden_layers": 32, "num_attention_heads": 32,
              "intermediate_size": 11_008, "vocab_size": 32_000, "unread": more}  # fmt: skip
    return json.dumps({"models": [{"config": json.dumps(config)}, {"slug": "openai/gpt-oss-20b"}]}).encode()


class Watch:
    """An honest visitor who asks for the same few addresses again and again: each wait, and the most memory meanwhile.

    How late its own sleeps end says how busy the machine is with others.
    """

    def __init__(self, server: Server, *paths: str) -> None:
        self.server, self.paths = server, paths
        self.waits: list[float] = []
        self.peak, self.failed, self.held_up = 0.0, 0, 0.0

    def __enter__(self) -> Watch:
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def look(self) -> None:
        while not (self.over.is_set() and self.waits):
            start = time.perf_counter()
            path = self.paths[len(self.waits) % len(self.paths)]
            status, _ = ask(self.server.port, "GET", path, HONEST)
            self.waits.append(time.perf_counter() - start)
            self.failed += status != 200
            self.peak = max(self.peak, resident(self.server.pid))
            start = time.perf_counter()
            time.sleep(0.05)
            self.held_up = max(self.held_up, time.perf_counter() - start - 0.05)

    def rows(self, name: str) -> list[Row]:
        middle, late = (quantile(self.waits, share) * 1000 for share in (0.5, 0.99))
        note = f"{len(self.waits)} times, median {middle:,.0f} ms, 99 % below {late:,.0f} ms"
        note += f"; a sleep was {self.held_up * 1000:,.0f} ms late" + (f"; {self.failed} failed" if self.failed else "")
        return [
            Row(f"{name}: a page waits", max(self.waits) * 1000, "ms", WAIT_MS, note),
            Row(f"{name}: memory at most", self.peak, "MB"),
        ]


# ---------------------------------------------------------------- attacks


def bodies(server: Server, addresses: list[str]) -> list[Row]:
    """Six questions of 19.9 MB at once, made to be slow to read; then six of as many bytes as are read at all."""
    return [row for rows in (1_530_000, 760_000) for row in six(server, rows)]


def six(server: Server, rows: int) -> list[Row]:
    body = b'{"models": [' + b'{"slug":"a"},' * rows + b'{"slug":"a"}]}'

    def attack(_: int) -> int:
        return ask(server.port, "POST", "/compare/ask", ATTACKER, body, **JSON)[0]

    with Watch(server, "/") as watch, ThreadPoolExecutor(6) as many:
        statuses = sorted(set(many.map(attack, range(6))))
    found = watch.rows(f"six bodies of {len(body) / 1e6:.1f} MB")
    found[0] = found[0]._replace(note=f"{found[0].note}; answered {statuses}")
    settled(server)
    return found


def turns(server: Server, addresses: list[str]) -> list[Row]:
    """An honest question beside 40 of one client."""

    def honest(width: int) -> float:
        start = time.perf_counter()
        status, body = ask(server.port, "POST", "/compare/ask", HONEST, question(width), **JSON)
        assert status == 200, (status, body)
        return time.perf_counter() - start

    honest(4096)
    settled(server)
    alone = honest(4128)
    with ThreadPoolExecutor(40) as many, Watch(server, "/") as watch:
        asked = [
            many.submit(ask, server.port, "POST", "/compare/ask", ATTACKER, question(4096 + 32 * n), **JSON)
            for n in range(2, 42)
        ]
        time.sleep(0.3)
        beside = honest(8192)
        answered = [one.result()[0] for one in asked]
    note = f"{alone * 1000:,.0f} ms alone; of the 40 {answered.count(200)} were answered"
    return [
        Row("40 questions of one client: another's waits", (beside - alone) * 1000, "ms more", WAIT_MS, note),
        *watch.rows("40 questions of one client"),
    ]


def crawl(server: Server, addresses: list[str]) -> list[Row]:
    """One client asks for every address, eight at a time; then 40 questions of ten clients come, and go."""
    others = ["/", "/assets/css/tokens.css", "/models/openai/gpt-oss-20b/", "/models/"]
    statuses: dict[int, list[str]] = {}

    def get(path: str) -> None:
        status, _ = ask(server.port, "GET", path, ATTACKER, **{"Accept-Encoding": "gzip"})
        statuses.setdefault(status, []).append(path)

    for path in others:
        ask(server.port, "GET", path, HONEST)
    start = time.perf_counter()
    with Watch(server, *others) as watch, ThreadPoolExecutor(8) as many:
        list(many.map(get, addresses))
    seconds, wrong = time.perf_counter() - start, [paths[:3] for status, paths in statuses.items() if status != 200]
    note = f"{len(addresses):,} addresses in {seconds:,.0f} s; not answered: {wrong or 'none'}"
    settled(server)
    after = Row("after a crawl: memory", resident(server.pid), "MB", MEGABYTES, note)
    return [*watch.rows("a crawl"), after, *burst(server)]


def burst(server: Server) -> list[Row]:
    """40 questions with long configs, of ten clients."""

    def one(number: int) -> int:
        body = question(2048 + 32 * number, "x" * 2_000_000)
        return ask(server.port, "POST", "/compare/ask", f"192.0.2.{number % 10}", body, **JSON)[0]

    with Watch(server, "/") as watch, ThreadPoolExecutor(40) as many:
        answered = list(many.map(one, range(40)))
    time.sleep(QUIET_SECONDS)
    note = f"answered {sorted(set(answered))}; {len(family(server.pid)) - 1} workers left"
    return [*watch.rows("a burst"), Row("after a burst: memory", resident(server.pid), "MB", MEGABYTES, note)]


def half_open(server: Server, addresses: list[str]) -> list[Row]:
    """100 connections that say nothing, half a head, or a head whose body never comes."""
    head = b"POST /compare/ask HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n" % server.port
    said = (b"", head, head + b"Content-Length: 1000\r\n\r\n{", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n")
    lines = []
    for number in range(100):
        lines.append(socket.create_connection(("127.0.0.1", server.port)))
        lines[-1].sendall(said[number % len(said)])
    with Watch(server, "/") as watch:
        time.sleep(HALF_OPEN_SECONDS)
    left = sum(map(is_open, lines))
    for line in lines:
        line.close()
    name = "100 half-open connections"
    return [watch.rows(name)[0], Row(f"{name}: left after {HALF_OPEN_SECONDS} s", left, "connections", 0)]


def is_open(line: socket.socket) -> bool:
    """Whether the server still holds its end; what it said before it let go is read and dropped."""
    line.setblocking(False)
    try:
        while line.recv(65_536):
            pass
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def upgrades(server: Server, addresses: list[str]) -> list[Row]:
    """WebSocket upgrades without a token, with half of one, and with one that nobody signed."""
    head = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": f"http://127.0.0.1:{server.port}"}  # fmt: skip
    offered = ("", "bokeh", "bokeh, nonsense", "other, e30", "bokeh, e30.e30")
    statuses = []
    for protocols in offered:
        more = {"Sec-WebSocket-Protocol": protocols} if protocols else {}
        statuses.append(upgraded(server.port, {**head, **more}))
    time.sleep(1)
    count = server.log.read_text().count("Traceback")
    return [Row("bare WebSocket upgrades: tracebacks", count, "tracebacks", 0, f"answered {statuses}")]


def upgraded(port: int, headers: dict[str, str]) -> int:
    """The status of an upgrade's answer."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        line.request("GET", "/app/ws", headers=headers)
        return line.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        line.close()


ATTACKS: dict[str, Callable[[Server, list[str]], list[Row]]] = {
    "upgrades": upgrades, "half-open": half_open, "turns": turns, "bodies": bodies, "crawl": crawl,
}  # fmt: skip


def addresses(folder: Path) -> list[str]:
    """What a crawler finds in a built site."""
    files = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())
    return ["/" + name.removesuffix("index.html") for name in files if name != "404.html"]


def built(folder: Path) -> Path:
    """A site that is built now."""
    out = folder / "site"
    subprocess.run([sys.executable, str(ROOT / "build" / "site.py"), "--out", str(out)], check=True)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--site", type=Path, help="a built site; without it one is built first")
    parser.add_argument("--only", choices=ATTACKS, action="append")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a target is missed")
    given = parser.parse_args()
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = given.only or list(ATTACKS)
        known = addresses(given.site or built(folder)) if "crawl" in chosen else []
        with served(folder) as server:
            print("\n".join(show([Row("memory at first", resident(server.pid), "MB")])), flush=True)
            for attack in chosen:
                rows = ATTACKS[attack](server, known)
                print("\n".join(show(rows)), flush=True)
                found += rows
    return int(given.strict and any(row.late for row in found))


if __name__ == "__main__":
    sys.exit(main())
