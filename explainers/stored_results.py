"""What takes seconds to work out and changes with the sources alone -> .make/results/ of a checkout, for every process.

A result stands under a digest of the files that it can follow from, and of the catalogue as this process has it. An
installed package has no such folder and works everything out; so does a process whose sources were changed under it.
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
    """What `work` returns, JSON-plain; not worked out where a process has stored it for the same sources."""
    made_of = digest(folders)
    if FOLDER is None or not made_of:
        return work()
    path = FOLDER / f"{name}-{made_of[:24]}.json"
    with suppress(OSError, ValueError, RecursionError):
        return json.loads(path.read_text("utf-8"))
    found = work()
    with suppress(OSError):
        store(path, name, found)
    return found


def store(path: Path, name: str, found: Any) -> None:
    """Whole or not at all; what other sources gave is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for old in path.parent.glob(f"{name}-{'?' * 24}.json"):
        old.unlink(missing_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(found), "utf-8")
    part.replace(path)


@cache
def digest(folders: tuple[str, ...]) -> str:
    """Of the sources in some folders of the checkout; "" where one is newer than the code that this process runs."""
    told = hashlib.sha256(repr(catalog.MODELS).encode())
    for folder in (*(ROOT / name for name in folders), snapshot.CONFIGS):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in KINDS and path.is_file()):
            if path.stat().st_mtime > STARTED:
                return ""
            told.update(f"{path.relative_to(folder)} {bundles.digest(path)}\n".encode())
    return told.hexdigest()
