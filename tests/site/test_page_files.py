"""app/making/page_files.py: pages -> files, each where its path says, whole or not at all."""

from __future__ import annotations

import pytest

from cutaway.app.making.page_files import rewrite, target
from cutaway.app.site.pages import Page


def test_of_lists_that_follow_the_changed_ones_are_written(tmp_path):
    """A changed file and a new one, in a folder that was not there; what says the same is not touched."""
    pages = [Page("/same/", "same"), Page("/other/", "new"), Page("/a/b/new.json", b"{}")]
    rewrite([Page("/same/", "same"), Page("/other/", "old")], tmp_path)
    before = (tmp_path / "same" / "index.html").stat().st_ino
    assert rewrite(pages, tmp_path, changed=True) == 2
    assert [target(tmp_path, page).read_bytes() for page in pages] == [b"same", b"new", b"{}"]
    assert (tmp_path / "same" / "index.html").stat().st_ino == before
    assert rewrite(pages, tmp_path) == 3
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        "index.html",
        "index.html",
        "new.json",
    ]


def test_a_fault_in_one_page_leaves_all_files_as_they_are(tmp_path):
    """Every page is made before the first is written."""

    def fault() -> bytes:
        raise ValueError("no such number")

    rewrite([Page("/one/", "old")], tmp_path)
    with pytest.raises(ValueError, match="no such number"):
        rewrite([Page("/one/", "new"), Page("/two/", fault)], tmp_path)
    assert (tmp_path / "one" / "index.html").read_text() == "old" and not (tmp_path / "two").exists()


def test_no_page_is_written_outside_the_folder(tmp_path):
    """A path that leads out of it is a bug that is told."""
    with pytest.raises(ValueError, match="would be written outside"):
        rewrite([Page("/../out/", "x")], tmp_path / "site")
