"""build/site.py: whole or not at all. That it builds anywhere and in time: test_wheel.py."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from cutaway.app.making import page_files
from cutaway.app.model_page import page as models
from cutaway.app.site import Site
from cutaway.app.site.pages import Page, all_pages

ROOT = Path(__file__).resolve().parent.parent.parent


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


def test_a_folder_that_cannot_be_made_is_refused_in_a_sentence(build, tmp_path, capsys):
    """Below a file there is no folder: the build says so before it makes a page."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(SystemExit) as stopped:
        build.main(["--out", str(tmp_path / "file" / "site")])
    assert (stopped.value.code, "name another folder" in capsys.readouterr().err) == (2, True)


def test_a_folder_of_other_things_is_not_replaced(build, tmp_path, capsys, monkeypatch):
    """A folder with files and no index.html, and a file, stay; an empty folder is taken."""
    monkeypatch.setattr(build, "all_pages", lambda site: [Page("/", "new")])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    for out in (tmp_path / "mine", tmp_path / "mine" / "thesis.tex"):
        with pytest.raises(SystemExit) as stopped:
            build.main(["--out", str(out)])
        assert (stopped.value.code, "name another folder" in capsys.readouterr().err) == (2, True)
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "x"
    (tmp_path / "empty").mkdir()
    assert build.main(["--out", str(tmp_path / "empty")]) == 0


def test_a_page_cannot_be_written_outside(tmp_path):
    """A path with .. in it is refused."""
    with pytest.raises(ValueError, match="outside"):
        page_files.target(tmp_path, Page("/../../etc/", ""))


HALFWAY = """
import importlib.util, sys, time
spec = importlib.util.spec_from_file_location("build_site", sys.argv[1])
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)
def hang():
    print("halfway", flush=True)
    time.sleep(600)
def move(new, out):
    out.rename(new.with_name("old"))
    hang()
if sys.argv[3] == "swap":
    build.swap = move
build.all_pages = lambda site: [build.Page("/", "new"), *([build.Page("/x/", hang)] if sys.argv[3] == "write" else [])]
build.main(["--out", sys.argv[2]])
"""


def halfway(out: Path, where: str) -> subprocess.Popen:
    """A build in another process that stands still in the middle of writing, or between the two renames."""
    command = [sys.executable, "-c", HALFWAY, str(ROOT / "build" / "site.py"), str(out), where]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout.readline() == "halfway\n"
    return process


@pytest.mark.parametrize("where", ["write", "swap"])
def test_a_killed_build_leaves_nothing_behind_after_the_next(build, tmp_path, monkeypatch, where):
    """After SIGKILL the next build sweeps the rest away; the old site is there even if that next one fails."""
    out = tmp_path / "site"
    monkeypatch.setattr(build, "all_pages", lambda site: [Page("/", "old")])
    build.main(["--out", str(out)])
    process = halfway(out, where)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len([one for one in tmp_path.iterdir() if one.suffix != ".parts"]) == (2 if where == "write" else 1)
    monkeypatch.setattr(build, "all_pages", lambda site: [Page("/", lambda: 1 / 0)])
    with pytest.raises(ZeroDivisionError):
        build.main(["--out", str(out)])
    assert (out / "index.html").read_text() == "old"
    monkeypatch.setattr(build, "all_pages", lambda site: [Page("/", "new")])
    build.main(["--out", str(out)])
    assert (out / "index.html").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_build_that_is_still_at_work_is_left_alone(build, tmp_path, monkeypatch):
    """Two builds at once: the second does not sweep what the first is writing."""
    out = tmp_path / "site"
    process = halfway(out, "write")
    try:
        monkeypatch.setattr(build, "all_pages", lambda site: [Page("/", "second")])
        build.main(["--out", str(out)])
        assert len(list(tmp_path.glob("*/*/index.html"))) == 1, "the first one's page is gone"
    finally:
        process.kill()
        process.wait()


@pytest.mark.whole
def test_processes_write_every_page_once(build, tmp_path, monkeypatch):
    """With two processes each page is written by one of them, and both write."""
    pages = [Page(f"/{n}/", lambda n=n: f"{n} {os.getpid()} {time.sleep(0.005)}") for n in range(400)]
    monkeypatch.setattr(build, "all_pages", lambda site: pages)
    assert build.main(["--out", str(tmp_path / "site"), "--jobs", "2"]) == 0
    written = [path.read_text().split() for path in (tmp_path / "site").glob("*/index.html")]
    assert sorted(int(words[0]) for words in written) == list(range(400))
    assert len({words[1] for words in written}) == 2


@pytest.mark.whole
def test_a_fault_in_any_process_ends_the_build(build, tmp_path, monkeypatch):
    """Whichever process meets the fault, the build ends with it and the old site stays."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("old")
    parent = os.getpid()
    pages = [Page(f"/{n}/", lambda: time.sleep(0.005) or (1 / (os.getpid() == parent) and "")) for n in range(400)]
    monkeypatch.setattr(build, "all_pages", lambda site: pages)
    with pytest.raises(SystemExit, match="exit code 1"):
        build.main(["--out", str(tmp_path / "site"), "--jobs", "2"])
    assert (tmp_path / "site" / "index.html").read_text() == "old"


def test_the_site_can_be_read_by_a_server(build, tmp_path, monkeypatch):
    """The folder has the rights that a new folder has here: a web server under another name may read it."""
    monkeypatch.setattr(build, "all_pages", lambda site: [Page("/", "a")])
    build.main(["--out", str(tmp_path / "site")])
    (tmp_path / "plain").mkdir()
    assert (tmp_path / "site").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_models_pages_are_written_together_and_what_is_about_many_comes_last(build):
    """Every page once; one whose path has a model's slug names that model, and no other page does."""
    site = Site("https://host/")
    pages = list(all_pages(site))
    groups = build.by_model(pages)
    ordered = [page for group in groups for page in group]
    assert sorted(page.path for page in ordered) == sorted(page.path for page in pages)
    assert [slug for slug, _ in groupby(page.model for page in ordered)] == [row.slug for row in site.rows] + [""]
    assert {len({page.model for page in group}) for group in groups} == {1}
    slugs = set(site.slugs)
    for page in pages:
        words = re.sub(r"\.json$", "", page.path).strip("/").split("/")
        named = {"/".join(pair) for pair in pairwise(words)} & slugs
        assert named == ({page.model} if page.model else set()), page.path


def test_a_model_that_forgot_what_is_large_has_the_same_pages():
    """After its pages a view keeps no list of tensors, and would give the same page once more."""
    site, slug = Site(), "meta-llama/Llama-3.2-1B"
    pages = list(models.of_model(site, site.slugs[slug]))[1:]  # its page asks explainers besides
    before = [page.content() for page in pages]
    view = site.view(slug)
    assert {"weights", "kinds"} <= set(vars(view)) and view.spec.graphs
    view.lighten()
    assert not {"weights", "stored", "outside", "kinds"} & set(vars(view)) and not view.spec.graphs
    assert [page.content() for page in pages] == before


def test_one_model_can_be_written_again_into_a_site(build, tmp_path, monkeypatch, capsys):
    """--only writes what a whole build would write of it, and no other file; a fault in one of its pages, nothing."""
    pages = [Page("/", "old"), Page("/models/x/a/", "old", model="x/a"), Page("/models/x/b/", "old", model="x/b")]
    monkeypatch.setattr(build.catalog, "BY_SLUG", {"x/a": None, "x/b": None})
    monkeypatch.setattr(build, "all_pages", lambda site: pages)
    monkeypatch.setattr(build, "by_model", lambda pages: [[Page(one.path, one.body)] for one in pages])
    out = tmp_path / "site"

    def texts() -> dict[str, str]:
        return {path.relative_to(out).as_posix(): path.read_text() for path in out.rglob("*") if path.is_file()}

    with pytest.raises(SystemExit):
        build.main(["--out", str(out), "--only", "x/a"])
    assert "is no site yet" in capsys.readouterr().err and not out.exists()
    build.main(["--out", str(out)])
    pages[:] = [Page(one.path, f"new {one.path}", model=one.model) for one in pages]
    pages.append(Page("/data/x/a.json", "more", model="x/a"))
    assert build.main(["--out", str(out), "--only", "x/a"]) == 0
    assert "2 files of x/a" in capsys.readouterr().out
    assert texts() == {"index.html": "old", "models/x/b/index.html": "old",
                       "models/x/a/index.html": "new /models/x/a/", "data/x/a.json": "more"}  # fmt: skip
    pages[:] = [Page("/models/x/a/", "newer", model="x/a"), Page("/data/x/a.json", lambda: 1 / 0, model="x/a")]
    with pytest.raises(ZeroDivisionError):
        build.main(["--out", str(out), "--only", "x/a"])
    assert texts()["models/x/a/index.html"] == "new /models/x/a/"
    for wrong in (
        ["--only", "x/c"],
        ["--only", "x/a", "--watch"],
        ["--only", "x/a", "--images", "--base", "https://h/"],
    ):
        with pytest.raises(SystemExit):
            build.main(["--out", str(out), *wrong])
