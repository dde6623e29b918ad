"""What the design promises about speed and size, measured on this machine: one line each, with its target.

    python tests/bench/bench.py [--only gallery|import|site|server|load|browser|search|compare|growing|hub] [--strict]

Sections whose part is not there yet say so. --strict exits with 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from rows import Missing, Row, quantile, show  # noqa: E402


def gallery_speed() -> list[Row]:
    """config -> spec -> weights -> SVG for every catalogued model, warm: processor time, whoever else is at work."""
    from cutaway.gallery import catalog, draw, read, weights
    from cutaway.gallery.drawing.figure_panels import picture
    from cutaway.gallery.sublayers import graph_of

    configs = [catalog.load(row.slug) for row in catalog.drawable_rows() if not row.config_of]

    def once(config: dict) -> float:
        start = time.process_time()
        spec = read(config)
        weights(spec)
        draw(spec)
        return (time.process_time() - start) * 1000

    for config in configs:
        once(config)
    spent = [min(once(config) for _ in range(5)) for config in configs]  # the least disturbed of five
    name = f"config to SVG, {len(configs)} configs"

    def fresh(config: dict) -> float:
        """As if no model had been read before: halves that models share are written and laid out anew."""
        graph_of.cache_clear()
        picture.cache_clear()
        return once(config)

    alone = [min(fresh(config) for _ in range(3)) for config in configs]
    return [
        Row(f"{name}: median", median(spent), "ms", 3.0),
        Row(f"{name}: median, nothing known of other models", median(alone), "ms"),
        Row(f"{name}: p95", quantile(spent, 0.95), "ms"),
        Row(f"{name}: slowest", max(spent), "ms"),
    ]


PROBE = """
import sys, time
start = time.process_time()
import cutaway.gallery
spent = (time.process_time() - start) * 1000
foreign = {name.partition(".")[0] for name, module in sys.modules.items()
           if "site-packages" in (getattr(module, "__file__", None) or "")}
print(spent, ",".join(sorted(foreign - before)))
"""


def _process(code: str) -> tuple[float, str]:
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return (time.perf_counter() - start) * 1000, done.stdout


def import_time() -> list[Row]:
    """`import cutaway.gallery` in fresh processes, beside an empty process; what it pulls in from elsewhere."""
    before = "import sys\nbefore = {name.partition('.')[0] for name in sys.modules}\n"
    _process(before + PROBE)  # writes the .pyc files
    runs = [_process(before + PROBE) for _ in range(9)]
    empty = median(_process("pass")[0] for _ in range(9))
    inside = median(float(out.split()[0]) for _, out in runs)
    foreign = runs[0][1].split()[1:]
    return [
        Row("import cutaway.gallery", inside, "ms", 40.0),
        Row("import cutaway.gallery, whole process", median(spent for spent, _ in runs) / empty, "x an empty process"),
        Row("third-party modules it imports", len(foreign), "modules", 0, note=" ".join(foreign)),
    ]


def site() -> list[Row]:
    """The static site: time to build, bytes of its pages, hosts they would ask."""
    import pages

    return pages.site_rows()


def server() -> list[Row]:
    """panel serve: from the command to the first answer."""
    import pages

    return pages.server_rows()


def load() -> list[Row]:
    """Fifty readers for a minute, and a hundred sessions that come and go: waiting, errors, memory."""
    import load

    return load.rows(50, 60, 100)


def browser() -> list[Row]:
    """Pages in Chromium: ready at 4x throttle, input to repaint, requests to other hosts."""
    import chromium

    return chromium.rows()


def search() -> list[Row]:
    """The search among ten thousand made-up models, letter by letter."""
    import finding

    return finding.rows()


def growing() -> list[Row]:
    """A catalogue of 400, 800 and 1,600 models: whether a further one costs what the one before it did."""
    import growing

    return growing.rows()


def hub() -> list[Row]:
    """2,500, 5,000 and 10,000 models, a thousand of them with pages: build, memory, search; ten minutes."""
    import hub

    return hub.rows()


def compare() -> list[Row]:
    """Two models beside each other: from both files in memory to the page laid out."""
    import comparing

    return comparing.rows()


SECTIONS: dict[str, Callable[[], list[Row]]] = {
    "gallery": gallery_speed,
    "import": import_time,
    "site": site,
    "server": server,
    "load": load,
    "browser": browser,
    "search": search,
    "growing": growing,
    "hub": hub,
    "compare": compare,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", choices=list(SECTIONS))
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a target is missed")
    chosen = parser.parse_args()
    late = 0
    for name, section in SECTIONS.items():
        if chosen.only in (None, name):
            print(f"\n{section.__doc__.strip()}", flush=True)
            try:
                rows = section()
            except Missing as why:
                print(f"  skipped: {why}")
                continue
            print("\n".join(show(rows)), flush=True)
            late += sum(row.late for row in rows)
    print(f"\n{late} targets missed" if late else "\nevery target met")
    return 1 if late and chosen.strict else 0


if __name__ == "__main__":
    sys.exit(main())
