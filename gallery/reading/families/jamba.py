"""Jamba: Mamba-1 with norms inside, every eighth layer attention without position, every other MLP experts."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.families.bamba import HYBRID_NAMES
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import normal
from cutaway.gallery.reading.recurrent import mamba1


def mamba(r: Reading, index: int) -> object:
    """Norms on the step size, B and C."""
    return replace(mamba1(r, index), inner_norms=True, inner_normal=normal(r))


EXPERT = "feed_forward.experts.{expert}"
FAMILY = Family(
    source="transformers 5.23.0, models/jamba",
    final_norm="final_layernorm",
    position="nope",
    norm_topk=False,
    mixers={"mamba": mamba, "linear": mamba},
    names=(("mlp.gate", "mlp.router"), *HYBRID_NAMES),
    state_names=(
        (f"{EXPERT}.gate_proj.weight + {EXPERT}.up_proj.weight", "feed_forward.experts.gate_up_proj"),
        (f"{EXPERT}.down_proj.weight", "feed_forward.experts.down_proj"),
    ),
)
