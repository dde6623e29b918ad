"""The files of static/bundles/python/, from which Python starts in the browser, and their size for the pages."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from cutaway.explainers import bundles

FOLDER = bundles.FOLDER / "python"
BOOT = ("pyodide.asm.wasm.bin", "cutaway.bin")  # loaded before Python starts; the rest loads on demand


@cache
def manifest() -> dict[str, Any]:
    """pack.json of build/bundles.py: {file: bytes}, and the lock file that Pyodide reads."""
    return json.loads(bundles.text("python/pack.json"))


def boot_bytes() -> int:
    """Compressed bytes that are loaded before Python answers."""
    return sum(manifest()["files"][name] for name in BOOT)
