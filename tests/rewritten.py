"""Test files -> their asserts rewritten and kept before workers start: each file once, and not once by every worker.

In a fresh clone no rewritten file is kept yet. Every worker imports all files in the same order, so each rewrote all.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path

import pytest


def rewrite(config: pytest.Config, files: list[Path]) -> None:
    """Write what pytest would keep of each file, as it would; a file that it cannot read is left to it."""
    from _pytest.assertion import rewrite as own

    state = config.stash[own.assertstate_key]
    for file in files:
        kept = kept_as(file)
        own.try_makedirs(kept.parent)
        try:
            read, code = own._rewrite_test(file, config)
        except (SyntaxError, UnicodeError):
            continue
        own._write_pyc(state, code, read, kept)


def kept_as(file: Path) -> Path:
    """Where pytest keeps a rewritten file."""
    from _pytest.assertion import rewrite as own

    return own.get_cache_dir(file) / (file.stem + own.PYC_TAIL)


def rewrite_ahead(config: pytest.Config, tests: Path) -> None:
    """Of a whole run by workers, all files that nothing is kept of yet, by as many processes as there are cores."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not whole or not config.getoption("numprocesses", 0) or sys.dont_write_bytecode:
        return
    fork, cores = multiprocessing.get_context("fork"), os.cpu_count() or 1
    files = [file for file in sorted(tests.rglob("test_*.py")) if not kept_as(file).exists()]
    started = [fork.Process(target=rewrite, args=(config, files[first::cores])) for first in range(cores)]
    for process in started:
        process.start()
    for process in started:
        process.join()  # one that fails costs time and nothing else: workers rewrite what is missing
