"""MiMo-V2: windowed layers with heads, sizes and sinks of their own; unequal K and V."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/mimo_v2_flash",
    defaults={"add_swa_attention_sink_bias": True, "swa_num_key_value_heads": 8},
    o_bias=False,
    router_buffer="mlp.gate.e_score_correction_bias",
    names=(("self_attn.sinks", "self_attn.attention_sink_bias"),),
    state_names=(("self_attn.attention_sink_bias", "self_attn.sinks"),),
)
