"""A config and edits -> what /design/ shows of them, as JSON: the same markup in CPython and in a browser."""

from __future__ import annotations

import json

from cutaway import gallery
from cutaway.app.design import editor, figures
from cutaway.app.model.figures import unpointed
from cutaway.app.model.view import SpecView
from cutaway.app.render import job
from cutaway.gallery.designing.design import Design
from cutaway.gallery.designing.design import design as make_design
from cutaway.gallery.designing.outlines import draw_changes
from cutaway.gallery.hub.json_text import lenient

AT = "/design/"
MOST_EDITS = 4_000  # characters
MOST_CONTEXT = 2**24


def design(text: str, title: str, edits: str = "", context: int = figures.CONTEXTS[2], last: str = "") -> str:
    """{"title", "edits", "changes", "config", "html": {element: markup}}, or {"refused": a sentence}.

    `last`: the edits that stood before; a field whose new value cannot be stays as it is there.
    """
    try:
        config, _ = lenient(text, "The config")
        made = make_design(config, edits[:MOST_EDITS], last[:MOST_EDITS])
        return json.dumps(shown_parts(made, title, edits, max(1, min(int(context), MOST_CONTEXT))))
    except gallery.ConfigError as error:
        return json.dumps({"refused": str(error)})
    except Exception:
        job.LOG.exception("a design that should have been drawn")
        return json.dumps({"refused": job.UNFORESEEN})


def shown_parts(made: Design, title: str, edits: str, context: int) -> dict:
    """The parts of the page that show a design, and the config that it writes."""
    changes = editor.numbered(made)
    drawing = draw_changes(made.spec, changes, editor.painted(made))
    render = job.site().render
    shown = {
        "made": made,
        "editor": editor.editor(made, typed(edits)),
        "after": figures.after(made, context),
        "plan": job.to_plan(SpecView(made.spec, f"{title}, designed", made.config)),
    }
    html = {name: render(f"design/{name}.html", AT, **shown) for name in ("editor", "key", "after")}
    html["drawing"] = str(unpointed(drawing))
    return {
        "title": title, "edits": made.address, "changes": len(made.edits), "config": made.json, "html": html,
        "wrong": [one.sentence for one in made.problems],
    }  # fmt: skip


def typed(edits: str) -> dict[str, str]:
    """The text of each box, by field; of two for one field the first."""
    found = (one.partition(":") for one in reversed(edits.split(",")))
    return {name.strip(): value.strip()[:20] for name, mark, value in found if mark}
