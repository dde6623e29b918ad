"""app/verify/counts.json, written by the tests -> /verify/."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from cutaway.app.site import ROOT
from cutaway.app.site.pages import Page

VERIFY = ROOT / "app" / "verify" / "counts.json"
GROUPS = (
    (("tests/gallery", "tests/oracle"), "Models: configs and the numbers computed from them"),
    (("tests/explainers",), "Explainers: formats, attention, parallelism"),
    (("tests/site", "tests/app", "tests/visual"), "Pages: links, size, accessibility"),
)
SEARCH = ("/verify/", "How the numbers are checked", ("verify", "proof", "tests"))
TOOLS = ("panel", "bokeh", "numpy", "ml-dtypes", "jinja2", "huggingface-hub")


def pages(site) -> Iterator[Page]:
    yield Page("/verify/", lambda: verify_page(site))


def verify_page(site) -> str:
    """Every check with its counts, by what it is about; the widest first."""
    known = json.loads(VERIFY.read_text()) if VERIFY.exists() else {}
    rows = sorted(known.items(), key=lambda pair: (-pair[1]["checked"], pair[0]))
    groups = [(words, [row for row in rows if row[1]["test"].startswith(folders)]) for folders, words in GROUPS]
    return site.render(
        "verify/page.html",
        "/verify/",
        groups=[(words, members) for words, members in groups if members],
        checks=len(rows),
        total=sum(row["checked"] for row in known.values()),
        wrong=sum(row["mismatches"] for row in known.values()),
        wiring=wiring(site),
        configs=configs(site),
        versions=list(versions()),
    )


def wiring(site) -> list[tuple[str, list]]:
    """(words, models): the models with a drawing by what is known of their wiring, the proved ones first."""
    groups: dict[str, list] = {}
    for view in (one for one in site.views if one.spec):
        groups.setdefault(view.proof.words, []).append(view)
    return sorted(groups.items(), key=lambda pair: (not pair[1][0].proof.proved, -len(pair[1])))


def configs(site) -> list[tuple[str, list]]:
    """(words, models): every model by where its config is from, the Hub's own files first, those without one last."""
    order = ("the Hub's own file", "shared with another model", "reconstructed", "no config, so not drawn")
    groups: dict[str, list] = {words: [] for words in order}
    for view in site.views:
        row = view.row
        kind = 3 if row.snapshot is None else 1 if row.config_of else 2 if row.reconstructed else 0
        groups[order[kind]].append(view)
    return [(words, models) for words, models in groups.items() if models]


def versions() -> Iterator[tuple[str, str]]:
    """What this site was made with."""
    yield "Python", platform.python_version()
    for name in TOOLS:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue
