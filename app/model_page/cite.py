"""A model's view -> BibTeX of its page here, and of its report where it has one: what a paper needs to name it."""

from __future__ import annotations

import re

from cutaway.app.model.view import ModelView
from cutaway.gallery import catalog
from cutaway.gallery.catalog.model_row import CatalogModel

ARXIV = re.compile(r"arxiv\.org/(?:abs|pdf)/(\d{4}\.\d{4,5})")
SPECIAL = re.compile(r"([&%$#_{}])")


def entries(view: ModelView, address: str) -> list[tuple[str, str, str]]:
    """(id, words, BibTeX) of what can be cited."""
    found = [("bib-page", "BibTeX: this page", page(view, address))]
    row = view.row if view.row.report else catalog.find(view.row.variant_of or "")
    if row and row.report:
        found.append(("bib-report", "BibTeX: the model's report", report(row)))
    return found


def page(view: ModelView, address: str) -> str:
    """The drawing, with the date at which its config was read."""
    read = view.row.source.get("read", "")
    at = f", revision {view.row.revision[:12]}" if view.row.revision else ""
    return entry(
        f"cutaway-{key(view.slug)}",
        title=f"{{{tex(view.title)}, drawn from its config.json}}",
        howpublished="{Cutaway}",
        year=f"{{{read[:4]}}}" if read else "",
        url=f"{{{address}}}",
        note=f"{{snapshot of {tex(view.row.repo or view.slug)}{at}, read {read}}}" if read else "",
    )


def report(row: CatalogModel) -> str:
    """What its makers wrote about it, or about its base; the title is the model's name here, not the report's own."""
    arxiv = ARXIV.search(row.report or "")
    return entry(
        f"{key(row.slug)}-report",
        title=f"{{{tex(row.title)}}}",
        author=f"{{{{{tex(row.company)}}}}}",
        year=f"{{20{arxiv[1][:2]}}}" if arxiv else f"{{{row.date[:4]}}}" if row.date else "",
        eprint=f"{{{arxiv[1]}}}" if arxiv else "",
        archivePrefix="{arXiv}" if arxiv else "",
        url=f"{{{row.report}}}",
    )


def entry(name: str, **fields: str) -> str:
    """One @misc; fields that nobody knows are left out."""
    known = [f"  {word} = {value}" for word, value in fields.items() if value]
    return f"@misc{{{name},\n" + ",\n".join(known) + "\n}"


def key(slug: str) -> str:
    """deepseek-ai/DeepSeek-V3 -> deepseek-v3."""
    return re.sub(r"[^a-z0-9]+", "-", slug.rpartition("/")[2].lower()).strip("-")


def tex(text: str) -> str:
    """Text that TeX prints as it is."""
    return SPECIAL.sub(r"\\\1", text)
