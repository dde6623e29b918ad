"""Mamba: each layer is one norm and one Mamba-1 block, nothing else."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.recurrent import mamba1
from cutaway.gallery.spec import Mamba1


def block(r: Reading, index: int) -> Mamba1:
    """intermediate_size, where it stands, is the inner width; use_bias is for the projections."""
    facts = r.facts
    made = mamba1(r, index)
    inner = facts.per_layer("intermediate_size", index) or made.d_inner
    return replace(made, d_inner=inner, proj_bias=facts.flag("use_bias"))


FAMILY = Family(
    source="transformers 5.23.0, models/mamba",
    defaults={"tie_word_embeddings": True, "state_size": 16, "norm_eps": 1e-5},
    norms="single_half",
    final_norm="norm_f",
    every_layer="mamba",
    mixers={"mamba": block, "linear": block},
    names=(
        ("input_layernorm", "norm"),
        ("mamba", "mixer"),
        ("model.embed_tokens", "backbone.embeddings"),
        ("model.norm_f", "backbone.norm_f"),
        ("model.layers", "backbone.layers"),
    ),
)
