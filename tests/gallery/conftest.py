"""What the tests of the core share: the command line, asked in this process."""

from __future__ import annotations

import pytest

from cutaway.gallery.command import cli


@pytest.fixture
def run(capsys):
    """run("facts", "x") -> (exit code, standard output, standard error)."""

    def call(*arguments):
        try:
            code = cli.main(list(arguments))
        except SystemExit as stopped:
            code = stopped.code
        out, err = capsys.readouterr()
        return code, out, err

    return call
