"""A seed -> two hundred thousand broken configs, each judged: python tests/gallery/fuzz.py --cases 200000 --jobs 2.

One case in ten is a one-key bomb, one in ten two of them, the rest is mutated or crossed with another model's config.
Prints what became of them and, for what is wrong, the number that makes the case again (`--only NUMBER` shows it).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.gallery.bombs import NUMBERS, bomb, configs, families, paths
from tests.gallery.mutate import crossed, mutated
from tests.gallery.verdict import SECONDS, fence, judge, now_bytes

MEGABYTES = 300
CHUNK = 250


@cache
def places(name: str) -> list[tuple]:
    """What can be turned in a config."""
    return paths(configs()[name])


@cache
def names() -> list[str]:
    """Every config there is."""
    return list(configs())


def bombed(rng: random.Random, keys: int) -> object:
    """A config with one or two numbers that are far too large."""
    name = rng.choice(list(families().values()))
    config = configs()[name]
    for _ in range(keys):
        number = rng.choice((*NUMBERS, 3, 7, 61))
        value = rng.choice((number, number, number, [number] * rng.choice((1, 61, 500))))
        config = bomb(config, rng.choice(places(name)), value) or config
    return config


def case(seed: str, number: int) -> object:
    """The config of one number: the same for the same seed, on any machine."""
    name = f"{seed}-{number}"
    rng = random.Random(name)
    way = number % 10
    if way < 2:
        return bombed(rng, way + 1)
    one, other = (configs()[rng.choice(names())] for _ in "ab")
    if way < 6:
        return crossed(one, other, name)
    return mutated(one if way < 9 else crossed(one, other, name), name)


def chunk(seed: str, start: int, stop: int, seconds: float = SECONDS) -> tuple[Counter, list[tuple[int, str]], float]:
    """(counts, what is wrong with which case, megabytes held afterwards) of some numbers."""
    counts: Counter = Counter()
    faults = []
    for number in range(start, stop):
        verdict = judge(case(seed, number))
        counts["cases"] += 1
        counts[verdict.kind] += 1
        counts["over 1 s"] += verdict.seconds > 1
        counts["over 300 MB"] += verdict.megabytes > MEGABYTES
        counts["injected nodes"] += len(verdict.injected)
        if words := verdict.fault(MEGABYTES, seconds):
            counts["wrong"] += 1
            faults.append((number, words))
    return counts, faults, now_bytes() / 1e6


def report(counts: Counter, held: list[float], seconds: float) -> str:
    """One line of counts."""
    names = ("cases", "drawn", "refused", "crash", "over 1 s", "over 300 MB", "injected nodes", "wrong")
    words = ", ".join(f"{counts[name]:,} {name}" for name in names).replace("crash,", "crashes,")
    return f"{words}; {seconds:.0f} s; a worker holds {held[0]:.0f} to {max(held):.0f} MB"


def run(seed: str, cases: int, jobs: int, keep: Path | None = None, say=print) -> Counter:
    """All cases over all jobs; prints as it goes."""
    counts: Counter = Counter()
    held: list[float] = []
    began, told = time.monotonic(), 0
    starts = range(0, cases, CHUNK)
    with ProcessPoolExecutor(jobs, initializer=fence) as pool:
        stops = [min(start + CHUNK, cases) for start in starts]
        for found, faults, megabytes in pool.map(chunk, [seed] * len(starts), starts, stops):
            counts += found
            held.append(megabytes)
            for number, words in faults:
                say(f"  case {number}: {words}")
                if keep:
                    kept = {"what": words, "says": "drawn", "config": case(seed, number)}
                    (keep / f"{seed}-{number}.json").write_text(json.dumps(kept, indent=1) + "\n")
            if counts["cases"] >= told + max(cases // 10, 1):
                told = counts["cases"]
                say(report(counts, held, time.monotonic() - began))
    return counts


def main() -> int:
    """The command line; ends with 1 where anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--keep", type=Path, help="a folder for the configs of cases that go wrong, such as corpus/")
    parser.add_argument("--only", type=int, help="judge this case alone, and print its config")
    options = parser.parse_args()
    if options.only is not None:
        config = case(options.seed, options.only)
        print(json.dumps(config)[:100_000])
        fence()
        verdict = judge(config)
        print(verdict.kind, verdict.text[:300], f"{verdict.seconds:.2f} s", f"{verdict.megabytes:.0f} MB")
        return bool(verdict.fault(MEGABYTES, SECONDS))
    return bool(run(options.seed, options.cases, options.jobs, options.keep)["wrong"])


if __name__ == "__main__":
    sys.exit(main())
