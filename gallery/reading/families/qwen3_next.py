"""Qwen3-Next: Gated DeltaNet with fused projections, gated attention, a shared expert behind a gate."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.families.qwen3_5 import mtp
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.recurrent import gated_delta


def delta(r: Reading, index: int) -> object:
    """Its projections are fused: in_proj_qkvz and in_proj_ba."""
    return gated_delta(r, index, fused=True)


FAMILY = Family(
    source="transformers 5.23.0, models/qwen3_next; the MTP layer ships without a key (SHAPES.md)",
    defaults={"full_attention_interval": 4, "partial_rotary_factor": 0.25, "num_nextn_predict_layers": 1},
    norm_plus_one=True,
    qk_norm="head",
    gate="elementwise",
    shared_gate=True,
    mixers={"linear": delta},
    mtp=mtp,
    names=(("mlp.shared_experts", "mlp.shared_expert"),),
)
