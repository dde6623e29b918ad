"""The planner -> /plan/: one page with its default plan in HTML, a sheet per model as JSON, and one script.

static/js/plan/ has a file for each of gallery/planning (TWIN: arithmetic, no page) and for each part of the page
(FACE); they are written like explainers/kit.js, without imports, and sent as one file behind what they use of the kit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache

from markupsafe import Markup

import explainers
from app import planned
from app.pages import Page
from app.site import STATIC
from explainers import shake
from gallery.counting.cache import STORAGES
from gallery.formats.bits import BITS
from gallery.planning import measured
from gallery.planning.devices import DEVICES
from gallery.planning.holdings import WEIGHT_BITS
from gallery.planning.schedules import SCHEDULES
from gallery.planning.sheet import Sheet, sheet

NAV = (50, "Plan", "/plan/")
SCRIPT, WORKER, MORE_SCRIPT = "/assets/plan.js", "/assets/plan-worker.js", "/assets/plan-more.js"
TWIN = (
    "layout",
    "cuts",
    "schedules",
    "stages",
    "ranks",
    "legal",
    "holdings",
    "fits",
    "talks",
    "work",
    "seconds",
    "measured",
)
SEARCH = ("candidates", "folded", "search", "fixes", "wastes")  # more of the twin, run in a worker: worker.js
FACE = ("words", "places", "says", "formulas", "flags", "tips", "owners", "sketch", "marks", "lives", "lived", "tables",
        "address", "ways", "taking", "inputs", "ring", "more", "page")  # fmt: skip
LANES = ("phases", "runs")  # more of the twin, behind PIPELINE: what runs when
PIPELINE = ("rank_ops", "simulate", "op_parts")  # of explainers/pipeline, that they call
LATER = ("tracks", "serves", "lanes", "moments", "dress", "pin", "hover", "cursor")  # of the page, fetched on demand
SHARED = ", ".join(("kit", *TWIN, *(name for name in FACE if name != "lived"), "NAME", "PART"))  # given to LATER
ORDERS = ("tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "cp-tp-ep-dp-pp", "tp-dp-cp-ep-pp")
CACHES = ("bfloat16", "float8_e4m3fn", "float4_e2m1fn", *STORAGES)


def pages(site) -> Iterator[Page]:
    """The page, its script, the list of models, and a sheet of each."""
    yield Page("/plan/", lambda: plan_page(site))
    yield Page(SCRIPT, plan_script, "text/javascript")
    yield Page(WORKER, worker_script, "text/javascript")
    yield Page(MORE_SCRIPT, more_script, "text/javascript")
    yield Page("/plan/models.json", lambda: model_list(site), "application/json")
    for row in site.rows:
        if row.snapshot:
            path = f"/plan/models/{row.slug}.json"
            yield Page(path, lambda slug=row.slug: as_text(model(site, slug)), "application/json", model=row.slug)


def as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def plan_page(site) -> str:
    """The page, with the plan that a first visit shows already in it."""
    first = model(site, planned.FIRST)
    return site.render(
        "plan.html",
        "/plan/",
        told=planned.told(first["title"], first["sheet"], first["parameters"]),
        script=addressed(SCRIPT, plan_script()),
        worker=addressed(WORKER, worker_script()),
        more=addressed(MORE_SCRIPT, more_script()),
        devices=[(name, name.replace("_", " ").upper()) for name in DEVICES],
        weights=[("", "as stored"), *((name, name) for name in WEIGHT_BITS)],
        schedules=[("", "1F1B, or interleaved"), *((name, row.label) for name, row in SCHEDULES.items())],
        orders=[(name, name) for name in ORDERS],
        caches=[(name, name) for name in CACHES],
        data=Markup(as_text({"first": {"slug": planned.FIRST, **first}, **constants()}).replace("<", "\\u003c")),
    )


def constants() -> dict:
    """What both languages start from besides a sheet."""
    devices = [row._asdict() for row in DEVICES.values()]
    return {
        "devices": devices,
        "cache_bits": {name: BITS.get(name, 0) for name in CACHES},
        "chosen": planned.CHOSEN,
        "visit": planned.VISIT,
        "measured": measured.SOURCE,
    }


def model(site, slug: str) -> dict:
    """A catalogued model as the page loads it: with its published runs."""
    view = site.view(slug)
    found = [row for row in measured.runs() if row["model"] == (view.row.repo if view.row.repo != "=" else slug)]
    return {**told_of(view), "runs": [typed(row) for row in found]}


def typed(row: dict[str, str]) -> dict[str, object]:
    """A row of measured.csv with its numbers as numbers."""
    words = ("device", "compute_dtype", "release", "precision")
    return {name: text if name in words else float(text) for name, text in row.items() if name != "model"}


def told_of(view) -> dict:
    """Any read model as the page loads it."""
    return {"title": view.title, "parameters": view.parameters.total, "active": view.parameters.active,
            "sheet": sheet_of(view)}  # fmt: skip


def sheet_of(view) -> Sheet:
    return sheet(view.spec)


def model_list(site) -> str:
    """[[slug, title], ...] of what can be planned, the newest first."""
    views = [view for view in site.views if view.spec]
    return as_text(
        [[view.slug, view.title] for view in sorted(views, key=lambda one: one.row.date or "", reverse=True)]
    )


def addressed(path: str, script: str) -> str:
    """With its content in the query, so that caches notice a change."""
    return f"{path}?v={hashlib.sha256(script.encode()).hexdigest()[:10]}"


def joined(names: tuple[str, ...]) -> str:
    return "\n".join((STATIC / "js" / "plan" / f"{name}.js").read_text("utf-8") for name in names)


@cache
def plan_script() -> str:
    """All of static/js/plan/ in one file, behind the part of the kit that it calls."""
    shared = f"more.shared = () => ({{ {SHARED} }});"
    whole = "\n".join((explainers.kit_text("kit.js"), joined(TWIN + FACE[:-1]), shared, joined(FACE[-1:])))
    return shake.packed(shake.reached(whole, joined(LANES + LATER)))


def lanes_text() -> str:
    """The twin of what runs when, behind the schedules of /learn/pipeline/, which it shares."""
    folder = explainers.HERE / "pipeline"
    own = "".join((folder / f"{name}.js").read_text("utf-8") for name in ("schedules", "simulate"))
    named = ", ".join(PIPELINE)
    return f"const pipeline = (() => {{\n{shake.reached(own, named)}\nreturn {{ {named} }};\n}})();\n{joined(LANES)}"


@cache
def more_script() -> str:
    """Lanes and pins: one function of what the page's script has, so that both speak of the same page."""
    return shake.packed(
        f"export default ({{ {SHARED} }}) => {{\n{lanes_text()}\n{joined(LATER)}\nreturn cursor.start();\n}};"
    )


@cache
def worker_script() -> str:
    """What a worker of the page runs: all of the twin, and its search."""
    return shake.packed(joined((*TWIN, *SEARCH, "worker")))
