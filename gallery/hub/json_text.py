"""Bytes that claim to be a config -> a dict, or one sentence that says what they are instead."""

from __future__ import annotations

import json

from gallery.spec import ConfigError

KINDS = {list: "a list", str: "a string", int: "a number", float: "a number", bool: "a truth value", type(None): "null"}


def parse(data: bytes | str, what: str = "the config") -> dict:
    """The JSON object in `data`; ConfigError for HTML, broken or foreign text, and any other JSON type."""
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{what} is not UTF-8 text (byte {error.start}): is it a weights file?") from None
    text = text.lstrip("\ufeff").strip()
    if not text:
        raise ConfigError(f"{what} is empty: a JSON object was expected.")
    if text[0] == "<":
        raise ConfigError(
            f"{what} is an HTML or XML page, not JSON: a login page or an error page may have come instead."
        )
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        cut = "it breaks off" if error.pos >= len(text) or "Unterminated" in error.msg else error.msg
        at = f"line {error.lineno}, column {error.colno}"
        raise ConfigError(f"{what} is not whole JSON ({cut} at {at}): a JSON object was expected.") from None
    except RecursionError:
        raise ConfigError(f"{what} is nested too deeply to be a config.") from None
    except ValueError:  # Python refuses whole numbers of more than 4,300 digits
        raise ConfigError(f"{what} holds a number with thousands of digits: no config needs one.") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{what} holds {KINDS[type(found)]}, but a config is a JSON object.")
    return found
