"""The schemas of what the site publishes below /data/."""

from __future__ import annotations

from cutaway.app.data.dataset import FIELDS, Field
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
    with_words,
)

HEAD = {
    "slug": text("owner/name; the model's page is /models/<slug>/"),
    "title": text("name of the model on this site"),
    "company": text("company that released the model"),
    "date": or_null(text("release date, ISO 8601")),
    "repo": or_null(text("repository on the Hugging Face Hub")),
    "revision": or_null(text("commit from which the config was read")),
    "reconstructed": flag("whether the config was reconstructed from other sources"),
    "unreviewed": flag("whether a weekly job drew the model and nobody has checked it yet"),
    "variant_of": or_null(text("slug of the model of which this is a variant")),
}
KINDS = {"text": text, "integer": whole, "number": number}


def column(field: Field) -> Schema:
    """A column of the catalogue's table; what is not known is null."""
    if field.kind == "boolean" or field.name in HEAD:
        return with_words(HEAD.get(field.name, flag()), field.says)
    return with_words(or_null(many(text()) if field.kind == "list" else KINDS[field.kind]()), field.says)


MODELS = document(
    "data/models.json",
    {
        "fields": table(many(text()), "name of each column -> its kind and its meaning"),
        "models": many(record({field.name: column(field) for field in FIELDS}), "one row per model"),
    },
    "The whole catalogue as one table.",
)

PARAMETERS = {
    "total": whole("parameters of the language model; tied embeddings count once"),
    "active": whole("active parameters per token"),
    "looked_up": whole("parameters in lookup tables, of which a token reads a few rows"),
    "mtp": whole("parameters of MTP layers, which no other count includes"),
    "by_part": table(whole(), "parameters of attention, experts, embedding, ..."),
}
LAYER = {
    "kind": text("the layer's mixer and MLP in words"),
    "indices": many(whole(), "layers of this kind, the first being 0"),
    "parameters_each": whole("parameters of one such layer"),
}
CACHE = {
    "per_token_bytes": number("what each token adds once all windows are full, at 16 bits a value"),
    "fixed_bytes": whole("recurrent states and full windows"),
    "filling_per_token_bytes": number("what each token adds while no window is full"),
    "windows_full_at_tokens": whole("tokens after which every window is full; 0: no window"),
    "at_context": table(table(whole()), "tokens -> bytes of one sequence: total_bytes, and by kind of cache"),
}
DRAWN = {
    "model_type": text("config key model_type"),
    "parameters": record(PARAMETERS, "how many numbers the model has learned"),
    "layers": many(record(LAYER), "layers by kind, in the order in which the kinds first appear"),
    "stored_bytes": or_null(whole("size of the weights as stored, including scales")),
    "stored_mtp_bytes": or_null(whole("size of the MTP layers as stored")),
    "cache": record(CACHE, "what decoding keeps of one sequence"),
    "unread_keys": many(text(), "keys of the config that Cutaway does not read"),
    "not_understood": many(text(), "sentences: what the numbers cannot express"),
    "contradictions": many(text(), "sentences: a value that another value denies, and which one won"),
    "notes": many(text(), "sentences: what the config says and the numbers leave out on purpose"),
}

MODEL = document(
    "data/<owner>/<name>.json",
    HEAD,
    "The numbers of one model's page. A model without a config has `missing` in their place.",
    DRAWN | {"missing": text("why the model is not drawn")},
)
MODEL["oneOf"] = [{"required": list(DRAWN), "not": {"required": ["missing"]}},
                  {"required": ["missing"], "not": {"anyOf": [{"required": [key]} for key in DRAWN]}}]  # fmt: skip

NODE = record(
    {"is": text("its formula"), "learn": many(text(), "explainers and glossary entries about it")},
    also={"what": text("what it is called"), "tensors": many(text(), "tensors that it reads")},
)
PARTS = document(
    "data/parts/<owner>/<name>.json",
    {
        "graphs": table(table(NODE), "graph of the drawing -> node -> what it says"),
        "tensors": table(many(anything()), "tensor -> its shape in words, its size in words, its size"),
        "kinds": many(many(anything()), "kinds of layer: words, which layers, parameters of each, the first layer"),
        "layers": many(whole(), "for every layer its place in kinds"),
        "learn": table(many(text()), "name of an explainer -> its title, what it shows, its address"),
    },
    "A model's drawing node by node.",
)

PART = record(
    {
        "total": many(many(whole()), "parameters: terms of a factor and fields"),
        "role": text("what it is drawn as"),
        "short": text("its name"),
    },
    also={
        "each": whole("parameters of one expert"),
        "k": many(many(whole()), "experts, and experts per token"),
        "kept": many(many(anything()), "what it keeps while decoding"),
        "usual": many(anything(), "heads and width that the common formula of a KV cache takes"),
        "how": many(anything(), "what its name and colour follow from"),
    },
)
WHATIF = document(
    "data/whatif/<owner>/<name>.json",
    {
        "slug": text("owner/name"),
        "title": text("name of the model on this site"),
        "bits": whole("bits of a stored number; 0 where some weights are quantized"),
        "fields": many(many(anything()), "what can be edited: id, key, words, who, value, least, most"),
        "rules": many(many(anything()), "what must hold between two fields"),
        "stays": table(text(), "field that cannot be edited -> why"),
        "longest": or_null(whole("longest context in tokens")),
        "loops": whole("how often the same stack runs"),
        "outside": whole("parameters outside the layers"),
        "looked_up": whole("of these, parameters in lookup tables"),
        "layers": many(many(whole()), "first, period, last: places in kinds"),
        "kinds": many(many(anything()), "kinds of layer"),
        "parts": many(PART, "mixers and MLPs"),
    },
    "What can be edited in a model, and the terms from which parameters and cache follow.",
)
