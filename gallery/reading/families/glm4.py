"""GLM-4-0414: GLM's layer with norms after each half too."""

from dataclasses import replace

from cutaway.gallery.reading.families.glm import FAMILY as GLM

FAMILY = replace(
    GLM,
    source="transformers 5.23.0, models/glm4",
    norms="sandwich",
    names=(
        *GLM.names,
        ("post_attention_layernorm", "post_self_attn_layernorm"),
        ("pre_feedforward_layernorm", "post_attention_layernorm"),
        ("post_feedforward_layernorm", "post_mlp_layernorm"),
    ),
)
