"""Tests that failed and then passed -> a list at the end of the run, each with how it failed first.

A second try saves a run that a busy machine made miss a beat; it must not hide that there was a first. The list is
also left in .make/flaky.json, which nobody tracks.
"""

from __future__ import annotations

import json

import pytest

from tests.counts import ROOT

LAST_RUN = ROOT / ".make" / "flaky.json"


def reason(report: pytest.TestReport) -> str:
    """Where and how a try failed, in one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        lines = str(report.longrepr or "").strip().splitlines() or ["no reason was kept"]
        return f"{report.when}: {lines[-1]}"[:300]
    return f"{report.when}, line {crash.lineno}: {' '.join(crash.message.split())}"[:300]


class Flaky:
    """What became of tests that were tried again; workers' reports reach the controller, which keeps them."""

    def __init__(self) -> None:
        self.first: dict[str, str] = {}  # test -> how its first try failed
        self.tries: dict[str, int] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome == "rerun":
            self.first.setdefault(report.nodeid, reason(report))
            self.tries[report.nodeid] = self.tries.get(report.nodeid, 1) + 1
        elif report.failed:
            self.failed.add(report.nodeid)

    def found(self) -> dict[str, str]:
        """Tests that failed first and passed in the end; what failed each time is a failure, and shown as one."""
        return {test: why for test, why in sorted(self.first.items()) if test not in self.failed}

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not hasattr(session.config, "workerinput"):
            LAST_RUN.parent.mkdir(exist_ok=True)
            LAST_RUN.write_text(json.dumps(self.found(), indent=1, ensure_ascii=False) + "\n")

    def pytest_terminal_summary(self, terminalreporter) -> None:
        found = self.found()
        if not found:
            return
        terminalreporter.section(f"{len(found)} FLAKY: failed first, passed later", yellow=True)
        for test, why in found.items():
            terminalreporter.write_line(f"FLAKY {test} ({self.tries[test]} tries)", yellow=True)
            terminalreporter.write_line(f"    {why}")
