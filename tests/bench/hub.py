"""A catalogue of 2,500, 5,000 and 10,000 models, of which a thousand have pages -> what a build and a search cost.

Everything is made that follows from the catalogue: the pages of rendered models (of every twentieth; its seconds count
twentyfold), all lists, all packs; then a model changes, and what a watching build writes anew is made. Seconds are of
processor time in one process; explainers, documentation and assets are left out, which no model makes longer.

    python tests/bench/hub.py MODELS [packed|whole]   prints one size as JSON; or of it only what is packed and
                                                      searched; or the whole build, every page written by processes
                                                      as build/site.py does. Each size is a process of its own
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from statistics import median
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import growing  # noqa: E402
import synthetic  # noqa: E402
from finding import TYPED  # noqa: E402
from rows import Row  # noqa: E402

SIZES = (2500, 5000, 10_000)
SAME = ("/learn", "/embed", "/assets", "/docs", "/zh", "/your-model")  # however many models there are
LINEAR = 1.1
EACH = 20  # of so many rendered models one is made
CHANGED = "zai-org/GLM-4.5-Air"
SEARCH = """
import { finder } from "./find.js";
import { withPacked } from "./find-index.js";
import { readFileSync } from "node:fs";
const { index, names, typed } = JSON.parse(readFileSync(0, "utf8"));
const least = new Map();
for (let repeat = 0; repeat < 7; repeat++) {
  const find = finder(withPacked(index, names));
  find.warm();
  for (const text of typed) for (let end = 1; end <= text.length; end++) {
    const part = text.slice(0, end), start = process.cpuUsage();
    find(part);
    const { user, system } = process.cpuUsage(start);
    least.set(part, Math.min(least.get(part) ?? Infinity, (user + system) / 1000));
  }
}
process.stdout.write(JSON.stringify([...least.values()]));
"""


def made(pages: Iterable) -> tuple[float, int]:
    """(seconds of processor time, bytes) of some pages."""
    start, size = time.process_time(), sum(len(page.content()) for page in pages)
    return time.process_time() - start, size


def measured(many: int, folder: Path, whole: bool = True) -> dict:
    """One size; without `whole` only what more models make longer."""
    start = time.process_time()
    from cutaway.gallery import catalog

    synthetic.grow(many, folder, catalog.RENDERED)
    begun = time.process_time() - start
    build = growing.builder()
    build.render_missing()  # no bundle knows the made-up ones
    from cutaway.app.making import step
    from cutaway.app.site import Site
    from cutaway.gallery import comparing

    start = time.process_time()
    site = Site("https://host/")
    step.settings_of(site)
    comparing.catalogue_lineage()
    groups = build.by_model(list(build.all_pages(site)))
    listed = begun + time.process_time() - start
    rendered = packed = about = 0.0
    for at, group in enumerate(groups):
        slug, path = group[0].model, group[0].path
        if not whole and not path.startswith("/data/packed/"):
            continue
        if slug:
            rendered += 0 if at % EACH else EACH * made(group)[0]
            site.view(slug).lighten()
        elif path.startswith("/data/packed/"):
            packed += made(group)[0]
        elif not path.startswith(SAME):
            about += made(group)[0]
    memory = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1000
    found = {"models": many, "rows": listed, "rendered": rendered, "about": about, "packed": packed, "MB": memory}
    total = listed + rendered + packed + about
    return found | {"total": total} | searched(groups) | (changed(site) if whole else {})


def built(many: int, folder: Path) -> dict:
    """A whole build but for SAME into `folder`/site: processor time of all processes, the memory of the largest.

    First pictures, which `make bundles` draws, are drawn before, and counted apart.
    """
    from cutaway.gallery import catalog

    (configs := folder / "configs").mkdir()
    synthetic.grow(many, configs, catalog.RENDERED)
    from cutaway.app import first
    from cutaway.app.making import processes
    from cutaway.app.site import Site
    from cutaway.app.site.pages import all_pages

    build = growing.builder()
    build.render_missing()
    build.commands = SimpleNamespace(commands=dict)  # the documentation is left out: none of its examples is run
    build.all_pages = lambda site: (page for page in all_pages(site) if not page.path.startswith(SAME))
    site = Site("https://host/")
    for kind in first.SCRIPTS:
        known = first.pieces(kind)
        known |= first.render(kind, {key: one for key, one in first.requests(kind, site).items() if key not in known})
    before = spent()[0]
    (out := folder / "site").mkdir()
    count = build.write(Site("https://host/"), out, lambda _: None, processes.cores())
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    after, most = spent()
    found = {"models": many, "files": count, "MB_written": size / 1e6, "MB": most}
    return found | {"first_seconds": before, "build_seconds": after - before}


def spent() -> tuple[float, float]:
    """(seconds of processor time of this process and those it began, MB of the largest)."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used), max(one.ru_maxrss for one in used) / 1000


def changed(site) -> dict[str, float]:
    """Seconds for the pages of a model whose config has changed, and for the lists that may say so."""
    from cutaway.app.rebuild import Watched
    from cutaway.gallery.catalog import snapshot

    watched = Watched(site)
    watched.note()
    path = snapshot.path_of(CHANGED)
    found = {"own": [], "lists": []}
    for layers in (40, 41, 42):
        told = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps({**told, "facts": {**told["facts"], "num_hidden_layers": layers}}), "utf-8")
        found["own"].append(made(watched.renewed(CHANGED))[0])
        start = time.process_time()
        due = [page for page in watched.due(CHANGED) if not page.path.startswith(SAME)]
        made(due)
        found["lists"].append(time.process_time() - start)
    return {name: min(seconds) for name, seconds in found.items()}


def searched(groups: list[list]) -> dict[str, float]:
    """Kilobytes of the search's two files, gzipped as hosts do; milliseconds of processor time of a keystroke."""
    from pages import packed

    from cutaway.app.making.node import find_node
    from tests import bundled

    files = {
        page.path: page.content()
        for (page, *_) in groups
        if page.path in ("/data/search.json", "/data/packed/names.json")
    }
    index, names = files["/data/search.json"], files["/data/packed/names.json"]
    given = json.dumps({"index": json.loads(index), "names": json.loads(names), "typed": TYPED})
    job = {"entries": {"m": {"text": SEARCH, "dir": "app/site"}}, "options": {"format": "esm", "platform": "node"}}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "m.mjs"
        script.write_text(bundled.sent(job, "m.js"), "utf-8")
        node = find_node()
        ran = subprocess.run([node, str(script)], input=given, capture_output=True, text=True, check=True)
    took = json.loads(ran.stdout)
    return {"index_KB": (packed(index) + packed(names)) / 1000, "key_ms": median(took), "worst_ms": max(took)}


def slope(found: list[dict], name: str) -> float:
    """How much more a further model costs from the middle size on than before it: 1 is a straight line."""
    a, b, c = ((one["models"], one[name]) for one in found)
    return ((c[1] - b[1]) / (c[0] - b[0])) / ((b[1] - a[1]) / (b[0] - a[0]))


def one(many: int) -> dict:
    """One size, in a process of its own."""
    done = subprocess.run([sys.executable, __file__, str(many)], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def rows(sizes: tuple[int, ...] = SIZES) -> list[Row]:
    """What each size costs, and whether what grows is a straight line."""
    found = [one(many) for many in sizes]
    last, most = found[-1], f"{found[-1]['models']:,} models"

    def note(name: str) -> str:
        return ", ".join(f"{one['models']:,}: {one[name]:.1f}" for one in found)

    return [
        Row(f"build with {most}", last["total"], "s", None, note("total")),
        Row("of it the models that have pages", last["rendered"], "s", None, note("rendered")),
        Row("of it the pages about many", last["about"], "s", None, note("about")),
        Row("of it rows, snapshots, lineage", last["rows"], "s", None, note("rows")),
        Row("of it packs and their lists", last["packed"], "s", None, note("packed")),
        Row("packs for a further model", slope(found, "packed"), "x before", LINEAR),
        Row("one changed model: its pages", last["own"], "s", None, note("own")),
        Row("one changed model: lists that may say so", last["lists"], "s", None, note("lists")),
        Row("one changed model: all of it", last["own"] + last["lists"], "s", 1.0),
        Row("memory at its peak", last["MB"], "MB", None, note("MB")),
        Row("memory for a further model", slope(found, "MB"), "x before", LINEAR),
        Row("search index, gzipped", last["index_KB"], "KB", None, note("index_KB")),
        Row("search index for a further model", slope(found, "index_KB"), "x before", LINEAR),
        Row("a keystroke in the search, median", last["key_ms"], "ms", None, note("key_ms")),
        Row("a keystroke for a further model", slope(found, "key_ms"), "x before", LINEAR),
        Row("the slowest keystroke", last["worst_ms"], "ms", 50.0, note("worst_ms")),
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cutaway-hub-") as made_up:
        size, wanted = int(sys.argv[1]), sys.argv[2:]
        one_size = built if wanted == ["whole"] else partial(measured, whole=wanted != ["packed"])
        print(json.dumps(one_size(size, Path(made_up))))
