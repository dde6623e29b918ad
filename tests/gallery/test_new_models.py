"""build/new_models.py from the Hub's list to the pages, in a copy of gallery/: what is drawn is marked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.catalog import machine_drawn
from tests.gallery.fake_hub import COMMIT, CONFIG, fake_hub
from tests.gallery.listing_hub import listed, listing_hub

pytestmark = pytest.mark.whole  # they wait for the job, and for pages of a copy of gallery/
ROOT = Path(__file__).resolve().parents[2]
QUANTIZED = ["base_model:quantized:a/b"]
LISTED = [
    listed("acme/New-Model-7B"),
    listed("half/broken"),
    listed("gone/gone"),
    listed("acme/rare", downloads=3),
    listed("acme/packed", tags=QUANTIZED),
    listed("acme/gated", gated="auto"),
    listed("acme/only-gguf", siblings=[{"rfilename": "model.gguf"}]),
    listed("Qwen/qwen3-8b"),  # in the catalogue, by another case
    listed("acme/<b>`x`</b>"),
]
SHOWN = """
import importlib.util, json, sys
from cutaway.app.data import dataset
from cutaway.app.model_page import page
from cutaway.app.site import Site
spec = importlib.util.spec_from_file_location("build_site", sys.argv[1])
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)
build.render_missing()  # the first pictures of a model that the bundles do not know
site, slug = Site(issues="https://example.org/issues"), "acme/New-Model-7B"
site.rows = [site.slugs[slug], site.slugs["Qwen/Qwen3-8B"]]  # lists of many take as many seconds
rows = json.loads(dataset.as_json(site))["models"]
json.dump({
    "page": page.model_page(site, site.view(slug)),
    "cards": page.gallery_page(site),
    "numbers": json.loads(page.as_json(site, site.view(slug))),
    "unreviewed": [row["slug"] for row in rows if row["unreviewed"]],
}, sys.stdout)
"""


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """(gallery as the job left it, the change's text, what pages then show, the listings that were asked for)."""
    folder = tmp_path_factory.mktemp("models")
    package = folder / "cutaway"
    package.mkdir()
    for path in (*(ROOT / "cutaway").glob("*.py"), *(ROOT / name for name in ("explainers", "app", "static"))):
        (package / path.name).symlink_to(path)
    shutil.copytree(ROOT / "gallery", package / "gallery")
    env = {**os.environ, "PYTHONPATH": str(folder), "HF_HOME": str(folder / "hub"), "NO_PROXY": "127.0.0.1"}
    with listing_hub(LISTED) as server:
        env["HF_ENDPOINT"] = server.url
        command = [
            sys.executable,
            ROOT / "build" / "new_models.py",
            "--date",
            "2026-11-20",
            "--text",
            folder / "text.md",
        ]
        subprocess.run(command, env=env, check=True)
        asked = list(server.asked)
    command = [sys.executable, "-c", SHOWN, ROOT / "build" / "site.py"]
    shown = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    return package / "gallery", (folder / "text.md").read_text("utf-8"), json.loads(shown.stdout), asked


def test_a_new_model_gets_a_row_and_a_snapshot(job):
    """What the Hub says about it, its config's facts, the commit and the day on which it was read."""
    path, *_ = job
    row = {"slug": "acme/New-Model-7B", "title": "New Model 7B", "company": "acme"}
    kept = json.loads((path / "catalog" / "machine_drawn.json").read_text("utf-8"))
    assert kept == [{**row, "date": "2026-11-18", "licence": "apache-2.0"}]
    snap = json.loads((path / "catalog" / "configs" / "acme__New-Model-7B.json").read_text("utf-8"))
    assert (snap["revision"], snap["read"], snap["kind"]) == (COMMIT, "2026-11-20", "hub")
    assert snap["facts"]["hidden_size"] == CONFIG["hidden_size"]


def test_the_hub_is_asked_for_what_is_new_and_what_is_used(job):
    """Text-generation models, by trend and by age; no more than are looked at."""
    asked = job[3]
    assert [query["sort"] for query in asked] == [["trendingScore"], ["createdAt"]]
    assert all((query["pipeline_tag"], query["limit"]) == (["text-generation"], ["300"]) for query in asked)


def test_the_text_tells_what_was_drawn_and_what_was_refused(job):
    """Each with its sentence; rare, packed, gated and catalogued models are not even tried, and no name is markup."""
    _, text, *_ = job
    assert "1 model drawn from the Hub's config.json: **machine-drawn" in text
    drawn, refused = text.split("## Drawn")[1].split("## Refused")
    assert drawn.count("- [") == 1 and "[acme/New-Model-7B](https://huggingface.co/acme/New-Model-7B)" in drawn
    assert [line.split("]")[0] for line in refused.split("\n- ")[1:]] == ["[half/broken", "[gone/gone"]
    assert "config.json is not whole JSON" in refused and "There is no gone/gone on the Hub (404)" in refused
    assert "<b>" not in text


def test_pages_and_data_show_the_mark(job):
    """The model's page says it as a mark and as a notice, its card as a mark, the data as a column."""
    shown = job[2]
    assert shown["page"].count(">machine-drawn, unreviewed</span>") == 1
    assert "Machine-drawn, unreviewed: a weekly job drew this model" in shown["page"]
    assert shown["cards"].count(">machine-drawn, unreviewed</span>") == 1
    assert (shown["numbers"]["unreviewed"], shown["unreviewed"]) == (True, ["acme/New-Model-7B"])
    form = (
        "https://example.org/issues/new?template=wrong-drawing.yml&amp;model=acme%2FNew-Model-7B&amp;page=%2Fmodels%2F"
    )
    assert form in shown["page"]


def test_a_reviewed_model_is_not_listed_twice():
    """A row of models.py stands before the machine's row of the same model."""
    slugs = {row["slug"].lower() for row in machine_drawn.read_rows()}
    assert machine_drawn.rows(slugs) == ()
    assert [row.slug for row in catalog.MODELS if row.unreviewed] == [row.slug for row in machine_drawn.rows()]


def test_a_hub_that_does_not_list_ends_in_a_sentence(tmp_path):
    """Exit code 4, one line, no traceback."""
    with fake_hub() as server:  # it has files and no list
        env = {**os.environ, "HF_ENDPOINT": server.url, "NO_PROXY": "127.0.0.1", "HF_HOME": str(tmp_path)}
        command = [sys.executable, ROOT / "build" / "new_models.py"]
        ran = subprocess.run(command, env=env, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (4, "")
    assert ran.stderr.startswith("The Hub did not list its models (") and ran.stderr.count("\n") == 1
