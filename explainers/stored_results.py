"""Results that take seconds to compute and depend only on the sources: stored in .make/results/ of a checkout.

A result's file name has a digest of the sources that it depends on and of the catalogue in this process. An installed
package has no such folder and computes everything; so does a process whose sources have changed since it started.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from cutaway.explainers import bundles
from cutaway.gallery import catalog
from cutaway.gallery.catalog import snapshot

ROOT = bundles.ROOT
FOLDER = ROOT / ".make" / "results" if (ROOT / "package.json").is_file() else None
KINDS = (".py", ".json", ".toml", ".csv", ".bin", ".md", ".css")
STARTED = time.time()


def recall(name: str, folders: tuple[str, ...], work: Callable[[], Any]) -> Any:
    """What `work` returns, as plain JSON; read from the file if a process has stored it for the same sources."""
    sources = digest(folders)
    if FOLDER is None or not sources:
        return work()
    path = FOLDER / f"{name}-{sources[:24]}.json"
    with suppress(OSError, ValueError, RecursionError):
        return json.loads(path.read_text("utf-8"))
    found = work()
    with suppress(OSError):
        store(path, name, found)
    return found


def store(path: Path, name: str, found: Any) -> None:
    """Write a result whole or not at all, and remove those of other sources."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for old in path.parent.glob(f"{name}-{'?' * 24}.json"):
        old.unlink(missing_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(found), "utf-8")
    part.replace(path)


@cache
def digest(folders: tuple[str, ...]) -> str:
    """A digest of the sources in these folders; "" if one of them is newer than this process."""
    seen = hashlib.sha256(repr((catalog.KNOWN, len(catalog.MODELS))).encode())
    for folder in (*(ROOT / name for name in folders), snapshot.CONFIGS):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in KINDS and path.is_file()):
            if path.stat().st_mtime > STARTED:
                return ""
            seen.update(f"{path.relative_to(folder)} {bundles.digest(path)}\n".encode())
    return seen.hexdigest()
