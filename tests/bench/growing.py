"""The catalogue grown by made-up models -> what a build costs with the number of models: work, memory, slope.

Work is counted in calls of functions, which no other process disturbs; seconds of processor time stand beside. Of the
models' own pages a sample is made: of real models and of made-up ones, the same at every size.

    python tests/bench/growing.py MODELS        prints one size as JSON; each size is a process of its own
"""

from __future__ import annotations

import cProfile
import importlib.util
import json
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import synthetic  # noqa: E402
from rows import Row  # noqa: E402

SIZES = (400, 800, 1600)
REAL = ("meta-llama/Llama-3.1-8B", "deepseek-ai/DeepSeek-V3", "google/gemma-3-4b-it", "openai/gpt-oss-20b")
MADE = 6  # made-up ones


def cost(work: Callable[[], object]) -> tuple[int, float]:
    """(calls, seconds of processor time) of something."""
    profile, start = cProfile.Profile(), time.process_time()
    profile.runcall(work)
    return pstats.Stats(profile).total_calls, time.process_time() - start


def builder():
    """build/site.py as a module."""
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "build" / "site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measured(many: int, folder: Path) -> dict:
    """One size: the lineage, the sample's pages (the second time: the first works out what all share), the rest."""
    synthetic.grow(many, folder)
    build = builder()
    build.render_missing()  # no bundle knows the made-up ones
    from cutaway.app.data import dataset
    from cutaway.app.site import Site
    from cutaway.gallery import catalog, comparing

    lineage = cost(comparing.catalogue_lineage)
    site = Site()
    own: dict[str, list] = {}
    for page in build.all_pages(site):
        own.setdefault(page.model, []).append(page)
    made = [row.slug for row in catalog.MODELS if row.slug.startswith(synthetic.OWNER)]
    sample = [*REAL, *made[: 7 * MADE : 7]]  # the same models change at every size

    def written(slugs: list[str]) -> None:
        for slug in slugs:
            for page in own[slug]:
                page.content()
            site.view(slug).lighten()

    written(sample)
    each = cost(lambda: written(sample))
    for view in site.views:  # as if each had had its pages: what the rest asks of it is known
        if view.spec:
            dataset.record(view)
            view.lighten()
    about = [page for page in own[""] if not page.path.startswith(("/learn", "/embed", "/assets"))]
    rest = cost(lambda: [page.content() for page in about])
    memory = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1000
    return {"models": many, "lineage": lineage, "each": [x / len(sample) for x in each], "rest": rest, "MB": memory}


def one(many: int) -> dict:
    """One size, in a process of its own."""
    done = subprocess.run([sys.executable, __file__, str(many)], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def about_all(found: dict, at: int) -> float:
    """What a build does besides the models' own pages, at one size: at 0 in calls, at 1 in seconds."""
    return found["lineage"][at] + found["rest"][at]


def slope(found: list[dict], value: Callable[[dict], float]) -> float:
    """How much more a further model costs from the middle size on than before it: 1 is a straight line."""
    a, b, c = ((one["models"], value(one)) for one in (found[0], found[len(found) // 2], found[-1]))
    return ((c[1] - b[1]) / (c[0] - b[0])) / ((b[1] - a[1]) / (b[0] - a[0]))


def rows(sizes: tuple[int, ...] = SIZES) -> list[Row]:
    """Whether a model's own pages cost the same among many, and all else a straight line; what the last size costs."""
    found = [one(many) for many in sizes]
    first, last = found[0], found[-1]
    among = f"among {last['models']:,} models"
    note = ", ".join(f"{one['models']:,}: {one['MB']:.0f} MB" for one in found)
    return [
        Row(
            f"work of a model's own pages {among}",
            last["each"][0] / first["each"][0],
            f"x among {first['models']}",
            1.1,
        ),
        Row("work of all else for a further model", slope(found, lambda x: about_all(x, 0)), "x before", 1.1),
        Row("memory for a further model", slope(found, lambda x: x["MB"]), "x before", 1.1, note),
        Row(f"a model's own pages {among}", last["each"][1] * 1000, "ms", 1000),
        Row(f"all else {among}", about_all(last, 1), "s"),
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cutaway-grown-") as made:
        print(json.dumps(measured(int(sys.argv[1]), Path(made))))
