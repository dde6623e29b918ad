"""app/making: the same files by every executor, and a killed build goes on from what it finished."""

from __future__ import annotations

import importlib.util
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cutaway.app.making import on_dask, processes, step
from cutaway.app.making.parts import file_of
from cutaway.app.site import Site
from cutaway.app.site.pages import Page, all_pages

ROOT = Path(__file__).resolve().parent.parent.parent
SMALL = ("meta-llama/Llama-3.2-1B", "openai/gpt-oss-20b")


def texts(folder: Path) -> dict[str, bytes]:
    """All files of a folder by their names."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.whole
def test_every_executor_writes_the_same_bytes(build, tmp_path, monkeypatch):
    """One process, two processes and a local Dask cluster write the bytes of each model's pages."""
    site = Site("https://host/")
    pages = [page for page in all_pages(site) if page.model in SMALL]
    monkeypatch.setattr(build, "all_pages", lambda site: pages)
    monkeypatch.setattr(build, "WORTH", 1)
    expected = {file_of(page.path): page.content() for page in pages}
    assert len(expected) > 8 * len(SMALL)
    for name, jobs, by_dask in (("serial", 1, None), ("processes", 2, None), ("dask", 2, "")):
        build.write(site, tmp_path / name, lambda text: None, jobs, by_dask=by_dask)
        assert texts(tmp_path / name) == expected, name


def test_a_machine_counts_the_cores_that_a_process_may_use(monkeypatch):
    """Those it is held to; where no system says so, all; where none are told, one."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5, 7}, raising=False)
    assert processes.cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    for told, cores in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda told=told: told)
        assert processes.cores() == cores


def test_settings_can_be_sent_and_another_version_is_refused():
    """Settings survive pickling; a process with another version of code or catalogue makes nothing, and says why."""
    settings = step.settings_of(Site("https://host/"))
    assert pickle.loads(pickle.dumps(settings)) == settings
    with pytest.raises(step.OtherVersion, match="install the same cutaway on every worker"):
        step.model_files(SMALL[0], settings._replace(version="another"))


@pytest.mark.whole
def test_a_scheduler_that_runs_already_is_asked():
    """Every argument comes back once with its result from the workers of a scheduler, more than are asked at once."""
    distributed = importlib.import_module("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        found = dict(on_dask.mapped(pow, range(50), 2, scheduler=cluster.scheduler_address))
    assert found == {number: number * number for number in range(50)}


HALFWAY = """
import importlib.util, sys, time
spec = importlib.util.spec_from_file_location("build_site", sys.argv[1])
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)
def hang():
    print("halfway", flush=True)
    time.sleep(600)
bodies = {"x/a": "first", "x/b": "second", "x/c": hang}
build.all_pages = lambda site: [build.Page(f"/models/{slug}/", body, model=slug) for slug, body in bodies.items()]
build.main(["--out", sys.argv[2], "--jobs", "1"])
"""


@pytest.mark.whole
def test_a_killed_build_goes_on_from_the_models_that_it_finished(build, tmp_path, monkeypatch):
    """After SIGKILL at the third of three models, the next build makes that one alone; then nothing kept is left."""
    out = tmp_path / "site"
    command = [sys.executable, "-c", HALFWAY, str(ROOT / "build" / "site.py"), str(out)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout.readline() == "halfway\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not out.exists()
    slugs, made = ("x/a", "x/b", "x/c"), []
    pages = [Page(f"/models/{slug}/", lambda slug=slug: made.append(slug) or "new", model=slug) for slug in slugs]
    monkeypatch.setattr(build, "all_pages", lambda site: pages)
    assert build.main(["--out", str(out), "--jobs", "1"]) == 0
    assert made == ["x/c"]
    assert [(out / "models" / slug / "index.html").read_text() for slug in slugs] == ["first", "second", "new"]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_what_other_settings_made_is_not_taken(build, tmp_path):
    """A site for another host, or of another version, starts anew and removes what the first one kept."""
    settings = step.settings_of(Site("https://host/"))
    build.Parts(tmp_path, settings).write("x/a", {"/models/x/a/": b"old", "/data/x/a.json": b"{}"})
    assert build.Parts(tmp_path, settings).read("x/a") == {"/models/x/a/": b"old", "/data/x/a.json": b"{}"}
    assert build.Parts(tmp_path, settings._replace(version="another")).read("x/a") is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.whole
def test_a_cluster_that_is_not_there_is_one_sentence(build, tmp_path, monkeypatch):
    """No Dask and no scheduler end the build with what to do; --scheduler alone asks for --executor dask."""
    pages = [Page("/models/x/a/", "a", model="x/a")]
    monkeypatch.setattr(build, "all_pages", lambda site: pages)
    monkeypatch.setattr(on_dask, "PATIENCE", 1)
    command = ["--out", str(tmp_path / "site"), "--executor", "dask", "--scheduler", "tcp://127.0.0.1:9"]
    with pytest.raises(SystemExit) as stopped:
        build.main([part for part in command if part not in ("--executor", "dask")])
    assert stopped.value.code == 2
    if importlib.util.find_spec("distributed"):
        with pytest.raises(SystemExit, match=r"No Dask scheduler at tcp://127\.0\.0\.1:9"):
            build.main(command)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SystemExit, match=r"pip install 'cutaway\[dask\]'"):
        build.main(command)
