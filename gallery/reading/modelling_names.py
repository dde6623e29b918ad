"""MODELLING: how the checkpoint's tensors appear in the transformers modelling code (5.23.0), where the two differ.

Rules are those of naming.py, run on names inside a layer after the family's own. A row applies to specs with one of its
model_types; "*" applies to all. A family's own `state_names` run after them.
"""

from __future__ import annotations

from functools import cache

from gallery.reading.families.deepseek_v4 import NAMES as V4_NAMES

EXPERTS = (
    ("mlp.experts.{expert}.gate_proj.weight + mlp.experts.{expert}.up_proj.weight", "mlp.experts.gate_up_proj"),
    ("mlp.experts.{expert}.down_proj.weight", "mlp.experts.down_proj"),
)
MIXTRAL = (
    ("block_sparse_moe.gate", "mlp.gate"),
    ("block_sparse_moe.experts", "mlp.experts"),
    ("mlp.experts.{expert}.w1.weight + mlp.experts.{expert}.w3.weight", "mlp.experts.gate_up_proj"),
    ("mlp.experts.{expert}.w2.weight", "mlp.experts.down_proj"),
)
DEEPSEEK_V4 = (
    *(
        (theirs, ours)
        for ours, theirs in V4_NAMES
        if not ours.startswith(("model", "lm_head")) and "{expert}" not in ours
    ),
    ("ffn.experts.{expert}.w1.weight + ffn.experts.{expert}.w3.weight", "mlp.experts.gate_up_proj"),
    ("ffn.experts.{expert}.w2.weight", "mlp.experts.down_proj"),
)
MODELLING: tuple[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], ...] = (
    (("*",), EXPERTS),
    (
        ("jamba",),
        (
            (
                "feed_forward.experts.{expert}.gate_proj.weight + feed_forward.experts.{expert}.up_proj.weight",
                "feed_forward.experts.gate_up_proj",
            ),
            ("feed_forward.experts.{expert}.down_proj.weight", "feed_forward.experts.down_proj"),
        ),
    ),
    (
        ("nemotron_h",),
        (
            ("mixer.experts.{expert}.up_proj.weight", "mixer.experts.up_proj"),
            ("mixer.experts.{expert}.down_proj.weight", "mixer.experts.down_proj"),
        ),
    ),
    (
        ("granitemoe", "granitemoeshared", "granitemoehybrid"),
        (
            ("block_sparse_moe.router.layer", "block_sparse_moe.router"),
            ("block_sparse_moe.input_linear.weight", "block_sparse_moe.experts.gate_up_proj"),
            ("block_sparse_moe.output_linear.weight", "block_sparse_moe.experts.down_proj"),
        ),
    ),
    (("longcat_flash",), (("mlp.router.classifier", "mlp.router.classifier"),)),
    (
        ("laguna",),
        (
            ("mlp.experts.e_score_correction_bias", "mlp.gate.e_score_correction_bias"),
            ("mlp.shared_expert", "mlp.shared_experts"),
        ),
    ),
    (("mimo_v2_flash",), (("self_attn.attention_sink_bias", "self_attn.sinks"),)),
    (("ernie4_5_moe",), (("mlp.moe_statics", "mlp.gate.moe_statics"),)),
    (("hy_v3",), (("mlp.router.gate", "mlp.gate"), ("mlp.shared_mlp", "mlp.shared_experts"))),
    (
        ("lfm2_moe",),
        (
            (
                "feed_forward.experts.{expert}.w1.weight + feed_forward.experts.{expert}.w3.weight",
                "feed_forward.experts.gate_up_proj",
            ),
            ("feed_forward.experts.{expert}.w2.weight", "feed_forward.experts.down_proj"),
        ),
    ),
    (
        ("kimi_linear",),
        (
            ("self_attn.q_conv1d + self_attn.k_conv1d + self_attn.v_conv1d", "self_attn.conv1d"),
            ("self_attn.f_a_proj", "self_attn.forget_gate.f_a_proj"),
            ("self_attn.f_b_proj", "self_attn.forget_gate.f_b_proj"),
            ("self_attn.dt_bias", "self_attn.forget_gate.dt_bias"),
            ("self_attn.A_log", "self_attn.forget_gate.A_log"),
            ("block_sparse_moe.gate", "mlp.gate"),
            ("block_sparse_moe.shared_experts", "mlp.shared_experts"),
            *MIXTRAL[1:],
        ),
    ),
    (
        ("minimax_m3_vl", "minimax_m3"),
        (
            ("self_attn.index_q_proj", "self_attn.indexer.q_proj"),
            ("self_attn.index_k_proj", "self_attn.indexer.k_proj"),
            ("self_attn.index_q_norm", "self_attn.indexer.q_norm"),
            ("self_attn.index_k_norm", "self_attn.indexer.k_norm"),
            (
                "block_sparse_moe.shared_experts.gate_proj + block_sparse_moe.shared_experts.up_proj",
                "mlp.shared_experts.gate_up_proj",
            ),
            ("block_sparse_moe.shared_experts", "mlp.shared_experts"),
            ("mlp.gate_proj + mlp.up_proj", "mlp.gate_up_proj"),
            *MIXTRAL,
        ),
    ),
    (
        ("step3p5", "step3p7", "step3p7_text"),
        (
            ("moe.gate_proj.weight + moe.up_proj.weight", "mlp.experts.gate_up_proj"),
            ("moe.down_proj.weight", "mlp.experts.down_proj"),
            ("moe.gate", "mlp.gate"),
            ("share_expert", "mlp.shared_experts"),
        ),
    ),
    (("deepseek_v4", "deepseek_ref"), DEEPSEEK_V4),
    (("mixtral", "minimax", "minimax_m1", "minimax_m2", "phimoe"), MIXTRAL),
)


@cache
def modelling_rules(model_type: str) -> tuple[tuple[str, ...], ...]:
    """The rules for one model_type."""
    return tuple(rule for types, rows in MODELLING for rule in rows if "*" in types or model_type in types)
