"""Languages beside English: a row each, and <code>.po with their words, in gettext's form, which translators know.

A message is its English text, so English has no file, and a text that changes is untranslated again. What a .po lacks
stays English. build/words.py collects the messages of templates, scripts and rows; Babel reads the .po as it is, so no
compiled file can be older than it.
"""

from __future__ import annotations

import io
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent


class Language(NamedTuple):
    """One language. To add one: a row here, <code>.po beside it, and what pages are translated."""

    code: str  # in addresses, /zh/, and in names of files: zh.po, page.zh.md
    tag: str  # of <html lang>, BCP 47
    name: str  # as its readers write it


LANGUAGES = (Language("zh", "zh-Hans", "中文"),)
ENGLISH = Language("", "en", "English")
BY_CODE = {one.code: one for one in (ENGLISH, *LANGUAGES)}


def path_of(code: str) -> Path:
    """The .po of a language."""
    return HERE / f"{code}.po"


@cache
def catalogue(code: str) -> Any:
    """The messages of a language, as Babel reads them."""
    from babel.messages.pofile import read_po  # not in a browser's Python, where all is English

    with path_of(code).open("rb") as file:
        return read_po(file, locale=code, abort_invalid=True)


@cache
def translations(code: str) -> NullTranslations:
    """What gettext and Jinja ask: .gettext("Models"), .pgettext("gqa", "GQA"). English answers with the same text."""
    if not code:
        return NullTranslations()
    from babel.messages.mofile import write_mo

    compiled = io.BytesIO()
    write_mo(compiled, catalogue(code))
    return GNUTranslations(io.BytesIO(compiled.getvalue()))


@cache
def script_words(code: str) -> dict[str, str]:
    """{English: its words} of what scripts say: kit/gettext.js looks it up."""
    if not code:
        return {}
    said = (one for one in catalogue(code) if one.id and any(path.endswith(".js") for path, _ in one.locations))
    return {str(one.id): one.string for one in said if one.string}
