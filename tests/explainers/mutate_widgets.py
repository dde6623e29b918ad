"""Mutate the explainers' JavaScript between compute and the screen (mutations.py): how much do the tests notice?

    python tests/explainers/mutate_widgets.py [--n 60] [--seed 1] [--jobs 1] [--only heads] [--pick 3,17] [--list]

In a temporary copy, one at a time, on the tests of the mutated page alone; what all pages share is tried on every page.
Prints what became of each, then the share killed; --pick tries some of the sample again, by number. Not mutated is what
a Python twin holds to the last bit (TWINS): compute and what it stands on.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from tests.explainers.mutations import Mutation, mutations  # noqa: E402

TWINS = re.compile(r"/(compute|codec|algorithms|schedules|run)\.js|bits/(number|text|casts|rounding)|blocks/parts")
KITS = ("kit-bets.js", "kit-beats.js", "kit-told.js")
LEFT = (".venv", ".git", "_site*", "__pycache__", ".make", ".pytest_cache", ".ruff_cache", ".mypy_cache", ".out")


def parses(one: Mutation) -> bool:
    """Whether JavaScript reads it; without node every mutation is believed."""
    node = shutil.which("node")
    run = [node, "--input-type=module", "--check"]
    return not node or subprocess.run(run, input=one.source(), text=True, capture_output=True).returncode == 0


def sample(options) -> list[Mutation]:
    """A seeded sample of all mutations that can be read."""
    files = [ROOT / "explainers" / name for name in KITS] + sorted((ROOT / "explainers").glob("*/*.js"))
    files = [file for file in files if not TWINS.search(str(file)) and options.only in str(file.relative_to(ROOT))]
    found = [one for file in files for one in mutations(file)]
    print(f"{len(found)} mutations in {len(files)} files; trying {min(options.n, len(found))}", flush=True)
    random.Random(options.seed).shuffle(found)
    chosen = (one for one in found if parses(one))
    return [one for _, one in zip(range(options.n), chosen, strict=False)]


def page_of(one: Mutation) -> str:
    """The explainer whose tests hold a file; "" for all of them."""
    return "" if one.file.name in KITS else one.file.parent.name


def killer(name: str, copy: Path, timeout: float) -> str:
    """The first test of an explainer that fails in a copy; "" where all pass."""
    here, stem = "tests/explainers/", name.replace("-", "_").removesuffix("_rule")
    own = [f"{here}test_{stem}_{kind}.py" for kind in ("widget", "page")]
    run = [f"{here}test_outlines.py", f"{here}test_beats_browser.py", f"{here}test_beats_two_ends.py"]
    run += [f"{here}test_pattern.py", *(test for test in own if (copy / test).is_file())] if name else []
    run += ["-k", f"{name} or test_{stem}_ or test_beats_"] if name else []
    env = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "EXPLAINER": name}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *run]
    try:
        made = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "time-out"
    found = re.search(r"^(?:FAILED|ERROR) \S*::(\S+)", made.stdout, re.M)
    return "" if made.returncode == 0 else found[1] if found else f"pytest ends with {made.returncode}"


def attempt(number: int, one: Mutation, copy: Path, timeout: float) -> bool:
    """Try one mutation in a copy, say what became of it, and put the file back; whether it survived."""
    file = copy / one.file.relative_to(ROOT)
    whole = file.read_text("utf-8")
    file.write_text(one.source(), "utf-8")
    by = killer(page_of(one), copy, timeout)
    file.write_text(whole, "utf-8")
    print(f"{'killed  ' if by else 'SURVIVED'} {number:3}  {one}{f'   by {by}' if by else ''}", flush=True)
    return not by


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("--n", 60), ("--seed", 1), ("--jobs", 1), ("--timeout", 400)):
        ask.add_argument(name, type=int, default=default)
    ask.add_argument("--only", default="", help="part of a path")
    ask.add_argument("--pick", default="", help="numbers of the sample")
    ask.add_argument("--list", action="store_true", help="print the sample and try nothing")
    options = ask.parse_args()
    picked = {int(n) for n in options.pick.split(",") if n}
    chosen = [(n, one) for n, one in enumerate(sample(options), 1) if not picked or n in picked]
    if options.list:
        return print("\n".join(f"{n:3}  {one}" for n, one in chosen))
    with tempfile.TemporaryDirectory() as where, ThreadPoolExecutor(options.jobs) as pool:
        copies: Queue[Path] = Queue()
        for job in range(options.jobs):
            copies.put(Path(shutil.copytree(ROOT, Path(where) / str(job), ignore=shutil.ignore_patterns(*LEFT))))

        def in_a_copy(pair: tuple[int, Mutation]) -> bool:
            copy = copies.get()
            try:
                return attempt(*pair, copy, options.timeout)
            finally:
                copies.put(copy)

        alive = list(pool.map(in_a_copy, chosen))
        passing = {page_of(one) for (_, one), is_alive in zip(chosen, alive, strict=True) if is_alive}
        for name in sorted({page_of(one) for _, one in chosen} - passing):
            if by := killer(name, copies.queue[0], options.timeout):
                print(f"{name or 'the kit'}: {by} fails without any mutation, so nothing was measured")
    killed = len(chosen) - sum(alive)
    print(f"killed {killed} of {len(chosen)} = {100 * killed / max(1, len(chosen)):.0f} %")


if __name__ == "__main__":
    main()
