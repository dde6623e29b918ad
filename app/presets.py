"""A model -> the explainers that can open with its numbers, as links whose query is the widget's state."""

from __future__ import annotations

from urllib.parse import urlencode

from app.view import ModelView


def of(view: ModelView) -> list[dict]:
    """Filled in when the explainers' states are known."""
    return []


def link(name: str, title: str, what: str, **state: object) -> dict:
    """One door: only what differs from the explainer's own start stands in the query."""
    query = f"?{urlencode(state)}" if state else ""
    return {"name": name, "title": title, "what": what, "target": f"/learn/{name}/{query}"}
