"""GLM-4-9B in transformers' own layout: gate and up fused, biases on q, k and v where a key says so."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/glm",
    defaults={"partial_rotary_factor": 0.5},
    o_bias=False,
    rope_interleaved=True,
    names=(("mlp.gate_proj + mlp.up_proj", "mlp.gate_up_proj"),),
)
