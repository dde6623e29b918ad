"""Solar Open: DeepSeek's experts around plain attention."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/solar_open",
    defaults={"norm_topk_prob": True, "rope_theta": 1_000_000.0},
    o_bias=False,
    mlp_bias=False,
    scoring="sigmoid",
    group_score="top2",
    norm_topk_eps=1e-20,
    router_buffer="mlp.gate.e_score_correction_bias",
)
