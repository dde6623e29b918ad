"""What people paste -> repo, revision and file on the Hub: a repo id, a page's URL, or an hf:// path."""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit


class HubError(Exception):
    """The Hub cannot give what was asked: `kind` is a word for programs, the message one sentence for people."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


class Address(NamedTuple):
    repo: str
    revision: str | None = None
    file: str | None = None  # None: config.json, then params.json


HOSTS = ("huggingface.co", "www.huggingface.co", "hf.co")
NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?"
REPO = re.compile(rf"{NAME}(?:/{NAME})?")
PAGES = ("blob", "resolve", "raw", "blame", "tree", "commit", "commits")  # what follows names a revision
WHOLE = ("commit", "commits", "revision")  # of these, those that show no file; the last is the API's
NOT_MODELS = {
    "datasets": "a dataset",
    "spaces": "a Space",
    "buckets": "a bucket",
    "kernels": "a kernel",
    "collections": "a collection",
    "papers": "a paper",
    "docs": "a documentation page",
    "blog": "a blog post",
}


def _wrong(text: str, why: str) -> HubError:
    shown = text if len(text) <= 80 else text[:79] + "…"
    return HubError("address", f"{shown!r} {why}: give a model's repo id such as openai/gpt-oss-20b, or its Hub URL.")


def _hosts() -> tuple[str, ...]:
    other = urlsplit(os.environ.get("HF_ENDPOINT", "")).netloc
    return (*HOSTS, other) if other else HOSTS


def _revision(parts: list[str]) -> tuple[str | None, list[str]]:
    """`refs/pr/3` is one revision in three segments; anything else is one segment."""
    take = 3 if parts[:1] == ["refs"] and len(parts) >= 3 else 1
    return ("/".join(parts[:take]) or None), parts[take:]


def _file(kind: str, parts: list[str]) -> str | None:
    """The .json that the page shows; for a folder or any other file the config.json beside it."""
    if not parts or kind in WHOLE:
        return None
    if kind != "tree" and parts[-1].endswith(".json") and not parts[-1].endswith(".index.json"):
        return "/".join(parts)
    folder = parts if kind == "tree" else parts[:-1]
    return "/".join([*folder, "config.json"]) if folder else None


def _check(text: str, repo: str, revision: str | None, file: str | None) -> Address:
    if not REPO.fullmatch(repo) or "--" in repo or ".." in repo:
        raise _wrong(text, "is not a repo id")
    if any(part in ("", ".", "..") for part in (file or "config.json").split("/")):
        raise _wrong(text, "names no file inside a repo")
    return Address(repo, revision, file)


def _split_revision(parts: list[str], pages: tuple[str, ...] = PAGES) -> tuple[str, str | None, list[str]]:
    """(repo, revision, the rest) of `org/name@revision/...`, where the revision may be refs/pr/3."""
    owner = 1 if len(parts) == 1 or parts[1] in pages or "@" in parts[0] else 2
    repo, _, at = "/".join(parts[:owner]).partition("@")
    revision, rest = _revision([*at.split("/"), *parts[owner:]]) if at else (None, parts[owner:])
    return repo, revision, rest


def _from_path(text: str, path: str) -> Address:
    """The path of a URL: its pages and the API's say what follows the repo."""
    parts = [unquote(part) for part in path.split("/") if part]
    asked = parts[:2] == ["api", "models"]
    parts = parts[2:] if asked else parts[1:] if parts[:1] == ["models"] else parts
    _refuse_others(text, parts)
    pages = (*PAGES, "revision") if asked else PAGES
    repo, at, rest = _split_revision(parts, pages)
    if rest and rest[0] in pages:
        revision, tail = _revision([part for piece in rest[1:] for part in piece.split("/")])
        return _check(text, repo, revision, _file(rest[0], tail))
    if rest and rest[-1].endswith(".json"):
        raise _wrong(text, "names a file, but not how the Hub shows it (blob/main/...)")
    return _check(text, repo, at, None)


def _from_scheme(text: str, path: str) -> Address:
    """hf://org/name@revision/folder/file: what follows the repo is a path inside it."""
    parts = [unquote(part) for part in path.split("/") if part]
    parts = parts[1:] if parts[:1] == ["models"] else parts
    _refuse_others(text, parts)
    if len(parts) == 2 and parts[1].endswith(".json"):  # a repo without an owner: hf://gpt2/config.json
        parts = [f"{parts[0]}@main" if "@" not in parts[0] else parts[0], parts[1]]
    repo, at, rest = _split_revision(parts)
    if rest and rest[0] in PAGES:
        return _from_path(text, path)
    return _check(text, repo, at, _file("blob" if "." in "".join(rest[-1:]) else "tree", rest))


def _refuse_others(text: str, parts: list[str]) -> None:
    """What lies on the Hub beside models, and nothing at all."""
    if parts and parts[0] in NOT_MODELS:
        raise _wrong(text, f"is {NOT_MODELS[parts[0]]}, not a model")
    if not parts:
        raise _wrong(text, "names no repo")


def address(text: str) -> Address:
    """Read a repo id (`org/name`, `org/name@revision`) or any URL of a model's pages on the Hub."""
    if not isinstance(text, str) or not text.strip() or len(text) > 500:
        raise _wrong(str(text), "names no repo")
    text = text.strip()
    if text.startswith("hf://"):
        return _from_scheme(text, text[5:])
    bare = text.split("/", 1)[0].lower()
    url = urlsplit(text if "://" in text else f"https://{text}" if bare in _hosts() else "")
    if url.netloc:
        if url.scheme not in ("http", "https") or url.netloc.lower() not in _hosts():
            raise _wrong(text, "is not an address on the Hub")
        return _from_path(text, url.path)
    repo, _, at = text.partition("@")
    if repo.split("/")[0] in NOT_MODELS and "/" in repo:
        raise _wrong(text, f"is {NOT_MODELS[repo.split('/')[0]]}, not a model")
    return _check(text, repo, at or None, None)
