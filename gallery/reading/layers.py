"""A Reading -> its layers: words for every layer first, then each distinct kind built once and shared."""

from __future__ import annotations

from gallery.reading import attention as mixers
from gallery.reading import layer_words as kinds
from gallery.reading import mlp_words as placement
from gallery.reading import mlps
from gallery.reading import recurrent as mixers_recurrent
from gallery.reading.attention import Reading
from gallery.reading.facts import Facts
from gallery.spec import Layer, Norm


def build_layers(r: Reading) -> tuple[Layer, ...]:
    """One Layer per layer, equal kinds sharing their parts."""
    facts, family, depth = r.facts, r.family, r.depth
    if family.prepare:
        family.prepare(r)
    r.words = r.words or mixer_words(r)
    r.mlp_words = r.mlp_words or placement.mlp_words(facts, depth)
    r.rotary = kinds.rotary_flags(facts, depth)
    shared = facts.integer("num_kv_shared_layers") or 0
    if shared:
        r.shared_from = max(depth - shared, 0)
    mixer_memo: dict = {}
    mlp_memo: dict = {}
    norm_memo: dict = {}
    extra_memo: dict = {}
    parallel = facts.flag("use_parallel_residual", family.parallel)
    return tuple(
        Layer(
            index,
            share(mixer_memo, build_mixer(r, index)),
            share(mlp_memo, build_mlp(r, index)),
            share(norm_memo, build_norms(r, index)),
            parallel,
            share(extra_memo, family.extras(r, index) if family.extras else ()),
        )
        for index in range(depth)
    )


def share(memo: dict, value: object) -> object:
    """The first object equal to this one."""
    return memo.setdefault(value, value)


def mixer_words(r: Reading) -> list[str]:
    """Mixer words from the config, from the family, or the same for every layer."""
    facts, family, depth = r.facts, r.family, r.depth
    words = kinds.mixer_words(facts, depth)
    if words is None and family.words:
        words = family.words(facts, depth)
    if words is None and family.every_layer:
        words = [family.every_layer] * depth
    if words is None:
        words = kinds.window_words(facts, depth)
    elif "sliding" in words and not window_is_on(facts):
        words = ["full" if word == "sliding" else word for word in words]
    return words


def window_is_on(facts: Facts) -> bool:
    """A window needs a size; use_sliding_window may switch it off (Mellum's layer_types say sliding without one)."""
    if not facts.integer("sliding_window"):
        return False
    return facts.flag("use_sliding_window", True)


def build_mixer(r: Reading, index: int) -> object | None:
    """The mixer of one layer; layers whose word and per-layer facts agree share one object."""
    word, facts = r.words[index], r.facts
    if word in ("mlp", "moe", "none"):
        return None
    key = (word, r.rotary[index], r.shared_from <= index, per_layer_key(r, index))
    if key not in r.memo:
        r.memo[key] = make_mixer(r, index, word)
    built = r.memo[key]
    del facts
    return built


def per_layer_key(r: Reading, index: int) -> tuple:
    """Per-layer lists that make two layers with the same word differ."""
    if "lists" not in r.memo:
        names = ("num_attention_heads_per_layer", "num_kv_heads_per_layer", "compress_ratios", "indexer_types")
        lists = [r.facts.raw(name) for name in names]
        lists = [values for values in lists if isinstance(values, list)]
        step = r.facts.integer("index_topk_freq") or 0
        r.memo["lists"] = (lists, step > 1 or bool(r.family.mixers) or r.words[0] == "block")
    lists, always = r.memo["lists"]
    return tuple(str(values[index]) if index < len(values) else "" for values in lists) + ((index,) if always else ())


def make_mixer(r: Reading, index: int, word: str) -> object:
    """The builder for a word: the family's own, then what the keys say."""
    own = r.family.mixers.get(word)
    if own:
        return own(r, index)
    if word in ("window", "csa", "hca"):
        return mixers.compressed(r, index, word)
    if word in ("full", "sparse", "sliding", "chunked") and (r.facts.integer("kv_lora_rank") or 0) and use_mla(r):
        return mixers.latent(r, index, word)
    if word in ("full", "sliding", "chunked", "sparse"):
        return mixers.attention(r, index, word)
    if word == "cross":
        return mixers.attention(r, index, "full", cross=True)
    state = mixers_recurrent
    builder = {"linear": state.linear, "mamba": state.linear, "conv": state.short_conv}.get(word, mixers.unknown)
    return builder(r, index, word)


def use_mla(r: Reading) -> bool:
    """use_mla: false leaves MLA's keys as noise (Hunyuan)."""
    return r.facts.flag("use_mla", True)


def build_mlp(r: Reading, index: int) -> object | None:
    """The MLP of one layer."""
    word = r.words[index]
    mlp = {"moe": "moe", "mlp": "dense"}.get(word) or ("none" if single_half(r) else r.mlp_words[index])
    lists = [r.facts.raw(name) for name in ("intermediate_size", "moe_intermediate_size", "num_experts_per_tok")]
    varies = index if r.family.mlp or any(isinstance(value, list) for value in lists) else 0
    hashed = index < (r.facts.integer("num_hash_layers") or 0)
    key = ("mlp", mlp, varies, hashed)
    if key not in r.memo:
        r.memo[key] = mlps.build(r, index, mlp)
    return r.memo[key]


def single_half(r: Reading) -> bool:
    """A model whose layers are one mixer or one MLP each (Nemotron-H, pure Mamba)."""
    if "single" not in r.memo:
        r.memo["single"] = r.family.norms == "single_half" or bool({"mlp", "moe"} & set(r.words))
    return r.memo["single"]


NORM_PLACES = {
    "pre": ("mixer_in", "mlp_in"),
    "sandwich": ("mixer_in", "mixer_out", "mlp_in", "mlp_out"),
    "post": ("mixer_out", "mlp_out"),
    "single": ("mixer_in",),
    "single_half": ("mixer_in",),
    "none": (),
}


def build_norms(r: Reading, index: int) -> tuple[Norm, ...]:
    """The norms of one layer."""
    family = r.family
    if family.norms_of:
        return family.norms_of(r, index, r.words[index])
    if "norms" not in r.memo:
        style = "single" if single_half(r) else family.norms
        r.memo["norms"] = tuple(mixers.norm(r, place) for place in NORM_PLACES[style])
    return r.memo["norms"]
