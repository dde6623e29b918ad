"""A pytest plugin: the collected tests once for every mutation of a file, until one of them fails.

`pytest -p tests.explainers.mutants` reads $MUTANTS, JSON {into, mutants: [[number, file, changed source], ...]}, and
writes a line `number test` for each (no test: it survived). Browser, server and pages are made once; of a page only
the scripts that a mutation may have changed are written again. tests/explainers/mutate_widgets.py starts it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from tests import bundled

served: list[Path] = []  # the folder of the built pages, once there is one


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef):
    """Remember where the pages were written."""
    yield
    if fixturedef.argname == "learn_dir":
        served.append(Path(fixturedef.cached_result[0]))


def send_again(page: str) -> None:
    """Write the script of a page as its sources are now, and what runs beside it."""
    for folder in served[-1:]:
        scripts = folder / "assets" / "explainers"
        (scripts / f"{page}.js").write_text(bundled.minified(page), "utf-8")
        if (beside := scripts / page / "worker.js").is_file():
            beside.write_text(bundled.worker(page), "utf-8")


def first_failure(items: list[pytest.Item]) -> str:
    """The first test that fails; "" where all pass."""
    for item, after in zip(items, [*items[1:], items[0]], strict=True):
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=after)):
            item.session._setupstate.teardown_exact(items[0])  # what is left of its module: the next one starts anew
            return item.name
    return ""


def pytest_runtestloop(session):
    """One mutation after the other; number 0, none at all, is tried where no other has shown that the tests pass."""
    survived = False
    asked, page = json.loads(Path(os.environ["MUTANTS"]).read_text("utf-8")), os.environ["EXPLAINER"]
    for number, name, changed in asked["mutants"]:
        file = Path(name)
        whole = file.read_text("utf-8")
        file.write_text(changed, "utf-8")
        try:
            send_again(page)
            by = "" if survived and not number else first_failure(session.items)
        except Exception as wrong:  # a script that cannot even be packed
            by = type(wrong).__name__
        file.write_text(whole, "utf-8")
        send_again(page)
        survived = survived or not by
        with open(asked["into"], "a", encoding="utf-8") as into:
            into.write(f"{number} {by}\n")
    return True
