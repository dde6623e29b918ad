"""GPT (the first): GPT-2's layer with its norms after each sum, in the stream itself, and none at the end."""

from dataclasses import replace

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.reading.families.gpt2 import FAMILY as GPT2
from cutaway.gallery.reading.openings import learned_positions
from cutaway.gallery.reading.reading import Reading


def opening(r: Reading) -> Graph:
    """One learned vector per position."""
    g, rows = Wires(), r.facts.need("max_position_embeddings", 512)
    return g.graph(learned_positions(g, "x", "positions_embed", rows, r.hidden_size))


FAMILY = replace(
    GPT2,
    source="transformers 5.23.0, models/openai",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu"},
    spellings={"afn": "hidden_act"},
    acts={"gelu": "gelu_new"},
    norms="after",
    final_norm="",
    opening=opening,
    names=(
        *(rule for rule in GPT2.names if not rule[0].startswith("model")),
        ("model.embed_tokens", "transformer.tokens_embed"),
        ("model.positions_embed", "transformer.positions_embed"),
        ("model.layers", "transformer.h"),
    ),
)
