"""build/site.py: whole or not at all, anywhere, and in time."""

from __future__ import annotations

import importlib.util
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from app.pages import Page

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 20


@pytest.fixture
def build():
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "build" / "site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.whole
def test_it_builds_from_anywhere_in_time(tmp_path):
    """A fresh folder, another working directory: the whole site stands there for 20 seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, str(ROOT / "build" / "site.py"), "--out", str(tmp_path / "new" / "site")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new" / "site" / "index.html").is_file()
    assert took <= SECONDS


def test_the_old_site_stays_when_the_new_one_fails(build, tmp_path, monkeypatch):
    """A page that cannot be written leaves the site as it was, and no half-built folder beside it."""
    out = tmp_path / "site"
    monkeypatch.setattr(build, "all_pages", lambda site: [Page("/", "old")])
    assert build.main(["--out", str(out)]) == 0
    monkeypatch.setattr(build, "all_pages", lambda site: [Page("/", "new"), Page("/x/", lambda: 1 / 0)])
    with pytest.raises(ZeroDivisionError):
        build.main(["--out", str(out)])
    assert (out / "index.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_file_that_is_gone_from_the_new_site_is_gone(build, tmp_path, monkeypatch):
    """The new site replaces the old one whole: nothing of the old one is left between its files."""
    out = tmp_path / "site"
    monkeypatch.setattr(build, "all_pages", lambda site: [Page("/", "a"), Page("/old/", "b")])
    build.main(["--out", str(out)])
    monkeypatch.setattr(build, "all_pages", lambda site: [Page("/", "a")])
    build.main(["--out", str(out)])
    assert sorted(path.name for path in out.rglob("*")) == ["index.html"]


def test_a_page_cannot_be_written_outside(build, tmp_path):
    """A path with .. in it is refused."""
    with pytest.raises(ValueError, match="outside"):
        build.target(tmp_path, Page("/../../etc/", ""))
