"""SmolLM3: Llama's layer; every fourth layer has no rotary position, and those alone a window, if one is on."""

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.layer_words import rotary_flags


def words(facts: Facts, depth: int) -> list[str]:
    """use_sliding_window switches the window on where nothing is rotated."""
    on = facts.flag("use_sliding_window") and bool(facts.integer("sliding_window"))
    return ["sliding" if on and not rotated else "full" for rotated in rotary_flags(facts, depth)]


FAMILY = Family(
    source="transformers 5.23.0, models/smollm3",
    windowed=True,
    defaults={"tie_word_embeddings": True, "no_rope_layer_interval": 4},
    words=words,
)
