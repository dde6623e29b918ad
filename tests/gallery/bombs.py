"""Configs -> the one-key scan: every key of every family set to 10^3 .. 10^9, alone and as a list.

A case is (name, path of keys, value), so that it can be printed, sampled and run again. The keys are those of the
config, at any depth, and every meaning that its reader asks for: a key that a family does not write may still be read.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path as File
from typing import Any
from unittest.mock import patch

from cutaway.gallery import ConfigError, catalog
from cutaway.gallery.reading import read as read_module
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.keys import KEYS
from cutaway.gallery.reading.text_part import unwrap

NUMBERS = tuple(10**power for power in range(3, 10))
COUNTED = ("layers", "width", "vocabulary", "heads", "experts", "rank", "tokens", "count", "copies", "any", "list",
           "number", "base")  # fmt: skip
FORWARD = File(__file__).parents[1] / "oracle" / "forward"
Path = tuple[str | int, ...]


@cache
def configs() -> dict[str, dict]:
    """name -> config: the catalogue's models, then the tiny ones of the golden forwards."""
    found = {row.slug: catalog.load(row.slug) for row in catalog.drawable_rows() if not row.config_of}
    for path in sorted(FORWARD.glob("*.json")):
        found[path.stem] = json.loads(path.read_text())["config"]
    return found


@cache
def families() -> dict[str, str]:
    """model_type -> the name of one config: the longest of the catalogue, which has the most keys to turn."""
    found: dict[str, tuple[bool, int, str]] = {}
    for name, config in configs().items():
        text, top = unwrap(config)
        kind = str(text.get("model_type") or top.get("model_type"))
        found[kind] = max(found.get(kind, (False, 0, "")), ("/" in name, len(str(config)), name))
    return {kind: name for kind, (_, _, name) in sorted(found.items())}


def leaves(value: object, path: Path = ()) -> Iterator[Path]:
    """Every place of a config that holds no object; of a list its first entry alone, and the list itself."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    else:
        yield path
        if isinstance(value, list) and value and isinstance(value[0], int | float | dict | list):
            yield from leaves(value[0], (*path, 0))


def inside(config: dict) -> Path:
    """The path of the part with the language model's keys."""
    text, path, at = unwrap(config)[0], (), config
    while at is not text:
        name = next(key for key, value in at.items() if isinstance(value, dict) and holds(value, text))
        path, at = (*path, name), at[name]
    return path


def holds(value: dict, text: dict) -> bool:
    """Whether one object is another, or holds it."""
    return value is text or any(isinstance(inner, dict) and holds(inner, text) for inner in value.values())


def asked(config: dict) -> set[str]:
    """The meanings that the reader of this config asks for."""
    kept: list[Facts] = []

    class Spy(Facts):
        def __init__(self, *parts: Any) -> None:
            super().__init__(*parts)
            kept.append(self)

        def settle(self, *names: str) -> None:
            """What is only set aside changes nothing."""

    with patch.object(read_module, "Facts", Spy), suppress(ConfigError):
        read_module.read(config)
    return kept[0]._asked if kept else set()


def paths(config: dict) -> list[Path]:
    """Keys that can be turned: those it has, at any depth, then each meaning that its reader asks for."""
    at, wanted = inside(config), asked(config)
    known = [(*at, key.name) for key in KEYS if key.unit in COUNTED and key.name in wanted]
    return list(dict.fromkeys([*leaves(config), *known]))


def values(number: int) -> Iterator[object]:
    """A number as a config may write it; two of them as lists as well."""
    yield number
    if number in (10**3, 10**5):
        yield [number]
        yield [number] * 61
        yield [1] * number
        yield list(range(1, number))


def bomb(config: dict, path: Path, value: object) -> dict | None:
    """The config with one key set; None where something else lies in the way."""
    config = copy.deepcopy(config)
    at = config
    for key in path[:-1]:
        if isinstance(at, dict):
            at = at.setdefault(key, {})
        elif isinstance(at, list) and isinstance(key, int) and key < len(at):
            at = at[key]
        else:
            return None
    if not isinstance(at, dict | list):
        return None
    at[path[-1]] = value
    return config


VALUES = [value for number in NUMBERS for value in values(number)]


def cases(names: list[str], stride: int = 1, first: int = 0) -> Iterator[tuple[str, Path, object]]:
    """(name, path, value) of the whole scan, or of every `stride`-th case of it."""
    turned = ((name, path, value) for name in names for path in paths(configs()[name]) for value in VALUES)
    return islice(turned, first, None, stride)
