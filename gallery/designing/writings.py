"""How classes of transformers 5.23.0 have the kind of each layer written, where layer_types does not say it already.

A row names the key, and what stands there for each letter of the strip. The same row reads nothing: the reader does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from cutaway.gallery.designing.places import at, put

ENTRIES, SIGNS, NUMBERS = "entries", "signs", "numbers"


class Writing(NamedTuple):
    """Where the kinds of layers are written, and how."""

    key: str  # in the part that is the language model; a dot leads into a part of it
    words: dict[str, Any]  # letter -> its entry or sign; of NUMBERS the key that lists such layers, "" = no key does
    form: str = ENTRIES  # ENTRIES: a list with one for each layer; SIGNS: a text; NUMBERS: lists of layers by number
    base: int = 0  # the number of the first layer
    first: str = ""  # the only letter that the first layer can have, and why
    why: str = ""


FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"
INDEXERS = Writing("indexer_types", {"x": "full", "l": "shared"}, first="x", why="no earlier one has indices to share")
HALVES = {"s": "M", "f": "*", "e": "E", "m": "-"}
ROWS: dict[str, tuple[Writing, ...]] = {
    "afmoe": (Writing("layer_types", {"w": SLIDING, "f": FULL}),),
    "bamba": (Writing("attn_layer_indices", {"f": "attn_layer_indices", "s": ""}, NUMBERS),),
    "deepseek_v4": (Writing("compress_ratios", {"w": 0, "x": 4, "l": 128}),),
    "glm5_next_text": (Writing("layer_types", {"d": LINEAR, "x": "indexed_attention"}),),
    "glm_moe_dsa": (INDEXERS,),
    "hy_v4": (INDEXERS,),
    "inkling_text": (Writing("local_layer_ids", {"w": "local_layer_ids", "f": ""}, NUMBERS),),
    "kimi_linear": (
        Writing(
            "linear_attn_config",
            {"d": "linear_attn_config.kda_layers", "l": "linear_attn_config.full_attn_layers"}, NUMBERS, base=1,
        ),
    ),
    "minimax_m3_vl": (Writing("sparse_attention_config.sparse_attention_freq", {"f": 0, "x": 1}),),
    "nemotron_h": (
        Writing("hybrid_override_pattern", HALVES, SIGNS),
        Writing("layers_block_type", {"s": "mamba", "f": "attention", "e": "moe", "m": "mlp"}),
    ),
    "recurrent_gemma": (Writing("block_types", {"d": "recurrent", "w": "attention"}),),
}  # fmt: skip


def writing_of(model_type: str, text: Mapping[str, Any]) -> Writing | None:
    """The row of a class; of two the one whose key the config has."""
    rows = ROWS.get(model_type, ())
    return next((one for one in rows if at(text, path(one.key)) is not None), rows[0] if rows else None)


def path(key: str) -> tuple[str, ...]:
    return tuple(key.split("."))


def write_layers(text: dict, one: Writing, letters: str) -> dict:
    """The language model's part of a config, with its layers written as these letters."""
    if one.form == NUMBERS:
        for letter, key in one.words.items():
            numbers = [place + one.base for place, found in enumerate(letters) if found == letter]
            text = put(text, path(key), numbers) if key else text
        return text
    entries = [one.words[letter] for letter in letters]
    if one.form == SIGNS:
        return put(text, path(one.key), "".join(entries))
    before = at(text, path(one.key))
    beyond = before[len(letters) :] if isinstance(before, list) else []  # of layers that predict further tokens
    return put(text, path(one.key), entries + beyond)
