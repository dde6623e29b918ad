"""Trinity (AfMoE): norms around each half, a separate gate on attention, position only in windowed layers, a router
with a trained bias; the embedding grows by the root of the width."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family


def full(r: Reading, index: int) -> object:
    """Full layers have no position."""
    return attention(r, index, rotary_dim=0, position="nope")


def prepare(r: Reading) -> None:
    """mup_enabled multiplies the embedding by √hidden_size."""
    if r.facts.flag("mup_enabled"):
        r.facts.defaults["embedding_multiplier"] = r.hidden_size**0.5


FAMILY = Family(
    source="transformers 5.23.0, models/afmoe",
    windowed=True,
    defaults={"global_attn_every_n_layers": 4, "norm_eps": 1e-5},
    unread={"n_group": 1, "topk_group": 1},  # AfmoeTokenChoiceRouter has no groups
    norms="sandwich",
    qk_norm="head",
    gate="separate",
    mixers={"full": full},
    prepare=prepare,
    scoring="sigmoid",
    norm_topk=True,
    norm_topk_eps=1e-20,
    router_buffer="mlp.expert_bias",
    router_trained=True,
    names=(
        ("mlp.gate", "mlp.router.gate"),
        ("pre_feedforward_layernorm", "pre_mlp_layernorm"),
        ("post_feedforward_layernorm", "post_mlp_layernorm"),
    ),
)
