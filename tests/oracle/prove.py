"""Differential fuzzing against the modelling code: python tests/oracle/prove.py [--cases N] [--seed S] [--jobs J]

Needs torch and transformers (`make prove` installs both). Each case is a golden case's config with two to eight options
changed at random: other legal values, left out, or spelled as older files do. The class of transformers is built and
run on it; what it refuses is not counted. Ours is held against it: parameters, tensors, logits, cache, matrix FLOPs.
A mismatch names its family and the options that bring it about; `proving/known.json` has those that stay, each with
its reason.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
KNOWN = Path(__file__).parent / "proving" / "known.json"
MISSES = 1.0  # percent of mismatches without a row that are too many


class Result(NamedTuple):
    """One case: its family, what differs (kind -> words), the options that bring it about, and whether we say so."""

    number: int
    model_type: str
    differs: dict[str, str]
    blamed: tuple[str, ...]
    told: bool
    illegal: int


def try_case(seed: int, number: int, only: tuple[str, ...]) -> Result:
    """One legal case; those that the class refuses are drawn again."""
    import numpy as np
    import transformers

    from tests.oracle.proving.bases import bases
    from tests.oracle.proving.held import held
    from tests.oracle.proving.options import apply, drawn, pick
    from tests.oracle.proving.theirs import Illegal, ran

    rng, illegal = np.random.default_rng([seed, number]), 0
    kinds = sorted(only or bases())
    base = pick(rng, bases()[kinds[number % len(kinds)]])
    cls = transformers.models.auto.configuration_auto.CONFIG_MAPPING[base.model_type]
    while True:
        changes = drawn(base, cls, rng)
        config = apply(base.config, changes, cls)
        try:
            theirs = ran(base, config)
        except Illegal:
            illegal += 1
            if illegal > 60:
                return Result(number, base.model_type, {}, (), False, illegal)
            continue
        found = held(config, theirs, whatever(base.model_type, config))
        blamed = blame(base, cls, changes, found.differs) if found.differs else ()
        return Result(number, base.model_type, found.differs, blamed, found.told, illegal)


def blame(base, cls, changes, differs) -> tuple[str, ...]:
    """The fewest of the changes that still bring a difference of these kinds about, found by leaving one out each."""
    from tests.oracle.proving.held import held
    from tests.oracle.proving.options import apply
    from tests.oracle.proving.theirs import Illegal, ran

    kept = list(changes)
    for one in changes:
        fewer = [other for other in kept if other is not one]
        config = apply(base.config, fewer, cls)
        try:
            found = held(config, ran(base, config), whatever(base.model_type, config))
            if differs.keys() & found.differs.keys():
                kept = fewer
        except Illegal:
            continue
    return tuple(map(str, kept))


@cache
def known() -> list[dict]:
    """The rows of what stays different: model types with spaces between, or "*"; what differs; and the changes, each a
    key, whatever becomes of it, or an expression for the whole change: "v_head_dim = None", "embedding_scale left out".
    A row without changes holds for all configs of its families, or for those that have one of the values under `where`.
    """
    return json.loads(KNOWN.read_text(encoding="utf-8"))


def whatever(model_type: str, config: dict) -> frozenset[str]:
    """The kinds in which a config differs whatever its other options: rows that name no changes."""
    rows = [row for row in known() if not row["keys"] and model_type in row["family"].split()]
    return frozenset(kind for row in rows if is_there(row.get("where", {}), config) for kind in row["kinds"])


def is_there(where: dict, config: dict) -> bool:
    """Whether a config has one of the values under each key of a row."""
    return all(config.get(key) in values for key, values in where.items())


def quiet() -> None:
    """One thread a worker, no warnings, no random weights: all are filled by name."""
    import logging

    import torch
    import transformers

    torch.set_num_threads(1)
    transformers.PreTrainedModel.initialize_weights = lambda self: None
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    logging.disable(logging.WARNING)


def attempt(job: tuple) -> Result:
    """try_case for a pool."""
    return try_case(*job)


def known_reason(result: Result) -> str:
    """The reason of the row that knows this mismatch, or ""."""
    for row in known():
        family = row["family"] == "*" or result.model_type in row["family"].split()
        kinds = set(result.differs) <= set(row["kinds"])
        if family and kinds and any(means(key, one) for key in row["keys"] for one in result.blamed):
            return row["reason"]
    return ""


def means(key: str, change: str) -> bool:
    """Whether a row's key means a change: "num_experts" means "num_experts = 4", and no "num_experts_per_tok = 4"."""
    return re.fullmatch(f"({key})( (=|left out|older).*)?", change, re.DOTALL) is not None


def told(results: list[Result]) -> int:
    """Prints what came of all cases, a line for each kind of mismatch; the exit code."""
    legal = [one for one in results if one.illegal <= 60]
    wrong = [one for one in legal if one.differs]
    unknown: Counter = Counter()
    examples: dict[tuple, Result] = {}
    reasons: Counter = Counter()
    for one in wrong:
        reason = known_reason(one)
        if reason:
            reasons[reason] += 1
            continue
        key = (one.model_type, ", ".join(sorted({word.split()[0] for word in one.blamed})), "+".join(one.differs))
        unknown[key] += 1
        examples.setdefault(key, one)
    for (family, keys, kinds), times in sorted(unknown.items()):
        one = examples[family, keys, kinds]
        changed, words = "; ".join(one.blamed)[:300] or "as it is", next(iter(one.differs.values()))
        print(f"{times:4} {family}: {kinds}: {changed} | {words} | case {one.number}{' (told)' * one.told}")
    for reason, times in reasons.most_common():
        print(f"{times:4} known: {reason}")
    exact = len(legal) - len(wrong)
    apart = [
        " with ".join([f"{row['family']} ({', '.join(row['kinds'])})", *row.get("where", ())])
        for row in known()
        if not row["keys"]
    ]
    print(f"not compared: {'; '.join(apart)}")
    again, rows, share = sum(one.illegal for one in results), sum(reasons.values()), 100 * exact / max(len(legal), 1)
    print(f"{exact} of {len(legal)} exact ({share:.2f} %), {rows} with a reason, {sum(unknown.values())} without")
    print(f"{again} drawn again as illegal, {len(results) - len(legal)} given up")
    return 1 if unknown or share < 100 - MISSES else 0


def main() -> int:
    """Runs the cases, prints what differs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="model types, with commas between")
    parser.add_argument("--one", type=int, default=-1, help="the number of a single case")
    options = parser.parse_args()
    only = tuple(one for one in options.only.split(",") if one)
    numbers = [options.one] if options.one >= 0 else range(options.cases)
    print(f"seed {options.seed}, {len(numbers)} cases")
    jobs = [(options.seed, number, only) for number in numbers]
    if options.jobs == 1:
        quiet()
        return told([attempt(job) for job in jobs])
    with ProcessPoolExecutor(options.jobs, get_context("spawn"), initializer=quiet) as pool:
        return told(list(pool.map(attempt, jobs, chunksize=8)))


if __name__ == "__main__":
    sys.exit(main())
