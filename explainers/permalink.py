"""State <-> "?key=value", only what differs from the defaults: the twin of read and write in explainers/kit/host.js.

Strings, numbers and booleans stand bare (e4m3, 0.5, true), lists of numbers are joined by commas, the rest is JSON.
What a query gets wrong is named in a sentence, and the default stands. Numbers are finite: a state spells NaN, -0 and
infinities as strings.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, quote

BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
KINDS = {bool: "boolean", int: "number", float: "number", str: "string", list: "list", dict: "object"}


def write(defaults: dict[str, Any], state: dict[str, Any]) -> str:
    """{"tp": 8} -> "?tp=8"; a KeyError names a key that the explainer does not have."""
    unknown = sorted(set(state) - set(defaults))
    if unknown:
        raise KeyError(f"There is no state {', '.join(unknown)}; there is {', '.join(defaults)}.")
    pairs = [(key, state[key]) for key in defaults if key in state and not _same(state[key], defaults[key])]
    return "?" + "&".join(f"{key}={quote(_spell(value), safe=',:/')}" for key, value in pairs) if pairs else ""


def read_address(
    defaults: dict[str, Any],
    query: str,
    check: Callable[[dict], str] | None = None,
    settle: Callable[[dict, list[str]], dict] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """ "?tp=8" -> (whole state, sentences about what could not be used); `settle` may move what the link leaves."""
    state, says, given = dict(defaults), [], []
    for key, text in parse_qsl(query.lstrip("?"), keep_blank_values=True):
        if key == "theme" or key.startswith("utm_"):
            continue
        if key not in defaults:
            says.append(f"The link sets “{key[:40]}”, which does not exist here.")
            continue
        try:
            state[key] = _value(text, defaults[key])
            given.append(key)
        except (ValueError, RecursionError):
            stays = json.dumps(defaults[key], separators=(",", ":"), ensure_ascii=False)
            says.append(f"The link's {key} = “{text[:40]}” is not a {KINDS[type(defaults[key])]}; it stays {stays}.")
    if settle:
        state = settle(state, given)
    illegal = check(state) if check else ""
    if illegal:
        return dict(defaults), [*says, f"The link's settings were left out. {illegal}"]
    return state, says


def _same(a: Any, b: Any) -> bool:
    return json.dumps(a) == json.dumps(b) or (isinstance(a, int | float) and not isinstance(a, bool) and a == b)


def _spell(value: Any) -> str:
    value = _plain_integers(value)
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value):
        return ",".join(json.dumps(v) for v in value)
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _plain_integers(value: Any) -> Any:
    """1.0 as 1, as JavaScript writes it, however deep."""
    if isinstance(value, list):
        return [_plain_integers(v) for v in value]
    if isinstance(value, dict):
        return {key: _plain_integers(v) for key, v in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _value(text: str, default: Any) -> Any:
    """The text as a value of the default's kind, or ValueError."""
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        return BOOLEANS[text] if text in BOOLEANS else _no(text)
    if isinstance(default, int | float):
        value = float(text.strip() or "nan")
        if not math.isfinite(value) or not re.fullmatch(r"\s*[-+.\deE]+\s*", text):
            return _no(text)
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    value = json.loads(f"[{text}]" if re.match(r"[-+.\d]+(?:[eE][-+]?\d+)?(,|$)", text) else text)
    return value if default is None or type(value) is type(default) else _no(text)


def _no(text: str) -> Any:
    raise ValueError(text)
