"""Nemotron-NAS (Puzzle): block_configs spells every layer out; halves may be missing or replaced by one matrix."""

from collections.abc import Mapping

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation
from cutaway.gallery.reading.reading import norm
from cutaway.gallery.spec import Dense, LinearMixer, Norm


def blocks(r: Reading) -> list:
    """block_configs: one dict per layer."""
    return r.facts.items("block_configs") or [{}] * r.depth


def half(r: Reading, index: int, name: str) -> Mapping:
    """attention or ffn of one block."""
    value = blocks(r)[index].get(name)
    return value if isinstance(value, Mapping) else {}


def prepare(r: Reading) -> None:
    """The blocks are checked; then layers without attention or without an MLP."""
    found = blocks(r)
    if len(found) < r.depth or not all(isinstance(block, Mapping) for block in found):
        r.facts.refuse("block_configs", found, f"a list of {r.depth} dicts, one per layer")
    r.words = ["none" if half(r, index, "attention").get("no_op") else "block" for index in range(r.depth)]
    r.mlp_words = ["none" if half(r, index, "ffn").get("no_op") else "dense" for index in range(r.depth)]


def block(r: Reading, index: int) -> object:
    """n_heads_in_group query heads share one KV head."""
    own = half(r, index, "attention")
    if own.get("replace_with_linear"):
        return LinearMixer()
    heads, group = r.facts.need("num_attention_heads"), own.get("n_heads_in_group")
    if group is None:
        return attention(r, index)
    group = r.facts.check_integer("num_attention_heads", group)
    return attention(r, index, num_key_value_heads=max(heads // group, 1))


def mlp(r: Reading, index: int, word: str) -> object:
    """Width: ffn_mult x 2/3 x hidden_size, rounded up to 256."""
    if word == "none":
        return None
    own, h = half(r, index, "ffn"), r.hidden_size
    if own.get("replace_with_linear"):
        return Dense(h, False, "none")
    mult = own.get("ffn_mult")
    if mult is None:
        return Dense(r.facts.per_layer("intermediate_size", index) or 4 * h, True, activation(r))
    if isinstance(mult, bool) or not isinstance(mult, int | float) or not 0 < mult < 1000:
        r.facts.refuse("block_configs", mult, "a number from 0 to 1,000 for ffn_mult")
    width = int(2 * mult * h / 3)
    return Dense(width if width % 256 == 0 else width + 256 - width % 256, True, activation(r))


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """A half that is missing has no norm."""
    places: tuple[str, ...] = ("mixer_in",) if word != "none" else ()
    places += ("mlp_in",) if r.mlp_words[index] != "none" else ()
    return tuple(norm(r, place) for place in places)


FAMILY = Family(
    source="nvidia/Llama-3_3-Nemotron-Super-49B-v1, modeling_decilm.py; total checked against the published one",
    prepare=prepare,
    mixers={"block": block},
    mlp=mlp,
    norms_of=norms,
)
