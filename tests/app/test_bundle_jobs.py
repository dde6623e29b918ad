"""app/making/bundle_jobs.py: which scripts are bundled, and what a page loads of them at first."""

from __future__ import annotations

import json
import re

import pytest

from cutaway.app import site
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


@pytest.fixture
def some_imports(tmp_path, monkeypatch):
    """Three entries: a and b share c, which needs d; e needs nothing."""
    rows = {"js/a.js": ["js/c.js"], "js/b.js": ["js/d.js", "js/c.js"], "js/c.js": ["js/d.js"]}
    (tmp_path / "imports.json").write_text(json.dumps(rows), "utf-8")
    monkeypatch.setattr(bundles, "FOLDER", tmp_path)
    monkeypatch.setattr(bundles, "manifest", dict)
    monkeypatch.setattr(site, "_digest", lambda name: "0")
    bundles.all_imports.cache_clear()
    yield
    bundles.all_imports.cache_clear()


def test_what_a_bundle_imports_is_followed_to_the_end(some_imports):
    """What an import imports is needed, too; each file is said once."""
    assert bundles.imports("js/a.js") == ["js/c.js", "js/d.js"]
    assert bundles.imports("js/b.js") == ["js/d.js", "js/c.js"]
    assert bundles.imports("js/e.js") == []


def test_a_page_names_an_import_once(some_imports):
    """A module's imports stand before it; what an earlier module of the page has named is not said again."""
    tags = site.module_tags(lambda path: f"..{path}")
    assert tags("js/a.js").split("\n") == [
        '<link rel="modulepreload" href="../assets/js/c.js">',
        '<link rel="modulepreload" href="../assets/js/d.js">',
        '<script type="module" src="../assets/js/a.js?v=0"></script>',
    ]
    assert tags("js/b.js") == '<script type="module" src="../assets/js/b.js?v=0"></script>'
