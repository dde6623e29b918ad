"""A config -> the facts that our reader took from it, as one small JSON per model in gallery/catalog/configs, and back.

A snapshot holds no copy of a file: only keys that the reader knows or whose absence would change the spec, in sorted
order, and the names (not the values) of the keys it did not read. `from_snapshot` gives a config that reads the same.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CONFIGS = Path(__file__).parent / "configs"
KINDS = {
    "hub": "read from the Hub",
    "file": "read from a file",
    "reconstructed": "reconstructed: the file was transcribed, dumped with defaults added, or assembled from known "
    "dimensions",
}


QUANTIZATION = "quantization_config."  # unread keys of this object stay among the facts: the spec lists them

# ---------------------------------------------------------------- config -> facts


def _read(config: Mapping) -> tuple[object, frozenset[str]]:
    """The spec, and apart from it the unread keys, whose list a snapshot shortens by design."""
    from cutaway.gallery.reading.read import read

    spec = read(config)
    return dataclasses.replace(spec, unread=()), frozenset(spec.unread)


def _without(config: Mapping, path: tuple[str, ...]) -> dict:
    head, *rest = path
    if not rest:
        return {key: value for key, value in config.items() if key != head}
    return {**config, head: _without(config[head], tuple(rest))}


def _paths(config: Mapping, prefix: tuple[str, ...] = (), depth: int = 0) -> list[tuple[str, ...]]:
    """Every key, inner keys of objects after the object itself."""
    found: list[tuple[str, ...]] = []
    for key, value in config.items():
        found.append((*prefix, key))
        if isinstance(value, Mapping) and depth < 2 and len(value) <= 400:
            found.extend(_paths(value, (*prefix, key), depth + 1))
    return found


def _has_path(config: object, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(config, Mapping) or key not in config:
            return False
        config = config[key]
    return True


def _is_known(path: tuple[str, ...]) -> bool:
    """Keys the reader has a row for stay, even where they say what a default would say."""
    from cutaway.gallery.reading.ignored import IGNORED_WORDS
    from cutaway.gallery.reading.keys import NESTED, SPELLINGS
    from cutaway.gallery.reading.text_part import ENVELOPES

    inner = [key for key in path if key not in ENVELOPES]
    if not inner or inner[-1] in ("model_type", "architectures"):
        return True
    if len(inner) > 1 and inner[0] not in NESTED:
        return False  # inside another tower or the quantization block: only what matters
    return ".".join(inner) in SPELLINGS and inner[-1] not in IGNORED_WORDS


def facts(config: Mapping) -> dict:
    """The part of a config that the reader knows or needs; everything else gone, checked by reading both."""
    whole, unread = _read(config)
    kept: dict = dict(config)
    for path in _paths(config):
        if _has_path(kept, path) and not _is_known(path):
            less = _without(kept, path)
            if _same_without(less, whole, unread):
                kept = less
    return _sort_keys(kept)


def _same_without(less: Mapping, whole: object, unread: frozenset[str]) -> bool:
    """Whether the spec is the same without a key, and no other key counts as read for the lack of it."""
    try:
        spec, left = _read(less)
    except ValueError:
        return False
    still_there = {name for name in unread - left if _has_path(_text_part(less), tuple(name.split(".")))}
    return spec == whole and not still_there


def _text_part(config: Mapping) -> Mapping:
    from cutaway.gallery.reading.text_part import unwrap

    return unwrap(config)[0]


def _sort_keys(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sort_keys(value[key]) for key in sorted(value)}
    return value


# ---------------------------------------------------------------- facts <-> file


def snapshot(config: Mapping, kind: str, read_on: str, repo: str | None = None, **about: str | None) -> dict:
    """The snapshot of a config; `about` may carry revision, found_in and how (a sentence on where it is from)."""
    from cutaway.gallery.catalog.folded_patterns import compact, find_shortened, quantization_of, with_quantization
    from cutaway.gallery.reading.assumed import assumed_keys
    from cutaway.gallery.reading.read import read

    if kind not in KINDS:
        raise ValueError(f"No kind of source is called {kind!r}; known are {', '.join(KINDS)}.")
    spec = read(config)
    unread = sorted(name for name in set(spec.unread) if not name.startswith(QUANTIZATION))
    head: dict[str, Any] = {"repo": repo, "revision": about.pop("revision", None), "read": read_on, "kind": kind}
    head |= about
    if kind == "reconstructed" and (lacks := assumed_keys(config, spec)):  # a trimmed copy is not silent on purpose
        head["lacks"] = list(lacks)
    said, config = quantization_of(config), compact(config)
    if shorter := find_shortened(said, quantization_of(config)):
        head["shortened"] = shorter
    kept = with_quantization(facts(config), quantization_of(config))
    made: dict[str, Any] = {**head, "facts": kept, "unread": unread}
    silent = set(unread) - set(read(from_snapshot(made)).unread)  # known keys that nobody asked for: null is no answer
    return {**made, "facts": _sort_keys(_restore(made["facts"], config, silent))}


def _restore(kept: Mapping, config: Mapping, names: set[str]) -> Mapping:
    """The facts with these keys of the config put back, wherever they stood."""
    from cutaway.gallery.reading.text_part import ENVELOPES

    for name in sorted(names):
        inner = tuple(name.split("."))
        for path in (inner, *((envelope, *inner) for envelope in ENVELOPES)):
            if _has_path(config, path):
                kept = _put_back(kept, path, config)
    return kept


def _put_back(kept: Mapping, path: tuple[str, ...], config: Mapping) -> dict:
    head, *rest = path
    if not rest:
        return {**kept, head: config[head]}
    return {**kept, head: _put_back(kept.get(head, {}), tuple(rest), config[head])}


def _text(value: object, indent: int = 0) -> str:
    """JSON with one key per line; lists of plain values stay on one line."""
    pad = " " * (indent + 1)
    if isinstance(value, Mapping) and value:
        inner = ",\n".join(f"{pad}{json.dumps(key)}: {_text(value[key], indent + 1)}" for key in value)
        return "{\n" + inner + "\n" + " " * indent + "}"
    if isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
        return (
            "[\n" + ",\n".join(f"{pad}{json.dumps(item, ensure_ascii=False)}" for item in value) + f"\n{' ' * indent}]"
        )
    return json.dumps(value, ensure_ascii=False)


def dumps(snap: Mapping) -> str:
    return _text(snap) + "\n"


def _name(slug: str) -> str:
    return slug.replace("/", "__") + ".json"


def path_of(slug: str) -> Path:
    return CONFIGS / _name(slug)


def text_path(slug: str) -> str:
    """The same as text; a Path for each of ten thousand rows takes long."""
    return f"{CONFIGS}{os.sep}{_name(slug)}"


@functools.cache
def _names() -> frozenset[str]:
    return frozenset(entry.name for entry in CONFIGS.iterdir()) if CONFIGS.is_dir() else frozenset()


def exists(slug: str) -> bool:
    return _name(slug) in _names()


@functools.lru_cache(maxsize=512)
def read_stored(slug: str) -> dict:
    """The snapshot file of a slug, as written."""
    return json.loads(path_of(slug).read_text("utf-8"))


@functools.cache
def read_head(slug: str) -> dict:
    """Where the snapshot of a slug is from: all but its facts and its unread keys."""
    return {key: value for key, value in read_stored(slug).items() if key not in ("facts", "unread")}


def forget() -> None:
    """Let files be read again."""
    for known in (_names, read_stored, read_head):
        known.cache_clear()


def from_snapshot(snap: Mapping) -> dict:
    """A config with the snapshot's facts; each unread key is there as null, so that reading reports it again."""
    config = dict(snap["facts"])
    for key in snap.get("unread", ()):
        if "." not in key:
            config.setdefault(key, None)
    return config
