"""The schemas of what list, compare, flops and lineage print with --json."""

from __future__ import annotations

from cutaway.app.data.dataset import FIELDS
from cutaway.app.docs.schemas.printed import printed
from cutaway.app.docs.schemas.published import column
from cutaway.app.docs.schemas.shapes import (
    Schema,
    document,
    flag,
    many,
    number,
    one_of,
    or_null,
    record,
    table,
    text,
    whole,
)
from cutaway.gallery.listing import COLUMNS

LIST = document(
    "cutaway list --json",
    {"models": many(record({field.name: column(field) for field in FIELDS if field.name in COLUMNS}), "one per model")},
    "The catalogue's models with columns of data/models.json.",
)

FIGURE = {"what": text(), "a": text("of model A"), "b": text("of model B"), "change": text("from A to B")}
DIFFERENCE = {
    "part": text("part of the model"),
    "what": text("what differs"),
    "key": text("the config's own"),
    "a": text("in model A; empty: it has none"),
    "b": text("in model B"),
    "parameters": whole("B's minus A's, as far as this is the cause"),
    "active": whole("the same of active parameters"),
    "cache_bytes_per_token": number("the same of the cache that a token adds"),
    "fixed_bytes": number("the same of states and full windows"),
    "mtp_parameters": whole("the same of MTP layers"),
}
PAIR = {
    "a": text("title of model A"),
    "b": text("title of model B"),
    "verdict": text("the differences in a sentence"),
    "figures": many(record(FIGURE)),
    "rows": many(record(DIFFERENCE)),
}
COMPARE = document(
    "cutaway compare --json",
    {
        "models": many(text(), "their titles"),
        "pairs": many(record(PAIR), "the first model with each other one"),
        "sources": many(text(), "where each config was read"),
    },
    "In what two to four models differ, and what each difference costs.",
)

LAYER = {
    "index": or_null(whole("the layer; null: outside the layers")),
    "flops": whole("all of its work"),
    "core_flops": whole("of these, all but the matrices"),
    "by_what": table(whole(), "the same by what is computed"),
}
CONTEXT = {
    "context": whole("tokens"),
    "total_flops": whole("all work"),
    "core_flops": whole("of these, all but the matrices"),
    "by_what": table(whole(), "the same by what is computed"),
    "weight_bytes": whole("weights that are read"),
    "cache_bytes": whole("cache that is read, or written by a prompt"),
    "layers": many(record(LAYER)),
}
FLOPS = printed(
    "flops",
    {
        "of": one_of(("token", "prompt"), "one decoded token, or a whole prompt"),
        "contexts": many(record(CONTEXT), "one for each --context"),
    },
    "Work and bytes of one decoded token, or of a prefill.",
)


def _model(**more: Schema) -> Schema:
    """A catalogued model, with what else is said of it."""
    head = {"slug": text("owner/name"), "title": text("its name here"), "date": or_null(text("release date, ISO 8601"))}
    return record(head | more)


RELATIVE = many(
    _model(
        company=text("company that released it"),
        share=number("likeness of the mechanisms, 0 to 1"),
        gained=many(text(), "mechanisms that the later one has alone"),
        dropped=many(text(), "mechanisms that the earlier one has alone"),
    )
)
NEW = {
    "mechanism": text("key of the glossary"),
    "word": text("its name"),
    "says": text("what is new, in a sentence"),
    "place": text("how many models had it before"),
    "first": flag("whether it is the first in the catalogue"),
    "earlier": many(text(), "slugs of models that had it before"),
    "outside": text("an earlier model outside the catalogue"),
    "source": text("whose statement that is"),
}
LINEAGE = printed(
    "lineage",
    {
        "tagline": text("what is new, in a line"),
        "rest": text("what else is worth a line"),
        "dated": flag("whether its date is known, so that others are earlier or later"),
        "nearest": {**RELATIVE, "description": "the nearest earlier models"},
        "later": {**RELATIVE, "description": "the nearest later models"},
        "new": many(record(NEW), "mechanisms that no relative has"),
        "descent": many(_model(added=many(text(), "mechanisms")), "earlier models from whom it has its mechanisms"),
        "descendants": many(_model(), "models that descend from it"),
        "mechanisms": many(text(), "keys of the glossary"),
    },
    "Relatives of a model, and what it gained and dropped.",
)
