"""The live server under a small crowd, and what sessions leave behind; tests/bench/load.py measures a large crowd."""

import json
import os
import subprocess
import sys

import pytest

from tests.app.conftest import ROOT
from tests.bench import load


@pytest.mark.whole
@pytest.mark.patient
def test_a_small_crowd_gets_what_it_asks_for(tmp_path):
    """A few readers for a few seconds, and a few sessions after them: no error for anybody, no traceback in the log."""
    found = load.measure(tmp_path, readers=8, seconds=4, count=3)
    print(*load.show(found.tally.rows(None)), found, sep="\n")
    assert not found.tally.wrong, found.tally.wrong
    assert set(found.tally.spent) == {"a page", "a drawing", "the workbench's page and socket"}
    assert (found.tracebacks, 0 < found.before < 1000) == (0, True)


@pytest.mark.whole
def test_sessions_that_are_closed_leave_nothing():
    """Documents, sessions, plots and widgets are gone when their page is, with a question to the Hub under way too."""
    visits = ["", "?learn=bits", "?model=no/body"]
    command = [sys.executable, "-m", "tests.app.leftover", *visits]
    environment = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9", "PYTHONPATH": "."}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}
