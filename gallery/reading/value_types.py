"""The type that the value of each key has: the one place that checks it, by the unit of the key's row in KEYS.

`Facts` comes here where it hands a value out as it is: under its canonical name (`raw`), or under the key that the file
itself spells (`Written`). Facts.integer, .number, .flag, .word and .items are stricter and check for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from cutaway.gallery.reading.keys import LIMITS, SPELLINGS, UNITS

LISTED = (list, tuple)


class Type(NamedTuple):
    """What a value may be besides null, and how a sentence calls it."""

    types: tuple[type, ...]
    words: str


NUMBERS = Type((int, float, *LISTED), "a number, or a list with one for each layer")
FLAG = Type((bool, int, float), "true or false")
LIST = Type(LISTED, "a list")
OBJECT = Type((Mapping,), "an object")
TYPES = {  # of a unit
    **dict.fromkeys((*LIMITS, "number", "base"), NUMBERS),
    "flag": FLAG, "word": Type((str,), "a string"), "list": LIST,
}  # fmt: skip
PATTERN = Type((int, float, str, *LISTED), "a number, or a pattern of layers")
AUTO = Type((int, float, str, *LISTED), "a number, or auto")
OWN = {  # of a name whose row in KEYS leaves its unit open, or that has none there
    **dict.fromkeys(("intermediate_size", "moe_intermediate_size", "num_experts_per_tok", "n_shared_experts", "n_group",
        "topk_group", "moe_layer_freq", "moe_layer_end_index", "mamba_num_heads", "kda_lower_bound",
        "num_nextn_predict_layers", "seed", "attn_temperature_len",
        "dense_intermediate_size"), NUMBERS),
    "sliding_window_pattern": PATTERN, "index_topk_pattern": PATTERN,
    "mamba_dt_rank": AUTO, "mamba_head_dim": AUTO,
    "logit_scale": Type((int, float, str), "a number, or a rule's name"),
    "llama_4_scaling": Type((Mapping, int, float), "an object of a step and a slope"), "time_step_limit": LIST,
    "per_layer_config": Type((Mapping,), "an object with an entry for each layer that differs"),
    "activation_sparsity_pattern": Type((int, float, *LISTED), "a share from 0 to 1 for every layer"),
    "dtype": Type((object, bool), "a number format"),  # what is none is said in a sentence, see dtypes.py
    "attn_temperature_tuning": FLAG, "use_dynamic_ntk": FLAG, "use_logn_attn": FLAG,
    "gating": Type((bool, str), "true, false, or a word"),
    "model_type": TYPES["word"], "rope_type": TYPES["word"], "is_causal": FLAG, "initializer_range": NUMBERS,
    "rope_parameters": OBJECT, "rope_scaling": OBJECT, "id2label": OBJECT, "num_labels": NUMBERS,
    "attention_type": Type((str, *LISTED), "a word, or a list of them"),
    "yarn_only_types": Type(LISTED, "a list of layer words"),
    "use_bidirectional_attention": Type((bool, str), "true, false, or all"),
    "eos_token_id": Type((int, *LISTED), "a token's number, or a list of them"),
}  # fmt: skip


def type_of(name: str) -> Type:
    """The type of a canonical name, or of a key that has no row in KEYS; a name without a type is a fault here."""
    found = OWN.get(name) or TYPES.get(UNITS.get(name, ""))
    if not found:
        raise LookupError(f"{name} has no type: give it a row in key_rows/ or value_types.py")
    return found


def wanted(name: str, value: object) -> str:
    """What is looked for, where a value is of another type than its name has; "" where it is right, or null."""
    types, words = type_of(name)
    right = value is None or (isinstance(value, types) and (bool in types or not isinstance(value, bool)))
    return "" if right else words


class Written(Mapping[str, Any]):
    """A part of a config under the keys that the file itself spells; a value of a wrong type is refused."""

    def __init__(self, said: Mapping, own: Mapping, refuse: Callable[[str, object, str], NoReturn]) -> None:
        self.said, self.own, self.refuse = said, own, refuse

    def __getitem__(self, key: str) -> Any:
        value = self.said[key]
        name = key if key in OWN else self.own.get(key) or SPELLINGS.get(key, (key,))[0]
        if words := wanted(name, value):
            self.refuse(key, value, words)
        return value

    def __contains__(self, key: object) -> bool:
        return key in self.said

    def __iter__(self) -> Iterator[str]:
        return iter(self.said)

    def __len__(self) -> int:
        return len(self.said)

    def without(self, key: str) -> Written:
        """The same where the file does not say this key."""
        return Written({name: value for name, value in self.said.items() if name != key}, self.own, self.refuse)
