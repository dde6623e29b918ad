"""What the tests compared -> counts for /verify/.

Every run leaves its counts in .make/verified.json, which nobody tracks. app/verify/counts.json, which the site shows,
is rewritten only by a whole, clean run with --keep-counts (`make test`), so that it lists what that run checked and
nothing else; the rows of tests that this machine had to skip stay as they were.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
VERIFY = ROOT / "app" / "verify" / "counts.json"
LAST_RUN = ROOT / ".make" / "verified.json"
NARROWING = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "maxfail", "collectonly")


def plain(nodeid: str) -> str:
    """A test's address without its parameters."""
    return nodeid.split("[")[0]


def narrowed(config: pytest.Config) -> str:
    """What makes this run less than a whole one; "" if nothing does."""
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return "paths"
    return next((name for name in NARROWING if config.getoption(name, None)), "")


def merged(known: dict[str, dict], counts: dict[str, dict], skipped: set[str]) -> dict[str, dict]:
    """The rows of a whole run, and the earlier rows of tests that it skipped; no others."""
    stay = {name: row for name, row in known.items() if row["test"] in skipped}
    return dict(sorted({**stay, **counts}.items()))


def write(path: Path, rows: dict[str, dict]) -> None:
    """A file that would say the same is not touched."""
    text = json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def summed(parts: dict[str, dict[str, dict]]) -> dict[str, dict]:
    """One row a check: what each case of its test compared, added up; a second try stands for the first."""
    rows = {}
    for name, cases in sorted(parts.items()):
        first = next(iter(cases.values()))
        added = {key: sum(case[key] for case in cases.values()) for key in ("checked", "mismatches")}
        rows[name] = {**added, "against": first["against"], "test": first["test"]}
    return rows


class Counts:
    """The counts of one run; a worker hands its own to the controller, which keeps them."""

    def __init__(self, config: pytest.Config) -> None:
        self.parts: dict[str, dict[str, dict]] = {}  # name -> case of a test -> what it compared
        self.skipped: set[str] = set()
        self.keep = config.getoption("--keep-counts")
        why = narrowed(config) if self.keep and not hasattr(config, "workerinput") else ""
        if why:
            raise pytest.UsageError(f"--keep-counts wants a whole run; this one is narrowed by {why}.")

    def add(self, name: str, checked: int, mismatches: int, against: str, nodeid: str) -> None:
        row = {"checked": checked, "mismatches": mismatches, "against": against, "test": plain(nodeid)}
        self.parts.setdefault(name, {})[nodeid] = row

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self.skipped.add(plain(report.nodeid))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error) -> None:
        for name, cases in json.loads(getattr(node, "workeroutput", {}).get("verified", "{}")).items():
            self.parts.setdefault(name, {}).update(cases)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["verified"] = json.dumps(self.parts)
        elif self.parts:
            rows = summed(self.parts)
            write(LAST_RUN, rows)
            if self.keep and exitstatus == 0:
                known = json.loads(VERIFY.read_text()) if VERIFY.exists() else {}
                write(VERIFY, merged(known, rows, self.skipped))

    def pytest_terminal_summary(self, terminalreporter) -> None:
        for name, row in summed(self.parts).items():
            words = f"{row['checked']:>13,} checked, {row['mismatches']:,} mismatches  {name}"
            terminalreporter.write_line(f"{words}  (against {row['against']})")
