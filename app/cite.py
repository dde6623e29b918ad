"""A model's view -> BibTeX of its page here, and of its report where it has one: what a paper needs to name it."""

from __future__ import annotations

import re

from app.view import ModelView

ARXIV = re.compile(r"arxiv\.org/(?:abs|pdf)/(\d{4}\.\d{4,5})")
SPECIAL = re.compile(r"([&%$#_{}])")


def entries(view: ModelView, address: str) -> list[tuple[str, str, str]]:
    """(id, words, BibTeX) of what can be cited."""
    found = [("bib-page", "BibTeX: this page", page(view, address))]
    if view.row.report:
        found.append(("bib-report", "BibTeX: the model's report", report(view)))
    return found


def page(view: ModelView, address: str) -> str:
    """The drawing, with the date at which its config was read."""
    read = view.row.source.get("read", "")
    at = f", revision {view.row.revision[:12]}" if view.row.revision else ""
    return entry(
        f"cutaway-{key(view)}",
        title=f"{{{tex(view.title)}, drawn from its config.json}}",
        howpublished="{Cutaway}",
        year=f"{{{read[:4]}}}" if read else "",
        url=f"{{{address}}}",
        note=f"{{snapshot of {tex(view.row.repo or view.slug)}{at}, read {read}}}" if read else "",
    )


def report(view: ModelView) -> str:
    """What its makers wrote about it; the title is the model's name here, not the report's own."""
    row, arxiv = view.row, ARXIV.search(view.row.report)
    return entry(
        f"{key(view)}-report",
        title=f"{{{tex(view.title)}}}",
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


def key(view: ModelView) -> str:
    """deepseek-ai/DeepSeek-V3 -> deepseek-v3."""
    return re.sub(r"[^a-z0-9]+", "-", view.slug.rpartition("/")[2].lower()).strip("-")


def tex(text: str) -> str:
    """Text that TeX prints as it is."""
    return SPECIAL.sub(r"\\\1", text)
