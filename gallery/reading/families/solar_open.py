"""Solar Open: DeepSeek's experts around plain attention."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/solar_open",
    o_bias=False,
    router_buffer="mlp.gate.e_score_correction_bias",
)
