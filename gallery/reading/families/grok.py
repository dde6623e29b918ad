"""Grok-1 and Grok-2 (whose model_type is "git"): norms around each half; Grok-2 runs a dense MLP beside its experts."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation, dense_width, moe
from cutaway.gallery.spec import Combined, Dense


def prepare(r: Reading) -> None:
    """What Grok-2's file also says, and the picture does not."""
    if r.facts.raw("attn_temperature_len"):
        r.not_understood.append("Scores grow with the position beyond a length, which is not drawn.")
    factor = r.facts.number("stretched_by")
    if factor and r.facts.text.get("rope_type") == "original":  # sglang, models/grok.py; llama.cpp, conversion/grok.py
        r.notes.append(
            f"rope_type is original: SGLang uses only the base, as drawn; llama.cpp reads it as YaRN and "
            f"stretches {factor:g} times."
        )


def mlp(r: Reading, index: int, word: str) -> object:
    """residual_moe: experts beside a dense MLP of intermediate_size."""
    if word != "moe":
        return Dense(dense_width(r, index), True, activation(r))
    experts = moe(r, index)
    if not r.facts.flag("residual_moe"):
        return experts
    dense = Dense(r.facts.width_at("intermediate_size", index), True, activation(r))
    return Combined((dense, experts), "parallel", 0.5**0.5)


FAMILY = Family(
    source="sglang, models/grok.py; hand formula of the oracle",
    defaults={
        "hidden_act": "gelu_pytorch_tanh",
        "norm_eps": 1e-5,
        "attn_logit_softcapping": 30.0,
        "final_logit_softcapping": 50.0,
        "moe_router_logit_softcapping": 30.0,
        "logit_scale": 0.5,
        "rope_theta": 208_533_496.0,
    },
    spellings={
        "embedding_multiplier_scale": "embedding_multiplier",
        "output_multiplier_scale": "logit_scale",
        "router_logit_softcapping": "moe_router_logit_softcapping",
        "attn_temperature_len": "attn_temperature_len",
        "scaling_factor": "stretched_by",
    },
    embedding_root=True,
    prepare=prepare,
    norms="sandwich",
    mlp=mlp,
    names=(
        ("residual_mlp", "mlp"),
        ("mlp.gate", "block_sparse_moe.gate"),
        ("mlp.experts.{expert}.gate_proj", "block_sparse_moe.experts.{expert}.w1"),
        ("mlp.experts.{expert}.down_proj", "block_sparse_moe.experts.{expert}.w2"),
        ("mlp.experts.{expert}.up_proj", "block_sparse_moe.experts.{expert}.w3"),
        ("input_layernorm", "pre_attn_norm"),
        ("post_attention_layernorm", "post_attn_norm"),
        ("pre_feedforward_layernorm", "pre_moe_norm"),
        ("post_feedforward_layernorm", "post_moe_norm"),
    ),
)
