"""The command's streams: full, closed, cut and foreign ones give right bytes or one sentence, never a traceback."""

import io
import json
import os
import re
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

import pytest

from cutaway.gallery.command import cli
from tests.terminal import on_terminal

ROOT = Path(__file__).resolve().parents[2]
CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
    "a_key_from_tomorrow": 7,
}
LATER = pytest.mark.whole
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
LATIN = {"PYTHONIOENCODING": "latin-1"}


@pytest.fixture
def config(tmp_path):
    """A small Llama under a name with an accent, in a folder whose name is no UTF-8."""
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    path = Path(os.fsdecode(folder)) / "modèle.json"
    path.write_text(json.dumps(CONFIG))
    return str(path)


def shell(words: str, *arguments: str, **env: str) -> subprocess.CompletedProcess:
    """words, where CUTAWAY stands for the command, in a shell of its own: (returncode, stdout, stderr), bytes."""
    command = words.replace("CUTAWAY", f"'{sys.executable}' -m cutaway.gallery.command.cli")
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command, "bash", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )


BROKEN = [
    ('CUTAWAY facts "$1" >/dev/full', 5, "standard output cannot be written (No space left on device)"),
    ('CUTAWAY draw "$1" -o /dev/full', 5, "/dev/full cannot be written"),
    ('CUTAWAY facts "$1" >&-', 5, "standard output cannot be written (it is closed)"),
    ("CUTAWAY facts - <&-", 5, "Standard input is closed"),
    ("CUTAWAY facts - </dev/zero", 5, "standard input has more than 5,000,000 bytes"),
    ("CUTAWAY --help >/dev/full", 5, "standard output cannot be written (No space left on device)"),
]


@pytest.mark.parametrize("unbuffered", ["", pytest.param("1", marks=LATER)])
@pytest.mark.parametrize(
    ("words", "code", "sentence"), [BROKEN[0], *(pytest.param(*row, marks=LATER) for row in BROKEN[1:])]
)
def test_a_broken_stream_is_one_sentence(config, words, code, sentence, unbuffered):
    """A full disk and a closed or wrong stream are named as such; nothing else is said."""
    done = shell(words, config, PYTHONUNBUFFERED=unbuffered)
    err = done.stderr.decode()
    assert (done.returncode, err.count("\n"), sentence in err) == (code, 1, True), err


QUIET = [
    ('CUTAWAY draw "$1" 2>&-', True),
    ('CUTAWAY draw "$1" 2>/dev/full', True),
    ("CUTAWAY --help | head -c 1", False),
    ('CUTAWAY facts "$1" >&- 2>&-; test $? = 5', False),
]


@pytest.mark.parametrize(("words", "drawn"), [QUIET[0], *(pytest.param(*row, marks=LATER) for row in QUIET[1:])])
def test_without_standard_error_the_work_is_done(config, words, drawn):
    """What cannot be said is not said: neither does it stray into the SVG, nor does it change the exit code."""
    done = shell(words, config)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not drawn or xml.dom.minidom.parseString(done.stdout)


@pytest.mark.whole
@pytest.mark.parametrize("env", [ASCII, pytest.param(LATIN, marks=LATER)], ids=["C", "latin-1"])
def test_a_document_is_utf8_whatever_the_locale(config, env, capfdbinary):
    """SVG and JSON have the same bytes under a C locale and another encoding as under UTF-8."""
    for words in (["draw", config, "--title", "Größe"], ["memory", config, "--json"]):
        cli.main(words)
        here = capfdbinary.readouterr().out
        assert here.decode("utf-8").count("Größe") == 3 * (words[0] == "draw")
        there = shell('CUTAWAY "$@" 2>&-', *words, **env)
        assert (there.returncode, there.stderr, there.stdout) == (0, b"", here)


@pytest.mark.whole
@pytest.mark.parametrize("env", [ASCII, pytest.param(LATIN, marks=LATER)], ids=["C", "latin-1"])
def test_a_sheet_is_in_the_encoding_of_the_terminal(config, env):
    """Where a sign is not to be had, a question mark stands for it."""
    done = shell('CUTAWAY facts "$1"; CUTAWAY --help', config, **env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"2 x GQA" in done.stdout and b"exit codes:" in done.stdout
    done.stdout.decode("ascii" if env is ASCII else "latin-1")


def test_a_name_that_is_no_utf8_is_written_and_read(config, capsys):
    """A path of foreign bytes works; in a document what UTF-8 cannot hold is replaced."""
    assert cli.main(["facts", config, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["source"].endswith("caf\ufffd/modèle.json")
    target = os.path.join(os.path.dirname(config), "out\udce9.svg")
    assert cli.main(["draw", config, "--title", "a\udce9b", "-o", target]) == 0
    made = xml.dom.minidom.parseString(Path(target).read_bytes())
    assert made.getElementsByTagName("title")[0].firstChild.data == "a\ufffdb"
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "name", ["\udce9", "a/\udce9", "https://huggingface.co/a/\udce9", "\udce9.json", "a\x00b.json"]
)
def test_a_surrogate_in_a_name_is_one_sentence(capsys, name):
    """Bytes that are no text, where a model's name was expected, are refused like any wrong name."""
    assert cli.main(["facts", name, "--offline"]) in (4, 5)
    err = capsys.readouterr().err
    assert (err.count("\n"), "fault of ours" in err, err.startswith("cutaway: ")) == (1, False, True)


def test_lone_surrogates_in_a_config_reach_no_document(tmp_path, capsys):
    r"""A string "\ud800" of a config is drawn and printed as a question mark: the output stays UTF-8."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**CONFIG, "model_type": "x\ud800", "key\udfff": 1, "architectures": ["A\ud800"]}))
    for command in ("draw", "facts", "weights", "memory"):
        assert cli.main([command, str(path), "-o", str(tmp_path / command)]) == 0
        (tmp_path / command).read_bytes().decode("utf-8")
    assert cli.main(["facts", str(path), "--json"]) == 0
    json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("words", [["--out", "/dev/null/site"], ["--out", "/proc/site"]])
def test_a_site_that_cannot_be_written_is_one_sentence(capsys, words):
    """`cutaway build` names the folder and the reason, and reads no model before."""
    with pytest.raises(SystemExit) as stopped:
        cli.main(["build", *words])
    err = capsys.readouterr().err.splitlines()[-1]
    said = rf".*: error: no site can be written to {words[1]} \([A-Z][a-z ]+\): name another folder"
    assert stopped.value.code == 2 and re.fullmatch(said, err)


def test_a_snapshot_is_a_document_too(config, monkeypatch):
    """On a terminal without Unicode its words are UTF-8 all the same."""
    Path(config).write_text(json.dumps({**CONFIG, "hidden_act": "é"}))
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert cli.main(["snapshot", config, "--slug", "me/mine", "-o", "-"]) == 0
    assert json.loads(out.buffer.getvalue().decode("utf-8"))["facts"]["hidden_act"] == "é"


NO_COLOUR = [["facts", "CONFIG"], ["facts", "./no.json"], ["--help"], ["facts", "--nonsense"]]


@LATER
@pytest.mark.parametrize("words", NO_COLOUR)
def test_no_colour_on_a_terminal(config, words):
    """On a terminal, with NO_COLOR set, no escape sequence is printed."""
    command = [
        sys.executable,
        "-m",
        "cutaway.gallery.command.cli",
        *(config if word == "CONFIG" else word for word in words),
    ]
    shown, code = on_terminal(command, ROOT, {**os.environ, "NO_COLOR": "1", "TERM": "xterm-256color"})
    assert code in (0, 2, 5)
    assert shown and b"\x1b" not in shown
