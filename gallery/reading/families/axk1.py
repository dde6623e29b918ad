"""A.X K1: DeepSeek-V3's layer with one more norm after the experts."""

from dataclasses import replace

from cutaway.gallery.reading.families.deepseek_v3 import FAMILY as V3
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.spec import Norm


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """The third stands only where there are experts."""
    usual = (norm(r, "mixer_in", "input_layernorm"), norm(r, "mlp_in", "post_attention_layernorm"))
    return (*usual, norm(r, "mlp_out", "post_mlp_layernorm")) if r.mlp_words[index] == "moe" else usual


FAMILY = replace(
    V3,
    source="transformers 5.23.0, models/axk1",
    defaults={**V3.defaults, "first_k_dense_replace": 1},
    norms_of=norms,
    unread={},  # its configuration reads moe_layer_freq
    state_names=(("post_mlp_layernorm", "mlp.post_mlp_layernorm"),),
)
