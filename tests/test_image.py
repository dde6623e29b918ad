"""build/hosting/: the folder that a container and a Space are built from, and what its files promise each other."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from cutaway.gallery.command.arguments import parser

ROOT = Path(__file__).resolve().parent.parent
RECIPE = (ROOT / "build/hosting/Containerfile").read_text("utf-8")
LAST_STAGE = RECIPE.rpartition("\nFROM ")[2]


@pytest.fixture(scope="module")
def image():
    """build/hosting/image.py as a module."""
    spec = importlib.util.spec_from_file_location("build_image", ROOT / "build/hosting/image.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def folder(image, tmp_path_factory):
    """The folder as it is laid out for this checkout."""
    out = tmp_path_factory.mktemp("image") / "image"
    image.lay_out(out)
    return out


def test_the_folder_has_what_a_wheel_is_made_of_and_nothing_that_was_made(folder):
    """Sources, the recipe as Dockerfile and the Space's head; no tests, no bundles, no environment, no history."""
    top = {path.name for path in folder.iterdir()}
    assert {"Dockerfile", "README.md", "pyproject.toml", "setup.py", "gallery", "app", "static", "build"} <= top
    assert top & {"tests", "node_modules", ".venv", ".git", "_site", "dist"} == set()
    assert not (folder / "static" / "bundles").exists()
    assert (folder / "Dockerfile").read_text("utf-8") == RECIPE


def test_the_space_is_told_the_port_of_the_container(folder):
    """README.md begins with a head that a Docker Space reads; its port is the one that the container listens on."""
    head = yaml.safe_load((folder / "README.md").read_text("utf-8").split("---\n")[1])
    (port,) = re.findall(r"^EXPOSE (\d+)$", RECIPE, re.M)
    assert (head["sdk"], head["app_port"], head["license"]) == ("docker", int(port), "apache-2.0")
    assert len(head["short_description"]) <= 60
    assert f"PORT={port}" in LAST_STAGE


def test_the_container_is_no_root_and_asks_itself(image):
    """A numbered user, as a Space has it, a health check, and a second stage without Node or the sources."""
    assert re.search(r"^USER 1000$", LAST_STAGE, re.M) and "HEALTHCHECK" in LAST_STAGE
    assert re.findall(r"^COPY (.*)$", LAST_STAGE, re.M) == ["--from=wheel /dist /dist"]
    assert "node" not in LAST_STAGE.lower().replace("no node", "")


@pytest.mark.parametrize(
    ("env", "hosts"),
    [
        ({}, ["localhost"]),
        ({"SPACE_HOST": "a-b.hf.space"}, ["a-b.hf.space"]),
        ({"SPACE_HOST": "a-b.hf.space", "CUTAWAY_HOST": "example.org"}, ["example.org"]),
    ],
)
def test_the_container_starts_a_command_that_is_ours(tmp_path, env, hosts):
    """CMD, run by a shell with a `cutaway` that tells its arguments: our grammar reads them, with the right host."""
    words = re.search(r'^CMD \["sh", "-c", "(.*?)"\]$', RECIPE, re.M | re.S)[1].replace("\\\n", "").replace('\\"', '"')
    told = tmp_path / "cutaway"
    told.write_text('#!/bin/sh\nprintf "%s\\n" "$@" "$CUTAWAY_FRAMED_BY"\n')
    told.chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PORT": "7860", **env}
    *args, framed = (
        subprocess.run(["sh", "-c", words], env=env, capture_output=True, text=True, check=True).stdout[:-1].split("\n")
    )
    asked = parser().parse_args(args)
    assert (asked.address, asked.port, asked.allow_websocket_origin) == ("0.0.0.0", 7860, hosts)
    assert framed == ("https://huggingface.co" if "SPACE_HOST" in env else "")


def test_a_folder_of_others_is_not_replaced(image, tmp_path):
    """A folder with other files is refused in a sentence; one of ours is written anew."""
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(image.LayoutError, match="holds other things than an image"):
        image.lay_out(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_copy_without_git_is_told_what_to_do(image, tmp_path, monkeypatch):
    """No history, no list of files: the sentence says to clone."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(image.LayoutError, match=r"is no git checkout .*: clone the repository"):
        image.tracked(tmp_path)


def test_a_space_is_made_and_filled_by_two_requests(image, monkeypatch, tmp_path):
    """The client is asked for a Docker Space and for the whole folder; what was there before goes."""
    asked = []
    for name in ("create_repo", "upload_folder"):
        monkeypatch.setattr(
            f"huggingface_hub.HfApi.{name}", lambda self, *a, name=name, **more: asked.append((name, a, more))
        )
    assert image.upload(tmp_path, "me/cutaway") == "https://huggingface.co/spaces/me/cutaway"
    made, sent = asked
    assert (made[0], made[1], made[2]["space_sdk"], made[2]["repo_type"]) == (
        "create_repo",
        ("me/cutaway",),
        "docker",
        "space",
    )
    assert (sent[0], sent[2]["repo_id"], sent[2]["folder_path"]) == ("upload_folder", "me/cutaway", tmp_path)
