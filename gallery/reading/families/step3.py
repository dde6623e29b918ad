"""Step 3: queries out of a shared latent (MFA) over one KV head, experts in all but the first layers and the last."""

from cutaway.gallery.reading.attention import attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading


def mixer(r: Reading, index: int) -> object:
    """Multi-matrix factorised attention: the latent is share_q_dim wide."""
    return attention(r, index, q_lora_rank=r.facts.need("share_q_dim"))


FAMILY = Family(
    source="stepfun-ai/step3, modeling_step3.py; recalled; its published total",
    spellings={"share_q_dim": "share_q_dim", "norm_expert_weight": "norm_topk_prob"},
    mixers={"full": mixer},
    names=(
        ("self_attn.q_a_proj", "self_attn.q_proj"),
        ("self_attn.q_a_layernorm", "self_attn.inter_norm"),
        ("self_attn.q_b_proj", "self_attn.wq"),
        ("mlp.gate", "moe.gate"),
        ("mlp.experts.{expert}.gate_proj", "moe.gate_proj"),
        ("mlp.experts.{expert}.up_proj", "moe.up_proj"),
        ("mlp.experts.{expert}.down_proj", "moe.down_proj"),
        ("mlp.shared_experts", "share_expert"),
    ),
    nested="model",
)
