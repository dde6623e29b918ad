"""app/rebuild.py: a changed snapshot's pages are those that a new process would write, and others' are left alone."""

import json
import marshal
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cutaway.app import first
from cutaway.app.packed import page as packed
from cutaway.app.rebuild import FOLLOWING, Watched, WatchedSources, changes
from cutaway.app.site import Site
from cutaway.app.site.pages import Page, all_pages
from cutaway.gallery import catalog
from cutaway.gallery.catalog import snapshot
from tests import bundled

ROOT = Path(__file__).resolve().parent.parent.parent
CHANGED = ("/models/", "/data/models.json", "/data/weigh.json", "/data/trends/depth.json", "/lineage/")  # of the lists
RENDERED = 220  # models that have pages: the catalogue's first; the others are packed
SLUG, LENT = "zai-org/GLM-4.5-Air", "PrimeIntellect/INTELLECT-3"  # the second has the first one's config
PACKED = "tiiuae/falcon-7b"  # a model beyond the first
AGAIN = """
import marshal, sys
from pathlib import Path
from cutaway.gallery import catalog
from cutaway.gallery.catalog import snapshot
snapshot.CONFIGS = Path(sys.argv[1])
catalog.render_first(int(sys.argv[2]))
from cutaway.app import first
from cutaway.app.rebuild import Watched
from cutaway.app.site import Site
from tests import bundled
first.render = bundled.maker().render_pieces
watched = Watched(Site())
made = (*watched.pages[sys.argv[3]], *watched.lists, *watched.packs)
marshal.dump({page.path: page.content() for page in made}, sys.stdout.buffer)
"""


@pytest.fixture
def configs(tmp_path, monkeypatch) -> Path:
    """A copy of the snapshots, which a test may change; afterwards nobody knows of it."""
    folder = tmp_path / "configs"
    shutil.copytree(snapshot.CONFIGS, folder)
    monkeypatch.setattr(snapshot, "CONFIGS", folder)
    monkeypatch.setattr(first, "render", bundled.maker().render_pieces)
    yield folder
    monkeypatch.undo()
    for slug in (SLUG, PACKED):
        catalog.renew(slug)
    forget()


def forget() -> None:
    """What this process has worked out of other snapshots, or of another number of models with pages."""
    for known in FOLLOWING:
        known.cache_clear()


def change(configs: Path, slug: str, **facts: object) -> None:
    path = configs / snapshot.path_of(slug).name
    told = json.loads(path.read_text())
    path.write_text(json.dumps({**told, "facts": {**told["facts"], **facts}}))


@pytest.fixture
def watched(configs) -> Watched:
    """A small site that has been built: every list and pack was made once."""
    catalog.render_first(RENDERED)
    forget()
    site = Watched(Site())
    site.note()
    yield site
    catalog.render_first()


def contents(pages: list[Page]) -> dict[str, bytes]:
    return {page.path: page.content() for page in pages}


def differing(fresh: dict[str, bytes], both: dict[str, bytes]) -> dict[str, tuple[bytes, bytes]]:
    """Path -> what a new process wrote and what was kept, from a little before the first byte that differs."""
    return {path: first_difference(fresh[path], both[path]) for path in fresh if fresh[path] != both[path]}


def first_difference(one: bytes, other: bytes) -> tuple[bytes, bytes]:
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[max(0, same - 200) : same + 200], other[max(0, same - 200) : same + 200]


@pytest.mark.whole
def test_what_is_rebuilt_for_changed_models_is_what_a_new_process_builds(watched, configs):
    """Another mechanism and another size of a model, and of a packed one: its own files, every list and every pack,
    byte by byte; what is not due says what it said."""
    built = contents([*watched.pages[SLUG], *watched.lists, *watched.packs])
    kept = watched.pages["Qwen/Qwen3-8B"][1].content()
    assert watched.changed() == []
    change(configs, SLUG, use_qk_norm=True, num_hidden_layers=40)
    change(configs, PACKED, num_hidden_layers=40)
    assert sorted(watched.changed()) == sorted([LENT, SLUG, PACKED]) and watched.changed() == []
    rebuilt = contents(watched.renewed(PACKED))
    assert len(rebuilt) == 2 and watched.due(PACKED) == []
    assert watched.renewed(SLUG) == watched.pages[SLUG]
    rebuilt |= contents([*watched.pages[SLUG], *watched.due(SLUG)])
    command = [sys.executable, "-c", AGAIN, str(configs), str(RENDERED), SLUG]
    fresh = marshal.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
    both = built | rebuilt
    assert differing(fresh, both) == {} and fresh.keys() == both.keys()
    assert [path for path in rebuilt if path.startswith(packed.FOLDER) and rebuilt[path] == built[path]] == []
    assert {path for path in both if both[path] != built[path]} >= {*CHANGED, f"/models/{SLUG}/"}
    assert watched.pages["Qwen/Qwen3-8B"][1].content() == kept


def test_a_snapshot_that_is_gone_for_a_moment_is_no_change(configs):
    """An editor replaces a file: it is told once, when it is there again."""
    watched = Watched(Site())
    path = configs / snapshot.path_of(SLUG).name
    text = path.read_text()
    path.unlink()
    assert watched.changed() == []
    path.write_text(text + "\n")
    waits = []
    told = changes(watched, wait=waits.append)
    assert sorted([next(told), next(told)]) == sorted([LENT, SLUG])
    assert {page.model for page in all_pages(watched.site)} == set(watched.pages)


@pytest.mark.whole
def test_a_snapshot_that_cannot_be_read_is_told_and_the_next_one_written(build, configs, tmp_path, monkeypatch, capsys):
    """A watching build says what is wrong with a file, leaves the site, and writes the pages when it is mended."""
    (tmp_path / "out").mkdir()
    path = configs / snapshot.path_of(SLUG).name
    text = path.read_text()

    def told(watched: Watched, sources):
        watched.pages[SLUG], watched.lists = watched.pages[SLUG][1:2], watched.lists[:1]  # its numbers, the front page
        for state in ("{", "{}", text):
            path.write_text(state)
            yield SLUG

    monkeypatch.setattr(build, "changes", told)
    build.follow(Site(), tmp_path / "out")
    said = capsys.readouterr()
    assert said.err.count(f"{SLUG}: ") == 2 and f"1 files of {SLUG}" in said.out and "1 lists that changed" in said.out
    assert json.loads((tmp_path / "out" / "data" / f"{SLUG}.json").read_text())["slug"] == SLUG


def test_a_script_that_changes_names_the_part_of_the_site_that_follows(tmp_path, monkeypatch):
    """A file of an explainer names it, one of the kit all of them, one of a page's folder the assets; each once."""
    sources = WatchedSources()
    of = {part: next(path for path, one in sources.files.items() if one == part) for part in ("heads", "kit", "assets")}
    assert sources.changed() == []
    for path in of.values():
        sources.seen[path] = (0, 0)
    assert (sources.changed(), sources.changed()) == (["assets", "heads", "kit"], [])


def test_an_explainer_and_the_assets_can_be_written_alone(build, tmp_path):
    """--only heads writes its page and frames, --only assets the scripts: each as a whole build calls them."""
    paths = {"/learn/heads/": "heads", "/embed/heads/beat-1/": "heads", "/assets/js/search.js": "assets",
             "/learn/": "", "/": "", "/embed/": ""}  # fmt: skip
    assert {path: build.part_of(Page(path, "")) for path in paths} == paths
    assert build.part_of(Page("/models/a/b/", "", model="a/b")) == "a/b"
