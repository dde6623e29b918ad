"""CASES.json -> a line for each quantized copy (case, expected bytes, ours, ok), and "N of N".

    python tests/oracle/quantization.py tests/oracle/quantization.json

The file names a catalogued model and, for each case, keys put into its config and the bytes of all its weights as the
tool stores them; null where they cannot be counted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cutaway.gallery import catalog, read
from cutaway.gallery.counting.stored_bytes import stored_bytes


class Outcome(NamedTuple):
    """One case: what its tool stores, and what we count."""

    case: str
    expected: int | None
    ours: int | None

    @property
    def ok(self) -> bool:
        return self.expected == self.ours


def outcomes(path: Path) -> Iterator[Outcome]:
    """Every case of a file."""
    told = json.loads(path.read_text(encoding="utf-8"))
    base = catalog.load(told["base"])
    for name, case in told["cases"].items():
        yield Outcome(name, case["bytes"], stored_bytes(read({**base, **case["keys"]})))


def shown(value: int | None) -> str:
    """Bytes, or the word for what cannot be counted."""
    return "unknown" if value is None else f"{value:,}"


def main(arguments: list[str]) -> int:
    """A line for each case; 1 where one is wrong."""
    found = [one for path in arguments for one in outcomes(Path(path))]
    for one in found:
        print(f"{one.case}\t{shown(one.expected)}\t{shown(one.ours)}\t{'ok' if one.ok else 'WRONG'}")
    right = sum(one.ok for one in found)
    print(f"{right} of {len(found)}")
    return int(right != len(found))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
