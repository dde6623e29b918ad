"""What someone names on the command line or in a form -> a config and one sentence on where it is from.

A path, a folder, "-" for standard input, a repo id, a Hub URL, or the slug of a catalogued model.
"""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path
from typing import BinaryIO, NamedTuple

from cutaway.gallery import catalog
from cutaway.gallery.catalog import missing_facts
from cutaway.gallery.hub.json_text import lenient, parse
from cutaway.gallery.hub.repo_address import HubError, address
from cutaway.gallery.spec import ConfigError, ModelSpec

MAX_BYTES = 5_000_000
FILES = ("config.json", "params.json")
MISNAMED = ("address", "missing", "private", "offline")  # kinds of HubError in which another name may be meant


class SourceError(OSError):
    """A file that cannot be read: one sentence."""


class Named(NamedTuple):
    """A config under a name."""

    config: dict
    title: str
    source: str
    kind: str  # "file" | "hub" | "cache" | "snapshot"
    repo: str | None = None
    revision: str | None = None
    slug: str | None = None  # of the page that the site has of it
    edited: bool = False

    @property
    def page(self) -> str | None:
        """The slug under which the site plans and publishes just this model."""
        return None if self.edited else self.slug


def looks_like_path(name: str) -> bool:
    """Names that can only be files: with an ending, a leading dot or tilde, or more than one slash."""
    if "://" in name or name.split("/")[0].lower() in ("huggingface.co", "www.huggingface.co", "hf.co"):
        return False
    return (
        name.endswith((".json", ".jsonl", ".txt"))
        or name.startswith((".", "~", "/"))
        or re.search(r"\\", name) is not None
    )


def _exists(name: str) -> bool:
    try:
        return bool(name) and Path(name).exists()
    except (OSError, ValueError):  # too long for a file name, or with a null byte
        return False


def _within_limits(stream: BinaryIO, what: str) -> bytes:
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise SourceError(f"{what} has more than 5,000,000 bytes; a config.json is never that large.")
    return data


def from_file(path: Path) -> Named:
    """A config.json, a params.json, or a folder that holds one (and perhaps hf_quant_config.json)."""
    where = path.expanduser()
    if where.is_dir():
        where = next((where / name for name in FILES if (where / name).is_file()), where / FILES[0])
    try:
        with where.open("rb") as stream:
            config, notice = lenient(_within_limits(stream, str(path)), str(path))
    except SourceError:
        raise
    except (OSError, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        reason: dict[type, str] = {FileNotFoundError: "there is no such file", PermissionError: "it may not be read"}
        raise SourceError(
            f"{where}: {reason.get(type(error), getattr(error, 'strerror', None) or 'it cannot be read')}."
        ) from None
    beside = where.parent / "hf_quant_config.json"
    if beside.is_file() and where.name in FILES:
        from cutaway.gallery.hub import with_sidecar

        config = with_sidecar(config, parse(beside.read_bytes(), str(beside)))
    title = where.stem if where.name not in FILES else (where.resolve().parent.name or where.stem)
    return Named(config, title.replace("__", "/"), _print_note(f"the file {where}", notice), "file")


def _print_note(source: str, notice: str) -> str:
    return f"{source} ({notice})" if notice else source


def from_snapshot(name: str, revision: str | None = None) -> Named:
    """A catalogued model by its slug or Hub address; HubError where no snapshot has what was asked for."""
    if catalog.find(name) is None:
        repo, at, _ = address(name)
        name, revision = repo, revision or at
    row = catalog.find(name)
    if row is None:
        raise HubError("offline", f"No model of the catalogue is called {name!r}, and the Hub was not to be asked.")
    if row.snapshot is None:
        raise HubError("offline", str(row.missing))
    if revision not in (None, "main", row.revision):
        held = f"revision {row.revision}" if row.revision else "a revision that is not known"
        sentence = f"The snapshot of {row.slug} is of {held}, not of {revision}, and the Hub was not to be asked."
        raise HubError("offline", sentence)
    source = catalog.provenance(row.slug)
    return Named(catalog.load(row.slug), row.title, source, "snapshot", row.repo, row.revision, row.slug)


def lacks(named: Named, spec: ModelSpec) -> tuple[str, ...]:
    """What the catalogue's copy of a config has not, in sentences; () where the config is from elsewhere."""
    row = catalog.find(named.slug or "") if named.kind == "snapshot" else None
    return missing_facts.list_missing(row, spec) if row else ()


def from_input() -> Named:
    """Standard input, whole."""
    if sys.stdin is None:
        raise SourceError("Standard input is closed: give a file or a repo id instead of -.")
    try:
        config, notice = lenient(_within_limits(sys.stdin.buffer, "standard input"), "standard input")
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"Standard input cannot be read: {error.strerror}.") from None
    return Named(config, "config", _print_note("standard input", notice), "file")


def from_hub(name: str, revision: str | None) -> Named:
    """A repo id or a Hub URL, asked of the Hub; the title is the catalogue's where it has the repo."""
    from cutaway.gallery.hub import fetch

    found = fetch(name, revision)
    row = catalog.find(found.repo)
    title = row.title if row else found.repo
    slug = row.slug if row and row.snapshot else None
    return Named(found.config, title, found.source, found.kind, found.repo, found.revision, slug)


def alike(name: str) -> str:
    """ " Did you mean Qwen/Qwen3-8B?": the catalogued model that a name is most like, by slug, last part or title."""
    known: dict[str, str] = {}
    for row in catalog.drawable_rows():
        for spelling in (row.slug, row.slug.rpartition("/")[2], row.title):
            known.setdefault(spelling.lower(), row.slug)
    bare = re.sub(r"@.*|^https?://[^/]+/", "", name.strip()).lower()
    near = difflib.get_close_matches(bare, known, 1, 0.75)
    return f" Did you mean {known[near[0]]}?" if near and known[near[0]].lower() != bare else ""


def load(name: str, revision: str | None = None, offline: bool = False) -> Named:
    """The config behind a name; ConfigError, HubError or SourceError with one sentence."""
    if name == "-":
        return from_input()
    if looks_like_path(name) or _exists(name):
        return from_file(Path(name))
    row = catalog.find(name)
    try:
        if offline or (row is not None and row.repo is None):
            return from_snapshot(name, revision)
        return from_hub((row and row.repo) or name, revision)
    except HubError as error:
        if error.kind in MISNAMED and row is None and (near := alike(name[:200])):
            raise HubError(error.kind, f"{error}{near}") from None
        raise
