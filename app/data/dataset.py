"""The catalogue as one table: /data/models.json, /data/models.csv and the page that says what each column is.

A column is a row of FIELDS; every number has its unit in its name. What is not known is null, or empty in the CSV.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from cutaway.app.data import attention_columns as attention
from cutaway.app.model import ideas
from cutaway.app.model.once import once_for_each
from cutaway.app.model.view import ModelView
from cutaway.gallery.schema_version import VERSION


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
    Field("slug", "text", "owner/name; the model's page is /models/<slug>/", _row("slug"), False),
    Field("title", "text", "name of the model on this site", _row("title"), False),
    Field("company", "text", "company that released the model", _row("company"), False),
    Field("date", "text", "release date, ISO 8601", _row("date"), False),
    Field("licence", "text", "licence, as named in the model card", _row("licence"), False),
    Field("repo", "text", "repository on the Hugging Face Hub", _row("repo"), False),
    Field("revision", "text", "commit from which the config was read", _row("revision"), False),
    Field("report", "text", "URL of the technical report", _row("report"), False),
    Field("variant_of", "text", "slug of the model of which this is a variant", _row("variant_of"), False),
    Field(
        "drawn",
        "boolean",
        "whether a config was available; if not, the columns that come from the config are empty",
        lambda view: bool(view.spec),
        False,
    ),
    Field(
        "reconstructed",
        "boolean",
        "whether the config was reconstructed from other sources",
        _row("reconstructed"),
        False,
    ),
    Field(
        "unreviewed",
        "boolean",
        "whether a weekly job drew the model and nobody has reviewed it",
        _row("unreviewed"),
        False,
    ),
    Field("read", "text", "date on which the config was read", lambda view: view.row.source.get("read"), False),
    Field("model_type", "text", "config key model_type", _spec("model_type")),
    Field("num_hidden_layers", "integer", "number of layers, without MTP layers", _spec("num_hidden_layers")),
    Field("hidden_size", "integer", "width of the residual stream", _spec("hidden_size")),
    Field("vocab_size", "integer", "vocabulary size", _spec("vocab_size")),
    Field(
        "context_tokens", "integer", "longest context, from max_position_embeddings", _spec("max_position_embeddings")
    ),
    Field(
        "num_attention_layers",
        "integer",
        "number of layers with softmax attention over the text; layers without are linear, state space or MLP alone",
        attention.attention_layers,
    ),
    Field(
        "num_window_layers",
        "integer",
        "number of those layers that read only a sliding window or a chunk",
        attention.window_layers,
    ),
    Field("window_tokens", "integer", "window or chunk of most of those layers", attention.window_tokens),
    Field(
        "num_attention_heads",
        "integer",
        "query heads of the softmax attention that most layers have",
        attention.query_heads,
    ),
    Field(
        "num_key_value_heads",
        "integer",
        "key/value heads of the same; null where heads share a latent",
        attention.key_value_heads,
    ),
    Field(
        "head_size",
        "integer",
        "length of each of those queries; with latent attention the parts with and without RoPE",
        attention.head_size,
    ),
    Field("num_experts", "integer", "routed experts of the largest MoE layer", attention.experts),
    Field("num_experts_per_tok", "integer", "routed experts that a token uses there", attention.chosen_experts),
    Field(
        "parameters_total",
        "integer",
        "parameters of the language model; tied embeddings count once",
        _parameters("total"),
    ),
    Field(
        "parameters_active",
        "integer",
        "active parameters per token (as in A3B), without inactive experts and lookup tables",
        _parameters("active"),
    ),
    Field(
        "parameters_looked_up",
        "integer",
        "parameters in lookup tables: n-gram embeddings, per-layer embeddings and, unless tied, the input embedding",
        _parameters("looked_up"),
    ),
    Field("parameters_mtp", "integer", "parameters of MTP layers, which no other count includes", _parameters("mtp")),
    Field(
        "weights_bytes", "integer", "size of the weights as stored, including scales", lambda view: view.stored_bytes
    ),
    Field(
        "mtp_weights_bytes",
        "integer",
        "size of the MTP layers as stored, not included in weights_bytes",
        lambda view: view.stored_mtp_bytes,
    ),
    Field(
        "weights_stored_as",
        "text",
        "quantization format of the weights, or their data type if they are not quantized",
        _stored,
    ),
    Field(
        "cache_per_token_bytes",
        "number",
        "cache that each token adds once all sliding windows are full, at 16 bits per value",
        lambda view: view.per_token_bytes,
    ),
    Field(
        "cache_per_token_filling_bytes",
        "number",
        "cache that each token adds before any sliding window is full, at 16 bits per value",
        lambda view: view.memory(0).filling_bytes,
    ),
    Field(
        "cache_windows_full_tokens",
        "integer",
        "number of tokens after which all sliding windows are full; 0 if there are none",
        lambda view: view.memory(0).full_at,
    ),
    Field(
        "cache_fixed_bytes",
        "integer",
        "size of recurrent states and full sliding windows, at 16 bits per value",
        lambda view: view.fixed_bytes,
    ),
    Field(
        "cache_at_8192_tokens_bytes",
        "integer",
        "cache and recurrent states of one sequence of 8,192 tokens",
        _cache_at(8192),
    ),
    Field(
        "cache_at_131072_tokens_bytes",
        "integer",
        "cache and recurrent states of one sequence of 131,072 tokens",
        _cache_at(131072),
    ),
    Field("made_of", "text", "summary of the model's mixers and MLPs", lambda view: view.line),
    Field("mechanisms", "list", "glossary keys of the model's mechanisms, separated by spaces in the CSV", ideas.keys),
)


@once_for_each
def record(view: ModelView) -> dict:
    """A model's row."""
    return {field.name: field.of(view) if view.spec or not field.drawn else None for field in FIELDS}


def as_json(site) -> str:
    """{schema: version, fields: {name: [kind, words]}, models: [row]}."""
    fields = {field.name: [field.kind, field.says] for field in FIELDS}
    begin = written({"schema": VERSION, "fields": fields}).removesuffix("\n}")
    models = ",\n".join(record_json(view) for view in site.views)
    return f'{begin},\n"models": [\n{models}\n]\n}}\n'


@once_for_each
def record_json(view: ModelView) -> str:
    """A model's row in it."""
    return written(record(view))


def written(value: object) -> str:
    """JSON with a line for each entry."""
    return json.dumps(value, ensure_ascii=False, indent=0)


def as_csv(site) -> str:
    """The same with a head line, for spreadsheets."""
    return line(field.name for field in FIELDS) + "".join(map(record_csv, site.views))


@once_for_each
def record_csv(view: ModelView) -> str:
    """A model's row in it."""
    return line(cell(value) for value in record(view).values())


def line(cells: Iterable[object]) -> str:
    """A line of CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
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
