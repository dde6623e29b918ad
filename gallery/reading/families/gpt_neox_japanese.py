"""GPT-NeoX Japanese: GPT-NeoX's layer with one half after the other; one bias, behind the last layer's attention."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families.gpt_neox import names as neox_names
from cutaway.gallery.reading.family import Family


def full(r: Reading, index: int) -> object:
    """The last layer alone adds a bias to what attention returns."""
    return attention(r, index, bias=frozenset("o") if index == r.depth - 1 else frozenset())


def names(r: Reading) -> tuple[tuple[str, str], ...]:
    """GPT-NeoX's, under another prefix."""
    own = tuple((ours, theirs.replace("gpt_neox.", "gpt_neox_japanese.")) for ours, theirs in neox_names(r))
    return (("self_attn.o_proj.bias", "attention.dense_bias"), *own)


FAMILY = Family(
    source="transformers 5.23.0, models/gpt_neox_japanese",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu", "expansion_ratio": 4},
    spellings={"intermediate_multiple_size": "expansion_ratio"},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="final_layer_norm",
    mlp_bias=False,
    gated=False,
    mixers={"full": full},
    names=names,
)
