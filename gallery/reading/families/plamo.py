"""PLaMo (the first): parallel halves behind one RMSNorm; n_shared_head query heads share keys and values."""

from cutaway.gallery.reading.attention import attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading


def mixer(r: Reading, index: int) -> object:
    """KV heads are the query heads over n_shared_head, rounded up."""
    heads, shared = r.facts.need("num_attention_heads"), r.facts.integer("n_shared_head", 8) or 1
    return attention(r, index, num_key_value_heads=-(-heads // shared))


FAMILY = Family(
    source="pfnet/plamo-13b, modeling_plamo.py; recalled",
    spellings={"n_shared_head": "n_shared_head"},
    norms="single",
    parallel=True,
    mixers={"full": mixer},
    names=(("input_layernorm", "norm"), ("model.layers", "model.layers.layers")),
)
