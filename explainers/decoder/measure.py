"""weights/ and the evaluation streams -> measured.json: how often each decoder is right, as `gallery.run` computes it.

python explainers/decoder/measure.py    # about four minutes; after train.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from cutaway.explainers.decoder import measured, running

HERE = Path(__file__).parent
task = running.task


def logits(name: str, streams: np.ndarray) -> np.ndarray:
    """[streams, units, values]: what the decoder says at every key."""
    own = slice(task.FIRST_VALUE, None)
    return np.stack([running.run(*running.load_decoder(name), tokens[:-1])[1::3, own] for tokens in streams])


def first(name: str, seed: int = task.EVALUATION_SEED) -> list[int]:
    """[right, asked] over the first streams of a seed."""
    streams = task.streams(seed, measured.SAMPLE, running.mixers.KINDS[name].resets)
    return measured.share(measured.collect_reads(logits(name, streams), streams), lambda one: True)


def table(name: str) -> dict:
    """All evaluation streams; with resets also the long ones."""
    resets = running.mixers.KINDS[name].resets
    streams = task.streams(task.EVALUATION_SEED, task.EVALUATED, resets)
    made = logits(name, streams)
    found = {**measured.table(made, streams), "sample": first(name)}
    if not resets:
        return found
    long = task.streams(task.EVALUATION_SEED, task.EVALUATED // task.LONG, True, task.LONG)
    return {**found, **measured.with_resets(made, streams), "long": measured.with_resets(logits(name, long), long)}


def main(names: list[str]) -> None:
    """Every shipped decoder, or those that are named, one line each."""
    kept = HERE / "measured.json"
    found = json.loads(kept.read_text("utf-8")) if names else {}
    found |= {name: table(name) for name in names or running.mixers.KINDS}
    lines = [f"{json.dumps(name)}: {json.dumps(found[name])}" for name in running.mixers.KINDS]
    kept.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
