"""The query of the workbench's address -> what its reader wishes to see: a model or a config, edits, what is beside it.

A pasted config is in no address. The page adds `pasted=<turn>` to the query that it sends where its entry of the
browser's history holds one (app/workbench/bench.js), and what was pasted then comes beside it.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qs

from cutaway.gallery import catalog

START = "deepseek-ai/DeepSeek-V3"
BESIDE = ("meta-llama/Llama-3.1-70B", "Qwen/Qwen3-Next-80B-A3B-Instruct")
CONTEXTS = ((8192, "8k"), (32768, "32k"), (131072, "128k"), (262144, "256k"), (1048576, "1M"))
MOST_CONTEXT = 1 << 30


class WorkbenchState(NamedTuple):
    """What is to be drawn: a model by its name or, where it has none, what was pasted at a turn."""

    model: str
    edits: str = ""  # what it is to have instead: heads:64,layers:40
    pasted: int = 0


def state(search: str, turn: int = 0) -> WorkbenchState:
    """Of an address, and of the turn at which the last text was pasted; START where it names nothing."""
    edits = value(search, "edit")
    if turn and value(search, "pasted") == str(turn):
        return WorkbenchState("", edits, turn)
    return WorkbenchState(value(search, "model") or START, edits)


def beside(search: str) -> list[str]:
    """Slugs of the two beside, each in its place; "none" for neither, ours where the address says nothing."""
    named = value(search, "vs")
    slugs = [] if named == "none" else named.split(",") if named else BESIDE
    rows = [catalog.find(slug) for slug in [*slugs, "", ""][:2]]
    return [row.slug if row else "" for row in rows]


def context(search: str) -> int:
    """Tokens; ours where the address says nothing that can be counted with."""
    asked = value(search, "context")
    return int(asked) if asked.isdecimal() and 0 < int(asked) <= MOST_CONTEXT else CONTEXTS[2][0]


def value(search: str, key: str) -> str:
    return parse_qs(search.lstrip("?")).get(key, [""])[0].strip()
