"""/config/ and /config/<key>/: what each key of config.json means, how it is spelled, and what the catalogue's models
set it to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from cutaway import explainers
from cutaway.app.config_keys import about, values
from cutaway.app.site.pages import Page
from cutaway.app.site.places import Place
from cutaway.gallery.reading.key_rows.row import Key
from cutaway.gallery.reading.keys import KEYS, LIMITS

PATH = "/config/"
SEARCH = (PATH, "Keys of config.json", ("config keys", "config", "keys of config.json"))
ALSO = {"vocab_size": ("vocabulary", "vocabulary size", "tokenizer", "token ids")}  # what readers type
FEW = 8  # models of a value that are named at once
UNITS = {
    "layers": "a number of layers",
    "width": "a width",
    "vocabulary": "a number of rows",
    "heads": "a number of heads",
    "experts": "a number of experts",
    "rank": "a rank or a width; 0 means that there is none",
    "tokens": "a number of tokens",
    "count": "a whole number",
    "copies": "a small whole number",
    "base": "a number",
    "number": "a number",
    "flag": "true or false",
    "word": "a word",
    "list": "a list",
    "any": "a number, a word or a list, depending on the model",
}


def path_of(key: Key) -> str:
    """The page of a key."""
    return f"{PATH}{key.name}/"


def pages(site) -> Iterator[Page]:
    yield Page(PATH, lambda: index_page(site))
    for key in KEYS:
        yield Page(path_of(key), partial(key_page, site, key), follows=partial(found, site, key))


def places(site) -> Iterator[Place]:
    """Every key, found under all its spellings."""
    for key in KEYS:
        inner = [word.rpartition(".")[2] for word in key.spellings if "." in word]
        said = " ".join((key.meaning, *inner))
        also = (*key.spellings, *ALSO.get(key.name, ()))
        yield Place(path_of(key), key.name, "Config key", said, also, sentence(key))


def sentence(key: Key) -> str:
    """What a key means, with a capital letter."""
    return key.meaning[0].upper() + key.meaning[1:]


def index_page(site) -> str:
    """All keys by their first letter, so that a browser's own search finds them."""
    known = sorted(KEYS, key=lambda key: key.name.lower())
    found = values.all_values(site)
    rows = [(key, sentence(key), found.get(key.name, values.NONE)) for key in known]
    letters = [
        (letter, list(members)) for letter, members in itertools.groupby(rows, lambda row: row[0].name[0].upper())
    ]
    return site.render(
        "config_keys/index.html",
        PATH,
        letters=letters,
        many=len(KEYS),
        models=len(values.models(site)),
        path_of=path_of,
    )


def found(site, key: Key) -> tuple[values.Values, int]:
    """What the catalogue has of a key, and of how many models."""
    return values.all_values(site).get(key.name, values.NONE), len(values.models(site))


def key_page(site, key: Key) -> str:
    """One key."""
    known, models = found(site, key)
    taught = [explainers.load(name) for name in about.explainers_of(key.name)]
    return site.render(
        "config_keys/key.html",
        path_of(key),
        key=key,
        says=sentence(key),
        unit=UNITS[key.unit],
        limits=LIMITS.get(key.unit),
        found=known,
        models=models,
        users=users(key),
        few=FEW,
        idea=about.idea(key.name),
        taught=taught,
    )


def users(key: Key) -> list[str]:
    """Families that write the key, or one of its spellings."""
    return [name.strip() for name in key.used_by.replace(";", ",").split(",") if name.strip()]
