"""A legal config -> the same with two to eight options changed: other values, left out, spelled as older files do."""

from __future__ import annotations

import copy
import math
import re
import types
import typing
from typing import Any, NamedTuple

import numpy as np

from cutaway.gallery.reading.families import load, stem_of
from cutaway.gallery.reading.ignored import IGNORED
from cutaway.gallery.reading.keys import KEYS, SPELLINGS
from cutaway.gallery.reading.whole_heads import WHOLE_HEADS
from tests.oracle.proving.bases import Base, entries_seen, words_seen

NEUTRAL = {
    word for reason, words in IGNORED for word in words.split() if reason.startswith(("book", "token", "train", "gen"))
} | {"use_cache", "dtype", "torch_dtype", "id2label", "label2id", "problem_type", "return_dict", "task_specific_params",
     "output_router_logits", "transformers_version"}  # fmt: skip
ACTS = ("silu", "gelu", "relu", "gelu_new", "gelu_pytorch_tanh", "relu2", "gelu_fast", "quick_gelu", "swish", "tanh",
        "sigmoid")  # fmt: skip
INTEGERS = (  # (what a key is called, its values), the first that fits
    (r"vocab", (80, 97, 112, 128)),
    (r"window|chunk_attention|attention_chunk", (2, 3, 5, 8, 16, 24, 32, 64, 100, 4096)),  # of 1: [-0:]
    (r"max_position|n_positions|n_ctx|max_seq", (16, 24, 32, 64, 128, 4096)),
    (r"head_dim|d_head|headdim|_head_size|kv_channels", (4, 8, 12, 16, 20, 24, 32)),
    (r"^(hidden_size|d_model|n_embd|embed_dim|dim)$", (32, 48, 64, 72, 96, 128)),
    (r"per_tok|topk$|top_k|num_selected", (1, 2, 3)),
    (r"(kv|key_value|key).*heads|heads_kv|head_kv", (1, 2, 3, 4)),
    (r"heads|n_head$", (1, 2, 3, 4, 6, 8)),
    (r"num_(hidden_)?layers$|n_layers?$", (1, 2, 3, 4, 5, 6)),
    (r"intermediate|ffn|n_inner|width|inner|rank|latent", (8, 16, 24, 32, 48, 96)),
    (r"experts?$|n_routed|num_experts", (2, 3, 4, 6, 8)),
)
FLOATS = (
    (r"eps|epsilon", (1e-5, 1e-3, 1e-2, 0.1)),
    (r"theta|base", (100.0, 10_000.0, 500_000.0, 1_000_000.0)),
    (r"cap", (0.5, 2.0, 5.0, 30.0)),
    (r"partial_rotary|rotary_pct|rotary_percent", (0.25, 0.5, 0.75, 1.0)),
    (r"dropout|drop|pdrop", (0.1,)),
    (r"range|std|coef", (0.5,)),
    (r"", (0.125, 0.3, 0.5, 0.75, 1.5, 2.0, 3.0, 8.0)),
)
ROPES = ("default", "linear", "dynamic", "yarn", "longrope", "llama3")
NAMES = {key.name for key in KEYS}
MAPPED = ("rope_parameters", "rope_scaling")


OF_WRAPPERS = ("tie_word_embeddings", "logits_scaling", "logit_scale", "final_logit_softcapping", "vision_vocab_size")
OF_WHOLE_MODELS = {  # options that the class alone does not have as the whole model has them
    "mllama_text_model": (
        "cross_attention_layers",
        "tie_word_embeddings",
    ),  # no image: it skips these layers, ties none
    "glm_image_text": ("vocab_size",),  # its head has the rows of the image vocabulary
}
OLDER_LISTS = ("rope_theta", "partial_rotary_factors")  # layer by layer: a file that has rope_parameters has none
BY_LAYER_WORD = ("olmo3", "gemma3_text", "gemma3n_text", "step3p5")  # a flat rope_parameters is left unread by these


class Change(NamedTuple):
    """One option: its key, what happens to it, and what it becomes."""

    key: str
    how: str  # "set" | "left out" | "older"
    value: Any = None

    def __str__(self) -> str:
        return f"{self.key} = {self.value!r}" if self.how == "set" else f"{self.key} {self.how}"


def pick(rng: np.random.Generator, values: Any) -> Any:
    """One of them."""
    values = list(values)
    return values[int(rng.integers(len(values)))] if values else None


def fields_of(cls: type) -> dict[str, Any]:
    """The options of a configuration class: name -> its annotation."""
    hints = {}
    for name, field in getattr(cls, "__dataclass_fields__", {}).items():
        if "ClassVar" not in str(field.type) and name not in NEUTRAL and not name.startswith("_"):
            hints[name] = field.type
    return hints


def drawn(base: Base, cls: type, rng: np.random.Generator) -> list[Change]:
    """Two to eight changes, each of another option."""
    hints = fields_of(cls)
    fixed = {*NEUTRAL, "model_type", *(OF_WRAPPERS if "+" in base.cls else ())}
    fixed.update(OF_WHOLE_MODELS.get(base.model_type, ()))
    names = [name for name in dict.fromkeys([*hints, *base.config]) if name not in fixed]
    chosen = rng.permutation(names)[: int(rng.integers(2, 9))]
    found = [one for name in map(str, chosen) if (one := change(base, cls, name, hints.get(name), rng))]
    return [one for at, one in enumerate(found) if not any(same(one, other, cls) for other in found[:at])]


def same(one: Change, other: Change, cls: type) -> bool:
    """Whether two changes are of one option under two names."""
    return bool(meaning(one.key, cls) & meaning(other.key, cls))


def change(base: Base, cls: type, key: str, hint: Any, rng: np.random.Generator) -> Change | None:
    """What one option becomes; a seventh is left out, a seventh is spelled as older files do."""
    how = rng.integers(7)
    if how == 0 and key in base.config and not any(re.search("|".join(SIZES), word) for word in meaning(key, cls)):
        return Change(key, "left out")
    if how == 1 and key in base.config:
        return Change(key, "older")
    value = other(base, key, hint, rng)
    return None if value is ... or (key in base.config and value == base.config[key]) else Change(key, "set", value)


SIZES = ("vocab", "hidden_size", "d_model", "n_embd", "layers$", "n_layer", "intermediate", "experts", "head",
         "n_inner", "ffn", "rank", "width", "max_position")  # fmt: skip  # a class's own are the published model's: too
#                      large to run; and no file leaves out its length, from which a dynamic rotation grows


def kinds_of(hint: Any) -> tuple[Any, ...]:
    """The types of an annotation."""
    if isinstance(hint, str):
        return ()
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(one for part in typing.get_args(hint) for one in kinds_of(part))
    return (hint,)


def other(base: Base, key: str, hint: Any, rng: np.random.Generator) -> Any:
    """Another value of the option's type; ... = none is known."""
    now = base.config.get(key)
    kinds = [one for one in kinds_of(hint) if one is not type(None)]
    literal = [value for one in kinds if typing.get_origin(one) is typing.Literal for value in typing.get_args(one)]
    optional = type(None) in kinds_of(hint)
    if key in MAPPED:
        return rotation(base, key, rng)
    if isinstance(now, dict):
        return inside(base, key, now, rng)
    if optional and now is not None and not isinstance(now, bool) and rng.integers(4) == 0:
        return None
    if literal:
        return pick(rng, literal)
    if isinstance(now, list) or (now is None and any(typing.get_origin(one) is list for one in kinds)):
        return listed(base, key, now, rng)
    kind = type(now) if now is not None else pick(rng, [one for one in kinds if one in (bool, int, float, str)])
    return scalar(key, kind, now, rng)


def scalar(key: str, kind: Any, now: Any, rng: np.random.Generator) -> Any:
    """A flag, a number or a word."""
    if kind is bool:
        return not now if now is not None else bool(rng.integers(2))
    if kind is str:
        words = ACTS if re.search(r"act(ivation)?(_fn|_function)?$|^hidden_act|_act_", key) else words_seen(key)
        return pick(rng, words) if words else ...
    if kind is float:
        return pick(rng, next(values for word, values in FLOATS if re.search(word, key)))
    if kind is int:
        found = next((values for word, values in INTEGERS if re.search(word, key)), None)
        if now is not None and re.search(r"eps|theta", key):
            return scalar(key, float, None, rng)
        near = (1, 2, 3, 4) if not now else (max(now // 2, 1), now + 1, 2 * now, max(now - 1, 0))
        return pick(rng, found or near)
    return ...


def inside(base: Base, key: str, now: dict, rng: np.random.Generator) -> Any:
    """A mapping with one of its entries changed."""
    if not now:
        return ...
    own, name = copy.deepcopy(now), pick(rng, sorted(now))
    if isinstance(own[name], dict):
        return ...
    value = scalar(name, type(own[name]), own[name], rng)
    return ... if value is ... else {**own, name: value}


def depth_of(config: dict) -> int:
    """How many layers a config says."""
    return next((config[key] for key in ("num_hidden_layers", "n_layer", "num_layers", "n_layers") if key in config), 0)


def listed(base: Base, key: str, now: list | None, rng: np.random.Generator) -> Any:
    """A list of as many entries, drawn from those that the family's cases have there."""
    seen = entries_seen(base.model_type, key)
    depth = depth_of(base.config)
    if key in ("mlp_only_layers", "no_rope_layers", "local_layer_ids") and not seen:
        return sorted({int(one) for one in rng.integers(0, max(depth, 1), 2)})
    if not seen or isinstance(seen[0], list | dict):
        return ...
    if re.search("intermediate_size", key) and now:
        return [pick(rng, (8, 16, 24, 32, 48, 96)) for _ in now]
    if (
        all(isinstance(one, int) and not isinstance(one, bool) for one in seen)
        and now is not None
        and len(now) != depth
    ):
        return sorted({int(one) for one in rng.integers(0, max(depth, 1), max(len(now), 1))})
    if all(isinstance(one, float) for one in seen):
        return [round(float(one) * float(rng.choice([0.5, 1.5, 2.0])), 4) for one in now] if now else ...
    return [pick(rng, seen) for _ in range(len(now) if now else depth)]


def rotation(base: Base, key: str, rng: np.random.Generator) -> Any:
    """rope_parameters of a random kind; where each layer word has its own, one of them."""
    now = base.config.get("rope_parameters")
    if key == "rope_parameters" and base.model_type in BY_LAYER_WORD and not now:
        now = {
            word: {"rope_type": "default", "rope_theta": 10_000.0} for word in ("full_attention", "sliding_attention")
        }
    if isinstance(now, dict) and any(isinstance(one, dict) for one in now.values()):
        word = pick(rng, [name for name, one in now.items() if isinstance(one, dict)])
        kept = {key: value for key, value in now[word].items() if key in ("partial_rotary_factor",)}
        return {**copy.deepcopy(now), word: {**stretch(base, rng), **kept}}
    said = stretch(base, rng)
    share = isinstance(now, dict) and "partial_rotary_factor" in now
    if share or (said["rope_type"] == "default" and base.model_type in WHOLE_HEADS and rng.integers(2)):
        said["partial_rotary_factor"] = pick(rng, (0.25, 0.5, 0.75, 1.0))
    return said


def stretch(base: Base, rng: np.random.Generator) -> dict[str, Any]:
    """One rotation: its base, its kind, and what the kind needs; optional numbers may be there or not."""
    kind = pick(rng, ROPES)
    said: dict[str, Any] = {"rope_type": kind, "rope_theta": pick(rng, (100.0, 10_000.0, 500_000.0))}
    optional = lambda **more: {key: value for key, value in more.items() if rng.integers(2)}  # noqa: E731
    if kind in ("linear", "dynamic", "yarn", "llama3"):
        said["factor"] = pick(rng, (2.0, 4.0, 8.0))
    if kind == "dynamic":
        said |= optional(original_max_position_embeddings=pick(rng, (8, 16, 32)))
    if kind == "yarn":
        said["original_max_position_embeddings"] = pick(rng, (8, 16, 32))
        said |= optional(beta_fast=pick(rng, (16.0, 8.0)), beta_slow=pick(rng, (2.0, 0.5)), truncate=False)
        said |= optional(attention_factor=1.3) or optional(mscale=0.7) | optional(mscale_all_dim=0.5)
    if kind == "llama3":
        said |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}
    if kind == "longrope":
        half = rotated(base.config) // 2
        said["original_max_position_embeddings"] = pick(rng, (8, 16, 32))
        said["short_factor"] = [round(1 + 0.1 * one, 2) for one in range(half)]
        said["long_factor"] = [round(1 + 0.5 * one, 2) for one in range(half)]
        said |= optional(attention_factor=1.2) or optional(factor=4.0)
    return said


def rotated(config: dict) -> int:
    """How many numbers of a head rotate, as far as the keys say."""
    if config.get("qk_rope_head_dim"):
        return config["qk_rope_head_dim"]
    heads = config.get("num_attention_heads") or config.get("n_head") or 1
    width = config.get("head_dim") or (config.get("hidden_size") or config.get("n_embd") or 64) // heads
    said = config.get("rope_parameters") or {}
    return int(width * (config.get("partial_rotary_factor") or said.get("partial_rotary_factor") or 1.0))


# ---------------------------------------------------------------- making the changes


def apply(config: dict, changes: list[Change], cls: type) -> dict:
    """The config with its options changed; lists of a layer each follow the depth.

    A file that has an option under two names says the same under both, and so does what is made of it.
    """
    made = copy.deepcopy(config)
    for one in changes:
        if one.how == "set":
            made[one.key] = copy.deepcopy(one.value)
            if one.key == "rope_parameters" and isinstance(made.get("rope_theta"), list):
                made = {key: made[key] for key in made if key not in OLDER_LISTS}
        elif one.how == "left out":
            for word in [one.key, *spelled_alike(one.key, made, cls)]:
                made.pop(word, None)
    for one in changes:
        if one.how == "set":
            say_alike(made, one, cls)
    stretch_lists(made, depth_of(config), depth_of(made))
    if made.get("use_sliding_window") and made.get("sliding_window") == 0:  # what a class saves where it is off
        made["sliding_window"] = 4
    for one in changes:
        if one.how == "older":
            spell_older(made, one.key, cls)
    return made


def meaning(word: str, cls: type) -> set[str]:
    """What a key is called here, and by its class."""
    own = load(stem_of(cls.model_type)).spellings if stem_of(cls.model_type) else {}
    aliases = getattr(cls, "attribute_map", {})
    return {own.get(word) or SPELLINGS.get(word, (word,))[0], aliases.get(word, word)}


def spelled_alike(key: str, config: dict, cls: type) -> list[str]:
    """Other spellings of an option that a config has."""
    return [word for word in config if word != key and meaning(word, cls) & meaning(key, cls)]


def say_alike(config: dict, change: Change, cls: type) -> None:
    """A value under all names that the config has for it: two that disagree are nobody's file."""
    for word in spelled_alike(change.key, config, cls):
        config[word] = copy.deepcopy(change.value)
    for name, inner in config.items():
        for word in inner if isinstance(inner, dict) and name not in MAPPED else ():
            if meaning(f"{name}.{word}", cls) & meaning(change.key, cls):
                inner[word] = copy.deepcopy(change.value)


def stretch_lists(config: dict, before: int, after: int) -> None:
    """Lists of one entry a layer, cut or repeated to the new depth."""
    for key, value in config.items():
        if before != after and isinstance(value, list) and len(value) == before:
            config[key] = (value * math.ceil(after / max(before, 1)))[:after]


def spell_older(config: dict, key: str, cls: type) -> None:
    """One key as older files spell it: rope_theta and rope_scaling apart, the class's own alias, torch_dtype."""
    if key in MAPPED:
        said = config.pop(key, None)
        if not isinstance(said, dict) or any(isinstance(one, dict) for one in said.values()):
            config[key] = said
            return
        said = dict(said)
        for name in ("rope_theta", "partial_rotary_factor"):
            if name in said:
                config[name] = said.pop(name)
        kind = said.pop("rope_type", "default")
        config["rope_scaling"] = {"type": kind, **said} if kind != "default" else None
        return
    aliases = getattr(cls, "attribute_map", {})
    other_name = aliases.get(key) or next((name for name, own in aliases.items() if own == key), None)
    if other_name in NAMES and key in NAMES:  # two options of other classes: no file calls one by the other's name
        return
    if other_name and key in config and other_name not in config:
        config[other_name] = config.pop(key)
