"""From every spelling of "which layer is what" to one word per layer: a small function per spelling, in a table.

Mixer words: full, sliding, chunked, sparse, linear, conv, cross, window, csa, hca, hybrid, none, and "mlp"/"moe" where
a layer has no mixer at all. Lists that are longer than the model (Step 3.5 counts its MTP
layers in) are cut to depth.
"""

from __future__ import annotations

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.spec import ConfigError

WORDS = {  # words met in files and in transformers 5.23 -> our word
    "full_attention": "full", "attention": "full", "full": "full", "global": "full", "global_attention": "full",
    "attn": "full", "sliding_attention": "sliding", "sliding": "sliding", "local": "sliding",
    "local_attention": "sliding", "window_attention": "sliding", "swa": "sliding", "sliding_window": "sliding",
    "chunked_attention": "chunked", "indexed_attention": "sparse", "deepseek_sparse_attention": "sparse",
    "qwen_sparse_attention": "sparse", "minimax_m3_sparse": "sparse", "sparse_attention": "sparse",
    "compressed_sparse_attention": "csa", "heavily_compressed_attention": "hca", "linear_attention": "linear",
    "linear": "linear", "gated_deltanet": "linear", "kda": "linear", "lightning": "linear", "mamba": "mamba",
    "mamba2": "mamba", "ssm": "mamba", "recurrent": "recurrent", "conv": "conv", "short_conv": "conv",
    "hybrid": "hybrid", "hybrid_sliding": "hybrid_sliding", "mlp": "mlp", "moe": "moe", "cross_attention": "cross",
}  # fmt: skip
LETTERS = {"M": "mamba", "E": "moe", "*": "full", "-": "mlp", "D": "linear", "G": "linear", "S": "sliding"}


def fit(name: str, words: list[str], depth: int, facts: Facts) -> list[str]:
    """The list cut to the depth of the model; a list that is too short cannot be guessed on."""
    if len(words) < depth:
        raise ConfigError(
            f"{facts.word_for(name)} has {len(words)} entries for num_hidden_layers {depth}; "
            "one entry per layer was looked for. Correct one of the two."
        )
    return words[:depth]


def translate(name: str, words: list, table: dict[str, str], facts: Facts) -> list[str]:
    """Each word of a list as one of ours; a word nobody knows stays, marked with a leading question mark."""
    out = []
    for word in words:
        if not isinstance(word, str):
            facts.refuse(name, word, "a list of layer words such as full_attention")
        out.append(table.get(word) or "?" + word[:40])
    return out


def depth_of(facts: Facts) -> int:
    """num_hidden_layers, or the length of the list of layers where a file leaves it out (Nemotron 3 Ultra)."""
    if not facts.has("num_hidden_layers"):
        for name in ("layers_block_type", "layer_types", "hybrid_override_pattern"):
            value = facts.raw(name)
            if isinstance(value, list | str) and value:
                return facts.check_integer("num_hidden_layers", len(value))
    return facts.need("num_hidden_layers")


# ---------------------------------------------------------------- mixers


def from_list(name: str):
    """layer_types and its likes: one word per layer."""

    def read(facts: Facts, depth: int) -> list[str]:
        return fit(name, translate(name, facts.items(name) or [], WORDS, facts), depth, facts)

    return read


def from_letters(facts: Facts, depth: int) -> list[str]:
    """Nemotron-H: M mamba, E experts, * attention, - MLP (a bar only separates pipeline stages)."""
    raw = facts.word("hybrid_override_pattern").replace("|", "")
    return fit("hybrid_override_pattern", translate("hybrid_override_pattern", list(raw), LETTERS, facts), depth, facts)


def from_bits(name: str, one: str, zero: str):
    """A 0/1 list."""

    def read(facts: Facts, depth: int) -> list[str]:
        return fit(name, [one if bit else zero for bit in facts.integers(name) or ()], depth, facts)

    return read


def from_indices(name: str, inside: str, outside: str, base: int = 0):
    """A list of layer numbers, counted from `base`."""

    def read(facts: Facts, depth: int) -> list[str]:
        chosen = {index - base for index in facts.integers(name) or ()}
        return [inside if index in chosen else outside for index in range(depth)]

    return read


def from_interval(name: str, last: str, others: str):
    """Every n-th layer, counted from one."""

    def read(facts: Facts, depth: int) -> list[str] | None:
        step = facts.integer(name)
        return [last if step and (index + 1) % step == 0 else others for index in range(depth)]

    return read


def from_period(facts: Facts, depth: int) -> list[str]:
    """Jamba: attention where index % period == offset."""
    period, offset = facts.integer("attn_layer_period") or 1, facts.integer("attn_layer_offset") or 0
    return ["full" if index % period == offset else "mamba" for index in range(depth)]


def from_group(facts: Facts, depth: int) -> list[str]:
    """Ling 2.5: the last layer of each group of n, and whatever is left over at the end, has full attention."""
    size = facts.integer("layer_group_size") or 1
    whole = depth // size * size
    return ["full" if (index + 1) % size == 0 or index >= whole else "linear" for index in range(depth)]


def from_pattern(facts: Facts, depth: int) -> list[str] | None:
    """sliding_window_pattern: every n-th layer is full (Gemma 3, Cohere 2), or letters L and G (EXAONE 4)."""
    pattern = facts.raw("sliding_window_pattern")
    if isinstance(pattern, str):
        letters = pattern[:1000] or "G"
        return ["sliding" if letters[index % len(letters)] in "Ll" else "full" for index in range(depth)]
    step = facts.check_integer("sliding_window_pattern", pattern)
    return ["full" if step and (index + 1) % step == 0 else "sliding" for index in range(depth)]


def from_ratios(facts: Facts, depth: int) -> list[str]:
    """DeepSeek V4: tokens per cache entry; 0 = window only, up to 16 = indexed entries, more = all entries read."""
    ratios = facts.integers("compress_ratios") or []
    words = ["window" if ratio <= 0 else "csa" if ratio <= 16 else "hca" for ratio in ratios]
    return fit("compress_ratios", words, depth, facts)


def from_cycle(facts: Facts, depth: int) -> list[str]:
    """RecurrentGemma: a short pattern that repeats."""
    words = translate("block_types", facts.items("block_types") or [], WORDS | {"attention": "sliding"}, facts) or [
        "full"
    ]
    return [words[index % len(words)] for index in range(depth)]


MIXERS = (  # the first key that the config has decides
    ("layer_types", from_list("layer_types")),
    ("layers_block_type", from_list("layers_block_type")),
    ("hybrid_override_pattern", from_letters),
    ("compress_ratios", from_ratios),
    ("attn_type_list", from_bits("attn_type_list", "full", "linear")),
    ("hybrid_layer_pattern", from_bits("hybrid_layer_pattern", "sliding", "full")),
    ("sparse_attention_freq", from_bits("sparse_attention_freq", "sparse", "full")),
    ("kda_layers", from_indices("kda_layers", "linear", "full", base=1)),
    ("full_attn_layers", from_indices("full_attn_layers", "full", "linear", base=1)),
    ("full_attn_idxs", from_indices("full_attn_idxs", "full", "conv")),
    ("attn_layer_indices", from_indices("attn_layer_indices", "full", "mamba")),
    ("attn_layer_period", from_period),
    ("layer_group_size", from_group),
    ("full_attention_interval", from_interval("full_attention_interval", "full", "linear")),
    ("global_attn_every_n_layers", from_interval("global_attn_every_n_layers", "full", "sliding")),
    ("sliding_window_pattern", from_pattern),
    ("attention_layers", from_list("attention_layers")),
    ("block_types", from_cycle),
    ("dense_attention_every_n_layers", from_interval("dense_attention_every_n_layers", "full", "sparse")),
)


def mixer_words(facts: Facts, depth: int) -> list[str] | None:
    """One word per layer, or None where the config has no pattern: then every layer is alike."""
    chosen = None
    for name, read in MIXERS:
        if chosen is None and facts.raw(name) is not None:
            chosen = read(facts, depth)
        elif facts.has(name):
            facts.settle(name)
    cross = facts.integers("cross_attention_layers")
    if cross:
        seen = set(cross)
        chosen = ["cross" if index in seen else word for index, word in enumerate(chosen or ["full"] * depth)]
    return chosen


def window_words(facts: Facts, depth: int) -> list[str]:
    """No pattern at all: a window, if one is on, covers every layer, or those from max_window_layers on (Qwen2)."""
    if not facts.integer("sliding_window"):
        return ["full"] * depth
    if facts.raw("use_sliding_window") is not None and not facts.flag("use_sliding_window"):
        return ["full"] * depth
    start = facts.integer("max_window_layers") if facts.flag("use_sliding_window") else 0
    return ["sliding" if index >= (start or 0) else "full" for index in range(depth)]


def fourth_words(facts: Facts, depth: int) -> list[str]:
    """The first layer and every fourth from it see everything (CWM, Granite with windows)."""
    return ["sliding" if index % 4 else "full" for index in range(depth)]


def rotary_flags(facts: Facts, depth: int) -> list[bool]:
    """Which layers have rotary position: no_rope_layers says 1 for "has it"; an interval says every n-th has not."""
    bits = facts.integers("no_rope_layers")
    step = facts.integer("no_rope_layer_interval")
    thetas = facts.numbers("layer_rope_theta")
    if bits:
        return [bool(bits[index]) if index < len(bits) else True for index in range(depth)]
    if thetas:
        return [bool(thetas[index]) if index < len(thetas) else True for index in range(depth)]
    if step:
        return [(index + 1) % step != 0 for index in range(depth)]
    return [True] * depth
