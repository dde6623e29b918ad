"""The tag of a release -> its notes, if pyproject.toml and CHANGELOG.md are of that version and it has a date.

    python build/release.py v0.1.0

The release workflow calls it before anything is built.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def notes(tag: str, project: str, changelog: str) -> str:
    """The CHANGELOG's text about a tag's version; SystemExit with a sentence where the three disagree."""
    version = tomllib.loads(project)["project"]["version"]
    if tag != f"v{version}":
        raise SystemExit(f"The tag is {tag}, but pyproject.toml has version {version}: the tag would be v{version}.")
    found = re.search(r"^## \[(\d[^\]]*)\] - (\S+)\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    if not found or found[1] != version:
        newest = found[1] if found else "none"
        raise SystemExit(f"The tag is {tag}, but the newest version of CHANGELOG.md is {newest}: add [{version}].")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", found[2]):
        raise SystemExit(f"CHANGELOG.md calls {version} {found[2]}: a release has a date, as in 2026-11-20.")
    return found[3].strip() + "\n"


def main(argv: list[str]) -> int:
    if len(argv) != 1:
        raise SystemExit("Give the tag of the release: python build/release.py v0.1.0")
    texts = ((ROOT / name).read_text("utf-8") for name in ("pyproject.toml", "CHANGELOG.md"))
    print(notes(argv[0], *texts), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
