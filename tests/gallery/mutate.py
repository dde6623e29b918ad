"""A config and a seed -> a broken config, always the same one.

Types swapped, keys dropped, numbers huge and negative, lists of the wrong length, deep nesting, markup in strings; and
two real configs crossed: keys and parts of another one, another's model_type, layer words where they do not belong.
"""

from __future__ import annotations

import copy
import random

from cutaway.gallery.reading.layer_words import WORDS

PROBES = (
    "<script>alert(1)</script>",
    "<x-probe/>",
    '"><x-probe a="1">',
    '" onload="alert(1)',
    "' onload='alert(1)",
    "]]><x-probe/>",
    "--><x-probe/><!--",
    "&lt;x-probe&gt;&#60;x-probe&#62;",
    "</title></style></text><x-probe/>",
    "url(javascript:alert(1))",
    "\x00\x1b[2J\u202e<x-probe>\ud800",
    "x" * 5000 + "<x-probe/>",
)
NUMBERS = (0, -1, 1, 2, 7, 10**6, 10**9, 2**31, 2**63, 10**30, -(10**9), 0.5, -0.0, 1e308, float("nan"), float("inf"))


def deep(depth: int, kind: type = list) -> object:
    """Lists in lists, or objects in objects."""
    value: object = kind()
    for _ in range(depth):
        value = [value] if kind is list else {"a": value}
    return value


def anything(rng: random.Random) -> object:
    """A value of any JSON type."""
    makers = (
        lambda: None,
        lambda: rng.random() < 0.5,
        lambda: rng.choice(NUMBERS),
        lambda: rng.choice(PROBES),
        lambda: str(rng.choice(NUMBERS)),
        list,
        dict,
        lambda: [rng.choice(NUMBERS) for _ in range(rng.choice((1, 3, 100)))],
        lambda: [rng.choice(PROBES)] * rng.choice((1, 61)),
        lambda: {rng.choice(PROBES): rng.choice(NUMBERS)},
        lambda: deep(rng.choice((3, 30, 900)), rng.choice((list, dict))),
        lambda: [{"a": rng.choice(PROBES)}, None, [1]],
    )
    return rng.choice(makers)()


def places(value: object, found: list | None = None) -> list:
    """Every (container, key) of a config."""
    found = [] if found is None else found
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.append((value, key))
        if len(found) < 400:
            places(inner, found)
    return found


def drop(rng, container, key):
    """A key or an entry goes missing."""
    del container[key]


def swap(rng, container, key):
    """A value of another type."""
    container[key] = anything(rng)


def number(rng, container, key):
    """A number turned, grown or replaced."""
    value = container[key]
    if isinstance(value, int | float) and not isinstance(value, bool):
        container[key] = rng.choice((-value, value * 1000, value + 1, value * 10**12, value / 3, rng.choice(NUMBERS)))
    else:
        container[key] = rng.choice(NUMBERS)


def stretch(rng, container, key):
    """A list of the wrong length."""
    value = container[key]
    if isinstance(value, list):
        container[key] = rng.choice((value[:1], value * 3, [*value, None], value[::-1], value * 200))
    else:
        container[key] = [value] * rng.choice((1, 5, 61, 5000))


def shout(rng, container, key):
    """Markup in a string or under a new key."""
    if isinstance(container[key], str):
        container[key] += rng.choice(PROBES)
    elif isinstance(container, dict):
        container[rng.choice(PROBES)] = rng.choice(PROBES)


def markup_everywhere(rng: random.Random, value: object) -> object:
    """Every string with markup behind it; half of the time the words that choose a family stay."""
    if isinstance(value, dict):
        kept = ("model_type", "architectures", "layer_types") if rng.random() < 0.5 else ()
        return {k: v if k in kept else markup_everywhere(rng, v) for k, v in value.items()} | {rng.choice(PROBES): 1}
    if isinstance(value, list):
        return [markup_everywhere(rng, inner) for inner in value]
    return value + rng.choice(PROBES) if isinstance(value, str) else value


def mutated(config: dict, seed: str) -> object:
    """The config with one to five things wrong with it."""
    rng = random.Random(seed)
    config = copy.deepcopy(config)
    if rng.random() < 0.02:
        return anything(rng)
    if rng.random() < 0.25:
        config = markup_everywhere(rng, config)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        found = places(config)
        if found:
            container, key = rng.choice(found)
            rng.choice((drop, swap, swap, number, number, stretch, shout))(rng, container, key)
    return config


# ---------------------------------------------------------------- two configs crossed: every value is one that exists

LISTS = ("layer_types", "layers_block_type", "mlp_layer_types", "block_types", "indexer_types")
FLAGS = ("use_parallel_residual", "parallel_attn", "use_mla", "tie_word_embeddings", "use_sliding_window", "use_bias",
         "attention_bias", "use_qk_norm", "attention_k_eq_v", "is_encoder_decoder", "use_cla", "alibi")  # fmt: skip


def text_of(config: dict) -> dict:
    """The part with the language model's keys."""
    inner = config.get("text_config")
    return inner if isinstance(inner, dict) and inner else config


def splice(rng, config, other):
    """Some keys of another model."""
    mine, theirs = text_of(config), text_of(other)
    names = [name for name in theirs if name not in ("model_type", "architectures")]
    for name in rng.sample(names, min(len(names), rng.choice((3, 10, 30)))):
        mine[name] = theirs[name]


def rename(rng, config, other):
    """Another family's model_type, with or without its class."""
    mine, theirs = text_of(config), text_of(other)
    mine["model_type"] = theirs.get("model_type", "")
    for part in (mine, config):
        part.pop("architectures", None)
    if rng.random() < 0.5:
        mine["architectures"] = other.get("architectures", [])


def words(rng, config, other):
    """Layer words of any family, one per layer."""
    mine = text_of(config)
    depth = mine.get("num_hidden_layers")
    chosen = rng.sample([*WORDS, "dense", "sparse", "hash_moe", "warp"], rng.choice((1, 2, 5)))
    if isinstance(depth, int):
        mine[rng.choice(LISTS)] = [rng.choice(chosen) for _ in range(depth)]


def cut(rng, config, other):
    """A list that is shorter, longer or the other way round."""
    mine = text_of(config)
    lists = [name for name, value in mine.items() if isinstance(value, list) and value]
    if lists:
        name = rng.choice(lists)
        value = mine[name]
        mine[name] = rng.choice((value[:1], value[:-1], value * 2, value[::-1], [*value, value[0]]))


def graft(rng, config, other):
    """A whole part of another config, at the top or beside the language model's keys."""
    parts = [name for name, value in other.items() if isinstance(value, dict)]
    if parts:
        rng.choice((config, text_of(config)))[rng.choice(parts)] = other[rng.choice(parts)]


def flip(rng, config, other):
    """A switch that changes the shape of a layer."""
    text_of(config)[rng.choice(FLAGS)] = rng.random() < 0.5


def odd(rng, config, other):
    """Counts that do not divide each other: heads, groups, widths off by one or prime."""
    mine = text_of(config)
    counts = [name for name, value in mine.items() if type(value) is int and value > 1]
    for name in rng.sample(counts, min(len(counts), rng.choice((1, 2, 4)))):
        mine[name] = rng.choice((mine[name] + 1, mine[name] - 1, 3, 7, 61, 997))


BITS = (".*", "*", "\\w?", "[\\w.]{0,60}", "(a|b|mlp)", "model.layers.", "gate", "(?:x|y)+", "\\", "(", "re:", "{", "|")
KEYS = ("ignore", "exclude_modules", "modules_to_not_convert")


def patterns(rng, config, other):
    """Names of modules that a quantizer leaves alone, as no tool writes them."""
    words = ["".join(rng.choices(BITS, k=rng.choice((1, 4, 12)))) for _ in range(rng.choice((1, 9, 400)))]
    method = rng.choice(({"quant_method": "fp8"}, {"quant_method": "compressed-tensors"}, {"quant_algo": "NVFP4"}))
    said = config.get("quantization_config")
    ignored = [rng.choice(("re:", "", "*")) + word for word in words]
    config["quantization_config"] = {**method, **(said if isinstance(said, dict) else {}), rng.choice(KEYS): ignored}


def crossed(config: dict, other: dict, seed: str) -> dict:
    """A config with one to four things of another family."""
    rng = random.Random(seed)
    config, other = copy.deepcopy(config), copy.deepcopy(other)
    for step in rng.sample((splice, rename, words, cut, graft, flip, odd, patterns), rng.choice((1, 1, 2, 3, 4))):
        step(rng, config, other)
    return config
