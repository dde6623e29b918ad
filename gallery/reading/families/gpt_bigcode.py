"""GPT-BigCode (SantaCoder, StarCoder): GPT-2 with one KV head, its matrices stored the usual way round."""

from dataclasses import replace

from cutaway.gallery.reading.families.gpt2 import FAMILY as GPT2
from cutaway.gallery.reading.reading import Reading


def names(r: Reading) -> tuple[tuple[str, str], ...]:
    """With a KV head for each query head, query, key and value alternate head by head."""
    heads, many = r.facts.need("num_attention_heads"), not r.facts.flag("multi_query", True)
    usual = [(ours, theirs.removeprefix("T ")) for ours, theirs in GPT2.names]
    return ((usual[0][0], f"I{heads} {usual[0][1]}"), *usual[1:]) if many else tuple(usual)


FAMILY = replace(
    GPT2,
    source="transformers 5.23.0, models/gpt_bigcode",
    defaults={**GPT2.defaults, "multi_query": True, "hidden_act": "gelu_pytorch_tanh"},
    names=names,
)
