"""How the tests themselves run: where counts go, and who gets a second try."""

import json
import subprocess
import sys
from typing import NamedTuple

import pytest

from tests import units
from tests.counts import LAST_RUN, ROOT, VERIFY, merged
from tests.units import longest_first, turn, unit


def test_a_whole_run_drops_the_rows_of_checks_it_did_not_make():
    """A row that this run did not make goes, unless its test was skipped here."""
    old = {"gone": {"test": "a.py::x"}, "skipped": {"test": "b.py::y"}, "made": {"test": "c.py::z", "checked": 1}}
    new = {"made": {"test": "c.py::z", "checked": 2}}
    assert merged(old, new, {"b.py::y"}) == {"made": new["made"], "skipped": old["skipped"]}


def pytest_run(*more: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *more]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.whole
def test_a_partial_run_edits_no_tracked_file():
    """Its counts go to .make/verified.json, which nobody tracks."""
    before = VERIFY.read_bytes()
    done = pytest_run("tests/gallery/test_memory_measured.py")
    assert done.returncode == 0, done.stdout
    assert "cache bytes per layer kind" in json.loads(LAST_RUN.read_text())
    assert VERIFY.read_bytes() == before


@pytest.mark.whole
@pytest.mark.parametrize("narrow", [["tests/gallery/test_scales.py"], ["-k", "scale"], ["--deselect", "tests/x.py"]])
def test_a_partial_run_cannot_keep_its_counts(narrow):
    """--keep-counts wants a whole run, and says what narrows this one."""
    done = pytest_run("--keep-counts", *narrow)
    assert done.returncode == 4, done.stdout
    assert "--keep-counts wants a whole run" in done.stderr


def test_only_browser_tests_get_a_second_try(request):
    """--browser-reruns marks the tests that drive a browser; every other test fails the first time."""
    times = request.config.getoption("--browser-reruns")
    for item in request.session.items:
        tries = item.get_closest_marker("flaky")
        again = item.get_closest_marker("browser") is not None and times > 0
        assert (tries.kwargs["reruns"] if tries else 0) == (times if again else 0), item.nodeid


def test_make_check_drives_no_browser():
    """-m finds the marks that are set while tests are collected."""
    picked = pytest_run("--collect-only", "-m", "not browser and not whole", "tests/explainers/test_phone.py")
    assert "no tests collected" in picked.stdout


class Item(NamedTuple):
    """A test as far as its order goes."""

    path: str
    name: str
    marks: tuple[str, ...] = ()
    fixturenames: tuple[str, ...] = ()

    @property
    def nodeid(self) -> str:
        return f"{self.path}::{self.name}"

    def get_closest_marker(self, name: str) -> bool:
        return name in self.marks


def test_files_that_wait_go_first_and_stay_in_order():
    """The file with most tests that drive a browser or wait comes first; tests of a file keep their order."""
    quick = [Item("quick", str(i)) for i in range(9)]
    slow = [Item("slow", "a", ("browser", "whole")), Item("slow", "b")]
    slower = [Item("slower", "a", ("browser",)), Item("slower", "b", ("whole",)), Item("slower", "c", ("whole",))]
    items = [*quick, *slow, *slower]
    longest_first(items)
    assert items == [*slower, *slow, *quick]


def test_the_first_file_of_the_built_site_comes_second_and_what_spoils_a_page_last():
    """One worker builds the site while the other is at other pages; what hides parts of a page is the last of it."""
    site = [Item("site", "a", ("browser",), ("site_dir",)), Item("later", "a", ("browser",), ("site_dir",))]
    masks = [Item(f"tests/explainers/test_{file}.py", "test_x[masks]", ("browser",)) for file in "abc"]
    masks[0] = masks[0]._replace(marks=("browser", "spoils"))
    heads = [Item("tests/explainers/test_a.py", "test_x[heads]", ("browser", "whole"))]
    items = [*site, *masks, *heads]
    longest_first(items)
    assert items == [masks[1], masks[2], masks[0], site[0], *heads, site[1]]


@pytest.mark.parametrize(
    ("nodeid", "of"),
    [
        ("tests/explainers/test_phone.py::test_x[masks]", "tests/explainers/masks"),
        ("tests/explainers/test_a.py::test_x[1400-light-tensor-parallel]", "tests/explainers/tensor-parallel"),
        ("tests/explainers/test_a.py::test_x[unmasks-7]", "tests/explainers/test_a.py"),
        ("tests/explainers/test_a.py::test_masks", "tests/explainers/test_a.py"),
        ("tests/site/test_a.py::test_x[masks]", "tests/site/test_a.py"),
    ],
)
def test_what_goes_over_one_page_is_a_unit(nodeid, of):
    """Tests of a page stand together, whichever file they are in; all others with their file."""
    assert unit(nodeid) == of


def test_every_file_has_its_turn_on_a_third_of_the_pages_and_every_page_in_some_files():
    """What is left out of a whole run is spread: a page or a test is never left out altogether."""
    names = sorted(units.pages())
    thirds = [names[at::3] for at in range(3)]
    taken = {file: [name for name in names if turn(f"tests/explainers/{file}.py::test_x[{name}]")]
             for file in ("test_pattern_browser", "test_beats_browser", "test_phone", "test_bets_browser")}  # fmt: skip
    assert [one for one in taken.values() if one not in thirds] == []
    assert {name for one in taken.values() for name in one} == set(names)
    assert turn("tests/explainers/test_x.py::test_of_no_page")
