"""Many readers at once -> how long they wait, what goes wrong, and what the server keeps when they are gone.

    python tests/bench/load.py [--readers 50] [--seconds 60] [--sessions 100]

Readers look at warm pages and, one visit in four, at the workbench: its page, its socket, and a drawing or two; they
pause three seconds between visits. `--sessions` are then opened and closed, and the server's memory is compared.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from tornado.httpclient import AsyncHTTPClient

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from rows import Row, quantile, show  # noqa: E402

from tests.app.reader import Reader, fetch, finished  # noqa: E402

PAGES = ("/", "/models/", "/models/deepseek-ai/DeepSeek-V3/", "/learn/", "/learn/bits/", "/assets/css/tokens.css")
MODELS = {  # and the title that says it is drawn
    "openai/gpt-oss-20b": "GPT-OSS 20B",
    "Qwen/Qwen3-8B": "Qwen3 8B",
    "mistralai/Mixtral-8x7B-v0.1": "Mixtral 8x7B",
    "google/gemma-3-27b-it": "Gemma 3 27B",
}
PAUSE = 3.0
QUICK = ("--unused-session-lifetime", "500", "--check-unused-sessions", "250")


class Tally:
    """Seconds by kind of visit, and what went wrong."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = defaultdict(list)
        self.wrong: Counter[str] = Counter()

    @contextlib.contextmanager
    def timed(self, kind: str):
        start = time.perf_counter()
        try:
            yield
        except Exception as error:
            self.wrong[f"{kind}: {type(error).__name__} {str(error)[:80]}"] += 1
            raise
        self.spent[kind].append(time.perf_counter() - start)

    def rows(self, most: float | None = 1.0) -> list[Row]:
        found = []
        for kind, spent in sorted(self.spent.items()):
            note = f"median {quantile(spent, 0.5) * 1000:,.0f} ms, slowest {max(spent) * 1000:,.0f} ms"
            name = f"{kind}, {len(spent):,} times: p95"
            found.append(Row(name, quantile(spent, 0.95) * 1000, "ms", most and most * 1000, note))
        wrong = "; ".join(f"{count} x {what}" for what, count in self.wrong.most_common(3))
        return [*found, Row("errors", sum(self.wrong.values()), "errors", 0, wrong)]


async def page(url: str, path: str, tally: Tally) -> None:
    with tally.timed("a page"):
        answer = await fetch(url + path, **{"Accept-Encoding": "gzip"})
        assert answer.code == 200, answer.code


async def bench(url: str, tally: Tally, drawings: int = 2, pause: float = 0.5) -> None:
    """Open the workbench, draw, leave."""
    reader = Reader(url)
    try:
        with tally.timed("the workbench's page and socket"):
            await reader.__aenter__()
        for model in random.sample(list(MODELS), drawings):
            with tally.timed("a drawing"):
                await reader.draw(model)
                await reader.until("title", MODELS[model].__eq__)
            await asyncio.sleep(pause)
    finally:
        reader.close()


async def reader(url: str, until: float, tally: Tally, seed: int) -> None:
    chance = random.Random(seed)
    await asyncio.sleep(chance.random() * PAUSE)
    while time.perf_counter() < until:
        with contextlib.suppress(Exception):  # the tally has it
            await (bench(url, tally) if chance.random() < 0.25 else page(url, chance.choice(PAGES), tally))
        await asyncio.sleep(PAUSE * (0.5 + chance.random()))


async def crowd(url: str, readers: int, seconds: float) -> Tally:
    """So many readers for so long, once every page is warm."""
    AsyncHTTPClient.configure(None, max_clients=1000)
    for path in PAGES:
        await fetch(url + path)
    await bench(url, Tally(), len(MODELS))
    tally, until = Tally(), time.perf_counter() + seconds
    await asyncio.gather(*(reader(url, until, tally, seed) for seed in range(readers)))
    return tally


# ---------------------------------------------------------------- memory


def resident(pid: int) -> float:
    """Megabytes that a process holds, its workers' not counted."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1000


async def sessions(url: str, count: int, at_once: int = 5) -> Tally:
    """Open and close so many workbenches."""
    tally, places = Tally(), asyncio.Semaphore(at_once)

    async def one() -> None:
        async with places:
            await bench(url, tally, 1, 0)

    await asyncio.gather(*(one() for _ in range(count)))
    return tally


def kept(url: str, pid: int, count: int) -> tuple[float, float]:
    """Megabytes before and after `count` sessions came and went, all of them discarded; a tenth as many come first."""

    def settled() -> float:
        time.sleep(2)
        return resident(pid)

    finished(sessions(url, max(3, count // 10)))
    before = settled()
    finished(sessions(url, count))
    return before, settled()


class Measured(NamedTuple):
    """What a server showed under load."""

    tally: Tally
    before: float  # megabytes
    after: float
    tracebacks: int


def measure(folder: Path, readers: int, seconds: float, count: int) -> Measured:
    """A server of its own: a crowd, then sessions that come and go."""
    from tests.app.conftest import free_port, serve, wait

    port, log = free_port(), folder / "load.log"
    process = serve(port, *QUICK, log=log)
    try:
        url = f"http://127.0.0.1:{port}"
        wait(url, process, log, time.perf_counter())
        tally = finished(crowd(url, readers, seconds))
        before, after = kept(url, process.pid, count)
    finally:
        process.terminate()
        process.wait(60)
    return Measured(tally, before, after, log.read_text().count("Traceback"))


def rows(readers: int, seconds: float, count: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), readers, seconds, count)
    note = f"{found.before:,.1f} MB before, {found.after:,.1f} MB after"
    return [
        *found.tally.rows(),
        Row(f"memory after {count} more sessions", (found.after / found.before - 1) * 100, "% more", 5, note),
        Row("tracebacks in the log", found.tracebacks, "tracebacks", 0),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--sessions", type=int, default=100)
    asked = parser.parse_args()
    found = rows(asked.readers, asked.seconds, asked.sessions)
    print("\n".join(show(found)))
    return int(any(row.late for row in found))


if __name__ == "__main__":
    sys.exit(main())
