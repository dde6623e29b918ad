"""The planner -> /plan/: one page with its default plan in HTML, a sheet per model as JSON, and its scripts.

planner/ has a file for each of gallery/planning (arithmetic, no page) and for each part of the page. page.js is
what a browser loads; it fetches later.js when a reader comes near what that draws; worker.js runs beside them. first.js
draws at build, with the same files, what stands on the page before any of these.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from markupsafe import Markup

from cutaway.app import first
from cutaway.app.plan_page import first_visit
from cutaway.app.site.pages import Page
from cutaway.app.site.places import Place
from cutaway.explainers import bundles
from cutaway.gallery.counting.kv_cache import STORAGES
from cutaway.gallery.formats.bits import BITS
from cutaway.gallery.planning import measured
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.planner_model import PlannerModel, make_planner_model
from cutaway.gallery.planning.schedules import SCHEDULES
from cutaway.gallery.planning.stage_weights import WEIGHT_BITS

NAV = (50, "Plan", "/plan/")
TERMS = ("GPU memory calculator", "VRAM", "how many GPUs", "plan", "serving")
SEARCH = ("/plan/", "Plan: which GPUs, which parallelism", TERMS)
SCRIPT, WORKER = "plan/page.js", "plan/worker.js"  # of static/bundles/
ORDERS = ("tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "cp-tp-ep-dp-pp", "tp-dp-cp-ep-pp")
RECOMPUTES = (  # the combinations of published recipes beside the three
    ("none", "none"), ("parts", "parts"), ("full", "full"), ("layernorm", "norms"), ("moe_act", "experts' activations"),
    ("layernorm,moe_act", "norms, experts' activations"), ("mla_up_proj", "latents unpacked"), ("moe", "whole experts"),
    ("layernorm,moe", "norms, whole experts"), ("layernorm,moe_act,moe", "norms, activations, experts"),
)  # fmt: skip
CACHES = ("bfloat16", "float8_e4m3fn", "float4_e2m1fn", *STORAGES)


def pages(site) -> Iterator[Page]:
    """The page, its scripts, the list of models, and a sheet of each."""
    yield Page("/plan/", lambda: plan_page(site))
    for name in bundles.names("plan"):
        yield Page(f"/assets/{name}", partial(bundles.text, name), "text/javascript")
    yield Page("/plan/models.json", lambda: model_list(site), "application/json")
    for row in site.rows:
        if row.snapshot:
            path = f"/plan/models/{row.slug}.json"
            yield Page(path, partial(model_text, site, row.slug), "application/json", model=row.slug)


def places(site) -> Iterator[Place]:
    """Every device, as one node of it in the planner."""
    for row in DEVICES.values():
        name, about = label(row.name), f"{row.memory_bytes / 1e9:.4g} GB, {row.bandwidth_bytes / 1e12:.3g} TB/s"
        maker = "" if "b60" in row.name else "NVIDIA "
        words = f"{maker}GPU accelerator memory {about} bandwidth HBM VRAM {' '.join(row.peaks)}"
        also = (row.name, name.split()[0])
        yield Place(f"/plan/?on={row.name}:1x{row.gpus_per_node}", name, "Device", words, also, about)


def label(device: str) -> str:
    """h100_sxm -> H100 SXM."""
    return device.replace("_", " ").upper()


def model_text(site, slug: str) -> str:
    """The file of one model."""
    return as_text(model(site, slug))


def as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def plan_page(site) -> str:
    """The page, with the plan that a first visit shows already in it."""
    made = asked(site)
    piece = first.piece("plan", first_visit.FIRST, made)
    return site.render(
        "plan_page/page.html",
        "/plan/",
        fits=piece["fits"],
        told=piece["told"],
        drawn={place: Markup(html) for place, html in piece["drawn"].items()},
        script=addressed(SCRIPT),
        shared=[f"/assets/{name}" for name in bundles.imports(SCRIPT)],
        worker=addressed(WORKER),
        devices=[(name, label(name)) for name in DEVICES],
        weights=[("", "as stored"), *((name, name) for name in WEIGHT_BITS)],
        schedules=[("", "1F1B, or interleaved"), *((name, row.label) for name, row in SCHEDULES.items())],
        orders=[(name, name) for name in ORDERS],
        recomputes=RECOMPUTES,
        caches=[(name, name) for name in CACHES],
        data=Markup(as_text(made["data"]).replace("<", "\\u003c")),
    )


def asked(site) -> first.Request:
    """What stands on the page before any script follows from what the scripts start from."""
    return {"data": {"first": {"slug": first_visit.FIRST, **model(site, first_visit.FIRST)}, **constants()}}


def first_requests(site) -> Iterator[tuple[str, first.Request]]:
    yield first_visit.FIRST, asked(site)


def constants() -> dict:
    """What both languages start from besides a sheet."""
    devices = [row._asdict() for row in DEVICES.values()]
    return {
        "devices": devices,
        "cache_bits": {name: BITS.get(name, 0) for name in CACHES},
        "chosen": first_visit.CHOSEN,
        "visit": first_visit.VISIT,
        "measured": measured.SOURCE,
    }


def model(site, slug: str) -> dict:
    """A catalogued model as the page loads it: with its published runs."""
    view = site.view(slug)
    found = [row for row in measured.runs() if row["model"] == (view.row.repo if view.row.repo != "=" else slug)]
    return {**told_of(view), "runs": [typed(row) for row in found]}


def typed(row: dict[str, str]) -> dict[str, object]:
    """A row of measured.csv with its numbers as numbers."""
    words = ("device", "compute_dtype", "release", "precision", "recompute", "offload")
    return {name: text if name in words else float(text) for name, text in row.items() if name != "model"}


def told_of(view) -> dict:
    """Any read model as the page loads it."""
    return {"title": view.title, "parameters": view.parameters.total, "active": view.parameters.active,
            "sheet": sheet_of(view)}  # fmt: skip


def sheet_of(view) -> PlannerModel:
    return make_planner_model(view.spec)


def model_list(site) -> str:
    """[[slug, title], ...] of what can be planned, the newest first."""
    views = [view for view in site.views if view.spec]
    return as_text(
        [[view.slug, view.title] for view in sorted(views, key=lambda one: one.row.date or "", reverse=True)]
    )


def addressed(name: str) -> str:
    """Where a script is, with its content in the query, so that caches notice a change."""
    return f"/assets/{name}?v={bundles.version(bundles.text(name))}"
