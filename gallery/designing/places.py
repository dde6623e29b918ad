"""Where a config says something: the paths of a key, in whatever spelling; and the config with another value there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from cutaway.gallery.reading import families
from cutaway.gallery.reading.keys import SPELLINGS
from cutaway.gallery.reading.read import facts_of, stem_of
from cutaway.gallery.reading.text_part import ENVELOPES, unwrap

Path = tuple[str, ...]
INNER = ("rope_parameters", "rope_scaling", "linear_attn_config", "attn_config", "ffn_config",
         "attention_other_setting", "moe")  # fmt: skip


class Place(NamedTuple):
    """A key that says something: how it is spelled there, and its value."""

    path: Path
    value: Any

    @property
    def key(self) -> str:
        return self.path[-1]


def text_path(config: Mapping) -> Path:
    """Where the part that is the language model lies: () for a flat file."""
    path: Path = ()
    for _ in range(3):
        name = next((name for name in ENVELOPES if isinstance(config.get(name), Mapping) and config[name]), None)
        if name is None:
            break
        path, config = (*path, name), config[name]
    return path


def at(config: Any, path: Path) -> Any:
    """The value at a path; None where there is none."""
    for key in path:
        config = config.get(key) if isinstance(config, Mapping) else None
    return config


def words(config: Mapping) -> Iterator[tuple[str, Place]]:
    """(name in reading/keys.py, place) of every key that the reader takes, those of the language model first."""
    stem, _ = stem_of(*unwrap(config))
    own = families.load(stem).spellings if stem else {}
    start = text_path(config)
    for base in dict.fromkeys((start, ())):
        part = at(config, base)
        for key, value in part.items():
            name = own.get(key) or SPELLINGS.get(key, ("",))[0]
            if name:
                yield name, Place((*base, key), value)
            if key in INNER and isinstance(value, Mapping):
                for inner, said in value.items():
                    if found := SPELLINGS.get(f"{key}.{inner}"):
                        yield found[0], Place((*base, key, inner), said)


def places(config: Mapping) -> dict[str, list[Place]]:
    """Name -> every place that says it, where it says something; the one that the reader takes comes first."""
    found: dict[str, list[Place]] = {}
    for name, place in words(config):
        if place.value is not None:
            found.setdefault(name, []).append(place)
    written = facts_of(config)
    for name, several in found.items():
        several.sort(key=partial(is_other, written.word_for(name)))
    return found


def is_other(word: str, place: Place) -> bool:
    """Whether a place is not the one that the reader takes."""
    return not ".".join(place.path).endswith(word)


def put(config: Mapping, path: Path, value: Any) -> dict:
    """The config with a value at a path; what lies around it is as it was."""
    head, *rest = path
    inner = config.get(head)
    if not rest:
        return {**config, head: value}
    return {**config, head: put(inner if isinstance(inner, Mapping) else {}, tuple(rest), value)}


def without(config: Mapping, path: Path) -> dict:
    """The config without the key at a path."""
    head, *rest = path
    if not rest:
        return {key: value for key, value in config.items() if key != head}
    return {**config, head: without(config[head], tuple(rest))}
