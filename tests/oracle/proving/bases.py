"""Tiny legal configs to start from: the golden cases of every causal class of transformers, by model_type."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import transformers
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from tests.oracle.forward import CASES
from tests.oracle.make_forward import headed

CAUSAL = dict(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
NOT_STARTED = {  # cases that no change starts from, and why; and those of wrappers, whose logits no class alone has
    "llama__not_causal": "its class hands out a cache, though every token sees every other; we say that there is none",
    "step3p5": "transformers has no class of its own for it: the case ran Step 3.7's",
}


WORKED_OUT = {"number_of_conv_states"}  # the class works it out, and fails where a file says fewer


class Base(NamedTuple):
    """One golden case's config, and the class that ran it."""

    model_type: str
    config: dict[str, Any]
    case: str  # its name in forward/
    cls: str  # as the case names it: a class, or a text tower " + lm_head"


@cache
def bases() -> dict[str, list[Base]]:
    """model_type -> the configs of its golden cases."""
    found: dict[str, list[Base]] = {}
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        kind, cls = case["model_type"], case["cls"]
        config = {key: value for key, value in case["config"].items() if key not in WORKED_OUT}
        if "as in its" not in cls and known(kind) and path.stem not in NOT_STARTED:
            found.setdefault(kind, []).append(Base(kind, {**config, "model_type": kind}, path.stem, cls))
    return found


def known(model_type: str) -> bool:
    """Whether transformers has a configuration class of this name."""
    return model_type in transformers.models.auto.configuration_auto.CONFIG_MAPPING


def class_of(base: Base, config) -> type:
    """The class that runs this config: a causal one, or a text tower under a head."""
    name, _, head = base.cls.partition(" + ")
    if not head and base.model_type in CAUSAL:
        return transformers.AutoModelForCausalLM._model_mapping[type(config)]
    folder = type(config).__module__.rpartition(".")[0]
    found = getattr(import_module(f"{folder}.modeling_{folder.rpartition('.')[2]}"), name)
    return headed(found) if head else found


@cache
def words_seen(key: str) -> tuple[str, ...]:
    """The strings that golden cases have under this key, whatever their family."""
    found = {one.config[key] for some in bases().values() for one in some if isinstance(one.config.get(key), str)}
    return tuple(sorted(found))


@cache
def entries_seen(model_type: str, key: str) -> tuple[Any, ...]:
    """The entries of lists that this family's cases have under this key."""
    found: list[Any] = []
    for one in bases()[model_type]:
        value = one.config.get(key)
        found += [entry for entry in value if entry not in found] if isinstance(value, list) else []
    return tuple(found)
