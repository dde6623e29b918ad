"""GLM-Image: GLM-4-0414's layer, halves of a head rotated; its head knows image tokens alone."""

from dataclasses import replace

from cutaway.gallery.reading.families.glm4 import FAMILY as GLM4
from cutaway.gallery.reading.reading import Reading


def finish(r: Reading, fields: dict) -> dict:
    """The head has a row for each image token; the embedding has one for every token."""
    rows = r.facts.integer("vision_vocab_size", 16_512) or 0
    return {**fields, "embedding_rows": fields["vocab_size"], "vocab_size": rows or fields["vocab_size"]}


FAMILY = replace(
    GLM4,
    source="transformers 5.23.0, models/glm_image",
    defaults={"attention_bias": True},
    spellings={"vision_vocab_size": "vision_vocab_size"},
    rope_interleaved=False,
    finish=finish,
)
