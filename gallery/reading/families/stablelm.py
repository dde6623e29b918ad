"""StableLM: LayerNorm with biases, a quarter of each head rotated, QK-norm and parallel halves optional."""

from cutaway.gallery.reading.attention import Reading, norm
from cutaway.gallery.reading.family import Family
from cutaway.gallery.spec import Norm


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Parallel halves share one norm."""
    if r.facts.flag("use_parallel_residual"):
        return (norm(r, "mixer_in"),)
    return (norm(r, "mixer_in"), norm(r, "mlp_in"))


FAMILY = Family(
    source="transformers 5.23.0, models/stablelm",
    defaults={"partial_rotary_factor": 0.25},
    norm="LayerNorm",
    norm_bias=True,
    o_bias=False,
    qk_norm_if_said="per_head",
    norms_of=norms,
    state_names=tuple(
        (f"self_attn.{one}_layernorm.weight", f"self_attn.{one}_layernorm.norms.{{head}}.weight") for one in "qk"
    ),
    names=(("self_attn.q_norm", "self_attn.q_layernorm"), ("self_attn.k_norm", "self_attn.k_layernorm")),
)
