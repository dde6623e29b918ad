"""Modules of app/plan_page/planner/ as globals of an empty page (layout.make, ...): to call single functions."""

from __future__ import annotations

from functools import cache

from tests.bundled import sent

TWIN = ("layout", "sharding-arithmetic", "schedules", "stages", "ranks", "legal", "legal-axes", "stage-weights",
        "activation-memory", "cache-memory", "rank-memory", "fits", "communication", "work", "seconds",
        "measured")  # fmt: skip
SENTENCES = ("words", "placement", "sentences", "notes", "flags", "address")
VARIABLES = {
    "at-cursor": "atCursor",
    "export": "exporting",
    "legal-axes": "legalAxes",
    "topology-text": "topologyText",
    "rank-memory": "rankMemory",
    "activation-memory": "activationMemory",
    "cache-memory": "cacheMemory",
    "stage-weights": "stageWeights",
    "sharded-tensors": "shardedTensors",
    "sharding-arithmetic": "arithmetic",
    "search-batched": "searchBatched",
}
KIT = 'import { h, SVG_NS } from "../../../explainers/kit/dom.js";\nObject.assign(window, { h, SVG_NS });\n'


@cache
def modules(*names: str, more: str = "") -> str:
    """A script that gives the window each of these modules, by the name under which others import it."""
    known = {name: VARIABLES.get(name, name) for name in names}
    lines = [f'import * as {variable} from "./{name}.js";\n' for name, variable in known.items()]
    text = f"{''.join(lines)}Object.assign(window, {{ {', '.join(known.values())} }});\n{more}"
    entries = {"module": {"text": text, "dir": "app/plan_page/planner"}}
    strict = {"import-is-undefined": "error"}
    return sent({"entries": entries, "options": {"format": "iife", "logOverride": strict}}, "module.js")


def loaded(page, *names: str, more: str = ""):
    """An empty page that has these modules."""
    page.goto("about:blank")
    page.add_script_tag(content=modules(*names, more=more))
    return page
