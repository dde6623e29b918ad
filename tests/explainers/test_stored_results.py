"""explainers/stored_results.py: worked out once for the same sources, whoever asks; anew when a source has changed."""

import json
import os
import time

import pytest

from cutaway.explainers import stored_results as stored


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with one source, older than this process."""
    (tmp_path / "code").mkdir()
    write(tmp_path / "code" / "a.py", "one")
    monkeypatch.setattr(stored, "ROOT", tmp_path)
    monkeypatch.setattr(stored, "FOLDER", tmp_path / "results")
    stored.digest.cache_clear()
    yield tmp_path
    stored.digest.cache_clear()


def write(path, text: str, age: float = 60) -> None:
    path.write_text(text)
    os.utime(path, (stored.STARTED - age,) * 2)


def ask(value: object) -> object:
    """What a process that starts now would recall."""
    stored.digest.cache_clear()
    return stored.recall("it", ("code",), lambda: value)


def test_a_result_stays_as_long_as_its_sources_do(checkout):
    """A second process reads the first one's result; a changed source gives a new one and removes the old file."""
    assert [ask({"n": 1}), ask({"n": 2})] == [{"n": 1}, {"n": 1}]
    write(checkout / "code" / "a.py", "two")
    assert [ask({"n": 3}), ask({"n": 4})] == [{"n": 3}, {"n": 3}]
    assert [json.loads(path.read_text()) for path in (checkout / "results").iterdir()] == [{"n": 3}]


def test_what_a_process_has_not_loaded_is_not_answered_for(checkout):
    """With a source newer than the process, or in an installed package, nothing is stored; a torn file is replaced."""
    assert ask(1) == 1
    (only,) = (checkout / "results").iterdir()
    for torn in ("{", "", "[" * 100_000):
        only.write_text(torn)
        assert ask(2) == 2
    (checkout / "code" / "a.py").write_text("edited meanwhile")
    os.utime(checkout / "code" / "a.py", (time.time() + 60,) * 2)
    assert [ask(3), ask(4)] == [3, 4]
    stored.FOLDER = None
    assert ask(5) == 5
