"""What the live /compare/ asks for -> JSON: a pasted config's file, and what each difference of a pair costs.

`answered` runs in a worker process, as drawings do (app/render/job.py): a config that takes too long harms nobody else.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import NamedTuple

from cutaway import gallery
from cutaway.app.compare import model_file
from cutaway.app.model.view import SpecView
from cutaway.gallery import catalog
from cutaway.gallery.hub.json_text import lenient
from cutaway.gallery.spec import ConfigError

MOST_PASTED = 5_000_000  # characters
BODY_BYTES = 2 * MOST_PASTED  # two at the limit, or the largest that is catalogued (3,087,083) thrice
MALFORMED = 'Ask as {"models": [...]} with one or two models, each {"slug": ...} or {"config": ...}.'


class One(NamedTuple):
    """A model by its page, or a pasted config."""

    slug: str = ""
    config: str = ""


class Question(NamedTuple):
    """The body of a request, as it came: who answers reads it."""

    body: bytes


class Asked(NamedTuple):
    """One model whose file is wanted, or a pair: A and B."""

    models: tuple[One, ...]


def answered(question: Question) -> str:
    """What comes of a question, as JSON; ConfigError with a sentence where it is none."""
    return told(asked(question.body))


def asked(body: bytes) -> Asked:
    """The request in a body; ConfigError with a sentence for anything else."""
    try:
        rows = json.loads(body)["models"]
        if not 1 <= len(rows) <= 2:
            raise ValueError
        models = tuple(One(str(row.get("slug", "")), str(row.get("config", ""))) for row in rows)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise ConfigError(MALFORMED) from None
    if any(bool(one.slug) == bool(one.config) for one in models):
        raise ConfigError(MALFORMED)
    for one in models:
        if len(one.config) > MOST_PASTED:
            raise ConfigError(f"That text has {len(one.config):,} characters; more than {MOST_PASTED:,} are not read.")
        row = catalog.BY_SLUG.get(one.slug)
        if one.slug and not (row and row.snapshot):
            raise ConfigError(f"No drawn model here is called {one.slug[:80]}.")
    return Asked(models)


def told(request: Asked) -> str:
    """{"files": of what was pasted, "pair": rows with their costs, where there are two} as JSON."""
    models = [model(one) for one in request.models]
    pair = None
    if len(models) == 2:
        a, b = models
        pair = model_file.attributed(a.spec, a.view.title, b.spec, b.view.title)
    files = [one.file() if said.config else None for one, said in zip(models, request.models, strict=True)]
    return model_file.written({"files": files, "pair": pair})


def model(one: One) -> model_file.Compared:
    """What is compared; a pasted config is called after its architecture and known by a digest of its text."""
    if one.slug:
        row = catalog.BY_SLUG[one.slug]
        return model_file.Compared(SpecView(catalog.spec(row.slug), row.title), row.slug)
    config, _ = lenient(one.config, "The pasted text")
    spec = gallery.read(config)
    name = sha256(one.config.encode(errors="replace")).hexdigest()[:12]
    title = "".join(letter for letter in f"Your {spec.architecture or 'config'}"[:60] if letter.isprintable())
    return model_file.Compared(SpecView(spec, title, config), f"local:{name}")
