"""A kind is one file with all its readings; what a file or a row forgets fails when it is imported."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from cutaway.gallery import mixers, mlps, operations, residuals
from cutaway.gallery.registry import register
from cutaway.gallery.running import numbers

ROOT = Path(__file__).parents[2]


def package(where: Path, **files: str) -> str:
    """A package of small modules on the path; its name."""
    name = f"room_{abs(hash(where.as_posix())) % 10**9}"
    folder = where / name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    for stem, text in files.items():
        (folder / f"{stem}.py").write_text(text)
    return name


@pytest.mark.parametrize(("text", "missing"), [("RECORD = int", "no GRAPH"), ("GRAPH = len", "no RECORD")])
def test_a_kind_without_a_reading_fails_at_import(tmp_path, monkeypatch, text, missing):
    """A file without its record or its graph is named, with what it lacks."""
    name = package(tmp_path, whole="RECORD, GRAPH = int, len", half=text)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match=rf"{name}\.half has {missing}"):
        register(name, import_module(name).__path__)


def test_a_residual_scheme_says_what_it_is_at_another_depth(tmp_path, monkeypatch):
    """Or it fails at import: no list elsewhere has to name it."""
    name = package(tmp_path, odd="RECORD, GRAPH, ENTER, LEAVE, WORDS = int, len, len, len, len")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match=rf"{name}\.odd has no RESTACK"):
        register(name, import_module(name).__path__, words=residuals.READINGS)


def test_a_complete_room_is_a_table_of_its_records(tmp_path, monkeypatch):
    """Every file is a row; files named as parts of several kinds are none."""
    name = package(tmp_path, one="RECORD, GRAPH = int, len", two="RECORD, GRAPH = str, repr", shared="x = 1")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert register(name, import_module(name).__path__, ("shared",)) == ({int: len, str: repr},)


def test_every_room_has_its_files_in_its_table():
    """As many kinds as files, in mixers, mlps and residuals."""
    for room in (mixers, mlps, residuals):
        stems = {path.stem for path in Path(room.__file__).parent.glob("*.py")} - {"__init__"}
        assert len(room.GRAPHS) == len(stems - set(getattr(room, "NOT_KINDS", ())))


def test_an_operation_without_numbers_fails_at_import():
    """A row of operations.py that running/ does not know stops the interpreter's import, and is named."""
    code = (
        "from cutaway.gallery import operations\n"
        "operations.OPERATIONS['forgotten'] = operations.Operation('nothing')\n"
        "import cutaway.gallery.running.interpreter\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "operations and their numbers differ: ['forgotten']" in done.stderr
    assert operations.OPERATIONS.keys() == numbers.NUMBERS.keys()


def test_a_half_of_several_is_taken_apart_to_the_last():
    """Mixers of mixers give their single parts in order; no half gives none."""
    from cutaway.gallery.spec import Combined, Dense
    from cutaway.gallery.sublayers import parts_of

    one, two, three = Dense(1), Dense(2), Dense(3)
    assert parts_of(Combined((Combined((one, two), "parallel"), three), "serial")) == (one, two, three)
    assert (parts_of(one), parts_of(None)) == ((one,), ())
