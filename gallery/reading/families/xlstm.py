"""xLSTM: a matrix memory per head in every layer, widths as factors of embedding_dim."""

from dataclasses import replace

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import Dense
from cutaway.gallery.reading.reading import Reading, norm, normal
from cutaway.gallery.spec import MatrixLSTM, Norm, Normal


def round_up(value: float, step: int) -> int:
    """Up to the next multiple."""
    return max(-(-int(value) // step) * step, 1) if step else max(int(value), 1)


def cell(r: Reading, index: int) -> MatrixLSTM:
    """Queries may be narrower than values."""
    facts, h = r.facts, r.hidden_size
    heads = facts.need("num_attention_heads", 8)
    qk, v = facts.number("qk_dim_factor", 0.5) or 0.5, facts.number("v_dim_factor", 1.0) or 1.0
    facts.settle("head_dim")
    return MatrixLSTM(
        heads, max(int(h * qk) // heads, 1), max(int(h * v) // heads, 1), facts.flag("use_bias"),
        gate_soft_cap=facts.number("gate_soft_cap") or 0.0, eps=facts.number("mlstm_eps") or 0.0,
        normal=Normal("LayerNorm", normal(r).eps),
    )  # fmt: skip


def mlp(r: Reading, index: int, word: str) -> Dense:
    """embedding_dim x ffn_proj_factor, rounded up."""
    facts = r.facts
    step = facts.integer("ffn_round_up_to_multiple_of", 64) or 1
    factor = facts.number("ffn_proj_factor", 2.667) or 2.667
    return Dense(round_up(r.hidden_size * factor, step), True, "silu", facts.flag("use_bias"))


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """One in front of each half; the last one never has a bias."""
    two = (norm(r, "mixer_in", "norm_mlstm"), norm(r, "mlp_in", "norm_ffn"))
    return tuple(replace(one, bias=r.facts.flag("use_bias")) for one in two)


FAMILY = Family(
    source="transformers 5.23.0, models/xlstm",
    defaults={"gate_soft_cap": 15.0, "final_logit_softcapping": 30.0, "mlstm_eps": 1e-6, "norm_eps": 1e-6},
    spellings={"eps": "mlstm_eps"},
    unread={"tie_word_embeddings": False},  # its class names no tied weights
    final_norm="out_norm",
    position="nope",
    every_layer="mlstm",
    mixers={"mlstm": cell},
    mlp=mlp,
    norms_of=norms,
    names=(
        ("mlp.gate_proj", "ffn.proj_up_gate"),
        ("mlp.up_proj", "ffn.proj_up"),
        ("mlp.down_proj", "ffn.proj_down"),
        ("model.embed_tokens", "backbone.embeddings"),
        ("model.out_norm", "backbone.out_norm"),
        ("model.layers", "backbone.blocks"),
    ),
)
