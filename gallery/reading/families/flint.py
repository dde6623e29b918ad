"""Flint: sinks, QK-norm per head, position only in windowed layers, a sigmoid router without a bias."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family


def full(r: Reading, index: int) -> object:
    """Full layers have no position."""
    return attention(r, index, rotary_dim=0, position="nope")


def words(facts: Facts, depth: int) -> list[str]:
    """The first two layers, every fourth and the last see everything."""
    return ["full" if i < 2 or i % 4 == 1 or i == depth - 1 else "sliding" for i in range(depth)]


def prepare(r: Reading) -> None:
    """The first two layers are dense where no key says otherwise."""
    r.facts.assume("mlp_only_layers", [0, 1])


FAMILY = Family(
    source="transformers 5.23.0, models/flint",
    windowed=True,
    defaults={"norm_topk_prob": True},
    qk_norm="head",
    sinks=True,
    words=words,
    prepare=prepare,
    mixers={"full": full},
    scoring="sigmoid",
    names=(("mlp.shared_experts", "mlp.shared_expert"),),
)
