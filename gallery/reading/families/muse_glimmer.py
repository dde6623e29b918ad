"""Muse Glimmer: norms around each half, an unweighted QK-norm, a gate on attention as a matrix of its own."""

from dataclasses import replace

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading, normal


def words(facts: Facts, depth: int) -> list[str]:
    """Counted from the last layer, every fourth sees everything."""
    return ["sliding" if (depth - 1 - index) % 4 else "full" for index in range(depth)]


def prepare(r: Reading) -> None:
    """The same layers turn nothing, whatever layer_types say, where no list of bases does."""
    base = r.facts.number("rope_theta") or 500_000.0
    r.facts.assume("layer_rope_theta", [base if (r.depth - 1 - index) % 4 else 0.0 for index in range(r.depth)])


def opening(r: Reading) -> Graph:
    """A norm without a weight right on the embedding."""
    g = Wires()
    return g.graph(g.norm("embedding_norm", "x", 0, normal=normal(r)._replace(plus_one=False)))


def scale(r: Reading, size: int) -> float:
    """Queries are multiplied once more, after their norm."""
    return (r.facts.number("qk_scale_factor", 3.87) or 1.0) * size**-0.5


def finish(r: Reading, fields: dict) -> dict:
    """The final norm alone multiplies by its weight as it is stored."""
    return {**fields, "final_norm": replace(fields["final_norm"], plus_one=False)}


FAMILY = Family(
    source="transformers 5.23.0, models/muse_glimmer",
    windowed=True,
    words=words,
    prepare=prepare,
    norms="sandwich",
    qk_norm="unweighted",
    scale=scale,
    norm_plus_one=True,
    defaults={"post_norm_eps": 1e-8, "logit_scale": 26**-0.5, "final_logit_softcapping": 20.0},
    opening=opening,
    finish=finish,
    gate="separate",
    zoo="muse",
)
