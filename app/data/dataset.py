"""The catalogue as one table: /data/models.json, /data/models.csv and the page that says what each column is.

A column is a row of FIELDS; every number has its unit in its name. What is not known is null, or empty in the CSV.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from cutaway.app.model import ideas
from cutaway.app.model.view import ModelView


class Field(NamedTuple):
    """One column: `of` asks a view; `drawn` where only a model with a config has it."""

    name: str
    kind: str  # "text" | "integer" | "number" | "boolean" | "list"
    says: str
    of: Callable[[ModelView], Any]
    drawn: bool = True


def _row(name: str) -> Callable[[ModelView], Any]:
    return lambda view: getattr(view.row, name)


def _spec(name: str) -> Callable[[ModelView], Any]:
    return lambda view: getattr(view.spec, name) or None


def _parameters(name: str) -> Callable[[ModelView], Any]:
    return lambda view: getattr(view.parameters, name)


def _cache_at(context: int) -> Callable[[ModelView], int]:
    return lambda view: view.memory(context).total_bytes


def _stored(view: ModelView) -> str:
    kept = view.spec.quantization
    return (kept.row or kept.scheme) if kept else view.spec.dtype


FIELDS = (
    Field("slug", "text", "owner/name: its page is /models/<slug>/", _row("slug"), False),
    Field("title", "text", "its name on this site", _row("title"), False),
    Field("company", "text", "company that released it", _row("company"), False),
    Field("date", "text", "release date, ISO 8601", _row("date"), False),
    Field("licence", "text", "licence, as named in the model card", _row("licence"), False),
    Field("repo", "text", "repository on the Hugging Face Hub", _row("repo"), False),
    Field("revision", "text", "commit at which the config was read", _row("revision"), False),
    Field("report", "text", "URL of its report", _row("report"), False),
    Field("variant_of", "text", "slug of the base model that it is a version of", _row("variant_of"), False),
    Field(
        "drawn",
        "boolean",
        "whether a config was available; if not, every column below is empty",
        lambda view: bool(view.spec),
        False,
    ),
    Field(
        "reconstructed",
        "boolean",
        "whether its config is put together from other sources",
        _row("reconstructed"),
        False,
    ),
    Field("read", "text", "date at which the config was read", lambda view: view.row.source.get("read"), False),
    Field("model_type", "text", "key of the config", _spec("model_type")),
    Field("num_hidden_layers", "integer", "key of the config: layers, without MTP layers", _spec("num_hidden_layers")),
    Field("hidden_size", "integer", "key of the config: width of the residual stream", _spec("hidden_size")),
    Field("vocab_size", "integer", "key of the config: vocabulary size", _spec("vocab_size")),
    Field("context_tokens", "integer", "max_position_embeddings", _spec("max_position_embeddings")),
    Field("parameters_total", "integer", "of the language model; a tied head counts once", _parameters("total")),
    Field(
        "parameters_active",
        "integer",
        "that a token is multiplied with, as in names like A3B: without inactive experts and lookup tables",
        _parameters("active"),
    ),
    Field(
        "parameters_looked_up",
        "integer",
        "in lookup tables: the embedding unless tied, n-gram and per-layer embeddings",
        _parameters("looked_up"),
    ),
    Field("parameters_mtp", "integer", "of MTP layers, in no other count", _parameters("mtp")),
    Field("weights_bytes", "integer", "of the weights as stored, scales included", lambda view: view.stored_bytes),
    Field(
        "mtp_weights_bytes",
        "integer",
        "of the MTP layers as stored, not in weights_bytes",
        lambda view: view.stored_mtp_bytes,
    ),
    Field("weights_stored_as", "text", "block scheme, or the data type if there is none", _stored),
    Field(
        "cache_per_token_bytes",
        "number",
        "that each token adds to the cache once windows are full, in 16 bits",
        lambda view: view.per_token_bytes,
    ),
    Field(
        "cache_per_token_filling_bytes",
        "number",
        "that each of the first tokens adds to the cache, before windows are full, in 16 bits",
        lambda view: view.memory(0).filling_bytes,
    ),
    Field(
        "cache_windows_full_tokens",
        "integer",
        "tokens after which every window is full; 0 without windows",
        lambda view: view.memory(0).full_at,
    ),
    Field(
        "cache_fixed_bytes",
        "integer",
        "of recurrent states and full windows, in 16 bits",
        lambda view: view.fixed_bytes,
    ),
    Field("cache_at_8192_tokens_bytes", "integer", "cache and states of one sequence", _cache_at(8192)),
    Field("cache_at_131072_tokens_bytes", "integer", "cache and states of one sequence", _cache_at(131072)),
    Field("made_of", "text", "its mixers and MLPs in one line", lambda view: view.line),
    Field("mechanisms", "list", "glossary keys of its mechanisms, separated by spaces in the CSV", ideas.keys),
)


@cache
def record(view: ModelView) -> dict:
    """A model's row."""
    return {field.name: field.of(view) if view.spec or not field.drawn else None for field in FIELDS}


def as_json(site) -> str:
    """{fields: {name: [kind, words]}, models: [row]}."""
    fields = {field.name: [field.kind, field.says] for field in FIELDS}
    models = [record(view) for view in site.views]
    return json.dumps({"fields": fields, "models": models}, ensure_ascii=False, indent=0) + "\n"


def as_csv(site) -> str:
    """The same with a head line, for spreadsheets."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(field.name for field in FIELDS)
    for view in site.views:
        writer.writerow(cell(value) for value in record(view).values())
    return out.getvalue()


def cell(value: object) -> object:
    """A value as CSV has it: nothing for what is not known, true and false in lower case, lists with spaces. A text
    that a spreadsheet would run as a formula is kept from it."""
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@")):
        return "'" + value
    return "" if value is None else value
