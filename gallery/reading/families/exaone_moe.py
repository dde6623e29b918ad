"""K-EXAONE: norms before each half, QK-norm per head, DeepSeek's experts; full layers beside windowed ones have no
position."""

from dataclasses import replace

from cutaway.gallery.reading.families.exaone4 import FAMILY as EXAONE4

FAMILY = replace(
    EXAONE4,
    source="transformers 5.23.0, models/exaone_moe",
    windowed=True,
    norms="pre",
    scoring="sigmoid",
    group_score="top2",
    norm_topk_eps=1e-20,
    router_buffer="mlp.gate.e_score_correction_bias",
    names=(("mlp.gate.e_score_correction_bias", "mlp.e_score_correction_bias"),),
    state_names=(("mlp.e_score_correction_bias", "mlp.gate.e_score_correction_bias"),),
)
