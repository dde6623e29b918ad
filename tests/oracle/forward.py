"""Golden logits against `gallery.run`: python tests/oracle/forward.py CASE.json ... prints a line each and the count.

A case (tests/oracle/README.md says who made it) holds a tiny config.json, the names and shapes of its state dict, the
rule's salt, tokens, and what transformers 5.23.0 answers in float64. The config alone is read; weights come from their
names. The difference is in standard deviations of the logits; the trace says which layer differs first.
"""

from __future__ import annotations

import json
import math
import re
import sys
import traceback
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
CASES = Path(__file__).resolve().parent / "forward"
LIMIT = 1e-7
SINKS = {"sinks", "sink", "attention_sink_bias", "attn_sink", "learnable_sink"}
SCALES = {"weight", "gamma", "g"}
EMBEDDING = re.compile(r"(embed|wte\b|wpe\b|word_emb|tok_emb|emb\b)")
LAYER = re.compile(r"^(?:[\w.]*\.)?(?:layers|h|blocks|block|L_module|H_module)\.\d+$")


def weight(name: str, shape: list[int], salt: int, rows: dict[str, int]) -> np.ndarray:
    """The values of one tensor, from its name alone: the oracle's ten rules, first match."""
    rng = np.random.default_rng(zlib.crc32(f"{name}|{salt}".encode()))
    if name in rows:
        return np.argsort(rng.random((shape[0], rows[name])), axis=1)[:, : shape[1]].astype(np.int64)
    z, leaf = rng.standard_normal(tuple(shape)), name.rpartition(".")[2]
    if leaf in ("A_log", "dt_bias", "D"):
        return {"A_log": 0.5 * z, "dt_bias": -1 + 0.5 * z, "D": 1 + 0.1 * z}[leaf]
    if leaf in SINKS:
        return 0.5 * z
    if "bias" in leaf:
        return 0.1 * z
    if len(shape) >= 2:
        return 0.5 * z if EMBEDDING.search(name) else z / math.sqrt(shape[-1])
    return 1 + 0.1 * z if leaf in SCALES or "scal" in leaf or "norm" in name else 0.3 * z


def weights(case: dict) -> dict[str, np.ndarray]:
    """The whole state dict of a case, ties included."""
    made = {n: weight(n, s, case["salt"], case.get("int_tables") or {}) for n, s in case["names"].items()}
    return made | {alias: made[name] for alias, name in (case.get("ties") or {}).items()}


class Outcome(NamedTuple):
    """What came of one case."""

    case: str
    difference: float  # largest difference of a logit in standard deviations of the logits; inf where it did not run
    words: str  # "" | where it differs first, or what stopped it


def compared(path: Path, debug: bool = False) -> Outcome:
    """One case read, run and held against its golden values."""
    from cutaway.gallery import read, run

    case = json.loads(path.read_text(encoding="utf-8"))
    seen: list[np.ndarray] = []
    try:
        spec = read(case["config"], as_class=True)
        watch = lambda name, value: seen.append(value) if re.fullmatch(r"layer\d+", name) else None  # noqa: E731
        logits = run(spec, weights(case), case["tokens"], watch=watch)
        return Outcome(path.stem, difference(case, logits), first_layer(case, seen))
    except Exception as problem:
        if debug:
            traceback.print_exc()
        return Outcome(path.stem, math.inf, f"{type(problem).__name__}: {problem}"[:160])


def difference(case: dict, logits: np.ndarray) -> float:
    """Over the last positions and the probes."""
    golden, every = np.array(case["logits_last3"]), case["logits_all"]
    if logits.shape[1] < golden.shape[1]:
        return math.inf
    logits = logits[:, : golden.shape[1]]
    gaps = [np.abs(logits[-len(golden) :] - golden).max()]
    gaps += [abs(logits[position, token] - value) for position, token, value in every["probes"]]
    worst = max(gaps) / every["std"]
    return float(worst) if math.isfinite(worst) else math.inf


def first_layer(case: dict, seen: list[np.ndarray]) -> str:
    """The first layer whose last row is not what the trace says."""
    golden = [entry for entry in case["trace"] if LAYER.match(entry[0])]
    for (name, _shape, _mean, rms, *row), value in zip(golden, seen, strict=False):
        mine = value.reshape(-1, value.shape[-1])[-1][: len(row)]
        if not np.allclose(mine, row, rtol=1e-6, atol=1e-8 * max(rms, 1e-9)):
            return f"first differs in {name}"
    return ""


def keep(outcomes: list[Outcome]) -> None:
    """gallery/running/proofs.json made anew from the cases that are within the limit."""
    from cutaway.gallery.running.proofs import PROOFS

    PROOFS.write_text(json.dumps(proved(outcomes), indent=1) + "\n", encoding="utf-8")


def proved(outcomes: list[Outcome]) -> dict:
    """Of the cases within the limit: how many each family has, classes, signatures of what ran, constants."""
    from cutaway.gallery import read
    from cutaway.gallery.running.proofs import runs_without_images, signatures
    from tests.oracle.constants import proved_constants

    families: dict[str, int] = {}
    classes: dict[str, dict[str, str]] = {}
    found: set[str] = set()
    right: list[dict] = []
    for one in outcomes:
        if one.difference <= LIMIT:
            case = json.loads((CASES / f"{one.case}.json").read_text(encoding="utf-8"))
            spec = read(case["config"])
            right.append(case)
            families[spec.family] = families.get(spec.family, 0) + 1
            classes.setdefault(spec.family, {})[case["model_type"]] = case["cls"].split()[0]
            found.update(signatures(spec, lambda layer, spec=spec: runs_without_images(spec, layer)))
    classes = {family: dict(sorted(own.items())) for family, own in sorted(classes.items())}
    return {
        "families": dict(sorted(families.items())), "classes": classes, "signatures": sorted(found),
        "constants": proved_constants(right),
    }  # fmt: skip


def main(arguments: list[str]) -> int:
    """Every case named, or all that are kept here; --keep writes what they prove."""
    debug = "--debug" in arguments
    files = [Path(one) for one in arguments if not one.startswith("--")] or sorted(CASES.glob("*.json"))
    outcomes = [compared(path, debug) for path in files]
    for one in outcomes:
        print(f"{one.case:32} {one.difference:10.2e}  {one.words if one.difference > LIMIT else ''}")
    if "--keep" in arguments:
        keep(outcomes)
    good = sum(one.difference <= LIMIT for one in outcomes)
    print(f"{good} of {len(outcomes)} within {LIMIT:g}")
    return 0 if good == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
