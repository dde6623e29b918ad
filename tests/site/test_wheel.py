"""The wheel: one package, cutaway, that works beside a user's own app/, gallery.py, explainers.py and static/."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest

import cutaway
from cutaway import gallery
from cutaway.explainers import bundles
from cutaway.gallery import catalog

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 180  # a busy machine takes its time
BUILD_SECONDS = 20  # of processor time
TAKEN = "raise SystemExit('a file of the user was imported')\n"


# ---------------------------------------------------------------- one name


ROOMS = ("gallery", "explainers", "app", "static")
OTHERS = f"""
from importlib.util import find_spec
print([name for name in {(*ROOMS, "tests")} if find_spec(name)])
"""


def test_an_editable_install_takes_one_name(tmp_path):
    """From any other folder nothing of the checkout is imported but as cutaway.<room>, each from its own folder."""
    code = OTHERS + "from cutaway import app, explainers, gallery\n"
    code += "print(*(room.__file__ for room in (app, explainers, gallery)))"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True)
    files = " ".join(str(ROOT / room / "__init__.py") for room in ("app", "explainers", "gallery"))
    assert done.stdout.splitlines() == ["[]", files], done.stderr


# ---------------------------------------------------------------- the library in a checkout


def test_the_library_takes_names_paths_configs_and_specs(tmp_path):
    """One function, four ways to say which model, the same answer."""
    config = catalog.load("Qwen/Qwen3-8B")
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    spec = gallery.read(config)
    ways = (config, path, str(path), spec)
    assert [cutaway.read(way) == spec for way in ways] == [True] * 4
    assert cutaway.read("Qwen/Qwen3-8B", offline=True) == spec
    assert cutaway.parameters(path) == gallery.parameters(spec)
    assert cutaway.weights(path) == gallery.weights(spec)
    assert cutaway.memory(path, 8192, batch=2) == gallery.memory(spec, 8192, batch=2)
    assert cutaway.flops(path, 8192, prefill=True) == gallery.flops(spec, 8192, prefill=True)
    assert cutaway.compare(path, spec) == ()
    assert cutaway.edit(path, "layers:8") == gallery.edit(spec, {"layers": 8}) == gallery.edit(spec, "layers=8")
    assert {row.key for row in cutaway.compare(spec, {**config, "hidden_size": 2048})} >= {"hidden_size"}


def test_a_drawing_is_an_object_that_a_notebook_shows():
    """The SVG is the command's, with the model's name; its plain form is a sentence; HTML fits its column."""
    made = cutaway.draw("Qwen/Qwen3-8B", offline=True, dark=True)
    spec = gallery.read(catalog.load("Qwen/Qwen3-8B"))
    assert made.svg == made._repr_svg_() == gallery.draw(spec, title=catalog.find("Qwen/Qwen3-8B").title, dark=True)
    assert type(made.svg) is str and not isinstance(made, str)
    assert made._repr_html_().count("<svg ") == 1 and "max-width: 100%" in made._repr_html_()
    assert repr(made).startswith("<Drawing: Qwen3 8B: 36 layers") and made.source == catalog.provenance("Qwen/Qwen3-8B")
    mine = cutaway.draw(spec, title="<mine>").svg
    assert mine.startswith("<svg ") and "&lt;mine&gt;" in mine


def test_a_drawing_is_saved(tmp_path):
    """save() writes the SVG as UTF-8."""
    made = cutaway.draw(catalog.load("Qwen/Qwen3-8B"))
    made.save(tmp_path / "one.svg")
    assert (tmp_path / "one.svg").read_bytes() == made.svg.encode()


def test_failures_have_names():
    """What cannot be read or found raises the exceptions that the package names."""
    with pytest.raises(cutaway.ConfigError):
        cutaway.read({})
    with pytest.raises(cutaway.HubError):
        cutaway.draw("nobody/nothing", offline=True)
    with pytest.raises(cutaway.SourceError):
        cutaway.parameters("./no/such/config.json")
    with pytest.raises(ValueError, match="layout is one of wide, middle, narrow, not 'tall'"):
        cutaway.draw("Qwen/Qwen3-8B", offline=True, layout="tall")
    narrow = cutaway.draw("Qwen/Qwen3-8B", offline=True, layout="narrow")
    assert narrow.svg == gallery.draw(cutaway.read("Qwen/Qwen3-8B", offline=True), title="Qwen3 8B", layout="narrow")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        cutaway.nothing  # noqa: B018
    assert set(cutaway.__all__) <= set(dir(cutaway)) and all(hasattr(cutaway, name) for name in cutaway.__all__)
    assert cutaway.__version__


def test_importing_costs_next_to_nothing():
    """`import cutaway` loads neither numpy nor Panel nor the Hub's client."""
    heavy = ("numpy", "panel", "huggingface_hub", "cutaway.gallery.spec")
    code = f"import sys, cutaway; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


# ---------------------------------------------------------------- installed, in another folder


class Installed:
    """A fresh environment that holds the wheel, and a user's folder with names like ours."""

    def __init__(self, folder: Path):
        self.python = folder / "env" / "bin" / "python"
        self.home = folder / "home"
        wheel = self._wheel(folder)
        self.names = zipfile.ZipFile(wheel).namelist()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--no-deps", "--no-index", "-q"]
        subprocess.run([*pip, str(wheel)], check=True, cwd=folder)
        # What Cutaway stands on, from this environment; a .pth in there (an editable install) is not followed.
        (site,) = (folder / "env" / "lib").glob("python*/site-packages")
        (site / "zz_dependencies.pth").write_text(sysconfig.get_path("purelib"))
        self.home.mkdir()
        for name in ("gallery.py", "explainers.py", "app/__init__.py", "app/main.py", "build/site.py", "static/x.py"):
            (self.home / name).parent.mkdir(exist_ok=True)
            (self.home / name).write_text(TAKEN)

    @staticmethod
    def _wheel(folder: Path) -> Path:
        command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-q", "-w", str(folder)]
        done = subprocess.run([*command, str(ROOT)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        (wheel,) = folder.glob("cutaway-*.whl")
        return wheel

    @property
    def env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return {**kept, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(self.home)}  # the user's names come first

    def run(self, *command: str | Path) -> str:
        done = subprocess.run(command, cwd=self.home, env=self.env, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @property
    def command(self) -> Path:
        return self.python.with_name("cutaway")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    pytest.importorskip("setuptools", reason="setuptools is not installed: pip install setuptools")
    return Installed(tmp_path_factory.mktemp("wheel"))


@pytest.mark.whole
def test_the_wheel_takes_one_name(installed):
    """site-packages gets cutaway/ and its own record, nothing else; other folders' names are free."""
    tops = {name.split("/")[0] for name in installed.names}
    assert len(tops) == 2 and "cutaway" in tops and {top for top in tops if top.endswith(".dist-info")}
    assert installed.run(installed.python, "-I", "-c", OTHERS) == "[]\n"


@pytest.mark.whole
def test_the_wheel_holds_every_file_of_the_folders(installed):
    """What git tracks in cutaway/, gallery/, explainers/, app/ and static/, build/site.py, the bundles, and no more."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "cutaway", *ROOMS]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("this checkout has no git")
    wanted = {f"cutaway/{name.removeprefix('cutaway/')}" for name in done.stdout.splitlines() if (ROOT / name).exists()}
    made = {f"cutaway/{path.relative_to(ROOT)}" for path in bundles.FOLDER.rglob("*") if path.is_file()}
    assert {name for name in installed.names if name.startswith("cutaway/")} == {
        *wanted,
        *made,
        "cutaway/build/site.py",
    }
    assert "cutaway/py.typed" in wanted


@pytest.mark.whole
def test_every_module_of_the_wheel_loads_beside_a_users_own(installed):
    """Each module is imported, explainers' too; nothing of the user's is, and no class comes twice."""
    code = """
import importlib, pkgutil, sys, cutaway
for found in pkgutil.walk_packages(cutaway.__path__, "cutaway."):
    if not found.name.endswith(("__main__", ".app_hooks", "app.main", "decoder.train")):  # the last needs torch
        importlib.import_module(found.name)
print(len([m for m in sys.modules if m.startswith("cutaway.")]))
print([m for m in sys.modules if m.split(".")[0] in ("gallery", "explainers", "app", "static", "build")])
"""
    count, others = installed.run(installed.python, "-c", code).splitlines()
    assert int(count) > 450 and others == "[]"


@pytest.mark.whole
def test_the_installed_library_draws_what_the_checkout_draws(installed):
    """cutaway.draw gives the same bytes; `cutaway` and `python -m cutaway` print the same sheet."""
    spec = gallery.read(catalog.load("Qwen/Qwen3-8B"))
    code = "import sys, cutaway; sys.stdout.buffer.write(cutaway.draw('Qwen/Qwen3-8B').svg.encode())"
    assert installed.run(installed.python, "-c", code) == gallery.draw(spec, title=catalog.find("Qwen/Qwen3-8B").title)
    sheet = installed.run(installed.command, "facts", "Qwen/Qwen3-8B", "--offline")
    assert "36 x GQA" in sheet
    assert installed.run(installed.python, "-m", "cutaway", "facts", "Qwen/Qwen3-8B", "--offline") == sheet


@pytest.mark.patient
def test_the_installed_command_builds_the_same_site(installed, site_dir):
    """`cutaway build` writes _site/ where the user stands, in time: file by file what the checkout's build writes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    installed.run(installed.command, "build")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime <= BUILD_SECONDS
    built = installed.home / "_site"
    mine = {str(p.relative_to(built)): p.read_bytes() for p in built.rglob("*") if p.is_file()}
    ours = {str(p.relative_to(site_dir)): p.read_bytes() for p in site_dir.rglob("*") if p.is_file()}
    assert mine.keys() == ours.keys() and len(mine) > 300
    assert [name for name in mine if mine[name] != ours[name]] == []


@pytest.mark.whole
def test_the_installed_command_serves_site_and_workbench(installed, tmp_path):
    """`cutaway serve` answers with pages, files and the workbench, and ends when told to."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port = asked.getsockname()[1]
    log = (tmp_path / "log").open("w")
    command = [installed.command, "serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=installed.home, env=installed.env, stdout=log, stderr=log) as process:
        try:
            until = time.monotonic() + SECONDS
            for path in ("/", "/models/Qwen/Qwen3-8B/", "/learn/bits/", "/assets/css/tokens.css", "/app?learn=bits"):
                assert _answer(f"http://127.0.0.1:{port}{path}", process, until) == 200, path
            process.send_signal(signal.SIGTERM)
            assert process.wait(SECONDS) == 0
        finally:
            process.kill()
    assert "Traceback" not in (tmp_path / "log").read_text()


def _answer(url: str, process: subprocess.Popen, until: float) -> int:
    while process.poll() is None and time.monotonic() < until:
        try:
            return urllib.request.urlopen(url, timeout=SECONDS).status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            time.sleep(0.1)
    return 0
