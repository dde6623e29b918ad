"""The tutorial is kept with what it gives: executed anew by nbclient, without a network, it gives the same."""

from __future__ import annotations

import nbformat
import pytest

from tests.site.notebooks import TUTORIAL, executed


@pytest.mark.whole
def test_the_notebook_gives_what_it_shows(tmp_path):
    """Every cell runs, and every output is the one that is kept; `python -m tests.site.notebooks` keeps it anew."""
    kept = nbformat.read(TUTORIAL, as_version=4)
    nbformat.validate(kept)
    made = executed(TUTORIAL, tmp_path)
    assert [one.source for one in made.cells] == [one.source for one in kept.cells]
    for now, then in zip(made.cells, kept.cells, strict=True):
        assert now.get("outputs") == then.get("outputs"), then.source
    assert sum(bool(one.get("outputs")) for one in kept.cells) >= 10
