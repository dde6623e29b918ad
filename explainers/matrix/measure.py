"""Every scheme on six matrices and the drawing -> results.json, which the page reads.

`python -m cutaway.explainers.matrix.measure` takes two minutes. A test measures a part of it again.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np

from cutaway.explainers.matrix import weights
from cutaway.explainers.matrix.rows import COSTED, MAPPED

FILE = Path(__file__).with_name("results.json")
FIRST, OTHERS = 20, (21, 22, 23, 24, 25)
SOURCES = (*(str(seed) for seed in (FIRST, *OTHERS)), "picture")
DIGITS = 5
ENDS = (0.0005, 0.02)  # of the colour scale of errors, in weights of rms 0.025
CELLS = (64, 32)  # rows and columns of a map that stands in a page before any script
LEVELS = 8


def weights_of(source: str) -> weights.Weights:
    """The matrix of a seed, or the drawing."""
    return weights.picture() if source == "picture" else weights.matrix(int(source))


def energy(x: np.ndarray, loud: int) -> list[float]:
    """[sum of squares, of which in the loud column], to DIGITS digits."""
    square = x.astype(float) ** 2
    return [float(f"{value:.{DIGITS}g}") for value in (square.sum(), square[:, loud].sum())]


def measured(name: str, given: weights.Weights) -> list[float]:
    """[error, of which in the loud column, the same of the rotated matrix, share of zeros plain and rotated]."""
    (error, zeros, _), (turned, gone, _) = (weights.errors(name, given.plain, how) for how in (False, True))
    shares = [float(f"{one.mean():.{DIGITS}g}") for one in (zeros, gone)]
    return [*energy(error, given.loud), *energy(turned, given.loud), *shares]


def small_map(error: np.ndarray) -> str:
    """The rms error of CELLS parts of the matrix as levels of the colour scale: two to a byte."""
    rows, columns = CELLS
    parts = error.reshape(rows, error.shape[0] // rows, columns, error.shape[1] // columns)
    rms = np.sqrt((parts**2).mean(axis=(1, 3)))
    place = np.log(np.maximum(rms, ENDS[0]) / ENDS[0]) / np.log(ENDS[1] / ENDS[0])
    level = np.clip(np.floor(LEVELS * place), 0, LEVELS - 1).astype(np.uint8)
    return base64.b64encode((level[:, ::2] << 4 | level[:, 1::2]).tobytes()).decode()


def measure(source: str) -> dict:
    """All schemes on one matrix."""
    given = weights_of(source)
    return {"signal": energy(given.plain, given.loud), **{name: measured(name, given) for name in COSTED}}


def measure_all() -> dict:
    """What results.json holds."""
    plain = weights.matrix(FIRST).plain
    maps = {name: [small_map(weights.errors(name, plain, how)[0]) for how in (False, True)] for name in MAPPED}
    return {"sources": {source: measure(source) for source in SOURCES}, "maps": maps}


def text(found: dict) -> str:
    """JSON with one line for each scheme of a matrix."""
    lines = []
    for source, rows in found["sources"].items():
        held = ",\n".join(f'    "{name}": {json.dumps(row)}' for name, row in rows.items())
        lines.append(f'  "{source}": {{\n{held}\n  }}')
    maps = ",\n".join(f'  "{name}": {json.dumps(pair)}' for name, pair in found["maps"].items())
    return '{"sources": {\n' + ",\n".join(lines) + '\n}, "maps": {\n' + maps + "\n}}\n"


if __name__ == "__main__":
    FILE.write_text(text(measure_all()), "utf-8")
