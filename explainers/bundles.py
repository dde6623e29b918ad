"""static/bundles/ -> the text of a bundled script, held against the sources it was made from.

`python build/bundles.py` writes the folder (`make serve`, `make test` and `pip wheel` do it too), with a manifest that
names every source and its SHA-256.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache, lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "static" / "bundles"
MAKE = "`python build/bundles.py` makes the scripts of the pages, and `make serve` does so by itself"


class BundleError(RuntimeError):
    """There is no such bundle, or its sources have changed since it was made; the sentence says what to run."""


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def version(content: str | bytes) -> str:
    """What stands behind ?v= in a file's address, so that caches notice a change: the start of its SHA-256."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:6]


@cache
def manifest() -> dict[str, str]:
    """{source: SHA-256} of the bundles that are there; a BundleError where one was made from other sources.

    An installed wheel has no sources that could change, so nothing is compared there.
    """
    path = FOLDER / "manifest.json"
    if not path.is_file():
        raise BundleError(f"The scripts of the pages are not bundled yet: {MAKE}.")
    sources: dict[str, str] = json.loads(path.read_text("utf-8"))
    if not (ROOT / "package.json").is_file():
        return sources
    changed = sorted(name for name, was in sources.items() if not (ROOT / name).is_file() or digest(ROOT / name) != was)
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise BundleError(f"The bundled scripts are older than {changed[0]}{more}: {MAKE}.")
    return sources


@lru_cache(64)  # the pages of a whole site ask for 25 MB of them, each a few times in a row
def text(name: str) -> str:
    """A bundle by its path under static/bundles/, as "widgets/bits.js"."""
    manifest()
    path = FOLDER / name
    if not path.is_file():
        raise BundleError(f"There is no bundle {name}: {MAKE}.")
    return path.read_text("utf-8")


@cache
def all_imports() -> dict[str, list[str]]:
    """Bundle -> the bundles that it imports itself; those that import none are left out."""
    manifest()
    return json.loads((FOLDER / "imports.json").read_text("utf-8"))


def imports(name: str) -> list[str]:
    """The bundles that must be there before a bundle runs, each once."""
    found: list[str] = []
    for other in all_imports().get(name, []):
        found += [one for one in (other, *imports(other)) if one not in found]
    return found


def names(folder: str) -> list[str]:
    """The bundles right below a folder, by name."""
    manifest()
    return sorted(path.relative_to(FOLDER).as_posix() for path in (FOLDER / folder).glob("*.js"))
