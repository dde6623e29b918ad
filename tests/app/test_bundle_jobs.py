"""app/making/bundle_jobs.py: which scripts are bundled, and what a page loads of them at first."""

from __future__ import annotations

import re

from cutaway.app.making import bundle_jobs
from cutaway.explainers import bundles


def imported(script: str) -> list[str]:
    """The files that a bundled script needs before it runs; import() fetches others later."""
    return re.findall(r'(?:\bfrom|\bimport)\s*"\./([\w-]+\.js)"', (bundles.FOLDER / "plan" / script).read_text("utf-8"))


def test_the_planner_begins_with_one_shared_file():
    """Whatever the scripts that come later share with the page, it loads one file, which needs no other."""
    (shared,) = imported("page.js")
    assert imported(shared) == []


def test_what_readers_load_is_minified():
    """All but the modules for Panel, notebooks and the build itself, which Python reads and puts elsewhere."""
    plain = {
        name.partition("/")[0]
        for job in bundle_jobs.jobs()
        if not job["options"].get("minify")
        for name in job["entries"]
    }
    assert plain == {"widgets", "first"}
