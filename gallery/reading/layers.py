"""A Reading -> its layers: words for every layer first, then each distinct kind built once and shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutaway.gallery.reading import attention as mixers
from cutaway.gallery.reading import layer_words as kinds
from cutaway.gallery.reading import mlp_words as placement
from cutaway.gallery.reading import mlps
from cutaway.gallery.reading import recurrent as mixers_recurrent
from cutaway.gallery.reading.compressed import compressed_attention
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.reading.single_layers import readings, tell
from cutaway.gallery.residuals.hyper_connections import HyperConnections
from cutaway.gallery.residuals.shared_block import SharedBlock
from cutaway.gallery.spec import ConfigError, Extra, Layer, Norm, Plain


def build_layers(r: Reading) -> tuple[Layer, ...]:
    """One Layer per layer, equal kinds sharing their parts."""
    facts, family = r.facts, r.family
    if family.prepare:
        family.prepare(r)
    depth = r.depth  # a family may know it better than num_hidden_layers
    r.words = r.words or mixer_words(r)
    r.mlp_words = r.mlp_words or placement.mlp_words(facts, depth)
    r.rotary = kinds.rotary_flags(facts, depth)
    shared = facts.integer("num_kv_shared_layers") or 0
    if shared:
        r.shared_from = max(depth - shared, 0)
    parallel = facts.flag("use_parallel_residual", family.parallel)
    alone = readings(r)
    parts = (
        Shared(build_mixer, Reading.layer_key),
        Shared(build_mlp, mlp_key(r)),
        Shared(build_norms, lambda r, index: index if family.norms_of else r.words[index] in ("mlp", "moe")),
        Shared(build_extras, lambda r, index: index if family.extras else 0),
    )
    built = list(zip(*(part.column(r, depth, alone) for part in parts), strict=True))
    refuse_empty(r, built)
    refuse_motley(r, built)
    tell(alone)
    return tuple(Layer(i, mixer, mlp, norms, parallel, extras) for i, (mixer, mlp, norms, extras) in enumerate(built))


MOST_KINDS = 500  # each has a graph of its own; published models stay under 100 layers that differ


def refuse_motley(r: Reading, built: list[tuple]) -> None:
    """A model of which no two layers are alike takes long, and shows nothing."""
    if r.depth > MOST_KINDS and (kinds := len({tuple(map(id, parts)) for parts in built})) > MOST_KINDS:
        raise ConfigError(
            f"{r.facts.word_for('num_hidden_layers')} is {r.depth} and {kinds} layers differ from all others; at most "
            f"{MOST_KINDS} kinds of layers were looked for. Correct the lists that say what each layer is."
        )


def refuse_empty(r: Reading, built: list[tuple]) -> None:
    """A model whose layers do nothing: its words are another family's."""
    if all(mixer is None and mlp is None for mixer, mlp, *_ in built):
        raise ConfigError(
            f"Not one of the {r.depth} layers has a mixer or an MLP: their words were read as "
            f"{', '.join(dict.fromkeys(r.words))[:80]}, which are none of this family's. "
            "Correct the list of layers or the model_type."
        )


LONE = (Plain, HyperConnections, SharedBlock)  # schemes whose layers may have one half alone


def refuse_lone_halves(r: Reading, scheme: object, layers: tuple[Layer, ...]) -> None:
    """Most schemes need both halves in every layer."""
    lone = next((one.index for one in layers if one.mixer is None or one.mlp is None), None)
    if lone is not None and not isinstance(scheme, LONE):
        raise ConfigError(
            f"Layer {lone} was read as {r.words[lone]} alone, but this family's stream needs a mixer and an MLP in "
            "every layer. Correct the list of layers or the model_type."
        )


class Shared:
    """A builder of one part of a layer, called once for each key; equal results become one object."""

    def __init__(self, build: Callable, key: Callable) -> None:
        self.build, self.key = build, key
        self.by_key: dict = {}
        self.equal: dict = {}

    def column(self, r: Reading, depth: int, alone: Mapping[int, Reading]) -> list:
        """The part of every layer; `alone` are the readings of those with keys of their own."""
        key_of, by_key = self.key, self.by_key
        out = []
        for index in range(depth):
            key = (key_of(r, index), index if index in alone else -1)
            if key not in by_key:
                made = self.build(alone.get(index, r), index)
                by_key[key] = self.equal.setdefault(made, made)
            out.append(by_key[key])
        return out


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
    if "sliding" in words and not (window_is_on(facts) and class_has_window(r)):
        words = ["full" if word == "sliding" else word for word in words]
    elif "sliding" in words:
        r.window_hides = window_hides(r)
    return words


def window_is_on(facts: Facts) -> bool:
    """A window needs a size; use_sliding_window may switch it off (Mellum's layer_types say sliding without one)."""
    if not facts.integer("sliding_window"):
        return False
    return facts.flag("use_sliding_window", True)


def class_has_window(r: Reading) -> bool:
    """Whether the class reads the window that the file states; where it does not, the file is contradicted."""
    facts, family = r.facts, r.family
    if family.windowed and facts.text.get("model_type") not in family.windowless:
        return True
    r.contradict(
        "sliding_window",
        f"{facts.word_for('sliding_window')} = {facts.integer('sliding_window'):,} is not read by the class: "
        "its attention has no window, and every layer sees all tokens that are kept. (transformers' cache goes by the "
        "key all the same, and drops older ones.)",
    )
    return False


def window_hides(r: Reading) -> bool:
    """Whether the window is shorter than the text the model was made for: Phi-3's 262,144 of 131,072 tokens is not."""
    window, context = r.facts.integer("sliding_window") or 0, r.facts.integer("max_position_embeddings")
    if context is None or window < context:
        return True
    r.notes.append(
        f"A window of {window:,} tokens covers the whole context of {context:,}: it masks nothing, and the layers are "
        "drawn without it."
    )
    return False


def build_mixer(r: Reading, index: int) -> object | None:
    """The mixer of one layer: the family's own builder, then what the keys say."""
    word = r.words[index]
    if word in ("mlp", "moe", "none"):
        return None
    own = r.family.mixers.get(word)
    if own:
        return own(r, index)
    if word in ("window", "csa", "hca"):
        return compressed_attention(r, index, word)
    if word in ("full", "sparse", "sliding", "chunked") and use_mla(r) and r.facts.integer("kv_lora_rank"):
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
    on = r.facts.flag("use_mla", True)
    if not on:
        r.facts.settle("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim")
    return on


LONE_MLPS = {"moe": "moe", "mlp": "dense"}  # mixer words that say that the layer is an MLP alone


def mlp_word(r: Reading, index: int) -> str:
    """What stands in the other half of a layer."""
    own = LONE_MLPS.get(r.words[index])
    return own or ("none" if r.single_half else r.mlp_words[index])


def mlp_key(r: Reading) -> Callable:
    """What the MLP of a layer depends on."""
    lists = [r.facts.raw(name) for name in ("intermediate_size", "moe_intermediate_size", "num_experts_per_tok")]
    varies = bool(r.family.mlp) or any(isinstance(value, list) for value in lists)
    hashed = r.facts.items("mlp_layer_types") or r.facts.integer("num_hash_layers")
    return lambda r, index: (mlp_word(r, index), varies and index, mlps.table_rows(r, index) if hashed else 0)


def build_mlp(r: Reading, index: int) -> object | None:
    """The MLP of one layer."""
    return mlps.build(r, index, mlp_word(r, index))


NORM_PLACES = {
    "pre": ("mixer_in", "mlp_in"),
    "sandwich": ("mixer_in", "mixer_out", "mlp_in", "mlp_out"),
    "post": ("mixer_out", "mlp_out"),
    "after": ("mixer_after", "mlp_after"),
    "single": ("mixer_in",),
    "single_half": ("mixer_in",),
    "none": (),
}


def build_norms(r: Reading, index: int) -> tuple[Norm, ...]:
    """The norms of one layer."""
    if r.family.norms_of:
        return r.family.norms_of(r, index, r.words[index])
    if r.single_half and r.words[index] in ("mlp", "moe"):
        return (norm(r, "mlp_in", "input_layernorm"),)
    return tuple(norm(r, place) for place in NORM_PLACES["single" if r.single_half else r.family.norms])


def build_extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """What else the family puts into one layer."""
    return r.family.extras(r, index) if r.family.extras else ()
