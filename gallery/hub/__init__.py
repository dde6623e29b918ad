"""A repo id or a Hub URL -> its config.json at a revision, through huggingface_hub's cache, or the snapshot here.

The Hub is asked first (one HEAD; the body only when its ETag is new to the cache), then the cache of this machine,
then gallery/catalog/configs; `.source` says which it was and, if not the Hub, why. The token is the one that
huggingface_hub finds (`HF_TOKEN`, or the file that `hf auth login` writes); `HF_ENDPOINT` names another Hub. Who may
not use the token (`token=False`) has a cache apart, without what the token fetched.
"""

from __future__ import annotations

import inspect
import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from cutaway.gallery.hub.deadline import run_within
from cutaway.gallery.hub.errors import explain, failure, for_visitor, parse_object
from cutaway.gallery.hub.repo_address import Address, HubError, address
from cutaway.gallery.hub.sidecar import UNTOLD, cached_sidecar, fetch_sidecar, with_sidecar

__all__ = ["Fetched", "HubError", "fetch", "with_sidecar"]

TIMEOUT_SECONDS = 10.0  # for each step: asking, then downloading
MAX_BYTES = 5_000_000
# Mistral's own repos carry only params.json; the last two say what a repo without a model of its own is
FILES = ("config.json", "params.json", "adapter_config.json", "model_index.json")


class Fetched(NamedTuple):
    config: dict
    repo: str
    revision: str | None  # a commit where the Hub named one
    source: str  # a sentence for the reader
    kind: str  # "hub" | "cache" | "snapshot"
    file: str = "config.json"


# ---------------------------------------------------------------- asking the Hub


def _client() -> Any:
    """huggingface_hub, imported late and made quiet: its bars and warnings would stand between our lines."""
    import huggingface_hub
    from huggingface_hub.utils import disable_progress_bars, logging

    disable_progress_bars()
    logging.set_verbosity_error()
    return huggingface_hub


def _limited_progress(seconds: float) -> type:
    """A progress bar that ends a download past its time or size: the client would resume a broken one for ever."""
    from huggingface_hub.utils import tqdm

    class Limited(tqdm):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **{**more, "disable": True})
            self.seen: float = 0
            self.until = time.monotonic() + seconds

        def update(self, size: float | None = 1) -> None:
            self.seen += size or 0
            if self.seen > MAX_BYTES:
                raise OverflowError
            if time.monotonic() > self.until:
                raise TimeoutError

    return Limited


class _Hub(NamedTuple):
    client: Any
    endpoint: str | None
    cache_dir: str | None
    timeout: float
    token: bool = True
    dropped: threading.Event | None = None

    def within(self, step: Callable[[], Any]) -> Any:
        return run_within(self.timeout, step, self.dropped)

    def ask(self, where: Address, file: str) -> Any:
        """The file's commit, ETag and size."""
        url = self.client.hf_hub_url(where.repo, file, revision=where.revision, endpoint=self.endpoint)
        asked = {"timeout": self.timeout, "token": None if self.token else False}
        found = self.within(lambda: self.client.get_hf_file_metadata(url, **asked))
        # The client makes file names of both: an ETag of "../../x" would be written outside its cache.
        if not re.fullmatch(r"[0-9a-f]{40}", found.commit_hash or ""):
            raise failure("not-the-hub", where, file, "its answer names no commit")
        if not re.fullmatch(r"[\w-]+(\.[\w-]+){0,9}", found.etag or "", re.A) or len(found.etag) > 128:
            raise failure("not-the-hub", where, file, "its answer has no good ETag")
        if found.size is not None and found.size > MAX_BYTES:
            raise failure("too-large", where, file, f"{found.size:,}")
        return found

    def get(self, where: Address, file: str, commit: str) -> bytes:
        """The file's bytes at that commit, from the cache where it has them."""
        known = self.client.try_to_load_from_cache(where.repo, file, cache_dir=self.cache_dir, revision=commit)
        if isinstance(known, str):
            return self._read(where, file, known)
        more: dict[str, Any] = {"endpoint": self.endpoint, "cache_dir": self.cache_dir, "etag_timeout": self.timeout}
        more["token"] = None if self.token else False
        if "tqdm_class" in inspect.signature(self.client.hf_hub_download).parameters:
            more["tqdm_class"] = _limited_progress(self.timeout)
        try:
            path = self.within(lambda: self.client.hf_hub_download(where.repo, file, revision=where.revision, **more))
        except OverflowError:  # a body without Content-Length says nothing of its size beforehand
            raise failure("too-large", where, file, "too many") from None
        except TimeoutError:
            raise failure("truncated", where, file, f"no whole copy within {self.timeout:.0f} seconds") from None
        return self._read(where, file, path)

    def cached(self, where: Address, file: str) -> tuple[bytes, str] | None:
        """What an earlier visit left in the cache, and its commit."""
        path = self.client.try_to_load_from_cache(where.repo, file, cache_dir=self.cache_dir, revision=where.revision)
        return (
            (self._read(where, file, path), Path(path).parts[-1 - file.count("/") - 1])
            if isinstance(path, str)
            else None
        )

    @staticmethod
    def _read(where: Address, file: str, path: str) -> bytes:
        if (size := os.path.getsize(path)) > MAX_BYTES:
            raise failure("too-large", where, file, f"{size:,}")
        return Path(path).read_bytes()


def _from_hub(hub: _Hub, where: Address) -> Fetched:
    files = (where.file,) if where.file else FILES
    for file in files:
        try:
            commit = hub.ask(where, file).commit_hash
            config = parse_object(hub.get(where, file, commit), where, file)
        except HubError:
            raise
        except Exception as error:
            problem = explain(error, where, where.file or "config.json", hub.timeout)
            if problem.kind == "no-config" and file != files[-1]:
                continue
            raise problem from error
        config, but = fetch_sidecar(hub, where, commit, config)
        return Fetched(config, where.repo, commit, f"the Hub, revision {commit[:12]}{but}", "hub", file)
    raise AssertionError("the last file returns or raises")


def _from_cache(hub: _Hub, where: Address, problem: HubError) -> Fetched | None:
    for file in (where.file,) if where.file else FILES:
        if found := hub.cached(where, file):
            data, commit = found
            config = parse_object(data, where, file)
            whole = cached_sidecar(hub, where, commit, config)
            source = f"an earlier download, revision {commit[:12]}{UNTOLD if whole is None else ''}. {problem}"
            return Fetched(config if whole is None else whole, where.repo, commit, source, "cache", file)
    return None


def _from_snapshot(where: Address, problem: HubError) -> Fetched | None:
    """The snapshot, if there is one and no other revision or file was asked for."""
    from cutaway.gallery import catalog

    if where.file not in (None, "config.json"):
        return None
    row = catalog.find(where.repo)
    if row is None or row.snapshot is None or where.revision not in (None, "main", row.revision):
        return None
    return Fetched(
        catalog.load(row.slug), where.repo, row.revision, f"{catalog.provenance(row.slug)} {problem}", "snapshot"
    )


def _visitors_cache() -> str:
    """Where configs lie that were fetched without the token."""
    from huggingface_hub import constants

    return str(Path(constants.HF_HUB_CACHE).parent / "cutaway-visitors")


def fetch(
    repo_or_url: str,
    revision: str | None = None,
    *,
    cache_dir: str | None = None,
    timeout: float = TIMEOUT_SECONDS,
    token: bool = True,
    dropped: threading.Event | None = None,
) -> Fetched:
    """The config of a model repo; HubError with one sentence where neither Hub, cache nor snapshot has it.

    Setting `dropped` ends the requests under way: nobody waits for the answer any more.
    """
    where = address(repo_or_url)
    where = where._replace(revision=revision or where.revision)
    hub: _Hub | None = None
    try:
        client = _client()
        kept_in = cache_dir or (None if token else _visitors_cache())
        hub = _Hub(client, os.environ.get("HF_ENDPOINT") or None, kept_in, timeout, token, dropped)
    except ImportError:
        problem = failure("no-client", where)
    else:
        try:
            return _from_hub(hub, where)
        except HubError as error:
            problem = error if token else for_visitor(error, where)
    usable = problem.kind in ("offline", "timeout", "server", "rate-limited", "truncated", "not-the-hub", "cache")
    kept = _from_cache(hub, where, problem) if hub and usable else None
    kept = kept or _from_snapshot(where, problem)
    if kept is None:
        raise problem
    return kept
