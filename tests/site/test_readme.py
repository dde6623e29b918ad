"""What README and CONTRIBUTING promise exists."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_every_make_command_is_a_target():
    """Each `make x` in the texts is one that `make help` lists."""
    targets = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    named = set(re.findall(r"`?make ([a-z]+)", README + CONTRIBUTING)) & set(
        re.findall(r"make (\w+)", README + CONTRIBUTING)
    )
    assert {"serve", "test", "bench"} <= named
    assert [name for name in sorted(named) if f"make {name} " not in targets] == []


def test_every_cutaway_command_exists():
    """Each `cutaway x` in the texts is a command of the command line."""
    named = set(re.findall(r"cutaway ([a-z]+) ", README + CONTRIBUTING))
    command = [sys.executable, "-m", "cutaway.gallery.command.cli", "--help"]
    help_text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {"draw", "facts", "snapshot"} <= named
    assert [name for name in sorted(named) if name not in help_text] == []


def test_contributing_can_be_read_in_one_go():
    """What is said at greater length stands where it is needed: beside the explainers, beside the plan's JSON."""
    assert len(CONTRIBUTING.encode()) <= 10_240


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=["README", "CONTRIBUTING"])
def test_every_link_leads_to_a_file(text):
    """A link without a host is a file of the tree."""
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert links and [link for link in links if not (ROOT / link).is_file()] == []


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=["README", "CONTRIBUTING"])
def test_every_path_is_there(text):
    """Files and folders that the texts name are in the tree."""
    paths = set(re.findall(r"`((?:gallery|explainers|app|build|static|tests)/[\w./-]*)`", text)) | set(
        re.findall(r"^(\w+/) ", text, re.M)
    )
    assert len(paths) >= 6
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


TREE = re.search(r"^## The tree\n+```\n(.*?)^```", README, re.M | re.S)[1]
MADE = {"__pycache__", "bundles", "node_modules", "dist"}  # what .gitignore leaves out


def folders(path: Path) -> list[Path]:
    """The folders inside that hold more than what our scripts made."""
    found = (one for one in path.iterdir() if one.is_dir() and one.name not in MADE and one.name[0] not in "._")
    return sorted(one for one in found if any(f.is_file() and "__pycache__" not in f.parts for f in one.rglob("*")))


def test_the_tree_is_the_tree():
    """Each folder, two levels deep, stands there with a phrase, but for an explainer's own; nothing else does."""
    top = folders(ROOT)
    inner = [one for path in top for one in folders(path) if not (one / "page.md").exists()]
    told = re.findall(r"^( *)(\S+)/ +\S.{5,}$", TREE, re.M)
    assert len(told) == len(TREE.splitlines())
    inside, names = "", set()
    for indent, name in told:
        inside = inside if indent else name
        names.add(f"{inside}/{name}" if indent else name)
    assert names == {one.relative_to(ROOT).as_posix() for one in (*top, *inner)}


def test_the_picture_is_ours():
    """The README's picture is a drawing of the program: an SVG whose words are the model's."""
    root = ElementTree.parse(ROOT / "static" / "cover.svg").getroot()
    assert root.tag.endswith("svg")
    assert "Gated DeltaNet" in "".join(root.itertext())


def test_ci_needs_no_questions():
    """.ci/run is executable, reads no input and calls make test."""
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert "exec </dev/null" in script.read_text() and "make test" in script.read_text()
    assert subprocess.run(["bash", "-n", str(script)]).returncode == 0


def test_every_line_of_the_library_example_runs(monkeypatch, tmp_path):
    """The Python of the README is run as it stands, with the catalogue's snapshots for the Hub."""
    import cutaway
    from cutaway.gallery import catalog

    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    lines = [line.split("#")[0].strip() for line in code.splitlines() if line.startswith("cutaway.")]
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(catalog.load("Qwen/Qwen3-8B")))
    shown = [eval(line, {"cutaway": cutaway}) for line in lines if "widget" not in line]
    assert len(shown) == len(lines) - 1 == 9
    assert (shown[1], shown[6]) == (8_190_735_360, True)
    assert all(len(one) for one in shown if hasattr(one, "__len__"))
