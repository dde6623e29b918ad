"""What pages show before, or without, any script: static/bundles/first/<kind>.json, by their own modules.

A page asks for a piece with the JSON-plain data that its script goes on with. build/bundles.py renders all of them by
the features' modules that `SCRIPTS` names, in one Node; here they are looked up, and held against what is asked for
now. A build for other data renders what it lacks (`render`): Node is there then, and never where pages are served.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from cutaway.explainers import bundles

Request = dict[str, Any]
SCRIPTS = {  # under app/
    "weigh": "weigh/weigh-first",
    "curve": "weigh/curve-first",
    "compute": "roofline/roofline-first",
    "plan": "plan_page/planner/first",
}
REQUESTED_BY = {  # whose first_requests
    "weigh": "weigh.section",
    "curve": "weigh.curve",
    "compute": "roofline.section",
    "plan": "plan_page.page",
}
render: Callable[[str, dict[str, Request]], dict[str, Any]] | None = None  # what a build sets: kind, requests -> pieces


def requests(kind: str, site) -> dict[str, Request]:
    """All that the site's pages ask for, with digests, by key."""
    module = import_module(f"cutaway.app.{REQUESTED_BY[kind]}")
    return {key: with_digest(request) for key, request in module.first_requests(site)}


def with_digest(request: Request) -> Request:
    """What is asked for, with its own SHA-256 as `digest`."""
    return {**request, "digest": hashlib.sha256(json.dumps(request).encode()).hexdigest()}


def piece(kind: str, key: str, request: Request) -> dict[str, Any]:
    """The rendered piece; a BundleError where it is of something else than is asked for."""
    wanted = with_digest(request)
    found = pieces(kind).get(key)
    if found and found["digest"] == wanted["digest"]:
        return found
    if render:
        return render(kind, {key: wanted})[key]
    raise bundles.BundleError(f"What {key} shows before scripts ({kind}) is older than its numbers: {bundles.MAKE}.")


@cache
def pieces(kind: str) -> dict[str, Any]:
    """All pieces of a kind, by key."""
    return json.loads(bundles.text(f"first/{kind}.json"))["pieces"]
