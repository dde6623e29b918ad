"""/your-model/: the page, what its worker runs, and the service worker that keeps it for a visit without a network.

All files that only this page needs are below its own address, because a service worker serves nothing outside it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app.packed import page as packed
from cutaway.app.site.pages import STRICT, Page
from cutaway.app.site.python_files import FOLDER, boot_bytes, manifest
from cutaway.explainers import bundles
from cutaway.gallery import catalog

PATH = "/your-model/"
NAV = (60, "Your model", PATH)
TERMS = ("your model", "config.json", "custom model", "own model", "paste a config", "unlisted model")
SEARCH = (PATH, "Draw your own model", TERMS)
HUB = "https://huggingface.co"
# The page fetches a config when its button is pressed: a worker would not be held to the page's policy.
POLICY = STRICT.replace("connect-src 'self'", f"connect-src 'self' {HUB}")
# Where a server sends policies with scripts, the worker's lets WebAssembly run, and nothing leave.
WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
MOST_BYTES = 1_000_000
SECONDS = 20  # then a config's drawing is ended
RUNS = f"{PATH}python.json"  # what a model's page starts the same Python from
TYPES = {"mjs": "text/javascript", "bin": "application/octet-stream"}


class Example(NamedTuple):
    """A catalogued config to begin with."""

    slug: str
    words: str


EXAMPLES = (
    Example("Qwen/Qwen3-Next-80B-A3B-Instruct", "Gated DeltaNet and attention, 3 to 1"),
    Example("deepseek-ai/DeepSeek-V3", "latent attention, 256 experts"),
)


def pages(site) -> Iterator[Page]:
    """The page, its two workers, and the files of the browser's Python under a name that their content gives."""
    yield Page(PATH, lambda: page(site), csp=POLICY)
    yield Page(f"{PATH}worker.js", partial(bundles.text, "your-model/worker.js"), "text/javascript", csp=WORKER_POLICY)
    yield Page(RUNS, starting, "application/json")
    yield Page(f"{PATH}offline.js", partial(bundles.text, "your-model/offline.js"), "text/javascript")
    for name in manifest()["files"]:
        yield Page(folder() + name, (FOLDER / name).read_bytes, TYPES[name.rpartition(".")[2]])


@cache
def folder() -> str:
    """Where the pack lies: a path that changes with what is in it."""
    made = hashlib.sha256()
    for name in sorted(manifest()["files"]):
        made.update(f"{name} {bundles.digest(bundles.FOLDER / 'python' / name)}\n".encode())
    return f"{PATH}python-{made.hexdigest()[:12]}/"


def worker() -> str:
    """The worker's address, which changes with what is in it."""
    digest = bundles.version(bundles.text("your-model/worker.js"))
    return f"{PATH}worker.js?v={digest}"


def starting() -> str:
    """Addresses below this file, and what the worker is told: fetched by a page that runs a small copy."""
    below = {"worker": worker().removeprefix(PATH), "folder": folder().removeprefix(PATH)}
    return json.dumps({**below, "seconds": SECONDS, "files": manifest()["files"], "lock": manifest()["lock"]})


def page(site) -> str:
    """The form; what is drawn, a script puts below it."""
    examples = [(catalog.BY_SLUG[one.slug].title, one.words, as_data(catalog.load(one.slug))) for one in EXAMPLES]
    return site.render(
        "your_model/page.html",
        PATH,
        policy=POLICY,
        offline=f"{PATH}offline.js",
        examples=examples,
        **drawing(site),
    )


def drawing(site) -> dict[str, object]:
    """What the templates settings.html and drawing.html show, on whatever page a config is drawn."""
    return {
        "worker": worker(),
        "folder": folder(),
        "home": PATH,
        "pack": as_data({"files": manifest()["files"], "lock": manifest()["lock"]}),
        "size": boot_bytes(),
        "drawn": sorted(((row.slug, row.title) for row in site.rows if row.snapshot), key=lambda one: one[1].lower()),
        "most": MOST_BYTES,
        "seconds": SECONDS,
        "packed": packed.counts(),
    }


def as_data(value: object) -> Markup:
    """JSON for a <script> that holds data."""
    return Markup(json.dumps(value, separators=(",", ":")).replace("<", "\\u003c"))
