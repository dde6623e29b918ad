"""The built site and the running server -> time, bytes, and who would be asked."""

from __future__ import annotations

import gzip
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from functools import cache
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from rows import Missing, Row

ROOT = Path(__file__).resolve().parents[2]
# What a browser fetches without being asked: not the links that a reader may follow.
FETCHED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*?\s(?:src|data)=[\"']?([^\"'\s>]+)"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|modulepreload|preload|icon|manifest))[^>]*?\shref=[\"']?([^\"'\s>]+)"
    r"|url\(\s*[\"']?((?:https?:)?//[^\"')]+)"
)
FONTS = (".woff2", ".woff", ".ttf")


@cache
def built() -> tuple[Path, float, float]:
    """(the built site, seconds it took, seconds of processor time of all its processes)."""
    script = ROOT / "build" / "site.py"
    if not script.exists():
        raise Missing("there is no build/site.py")
    out = Path(tempfile.mkdtemp(prefix="cutaway-bench-")) / "site"
    start, before = time.perf_counter(), processor_time()
    done = subprocess.run([sys.executable, str(script), "--out", str(out)], cwd=ROOT, capture_output=True, text=True)
    if done.returncode or not out.is_dir():
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise Missing(f"build/site.py does not build: {last[:160]}")
    return out, time.perf_counter() - start, processor_time() - before


def processor_time() -> float:
    """Seconds that processes which this one started have used, and theirs."""
    told = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told.ru_utime + told.ru_stime


def packed(data: bytes) -> int:
    """Bytes on the wire: gzip level 6, as static hosts do it."""
    return len(gzip.compress(data, 6, mtime=0))


def fetched(page: Path) -> list[str]:
    """Addresses that a page makes a browser fetch."""
    text = page.read_text("utf-8", errors="replace")
    return [next(part for part in match if part) for match in FETCHED.findall(text)]


def page_bytes(page: Path) -> int:
    """A page with the styles and scripts it loads at once, gzipped, without fonts."""
    total, seen = packed(page.read_bytes()), set()
    for address in fetched(page):
        target = (page.parent / urlsplit(address).path).resolve()
        if "://" not in address and target.is_file() and target.suffix not in FONTS and target not in seen:
            seen.add(target)
            total += packed(target.read_bytes())
    return total


def foreign(folder: Path) -> list[str]:
    """Addresses on other hosts that some page or style sheet would fetch."""
    found = []
    for page in [*folder.rglob("*.html"), *folder.rglob("*.css")]:
        found += [one for one in fetched(page) if urlsplit(one).netloc and not one.startswith("data:")]
    return found


def _sizes(name: str, pages: list[Path], most: float | None) -> list[Row]:
    if not pages:
        return []
    sizes = sorted((page_bytes(page) / 1000, page) for page in pages)
    largest, where = sizes[-1]
    middle = median(size for size, _ in sizes)
    return [
        Row(
            f"largest of {len(pages)} {name}, gzipped", largest, "KB", most, f"{where.parent.name}; median {middle:.1f}"
        )
    ]


def site_rows() -> list[Row]:
    """Seconds to build, sizes of pages and embeds, requests to other hosts."""
    folder, spent, worked = built()
    models = list(folder.glob("models/*/*/index.html"))
    learn = list(folder.glob("learn/*/index.html"))
    embeds = list(folder.glob("embed/*/index.html"))
    strangers = foreign(folder)
    pages = len(list(folder.rglob("*.html")))
    return [
        Row(f"build of {pages} pages", spent, "s", 20.0),
        Row("processor time of that", worked, "s", 40.0, "which other work on the machine disturbs less"),
        *_sizes("model pages", models, 60),
        *_sizes("gallery page with all thumbnails", [folder / "models" / "index.html"], 120),
        *_sizes("explainer pages", learn, 60),
        *_sizes("embeds", embeds, 30),
        *_sizes("other pages", [folder / "index.html", *folder.glob("*/index.html")], None),
        Row("addresses on other hosts that pages fetch", len(strangers), "addresses", 0, " ".join(strangers[:3])),
    ]


# ---------------------------------------------------------------- the server


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answer(address: str) -> float | None:
    """Seconds until a page came, or None while nobody listens."""
    start = time.perf_counter()
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address, timeout=10) as response:
            response.read()
    except OSError:
        return None
    return time.perf_counter() - start


def server_rows() -> list[Row]:
    """From the command to the first page; then how long pages take, first and later."""
    if not (ROOT / "app" / "app_hooks.py").exists():
        raise Missing("there is no app/app_hooks.py")
    port = free_port()
    home = f"http://127.0.0.1:{port}/"
    command = [sys.executable, "-m", "panel", "serve", "app/", "--address", "127.0.0.1", "--port", str(port)]
    start = time.perf_counter()
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        listening = _listening(port, server)
        first = _answer(home)
        up = time.perf_counter() - start
        if first is None:
            raise Missing("the server does not answer at /")
        model = f"{home}models/deepseek-ai/DeepSeek-V3/"
        fresh, later = _answer(model) or 0.0, [_answer(model) or 0.0 for _ in range(9)]
        return [
            Row("panel serve: command to first page", up, "s", None, f"listening after {listening - start:.2f} s"),
            Row("first page once it listens", first, "s", 2.0),
            Row("a model page, first time", fresh * 1000, "ms"),
            Row("a model page, again", median(later) * 1000, "ms"),
        ]
    finally:
        server.terminate()
        server.wait(10)


def _listening(port: int, server: subprocess.Popen) -> float:
    """The moment the port opened."""
    until = time.perf_counter() + 60
    while time.perf_counter() < until and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return time.perf_counter()
        time.sleep(0.02)
    raise Missing("panel serve app/ does not start")
