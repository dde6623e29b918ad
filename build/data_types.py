"""Each explainer's STATE and data() -> .make/data_types/<name>.d.ts, which its JavaScript is checked against.

python build/data_types.py    (`make lint` runs it before tsc)

An object whose keys are names of things, not fields, becomes a Record: more than 16 keys, or one that is no identifier.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cutaway import explainers

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".make" / "data_types"
FIELDS = 16  # an object of more keys is a table


def is_table(value: dict[str, Any]) -> bool:
    """Whether the keys of an object are names, as slugs are."""
    return len(value) > FIELDS or not all(key.isidentifier() for key in value)


def union(types: list[str]) -> str:
    """A | B, each once; nothing known is `unknown`."""
    return " | ".join(dict.fromkeys(types)) or "unknown"


def merged(values: list[Any]) -> str:
    """The type of any of some values; objects become one, with what only some of them have as optional."""
    objects = [value for value in values if isinstance(value, dict)]
    lists = [value for value in values if isinstance(value, list)]
    rest = [value for value in values if not isinstance(value, dict | list)]
    found = [of_object(objects)] if objects else []
    if lists:
        found.append(of_lists(lists))
    return union([*found, *(of_plain(value) for value in rest)])


def of_lists(lists: list[list[Any]]) -> str:
    """T[]; rows of one length whose places differ are tuples."""
    inner = merged([one for value in lists for one in value])
    sizes = {len(value) for value in lists}
    plain = not any(isinstance(one, dict) for one in lists[0])
    if plain and len(lists) > 1 and " | " in inner and len(sizes) == 1 and 2 <= (size := sizes.pop()) <= FIELDS:
        places = [merged([value[i] for value in lists]) for i in range(size)]
        if any(place != inner for place in places):
            return f"[{', '.join(places)}]"
    return f"({inner})[]" if " | " in inner else f"{inner}[]"


def of_plain(value: Any) -> str:
    """number, string, boolean or null."""
    if value is None:
        return "null"
    return {bool: "boolean", int: "number", float: "number", str: "string"}[type(value)]


def of_object(objects: list[dict[str, Any]]) -> str:
    """{ a: number; b?: string }, or Record<string, T> for a table."""
    if any(is_table(value) for value in objects):
        return f"Record<string, {merged([one for value in objects for one in value.values()])}>"
    keys = dict.fromkeys(key for value in objects for key in value)
    rows = []
    for key in keys:
        held = [value[key] for value in objects if key in value]
        rows.append(f"{key}{'?' if len(held) < len(objects) else ''}: {merged(held)}")
    return "{ " + "; ".join(rows) + " }" if rows else "Record<string, never>"


def declarations(name: str) -> str:
    """The two types of an explainer."""
    state, data = explainers.reference(name).STATE, explainers.data(name)
    rows = [f"  {key}: {merged([value])};" for key, value in data.items()]
    return (
        f"/** The state of /learn/{name}/: every key of STATE in reference.py. */\n"
        f"export type State = {of_object([state])};\n\n"
        "/** What data() in reference.py sends. */\nexport interface Data {\n" + "\n".join(rows) + "\n}\n"
    )


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in explainers.names():
        (FOLDER / f"{name}.d.ts").write_text(declarations(name), "utf-8")
