"""Every page of the site -> files in _site/. The old site stays until the new one is whole.

python build/site.py [--out DIR] [--base https://host/prefix/]
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from app.pages import Page, all_pages  # noqa: E402
from app.site import Site  # noqa: E402


def target(folder: Path, page: Page) -> Path:
    """Where a page's file goes; a path that would leave the folder is a bug, not a file."""
    name = page.path.lstrip("/") + ("index.html" if page.path.endswith("/") else "")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"the page {page.path!r} would be written outside {folder}")
    return path


def write(site: Site, folder: Path, say) -> int:
    """Write every page, and say how far it is."""
    pages = list(all_pages(site))
    for count, page in enumerate(pages, 1):
        path = target(folder, page)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.content())
        say(f"{count} of {len(pages)} files: {page.path}")
    return len(pages)


def swap(new: Path, out: Path) -> None:
    """Put the new site in the old one's place by two renames."""
    old = out.with_name(f"{out.name}.old-{os.getpid()}")
    if out.exists():
        out.rename(old)
    new.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def progress(text: str) -> None:
    """One line that rewrites itself on a terminal, and stays silent in a log."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[2K{text[: shutil.get_terminal_size().columns - 1]}")
        sys.stderr.flush()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the static site.")
    parser.add_argument("--out", type=Path, default=ROOT / "_site", metavar="DIR", help="default: _site")
    parser.add_argument(
        "--base", default="", metavar="URL", help="where it will be hosted: sitemap, feed, the 404 page"
    )
    options = parser.parse_args(argv)
    out = options.out.resolve()
    new = out.with_name(f"{out.name}.new-{os.getpid()}")
    start = time.perf_counter()
    try:
        new.mkdir(parents=True)
        count = write(Site(options.base), new, progress)
        progress("")
        swap(new, out)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    print(f"{count} files in {out}, {time.perf_counter() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
