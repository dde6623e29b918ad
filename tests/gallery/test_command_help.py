"""What the command says of itself: groups, examples that run, completion, "did you mean", a terminal."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.command import arguments, cli
from cutaway.gallery.command.examples import ABOUT, EXAMPLES
from tests import terminal

ROOT = Path(__file__).resolve().parents[2]
ALL = [typed for rows in EXAMPLES.values() for typed, _ in rows]
HERE = [typed for typed in ALL if typed.startswith("cutaway ") and ">" not in typed]
FAR = ("serve", "build")  # one runs until it is stopped, one takes a minute: each has tests of its own


def test_every_command_has_a_group_words_and_examples():
    """The grammar, the functions, the groups and the examples name the same commands."""
    assert set(cli.COMMANDS) == set(arguments.parser().commands) == set(ABOUT) == set(EXAMPLES)
    assert all(typed.count(f"cutaway {name}") == 1 for name, rows in EXAMPLES.items() for typed, _ in rows)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_help_ends_with_examples(run, name):
    """`cutaway X --help` ends with all its examples and what comes of each."""
    code, out, _ = run(name, "--help")
    assert code == 0
    told = out[out.index("\nexamples:\n") :].split("\n")[2:-1]
    assert [line.strip() for line in told] == [words for row in EXAMPLES[name] for words in row]


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A folder with a config.json, and a Hub that cannot be reached."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(catalog.load("Qwen/Qwen3-8B")))
    return tmp_path


@pytest.mark.parametrize("typed", HERE)
def test_an_example_runs(run, folder, typed):
    """Every example gives what its help promises: the file that it names, JSON, or lines."""
    words = shlex.split(typed)[1:]
    if words[0] in FAR:
        assert arguments.parser().parse_args(words).command == words[0]
        return
    code, out, err = run(*words)
    assert code == 0, err
    if "-o" in words:
        assert (folder / words[words.index("-o") + 1]).stat().st_size > 500
    elif "--json" in words:
        assert json.loads(out)
    else:
        assert len(out.splitlines()) > 3


@pytest.mark.parametrize("typed", [typed for typed in ALL if typed not in HERE])
def test_an_example_runs_in_a_shell(folder, typed):
    """Pipes, redirections and eval, as they are typed."""
    words = f"cutaway() {{ '{sys.executable}' -m cutaway.gallery.command.cli \"$@\"; }}\nset -e -o pipefail\n{typed}"
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", words], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


MEANT = [
    (("fcats", "x"), "No command is called 'fcats'. Did you mean facts?"),
    (("",), "No command is called ''. Commands are draw, "),
    (("--vesion",), "takes no '--vesion' before a command. Did you mean --version?"),
    (("memory", "a.json", "--contxt", "8k"), "cutaway memory takes no '--contxt'. Did you mean --context?"),
    (("facts", "a.json", "extra"), "cutaway facts takes no 'extra'. `cutaway facts --help`"),
    (("plan", "a.json", "--on", "l4:1x1", "--job", "trian"), "is none of train, prefill, decode. Did you mean train?"),
    (("list", "--sort", "parms"), "Did you mean parameters?"),
    (("completion", "zhs"), "Did you mean zsh?"),
    (("facts", "Qwen/Qwen3-8", "--offline"), "Did you mean Qwen/Qwen3-8B?"),
    (("facts", "deepseek v3", "--offline"), "Did you mean deepseek-ai/DeepSeek-V3?"),
    (("weights", "a.json", "--layer", "x"), "--layer: 'x' is not a whole number. `cutaway weights --help`"),
    (("facts",), "The following arguments are required: MODEL."),
]  # fmt: skip


@pytest.mark.parametrize(("words", "says"), MEANT)
def test_a_wrong_letter_is_found(run, words, says):
    """A command, an option, a value or a model that is nearly right is named, in one line."""
    code, out, err = run(*words)
    assert (code in (2, 4), out, err.count("\n")) == (True, "", 1)
    assert says in err and err.startswith("cutaway: ")


def test_what_is_like_nothing_gets_no_suggestion(run):
    """A guess that is none is worse than no guess; nor is one made where only the network fails."""
    assert "Did you mean" not in run("facts", "nobody/xyzzy-plugh", "--offline")[2]
    assert "Did you mean" not in run("facts", "Qwen/Qwen3-8B", "--offline", "--revision", "x")[2]


def completed(typed: str, folder: Path) -> list[str]:
    """What a shell would offer after the words so far."""
    target = folder / "offered"
    env = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "COMP_LINE": typed,
        "COMP_POINT": str(len(typed)),
        "_ARGCOMPLETE_IFS": "\n",
    }
    env["_ARGCOMPLETE_STDOUT_FILENAME"] = str(target)
    subprocess.run([sys.executable, "-m", "cutaway.gallery.command.cli"], cwd=ROOT, env=env, check=True)
    return [one.strip() for one in target.read_text().split("\n")]


@pytest.mark.whole
def test_a_shell_completes_commands_options_values_and_models(tmp_path):
    """Slugs are found whatever their case."""
    assert set(cli.COMMANDS) <= set(completed("cutaway ", tmp_path))
    assert completed("cutaway memory --cache", tmp_path) == ["--cache-dtype"]
    assert completed("cutaway list --sort pa", tmp_path) == ["parameters"]
    assert "Qwen/Qwen3-8B" in completed("cutaway draw qwen/qwen3-8", tmp_path)


def on_terminal(folder: Path, *words: str, **env: str) -> str:
    """What the command shows on a terminal where it ends well, line ends as \\n."""
    command = [sys.executable, "-m", "cutaway.gallery.command.cli", *words]
    usual = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    shown, code = terminal.on_terminal(
        command, folder, {**usual, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **env}
    )
    assert code == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.whole
def test_a_drawing_does_not_flood_a_terminal(tmp_path):
    """Without -o it becomes a new file here, which is named; nothing is overwritten."""
    told = [on_terminal(tmp_path, "draw", "Qwen/Qwen3-8B", "--offline") for _ in range(2)]
    assert [re.findall(r"Written: (.*)", one) for one in told] == [["Qwen3-8B.svg"], ["Qwen3-8B-2.svg"]]
    assert "<svg" not in "".join(told)
    assert (tmp_path / "Qwen3-8B.svg").read_bytes() == (tmp_path / "Qwen3-8B-2.svg").read_bytes()


@pytest.mark.whole
def test_headings_are_bold_on_a_terminal(tmp_path):
    """The model's name and the headings of help, nothing else; with NO_COLOR, or in a file, nothing."""
    assert on_terminal(tmp_path, "facts", "Qwen/Qwen3-8B", "--offline").startswith("\x1b[1mQwen3 8B\x1b[0m\nSnapshot")
    shown = on_terminal(tmp_path, "--help")
    assert (
        shown.count("\x1b[1m") == shown.count("\x1b[0m") == len(re.findall(r"^\x1b\[1m[\w ]+:\x1b\[0m$", shown, re.M))
    )
    assert "\x1b[1mcatalogue:\x1b[0m\n" in shown
    assert "\x1b" not in on_terminal(tmp_path, "facts", "Qwen/Qwen3-8B", "--offline", NO_COLOR="1")
    on_terminal(tmp_path, "facts", "Qwen/Qwen3-8B", "--offline", "-o", "sheet.txt")
    assert (tmp_path / "sheet.txt").read_text().startswith("Qwen3 8B\n")
