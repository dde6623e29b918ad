"""Models of the Hub that the catalogue lacks -> rows and snapshots marked "machine-drawn, unreviewed", and a text.

    python build/new_models.py [--limit 20] [--text change.md] [--date 2026-11-20]

The weekly job (.github/workflows/weekly.yml) opens a change with what this writes: gallery/catalog/machine_drawn.json
and one snapshot a model. A model that cannot be read and drawn gets no row; the text says why.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cutaway
from cutaway import gallery
from cutaway.explainers import fmt
from cutaway.gallery import catalog, hub
from cutaway.gallery.catalog import machine_drawn, snapshot
from cutaway.gallery.command.named_model import FILES
from cutaway.gallery.hub.repo_address import REPO

ASKED = 300  # models of each order that the Hub is asked for
DERIVED = re.compile(r"base_model:(finetune|quantized|adapter|merge):")  # a tag of what is no architecture of its own
DATE = datetime.date.today().isoformat()


class Outcome(NamedTuple):
    """What became of one model: its row and a line about it, or the reason why it has none."""

    slug: str
    row: dict | None
    says: str


def candidates(api: Any, downloads: int) -> Iterator[Any]:
    """Text-generation models with a config, of at least so many downloads, that the catalogue lacks; each once."""
    known = {row.slug.lower() for row in catalog.KNOWN} | {(row.repo or "").lower() for row in catalog.KNOWN}
    fields = ["createdAt", "downloads", "siblings", "tags", "gated"]
    for order in ("trending_score", "created_at"):
        for model in api.list_models(pipeline_tag="text-generation", sort=order, limit=ASKED, expand=fields):
            if model.id.lower() not in known and wanted(model, downloads):
                known.add(model.id.lower())
                yield model


def wanted(model: Any, downloads: int) -> bool:
    """Whether a model is one of its own that many use and anyone may read, under a name that can be an address."""
    files = {file.rfilename for file in model.siblings or ()}
    own = not any(DERIVED.match(tag) for tag in model.tags or ())
    named = REPO.fullmatch(model.id) and model.id.count("/") == 1
    return bool(named and own and not model.gated and (model.downloads or 0) >= downloads and files & set(FILES))


def take(model: Any, date: str) -> Outcome:
    """Fetch, read, count and draw one model, and write its snapshot; nothing is written for one that fails."""
    try:
        found = hub.fetch(model.id, token=False)
        if found.kind != "hub":  # an old copy is no reading of today's file
            return Outcome(model.id, None, found.source)
        made = snapshot.snapshot(found.config, "hub", date, model.id, revision=found.revision)
        spec = gallery.read(snapshot.from_snapshot(made))
        cutaway.draw(spec)
        total, cache = cutaway.parameters(spec).total, cutaway.memory(spec, 131_072).total_bytes
    except (hub.HubError, gallery.ConfigError) as problem:
        return Outcome(model.id, None, str(problem))
    except Exception as fault:  # a weekly job goes on; the fault is in the text, for us to mend
        return Outcome(model.id, None, f"a fault of ours, {type(fault).__name__}: {fault}")
    snapshot.path_of(model.id).write_text(snapshot.dumps(made), "utf-8")
    lines = (*spec.not_understood, *(f"key not read: {key}" for key in spec.unread))
    more = f"; {'; '.join(lines)}" if lines else ""
    says = f"{fmt.count(total)} parameters, {fmt.in_bytes(cache)} of cache at 131,072 tokens{more}"
    return Outcome(model.id, row_of(model), says)


def row_of(model: Any) -> dict:
    """What the Hub says about a model, as machine_drawn.json keeps it. The date is the repository's."""
    owner, name = model.id.split("/")
    licence = next((tag.removeprefix("license:") for tag in model.tags or () if tag.startswith("license:")), None)
    date = model.created_at.date().isoformat() if model.created_at else None
    return {"slug": model.id, "title": name.replace("-", " "), "company": owner, "date": date, "licence": licence}


def code(text: str) -> str:
    """A text from the Hub as Markdown that can be nothing but text: no link, no mention, no markup."""
    plain = " ".join(text.replace("`", "'").split())
    return f"`{plain[:300]}{'…' if len(plain) > 300 else ''}`"


def change_text(outcomes: Iterable[Outcome]) -> str:
    """The text of the change: what was drawn, what was refused and why, and what a reviewer does."""
    drawn = [one for one in outcomes if one.row]
    refused = [one for one in outcomes if not one.row]
    many = "1 model" if len(drawn) == 1 else f"{len(drawn)} models"
    head = f"{many} drawn from the Hub's config.json: **machine-drawn, unreviewed**."
    lines = [
        head,
        "",
        "Compare each drawing with the modelling code before its row moves to gallery/catalog/models.py.",
    ]
    for title, some in (("Drawn", drawn), ("Refused", refused)):
        if some:
            lines += ["", f"## {title}", ""]
            lines += [f"- [{one.slug}](https://huggingface.co/{one.slug}): {code(one.says)}" for one in some]
    return "\n".join(lines) + "\n"


def main(argv: list[str] | None = None) -> int:
    from huggingface_hub import HfApi

    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="models to try; default: 20")
    parser.add_argument("--downloads", type=int, default=1000, metavar="N", help="at least so many; default: 1000")
    parser.add_argument("--text", type=Path, metavar="FILE", help="where the change's text goes; default: the output")
    parser.add_argument("--date", default=DATE, help="the day on which the files were read; default: today")
    options = parser.parse_args(argv)
    try:
        asked = [model for _, model in zip(range(options.limit), candidates(HfApi(), options.downloads), strict=False)]
    except Exception as problem:
        reason = " ".join(str(problem).split()) or type(problem).__name__
        print(f"The Hub did not list its models ({reason}): try again later.", file=sys.stderr)
        return 4
    outcomes = [take(model, options.date) for model in asked]
    machine_drawn.write_rows([*machine_drawn.read_rows(), *(one.row for one in outcomes if one.row)])
    text = change_text(outcomes)
    if options.text:
        options.text.write_text(text, "utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
