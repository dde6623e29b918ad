"""Thousands of module names in a quantization_config -> a few patterns that mean the same weights.

A config of common size is kept whole; what is shortened says by how much.

ModelOpt names every expert of every layer. A group of names that differ in numbers alone becomes one pattern with "*",
wherever every weight of the model keeps the scheme and the bytes it had; where not, the names stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

LONG = 12  # shorter lists stay as they are
_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")
_EXPERT = re.compile(r"(?<=experts\.)\d+(?=\.|$)")
_LISTS = ("modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules")


def effect(config: Mapping) -> tuple:
    """What a config's quantization does: scheme and bytes of every weight."""
    from cutaway.gallery.reading.quantization import list_stored
    from cutaway.gallery.reading.read import read

    return tuple((item.row, item.bytes) for item in list_stored(read(config)))


def _group(names: list[str], number: re.Pattern[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(number.sub("*", name), []).append(name)
    return found


def _patterns(names: list[str], same: Callable[[list[str]], bool]) -> list[str]:
    """Names with whole groups replaced by their pattern, as long as `same` holds for the new list."""
    for number in (_NUMBER, _EXPERT):
        for pattern, group in _group(names, number).items():
            if len(group) < 3 or "*" not in pattern or pattern.startswith("re:"):
                continue
            gone = set(group)
            shorter = list(dict.fromkeys(pattern if name in gone else name for name in names))
            if same(shorter):
                names = shorter
    return names


def _find_quantization(config: Mapping) -> tuple[str, ...] | None:
    for path in (("quantization_config",), ("text_config", "quantization_config")):
        inner: Any = config
        for key in path:
            inner = inner.get(key) if isinstance(inner, Mapping) else None
        if isinstance(inner, Mapping):
            return path
    return None


def _put(config: Mapping, path: tuple[str, ...], value: object) -> dict:
    head, *rest = path
    return {**config, head: _put(config[head], tuple(rest), value) if rest else value}


def _get(config: Mapping, path: tuple[str, ...]) -> Any:
    for key in path:
        config = config[key]
    return config


def _shorten(config: dict, names: list[str], put: Callable[[dict, list[str]], dict], wanted: tuple) -> dict:
    """The config with the names that `put` places in it written as patterns."""
    return put(config, _patterns(names, lambda chosen: effect(put(config, chosen)) == wanted))


def _layers(config: dict, path: tuple[str, ...], wanted: tuple) -> dict:
    """quantized_layers, one scheme after another."""
    by_scheme: dict[str, list[str]] = {}
    for name, scheme in _get(config, path).items():
        by_scheme.setdefault(repr(scheme), []).append(name)
    for key in sorted(by_scheme):
        names = by_scheme[key]
        scheme, gone = _get(config, path)[names[0]], set(names)

        def put(whole: dict, chosen: list[str], scheme: object = scheme, gone: set = gone) -> dict:
            others = {name: value for name, value in _get(whole, path).items() if name not in gone}
            return _put(whole, path, {**others, **dict.fromkeys(chosen, scheme)})

        config = _shorten(config, names, put, wanted)
    return config


def _place(path: tuple[str, ...], whole: dict, chosen: list[str]) -> dict:
    return _put(whole, path, chosen)


MOST = 40_000  # letters of a quantization_config that is kept as it is


def quantization_of(config: Mapping) -> Mapping:
    """What a config says of quantization; {} where it says nothing."""
    at = _find_quantization(config)
    return _get(config, at) if at else {}


def with_quantization(config: Mapping, block: Mapping) -> dict:
    """The config with the whole of what another copy of it says of quantization."""
    at = _find_quantization(config)
    return _put(config, at, block) if at else dict(config)


def find_shortened(whole: Mapping, kept: Mapping) -> dict[str, list[int]]:
    """Key -> how many entries the file has, and how many are kept."""
    pairs = ((key, value, kept.get(key)) for key, value in whole.items() if isinstance(value, list | dict))
    return {key: [len(value), len(left)] for key, value, left in pairs if left is not None and len(left) < len(value)}


def compact(config: Mapping) -> dict:
    """The config with long lists of modules written as patterns, where they are too long to keep."""
    made, at = dict(config), _find_quantization(config)
    if at is None or len(json.dumps(_get(made, at))) <= MOST:
        return made
    wanted, block = effect(made), _get(made, at)
    for key in _LISTS:
        names = block.get(key)
        if isinstance(names, list) and len(names) > LONG and all(isinstance(name, str) for name in names):
            path = (*at, key)
            made = _shorten(made, names, partial(_place, path), wanted)
    layers = block.get("quantized_layers")
    if isinstance(layers, Mapping) and len(layers) > LONG:
        made = _layers(made, (*at, "quantized_layers"), wanted)
    return made
