"""The schemas of what commands print with --json, but for the plan's."""

from __future__ import annotations

from typing import Any

from cutaway.app.docs.schemas.shapes import (
    Schema,
    anything,
    document,
    flag,
    many,
    number,
    or_null,
    record,
    table,
    text,
    whole,
)

HEAD = {
    "model": text("the model's title"),
    "repo": or_null(text("repository on the Hub; null for a file")),
    "revision": or_null(text("commit, where it is known")),
    "source": text("where the config was read"),
}


def printed(command: str, keys: dict[str, Schema], says: str, **more: Any) -> Schema:
    """What one command prints about one model."""
    return document(f"cutaway {command} --json", HEAD | keys, says, **more)


PER_TOKEN = record(
    {
        "growing": number("of layers without a window"),
        "all": number("as if no layer had a window"),
        "growing+index": number("of layers without a window, with the keys of an indexer"),
    },
    "bytes that one token adds",
)
QUANTIZATION = or_null(table(anything(), "how the weights are quantized; null: they are not"))
TOWER = {
    "name": text("what it encodes"),
    "model_type": text("its model_type"),
    "num_hidden_layers": or_null(whole("its layers")),
    "hidden_size": or_null(whole("its width")),
    "parameters": or_null(whole("its parameters; null: not countable from the config")),
}
FACTS = printed(
    "facts",
    {
        "model_type": text("config key model_type"),
        "architecture": text("the first of architectures"),
        "hidden_size": whole("width of the residual stream"),
        "vocab_size": whole("vocabulary size"),
        "num_hidden_layers": whole("layers, without MTP layers"),
        "dtype": text("data type of the weights"),
        "dtype_assumed": flag("whether the config names no data type"),
        "max_position_embeddings": or_null(whole("longest context in tokens")),
        "has_head": flag("whether there is an LM head"),
        "bidirectional": flag("whether every token sees every other: nothing is kept"),
        "tie_word_embeddings": flag("whether the head is the embedding"),
        "loops": whole("how often the same stack runs"),
        "layers": many(
            record({"kind": text("mixer and MLP"), "layers": many(whole(), "which layers")}), "layers by kind"
        ),
        "parameters": record(
            {
                "total": whole("all of the language model"),
                "active": whole("multiplied with one token"),
                "looked_up": whole("in tables of which a token reads a few rows"),
                "by_part": table(whole(), "attention, experts, embedding, ..."),
                "mtp": whole("of MTP layers, apart"),
                "towers": or_null(whole("of encoders; null: not countable")),
            },
            "how many numbers the model has learned",
        ),
        "kv_bytes_per_token": PER_TOKEN,
        "towers": many(record(TOWER), "encoders beside the language model"),
        "quantization": QUANTIZATION,
        "stored_bytes": or_null(whole("size of the weights as stored")),
        "stored_mtp_bytes": or_null(whole("size of the MTP layers as stored")),
        "wiring": table(text(), "norms, RoPE, gates and multipliers in words"),
        "read_from_keys": flag("whether model_type is unknown here, so that the keys alone were read"),
        "not_understood": many(text(), "sentences: what the numbers cannot express"),
        "contradictions": many(text(), "sentences: a value that another value denies, and which one won"),
        "notes": many(text(), "sentences: what a reader has to know"),
        "unread": many(text(), "keys of the config that Cutaway does not read"),
    },
    "The fact sheet of a model.",
    also={
        "published_contradicts": many(
            record({key: text() for key in ("figure", "published", "ours", "reason")}),
            "figures that others published and that differ from ours",
        ),
        "links": table(text(), "of a catalogued model: the Hub, the report, the code"),
    },
)

WEIGHT = {
    "name": text("as in the checkpoint"),
    "shape": many(whole(), "rows first"),
    "part": text("attention, experts, embedding, ..."),
    "layer": or_null(whole("null: outside the layers")),
}
WEIGHTS = printed(
    "weights", {"weights": many(record(WEIGHT), "every tensor, or those of --layer")}, "Every weight tensor."
)

KEPT = {
    "index": whole("the layer; of a looped model once per run"),
    "what": text("what it keeps"),
    "bytes": whole("of all sequences, at the last context"),
    "by_kind": table(whole(), "the same by kind of cache"),
    "per_token_bytes": number("what each token adds, of one sequence"),
    "fixed_bytes": whole("states and full windows, of one sequence"),
}
MEMORY = printed(
    "memory",
    {
        "cache_dtype": text("format of the cache"),
        "convention": text("what a window keeps between steps"),
        "batch": whole("sequences"),
        "per_token_bytes": number("what each token adds, of one sequence"),
        "fixed_bytes": whole("states and full windows, of one sequence"),
        "kv_bytes_per_token": PER_TOKEN,
        "contexts": many(
            record(
                {
                    "context": whole("tokens of each sequence"),
                    "total_bytes": whole("of all sequences"),
                    "by_kind": table(whole(), "the same by kind of cache"),
                }
            ),
            "one for each --context",
        ),
        "layers": many(record(KEPT), "what each layer keeps"),
    },
    "What decoding keeps: KV cache and states.",
)
