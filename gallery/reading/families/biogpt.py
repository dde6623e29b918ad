"""BioGPT: learned positions with an offset of two, LayerNorm and biases everywhere, embeddings times √hidden_size."""

from dataclasses import replace

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.reading.families.xglm import FAMILY as XGLM
from cutaway.gallery.reading.openings import learned_positions
from cutaway.gallery.reading.reading import Reading


def opening(r: Reading) -> Graph:
    """The table has two rows more than it says."""
    g, rows = Wires(), r.facts.need("max_position_embeddings", 1024) + 2
    return g.graph(learned_positions(g, "x", "embed_positions", rows, r.hidden_size, offset=2))


FAMILY = replace(
    XGLM,
    source="transformers 5.23.0, models/biogpt",
    spellings={},
    opening=opening,
    names=(*XGLM.names, ("lm_head", "output_projection"), ("model", "biogpt")),
)
