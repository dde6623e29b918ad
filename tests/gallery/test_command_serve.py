"""`cutaway serve` as a process: it starts, answers, and ends whole when it is told to."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from cutaway.gallery.command import cli

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120  # a busy machine takes its time


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


@contextlib.contextmanager
def serving(port: int):
    """The command in a session of its own, once it answers; whatever is left of it is killed at the end."""
    command = [sys.executable, "-m", "cutaway.gallery.command.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores Ctrl-C
    )  # fmt: skip
    try:
        until = time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < until:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/assets/css/tokens.css", timeout=SECONDS).read()
                break
            time.sleep(0.1)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.whole
@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT], ids=lambda told: told.name)
def test_told_to_end_it_ends_whole(told):
    """A signal to the command ends the server too: exit code 0, no traceback, nobody left on the port."""
    port = free_port()
    with serving(port) as process:
        process.send_signal(told)
        out, _ = process.communicate(timeout=SECONDS)
        assert (process.returncode, "Traceback" in out) == (0, False), out
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("127.0.0.1", port))


def test_a_taken_port_is_a_sentence(capsys):
    """The address that is taken is named, and what to do."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        code = cli.main(["serve", "--port", str(port)])
    err = capsys.readouterr().err
    assert (code, err.count("\n")) == (2, 1)
    assert f"127.0.0.1:{port}" in err and "--port" in err


@pytest.mark.parametrize("words", [("--port", "70000"), ("--address", "256.1.1.1"), ("--address", "no such host")])
def test_an_address_that_cannot_be_is_a_sentence(capsys, words):
    """A port above 65,535 and a host that is none are wrong arguments, said in a sentence."""
    try:
        code = cli.main(["serve", *words])
    except SystemExit as stopped:
        code = stopped.code
    assert code == 2
    err = capsys.readouterr().err
    assert words[1] in err and "Traceback" not in err and "fault of ours" not in err
