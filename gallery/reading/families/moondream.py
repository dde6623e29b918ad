"""Moondream 2: Phi-1.5's layer behind a SigLIP tower; its config states nothing, the code holds the sizes."""

from dataclasses import replace

from cutaway.gallery.reading.families.phi import FAMILY as PHI

SIZES = {"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 24, "num_attention_heads": 32,
         "num_key_value_heads": 32, "vocab_size": 51200, "max_position_embeddings": 2048}  # fmt: skip
FAMILY = replace(
    PHI,
    source="vikhyatk/moondream2, config.py and text.py; recalled",
    defaults={**PHI.defaults, **SIZES},
    spellings={"config": "config"},
    prepare=lambda r: r.facts.settle("config"),
)
