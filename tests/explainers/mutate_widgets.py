"""Mutate the explainers' JavaScript between compute and the screen (mutations.py): how much do the tests notice?

    python tests/explainers/mutate_widgets.py [--n 60] [--seed 1] [--jobs 1] [--only heads] [--pick 3,17] [--list]

In a temporary copy, one at a time, on the tests of the mutated page alone; what all pages share is tried on one page.
Prints what became of each, then the share killed; --pick tries some of the sample again, by number. Not mutated is what
a Python twin holds to the last bit (TWINS): compute and what it stands on.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from tests.explainers.mutations import Mutation, mutations  # noqa: E402
from tests.linked import linked  # noqa: E402

TWINS = re.compile(
    r"/(compute|codec|algorithms|schedules|simulate|asked|timed|run|engine|pool|legal|layer|folding|machine)\.js"
    r"|/(partial_attention|small|traffic)\.js|kit/(codes|fractions|fraction-text|reals|typed-numbers|casts)|bits/rounding|rounding/sums"
    r"|blocks/(parts|samples|results|quantizer|scale_rules)\.js"
)
BEATS = ("numbers_browser", "bets_browser", "phrases_browser", "beats_browser")  # what goes over all pages
KITS = (
    *("kit/bet-words.js", "kit/bets.js", "kit/bet-bar.js", "kit/bet-tools.js"),
    *("kit/beats.js", "kit/beat-machine.js", "kit/page.js"),
)
BESIDE = "look_as_kept or draws_little or accessible or special_numbers"  # slow, and not about what is drawn
LEFT = (".venv", ".git", "_site*", "__pycache__", ".make", ".pytest_cache", ".ruff_cache", ".mypy_cache", ".out")


def parses(one: Mutation) -> bool:
    """Whether JavaScript reads it; without node every mutation is believed."""
    node = shutil.which("node")
    run = [node, "--input-type=module", "--check"]
    return not node or subprocess.run(run, input=one.source(), text=True, capture_output=True).returncode == 0


def sample(options) -> list[Mutation]:
    """A seeded sample of all mutations that can be read."""
    files = [file for file in sorted((ROOT / "explainers").glob("*/*.js")) if file.parent.name != "kit"]
    files = [ROOT / "explainers" / name for name in KITS] + files
    files = [file for file in files if not TWINS.search(str(file)) and options.only in str(file.relative_to(ROOT))]
    found = [one for file in files for one in mutations(file)]
    print(f"{len(found)} mutations in {len(files)} files; trying {min(options.n, len(found))}", flush=True)
    random.Random(options.seed).shuffle(found)
    chosen = (one for one in found if parses(one))
    return [one for _, one in zip(range(options.n), chosen, strict=False)]


def page_of(one: Mutation) -> str:
    """The explainer whose tests hold a file; of the machine of beats, one with every kind of bet and a beat without."""
    return "heads" if one.file.name in KITS else one.file.parent.name.replace("_", "-")


def command(page: str) -> list[str]:
    """pytest on what holds a page, quick tests first."""
    here, stem = "tests/explainers/", page.replace("-", "_").removesuffix("_rule")
    own = [test for kind in ("widget", "page") if (ROOT / (test := f"{here}test_{stem}_{kind}.py")).is_file()]
    run = [f"{here}test_{part}.py" for part in ("outlines", *BEATS, "beats_two_ends", "pattern")]
    which = ["-k", f"({page} or test_{stem}_ or test_beats_ or test_bets_) and not ({BESIDE})"]
    plugins = ["-p", "tests.explainers.mutants", "-p", "no:cacheprovider"]
    return [sys.executable, "-P", "-m", "pytest", "-q", *plugins, *run, *own, *which]  # -P: the copy, as it is linked


def tried(page: str, chosen: dict[int, Mutation], copy: Path, timeout: float) -> Iterator[tuple[int, str]]:
    """(number, the test that failed or "") of mutations of one page; one that takes too long counts as noticed."""
    waiting = {n: (str(copy / one.file.relative_to(ROOT)), one.source()) for n, one in chosen.items()}
    asked, into = copy / "mutants.json", copy / "mutants.txt"
    path = f"{linked(copy, copy / '.linked')}:{copy}"
    env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "EXPLAINER": page}
    while waiting:
        asked.write_text(json.dumps({"into": str(into), "mutants": [[n, *one] for n, one in waiting.items()]}))
        into.write_text("")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        run = subprocess.Popen(command(page), cwd=copy, env={**env, "MUTANTS": str(asked)}, **quiet)
        seen, last = 0, time.monotonic()
        while waiting and run.poll() is None and time.monotonic() - last < timeout:
            time.sleep(0.5)
            for line in into.read_text().splitlines()[seen:]:
                seen, last = seen + 1, time.monotonic()
                number, _, by = line.partition(" ")
                waiting.pop(int(number))
                yield int(number), by
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        if waiting and (number := next(iter(waiting))):
            waiting.pop(number)
            shutil.copy(chosen[number].file, copy / chosen[number].file.relative_to(ROOT))
            yield number, "time-out"


def unmutated(page: str) -> Mutation:
    """No change at all: the tests have to pass."""
    return Mutation(ROOT / "explainers" / page.replace("-", "_") / "widget.js", 0, "", "")


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("--n", 60), ("--seed", 1), ("--jobs", 1), ("--timeout", 400)):
        ask.add_argument(name, type=int, default=default)
    ask.add_argument("--only", default="", help="part of a path")
    ask.add_argument("--pick", default="", help="numbers of the sample")
    ask.add_argument("--list", action="store_true", help="print the sample and try nothing")
    options = ask.parse_args()
    picked = {int(n) for n in options.pick.split(",") if n}
    chosen = {n: one for n, one in enumerate(sample(options), 1) if not picked or n in picked}
    if options.list:
        return print("\n".join(f"{n:3}  {one}" for n, one in chosen.items()))
    pages = sorted({page_of(one) for one in chosen.values()})
    alive: list[int] = []

    def on(page: str) -> None:
        mine = {n: one for n, one in chosen.items() if page_of(one) == page}
        with tempfile.TemporaryDirectory() as where:
            copy = Path(shutil.copytree(ROOT, Path(where) / "copy", ignore=shutil.ignore_patterns(*LEFT)))
            for number, by in tried(page, {**mine, 0: unmutated(page)}, copy, options.timeout):
                if number == 0 and by:
                    print(f"{page}: {by} fails without a mutation: nothing was measured", flush=True)
                elif number:
                    print(f"{f'killed by {by}' if by else 'SURVIVED'}\n{number:5}  {chosen[number]}", flush=True)
                    alive.extend([] if by else [number])

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(on, pages))
    killed = len(chosen) - len(alive)
    print(f"killed {killed} of {len(chosen)} = {100 * killed / max(1, len(chosen)):.0f} %; not {sorted(alive)}")


if __name__ == "__main__":
    main()
