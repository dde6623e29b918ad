"""A.X K2: DeepSeek-V3.2's layer; queries and an output gate share one matrix, most norms have a gate of their own."""

from dataclasses import replace

from cutaway.gallery.reading.attention import latent
from cutaway.gallery.reading.families.deepseek_v32 import FAMILY as V32
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.spec import LatentAttention, Norm


def gated_norm(r: Reading, place: str, name: str) -> Norm:
    """A norm with its gate."""
    return replace(norm(r, place, name + ".norm"), gate_rank=r.facts.integer("gated_norm_rank", 16) or 0)


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Both are gated; in front of a dense MLP only the first."""
    first = gated_norm(r, "mixer_in", "input_layernorm")
    if r.mlp_words[index] == "moe":
        return first, gated_norm(r, "mlp_in", "post_attention_layernorm")
    return first, norm(r, "mlp_in", "post_attention_layernorm")


def mixer(r: Reading, index: int) -> LatentAttention:
    """MLA whose queries' matrix holds the gate too."""
    return latent(r, index, "sparse", gate="with_queries")


FAMILY = replace(
    V32,
    source="transformers 5.23.0, models/axk2",
    defaults={"first_k_dense_replace": 1},
    every_layer="sparse",
    mixers={"sparse": mixer, "full": mixer},
    norms_of=norms,
    group_masked=0.0,
    mtp=None,
    zoo="",
)
