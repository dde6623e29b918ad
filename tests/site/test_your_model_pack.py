"""The pack of /your-model/: which modules a browser's Python gets, and when the pack is made again."""

from __future__ import annotations

import json

import pytest

from cutaway.app.your_model import pack


@pytest.mark.whole
def test_the_pack_has_what_it_imports():
    """Every module that answer.py leads to is ours, or one of two that templates need; none needs numpy or a server.
    What runs a small copy comes apart from them."""
    found = pack.modules()
    assert len(found) > 300 and {name.split(".")[0] for name in found} == {"cutaway", "jinja2", "markupsafe"}
    rooms = {name.split(".")[2] for name in found if name.count(".") > 1 and name.startswith("cutaway.app.")}
    assert not rooms & {"serve", "workbench", "embed", "learn"}
    assert not [name for name in found if name.startswith("cutaway.gallery.command")]
    later = pack.run_modules()
    assert {"cutaway.gallery.running.interpreter", "cutaway.app.your_model.plain_numpy.einsum"} <= later.keys()
    assert not [name for name in found if name.startswith("cutaway.gallery.running.numbers")] and len(later) < 40


def test_a_pack_is_current_while_what_it_was_made_of_is_there_as_it_was(tmp_path):
    """A file's digest, a version, a folder's list: one that is another, or gone, and the pack is made again."""
    assert not pack.is_current(tmp_path)
    file, fixed = "app/your_model/pack.py", pack.fixed()
    same = {file: pack.bundles.digest(pack.ROOT / file), **fixed}
    others = ({file: "0"}, {"app/gone.py": ""}, {next(iter(fixed)): "another"})
    for changed, current in (({}, True), *((other, False) for other in others)):
        (tmp_path / pack.TOLD).write_text(json.dumps({"sources": same | changed}))
        assert pack.is_current(tmp_path) == current, changed
