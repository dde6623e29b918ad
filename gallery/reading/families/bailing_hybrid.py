"""Ling 3: Kimi Delta Attention with gated MLA at the end of each group, DeepSeek's experts.

Ling 2.5 carries the same model_type; its class name leads to bailing_moe_v2_5.py.
"""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, latent
from cutaway.gallery.reading.families.deepseek_v3 import FAMILY as V3
from cutaway.gallery.reading.mlps import activation
from cutaway.gallery.reading.recurrent import inner_normal, lower_bound
from cutaway.gallery.spec import KimiDelta, LatentAttention

GATES = {"head_wise": "headwise", "element_wise": "elementwise"}


def prepare(r: Reading) -> None:
    """Only a whole group ends with attention; Ling 2.5 has it in what is left over too."""
    if not r.facts.has("layer_types"):
        size = r.facts.integer("layer_group_size", 6) or 6
        r.words = ["linear" if (index + 1) % size else "full" for index in range(r.depth)]


def delta(r: Reading, index: int) -> KimiDelta:
    """As many heads as the attention; without the low rank, decay and gate are one full matrix each."""
    facts = r.facts
    full = facts.flag("no_kda_lora", True)
    kernel = facts.integer("kda_conv"), facts.integer("linear_conv_kernel_dim")
    return KimiDelta(
        num_heads=facts.integer("kda_num_heads") or facts.need("num_attention_heads"),
        head_dim=facts.integer("kda_head_dim") or facts.need("head_dim", 128),
        short_conv_kernel_size=kernel[1] or kernel[0] or 4,
        full_rank_gate=full,
        full_rank_decay=full,
        lower_bound=lower_bound(r),
        hidden_act=activation(r),
        normal=inner_normal(r),
    )


def gated_latent(r: Reading, index: int) -> LatentAttention:
    """MLA with a gate per head, per number, or (null) none."""
    facts, name = r.facts, "gated_attention_proj_granularity_type"
    word = facts.word(name) if facts.says(name) else "head_wise"
    if word and word not in GATES:
        facts.refuse(name, word, "head_wise, element_wise or null")
    return latent(r, index, gate=GATES.get(word, ""))


FAMILY = replace(
    V3,
    source="transformers 5.23.0, models/bailing_hybrid; inclusionAI/Ling-3.0-flash, modeling_bailing_moe_v3.py (names)",
    defaults={**V3.defaults, "kda_safe_gate": True, "kda_lower_bound": -5.0, "rope_theta": 6_000_000.0},
    unread={**V3.unread, "tie_word_embeddings": False},  # its _tied_weights_keys is empty
    scoring="sigmoid",
    group_score="top2",
    norm_topk_eps=1e-20,
    prepare=prepare,
    mixers={"linear": delta, "full": gated_latent},
    names=(
        ("self_attn.o_proj", "self_attn.dense", "self_attn.kv_b_proj.weight"),
        ("self_attn", "attention"),
        ("model.embed_tokens", "model.word_embeddings"),
    ),
    state_names=(
        ("model.word_embeddings", "model.embed_tokens"),
        ("attention", "self_attn"),
        ("self_attn.dense", "self_attn.o_proj"),
        ("self_attn.q_conv1d + self_attn.k_conv1d + self_attn.v_conv1d", "self_attn.conv1d"),
        *((f"self_attn.{name}", f"self_attn.forget_gate.{name}") for name in ("f_a_proj", "f_b_proj", "f_proj")),
        *((f"self_attn.{name}", f"self_attn.forget_gate.{name}") for name in ("dt_bias", "A_log")),
        ("mlp.gate.expert_bias", "mlp.gate.e_score_correction_bias"),
    ),
    router_buffer="mlp.gate.expert_bias",
)
