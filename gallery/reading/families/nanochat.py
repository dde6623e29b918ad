"""nanochat: RMSNorm without weights, one more on the embedding, relu2 without a gate, pairs turned backwards."""

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.openings import normalised_embedding
from cutaway.gallery.reading.reading import Reading


def opening(r: Reading) -> Graph:
    """The final norm, which has no weight, stands on the embedding too."""
    g = Wires()
    return g.graph(normalised_embedding(g, r, "x", "norm"))


FAMILY = Family(
    source="transformers 5.23.0, models/nanochat",
    defaults={"hidden_act": "relu2"},
    norm_weight=False,
    qk_norm="unweighted",
    qk_norm_after_rope=True,
    rope_backwards=True,
    opening=opening,
    gated=False,
    names=(("mlp.up_proj", "mlp.fc1"), ("mlp.down_proj", "mlp.fc2")),
)
