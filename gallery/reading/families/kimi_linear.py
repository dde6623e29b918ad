"""Kimi Linear and K3: Kimi Delta Attention with MLA every fourth layer, DeepSeek's experts; K3 adds a latent, gates and
attention residuals."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.families.mixtral import STATE_NAMES as MIXTRAL_STATE
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import dense, moe
from cutaway.gallery.reading.reading import normal
from cutaway.gallery.reading.recurrent import kimi_delta
from cutaway.gallery.spec import KimiDelta

RESIDUALS = "Attention residuals mix earlier layers into later ones; their weights are not counted."


def prepare(r: Reading) -> None:
    """K3's attention residuals are not in public code yet."""
    if r.facts.integer("attn_res_block_size"):
        r.not_understood.append(RESIDUALS)


def delta(r: Reading, index: int) -> KimiDelta:
    """Convolutions keep SiLU where the MLP has an activation of its own (K3's SiTU)."""
    made = kimi_delta(r, index)
    return replace(made, hidden_act="silu") if made.hidden_act == "situ" else made


def mlp(r: Reading, index: int, word: str) -> object:
    """K3 normalises the latent that its experts read."""
    if word != "moe":
        return dense(r, index)
    made = moe(r, index)
    normed = made.latent_size and r.facts.flag("latent_moe_use_norm")
    return replace(made, latent_norm=normal(r)) if normed else made


FAMILY = Family(
    source="transformers 5.23.0, models/kimi_linear; K3's additions from its config alone",
    prepare=prepare,
    defaults={"first_k_dense_replace": 1},
    unread={  # its _tied_weights_keys is empty, it rotates nothing, and only the first layers are dense
        "tie_word_embeddings": False,
        "mla_use_nope": True,
        "moe_layer_freq": 1,
    },
    mixers={"linear": delta},
    mlp=mlp,
    names=(
        ("mlp.gate.weight", "block_sparse_moe.gate.weight"),
        ("mlp.experts.{expert}.gate_proj", "block_sparse_moe.experts.{expert}.w1"),
        ("mlp.experts.{expert}.down_proj", "block_sparse_moe.experts.{expert}.w2"),
        ("mlp.experts.{expert}.up_proj", "block_sparse_moe.experts.{expert}.w3"),
        ("mlp.shared_experts", "block_sparse_moe.shared_experts"),
        ("mlp.fc1_latent_proj", "block_sparse_moe.fc1_latent_proj"),
        ("mlp.fc2_latent_proj", "block_sparse_moe.fc2_latent_proj"),
    ),
    scoring="sigmoid",
    group_score="top2",
    norm_topk_eps=1e-20,
    router_buffer="block_sparse_moe.gate.e_score_correction_bias",
    state_names=(
        ("self_attn.q_conv1d + self_attn.k_conv1d + self_attn.v_conv1d", "self_attn.conv1d"),
        ("self_attn.f_a_proj", "self_attn.forget_gate.f_a_proj"),
        ("self_attn.f_b_proj", "self_attn.forget_gate.f_b_proj"),
        ("self_attn.dt_bias", "self_attn.forget_gate.dt_bias"),
        ("self_attn.A_log", "self_attn.forget_gate.A_log"),
        ("block_sparse_moe.shared_experts", "mlp.shared_experts"),
        *MIXTRAL_STATE,
    ),
    nested="language_model.model",
    zoo="kimi_vit",
)
