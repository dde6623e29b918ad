"""LFM3: longer convolutions, windowed and full attention between them, a gate per head, norms after each half too."""

from cutaway.gallery.reading.attention import Reading, norm
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import dense_width
from cutaway.gallery.spec import Dense, Norm


def words(facts: Facts, depth: int) -> list[str]:
    """Full attention in every fourth layer from the third on, windowed in every fourth from the fifth on."""
    places = {2: "full", 0: "sliding"}
    return [places.get(index % 4, "conv") if index else "conv" for index in range(depth)]


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """use_sandwich_norm: after each half as well."""
    names = {"mixer_in": "operator_norm", "mixer_out": "post_operator_norm", "mlp_in": "ffn_norm",
             "mlp_out": "post_ffn_norm"}  # fmt: skip
    both = r.facts.flag("use_sandwich_norm", True)
    return tuple(norm(r, place, name) for place, name in names.items() if both or place.endswith("_in"))


def mlp(r: Reading, index: int, word: str) -> Dense:
    """Always SiLU, never a bias."""
    return Dense(dense_width(r, index))


def prepare(r: Reading) -> None:
    """Asked where no layer attends too."""
    r.facts.settle("use_attention_gate", "use_sandwich_norm")


FAMILY = Family(
    source="transformers 5.23.0, models/lfm3",
    windowed=True,
    defaults={"norm_eps": 1e-5},
    gate="headwise",
    final_norm="embedding_norm",
    qk_norm="head",
    words=words,
    norms_of=norms,
    mlp=mlp,
    prepare=prepare,
    names=(
        ("mlp.gate_proj", "feed_forward.w1"),
        ("mlp.up_proj", "feed_forward.w3"),
        ("mlp.down_proj", "feed_forward.w2"),
    ),
)
