"""What is said in English -> explainers/languages/<code>.po, for translators.

python build/words.py    brings every .po up to date: a new message comes in empty, a changed one keeps its translation
                         as a fuzzy one, which pages do not use until somebody has read it

Messages are what templates have in {% trans %} and _(), what scripts and Python hand to gettext(), and words of rows:
names and sentences of the glossary, headings of lists, entries of the navigation.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import write_po

from cutaway import explainers
from cutaway.app.glossary import terms
from cutaway.app.glossary.methods import METHODS
from cutaway.app.model import ideas
from cutaway.app.model.idea_words import SEPARATOR
from cutaway.app.site import Site
from cutaway.explainers import beats_html, languages

ROOT = Path(__file__).resolve().parent.parent
READ = {"html": "jinja2", "js": "javascript", "py": "python"}  # files in app/ and explainers/, and who reads them
OPTIONS = {"trimmed": "false", "silent": "false"}
NAMES = f"Names of one idea, with {SEPARATOR} between them; the first is the usual one. All are found by the search."


def files() -> Iterator[Path]:
    """The files that say something to be translated."""
    for folder in ("app", "explainers"):
        for path in sorted((ROOT / folder).rglob("*")):
            text = path.read_text("utf-8") if path.suffix[1:] in READ else ""
            if any(mark in text for mark in ("gettext(", "{% trans", "_(")):
                yield path


def of_rows() -> Iterator[tuple[str, str, str, str]]:
    """(file, context, message, comment) of what rows say."""
    for idea in ideas.IDEAS:
        yield "app/model/ideas.py", idea.key, idea.words[0], NAMES
        yield "app/model/ideas.py", idea.key, idea.says, ""
    for idea in METHODS:
        yield "app/glossary/methods.py", idea.key, idea.words[0], NAMES
        yield "app/glossary/methods.py", idea.key, idea.says, ""
    said = [("app/glossary/terms.py", words) for words in terms.PARTS.values()]
    said += [("explainers/folders.py", words) for row in explainers.GROUPS.values() for words in row]
    said += [("explainers/beats_html.py", words) for words in beats_html.NUMBER]
    said += [("app/site/header.html", word) for word, _ in Site(live=True).nav]
    yield from ((file, "", words, "") for file, words in said)


def messages() -> Catalog:
    """All messages, with the files that say them and no line: a line that moves changes no .po."""
    found = Catalog(project="Cutaway")
    for path in files():
        with path.open("rb") as file:
            for _, text, comments, context in extract(READ[path.suffix[1:]], file, options=OPTIONS):
                where = [(path.relative_to(ROOT).as_posix(), 1)]
                found.add(text, locations=where, auto_comments=comments, context=context)
    for name, context, text, comment in of_rows():
        found.add(text, locations=[(name, 1)], auto_comments=[comment] if comment else (), context=context or None)
    return found


def as_po(catalogue: Catalog) -> bytes:
    """A catalogue as it stands in a .po, in the order of its files."""
    out = BytesIO()
    write_po(out, catalogue, width=120, include_lineno=False, sort_by_file=True, ignore_obsolete=True)
    return out.getvalue()


def updated(code: str, now: Catalog) -> Catalog:
    """A language's catalogue with the messages of now; an empty one for a language without a .po."""
    if not languages.path_of(code).is_file():
        return Catalog(code, header_comment=f"# {languages.BY_CODE[code].name}", project="Cutaway", fuzzy=False)
    known = languages.catalogue(code)
    date = known.creation_date
    known.update(now)
    known.creation_date = date  # of its first message: a run that finds nothing new changes no file
    return known


def main() -> int:
    now = messages()
    for one in languages.LANGUAGES:
        known = updated(one.code, now)
        if not len(known):
            known.update(now)
        languages.path_of(one.code).write_bytes(as_po(known))
        left = sum(1 for message in known if message.id and (message.fuzzy or not message.string))
        print(f"explainers/languages/{one.code}.po: {len(known)} messages, {left} to be translated")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
