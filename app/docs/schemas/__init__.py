"""JSON Schemas of all that programs read: files below /data/, and what commands print with --json.

Each is served at /data/schema/<name>.json, and says its version in `schema`, as the data does.
"""

from __future__ import annotations

import json

from cutaway.app.docs.schemas import listed, plan, printed, published
from cutaway.app.docs.schemas.shapes import Schema

PUBLISHED: dict[str, Schema] = {
    "models": published.MODELS,
    "model": published.MODEL,
    "parts": published.PARTS,
    "whatif": published.WHATIF,
}
PRINTED: dict[str, Schema] = {  # by the command that prints it
    "facts": printed.FACTS,
    "weights": printed.WEIGHTS,
    "memory": printed.MEMORY,
    "plan": plan.SCHEMA,
    "list": listed.LIST,
    "compare": listed.COMPARE,
    "flops": listed.FLOPS,
    "lineage": listed.LINEAGE,
}
SCHEMAS = PUBLISHED | PRINTED


def path_of(name: str) -> str:
    """Where a schema is served."""
    return f"/data/schema/{name}.json"


def as_text(name: str) -> str:
    """A schema as it is served."""
    return json.dumps(SCHEMAS[name], ensure_ascii=False, indent=1) + "\n"
