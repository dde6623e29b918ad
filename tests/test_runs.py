"""How the tests themselves run: where counts go, and who gets a second try."""

import ast
import json
import re
import subprocess
import sys
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from tests import units
from tests.counts import LAST_RUN, ROOT, VERIFY, Counts, merged, summed
from tests.tally import Tally
from tests.units import longest_first, turn, unit


def test_a_whole_run_drops_the_rows_of_checks_it_did_not_make():
    """A row that this run did not make goes, unless its test was skipped here."""
    old = {"gone": {"test": "a.py::x"}, "skipped": {"test": "b.py::y"}, "made": {"test": "c.py::z", "checked": 1}}
    new = {"made": {"test": "c.py::z", "checked": 2}}
    assert merged(old, new, {"b.py::y"}) == {"made": new["made"], "skipped": old["skipped"]}


def test_cases_of_one_check_are_added_up_and_a_second_try_is_not():
    """Two cases of a parametrised test make one row of both; what a case says again stands for what it said."""
    row = {"checked": 2, "mismatches": 0, "against": "torch", "test": "a.py::x"}
    cases = {"a.py::x[1]": row, "a.py::x[2]": {**row, "checked": 5}}
    assert summed({"sums": cases}) == {"sums": {**row, "checked": 7}}
    counts = Counts(SimpleNamespace(getoption=lambda name: False))
    for checked in (3, 2):
        counts.add("sums", checked, 0, "torch", "a.py::x[1]")
    assert summed(counts.parts)["sums"]["checked"] == 2


def test_a_tally_counts_what_it_compares():
    """Every number of a list is one comparison, what differs is counted and shown, a missing number differs too."""
    tally = Tally()
    tally.same(1, 1, "one")
    tally.near([1.0, 2.0, 3.0], [1.0, 2.5, 3.0], "list", abs=0.1)
    tally.holds(False, "never")
    tally.add(10, ["a", "b"])
    assert (tally.checked, tally.mismatches) == (15, 4)
    assert tally.shown == ["list 1: 2.0 is not near 2.5", "never: it does not hold", "['a', 'b']"]
    short = Tally()
    short.near([1.0], [1.0, 2.0])
    assert short.mismatches == 1


@pytest.mark.parametrize(
    ("said", "why"),
    [((Tally(),), "0 of 0"), ((3,), "how many differ"), ((2, 3), "3 of 2")],
)
def test_a_check_that_compared_nothing_or_not_so_much_fails(verified, said, why):
    """Nothing compared, no count of what differs, more that differ than were compared: none of it is a check."""
    with pytest.raises(AssertionError, match=why):
        verified("a check of the checks", *said, against="torch")


def literal(call: ast.Call) -> bool:
    """Whether a call of verified writes down how many differ, or how many were compared, instead of counting."""
    given = [*call.args[1:3], *(one.value for one in call.keywords if one.arg in ("checked", "mismatches"))]
    return any(isinstance(one, ast.Constant) for one in given)


@pytest.mark.whole
def test_no_test_writes_down_how_many_differ():
    """verified(..., 0, ...) says "no mismatch" whatever was compared: a number is counted, or a Tally counts it."""
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "verified" and literal(node):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == []


ONCE = """
import pytest
seen = []

@pytest.mark.flaky(reruns=1)
def test_second_try():
    seen.append(1)
    assert len(seen) == 2, "the page was not there yet"

@pytest.mark.flaky(reruns=1)
def test_never():
    assert False, "broken"

def test_first_try():
    pass
"""


@pytest.mark.whole
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "a worker"])
def test_a_test_that_passes_at_its_second_try_is_listed_as_flaky(tmp_path, workers):
    """By its name and with its first failure; one that fails each time is a failure, one that passes is nothing."""
    (tmp_path / "test_once.py").write_text(ONCE)
    done = pytest_run("-p", "tests.conftest", *workers, str(tmp_path / "test_once.py"))
    _, _, told = done.stdout.partition("1 FLAKY: failed first, passed later")
    assert "FLAKY" in told and "test_once.py::test_second_try (2 tries)" in told, done.stdout
    assert "AssertionError: the page was not there yet" in told.partition("short test summary")[0]
    assert "FLAKY test_once.py::test_never" not in told and done.returncode == 1


def test_a_browser_test_is_tried_once_more_and_no_further():
    """make test gives one second try: more would hide what fails every other time."""
    assert "--browser-reruns 1 " in (ROOT / "Makefile").read_text()


def pytest_run(*more: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *more]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.whole
def test_a_partial_run_edits_no_tracked_file():
    """Its counts go to .make/verified.json, which nobody tracks."""
    before = VERIFY.read_bytes()
    done = pytest_run("tests/gallery/test_memory_measured.py")
    assert done.returncode == 0, done.stdout
    assert "cache bytes of each kind of layer" in json.loads(LAST_RUN.read_text())
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


@pytest.mark.whole
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


TURNS = re.compile(r"^@pytest\.mark\.turns\n(?:@.*\n)*def (test_\w+)", re.M)


def test_every_test_has_its_turn_on_pages_that_have_all_parts_between_them():
    """Each test of all pages meets every kind of bet, control and state; tests share the pages out among them."""
    files = sorted((ROOT / "tests" / "explainers").glob("test_*.py"))
    tests = [f"tests/explainers/{file.name}::{name}" for file in files for name in TURNS.findall(file.read_text())]
    all_parts = frozenset().union(*map(units.parts, units.pages()))
    taken = {test: [page for page in units.pages() if turn(f"{test}[{page}]")] for test in tests}
    assert len(taken) > 15 and {"bet curve", "bet none", "control toggle", "model", "files apart"} <= all_parts
    assert [test for test, sample in taken.items() if frozenset().union(*map(units.parts, sample)) != all_parts] == []
    assert {test: sample for test, sample in taken.items() if len(sample) > len(units.pages()) / 3} == {}
    assert len({page for sample in taken.values() for page in sample}) > 0.8 * len(units.pages())
    assert turn("tests/explainers/test_x.py::test_of_no_page")
