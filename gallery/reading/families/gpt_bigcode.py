"""GPT-BigCode (SantaCoder, StarCoder): GPT-2 with one KV head, its matrices stored the usual way round."""

from dataclasses import replace

from gallery.reading.families.gpt2 import FAMILY as GPT2

FAMILY = replace(
    GPT2,
    source="transformers 5.23.0, models/gpt_bigcode",
    defaults={**GPT2.defaults, "multi_query": True, "hidden_act": "gelu_pytorch_tanh"},
    names=tuple((ours, theirs.removeprefix("T ")) for ours, theirs in GPT2.names),
)
