"""Mamba-2 and Codestral Mamba: each layer is one norm and one Mamba-2 block, nothing else."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.recurrent import inner_normal, mamba_act, step_limits
from cutaway.gallery.spec import Mamba2


def block(r: Reading, index: int) -> Mamba2:
    """Here num_heads and head_dim are the SSM's."""
    facts = r.facts
    return Mamba2(
        num_heads=facts.need("num_attention_heads", 128),
        head_dim=facts.need("head_dim", 64),
        state_size=facts.need("state_size", 128),
        n_groups=facts.integer("n_groups", 8) or 1,
        conv_kernel=facts.need("conv_kernel", 4),
        conv_bias=facts.flag("use_conv_bias", True),
        proj_bias=facts.flag("use_bias"),
        gated_norm=True,
        chunk_size=facts.integer("chunk_size") or 0,
        hidden_act=mamba_act(r),
        normal=inner_normal(r),
        time_step_limit=step_limits(r),
    )


def prepare(r: Reading) -> None:
    """The step size has one number per head here; expand and rms_norm say again what the sizes say."""
    r.facts.settle("mamba_dt_rank")
    r.facts.settle("expand")


FAMILY = Family(
    source="transformers 5.23.0, models/mamba2",
    defaults={"norm_eps": 1e-5},
    spellings={"rms_norm": "mamba_rms_norm"},
    norms="single_half",
    final_norm="norm_f",
    every_layer="mamba",
    prepare=prepare,
    mixers={"mamba": block, "linear": block},
    names=(
        ("input_layernorm", "norm"),
        ("mamba", "mixer"),
        ("model.embed_tokens", "backbone.embeddings"),
        ("model.norm_f", "backbone.norm_f"),
        ("model.layers", "backbone.layers"),
    ),
)
