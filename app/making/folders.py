"""Where a build works: a folder of its own beside the site, held by a lock that ends with the process."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def workshop(out: Path) -> Iterator[Path]:
    """A folder beside the site that is this build's alone, and gone afterwards."""
    out.parent.mkdir(parents=True, exist_ok=True)
    lock = None
    while lock is None:
        folder = Path(tempfile.mkdtemp(prefix=f"{out.name}.build-", dir=out.parent))
        lock = hold(folder)
    try:
        sweep(out)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def hold(folder: Path) -> int | None:
    """The lock on a folder, or None if another process has it or has removed the folder."""
    with suppress(OSError):
        lock = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), folder.stat()):
                return lock
        except OSError:
            pass
        os.close(lock)
    return None


def sweep(out: Path) -> None:
    """Remove what killed builds left; a site that one had already moved away comes back first."""
    for folder in out.parent.glob(f"{out.name}.build-*"):
        if (lock := hold(folder)) is None:
            continue
        if (folder / "old").is_dir() and not out.exists():
            (folder / "old").rename(out)
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def swap(new: Path, out: Path) -> None:
    """Put the new site in the old one's place by two renames."""
    if out.exists():
        out.rename(new.with_name("old"))
    new.rename(out)


def replaceable(out: Path) -> bool:
    """Whether nothing of the reader's own is lost when a site takes this place."""
    return not out.exists() or (out.is_dir() and ((out / "index.html").is_file() or not any(out.iterdir())))


def unwritable(parent: Path) -> str:
    """Why no folder can be made in another, which is made if need be; "" where one can."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryDirectory(dir=parent).cleanup()
    except OSError as fault:
        return fault.strerror or type(fault).__name__
    return ""
