"""What static/bundles/python/ holds for the browser's Python: pages that load it say how large it is."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from cutaway.explainers import bundles

FOLDER = bundles.FOLDER / "python"
BOOT = ("pyodide.asm.wasm.bin", "cutaway.bin")  # what Python starts from; the rest comes when it is asked for


@cache
def told() -> dict[str, Any]:
    """What build/bundles.py says of the pack: {name: bytes}, and what Pyodide wants to know of itself."""
    return json.loads(bundles.text("python/pack.json"))


def boot_bytes() -> int:
    """What is fetched before Python answers, deflated."""
    return sum(told()["files"][name] for name in BOOT)
